"""Elements where indices say: read, written, added."""

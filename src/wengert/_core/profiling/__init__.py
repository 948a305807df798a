"""What a profile notes of calls and nodes."""

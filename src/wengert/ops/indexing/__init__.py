"""Elements at indices: reading, writing, adding."""

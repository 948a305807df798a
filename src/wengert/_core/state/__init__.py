"""State of a thread: its modes, the guards that set them, and the guards as decorators."""

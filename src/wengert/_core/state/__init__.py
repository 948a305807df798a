"""What holds for a thread: its modes, the guards that set them, and these as decorators."""

"""Recording of a function's calls as a list, and replay of the list; loaded on first use."""

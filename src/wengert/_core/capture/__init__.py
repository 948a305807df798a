"""Recording of what a function calls as a list, and replay of that list; loaded when somebody asks for it."""

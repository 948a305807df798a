"""A backward pass: the loop, what is ready, what a task knows, passes within passes."""

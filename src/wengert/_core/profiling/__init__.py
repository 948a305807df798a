"""Events of calls and nodes in a profile."""

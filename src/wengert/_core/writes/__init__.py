"""Operators that write: in place, into parts, and the gradients of parts."""

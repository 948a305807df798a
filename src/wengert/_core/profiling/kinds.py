"""Kinds of events in a profile (`kinds.pxd` has the same as C constants)."""

OPERATOR, EVALUATE, BACKWARD, FUNCTION, RANGE, MEMORY = range(6)
"""A call of an operator, or of a function made of operators; all that the engine does for one node, sums of gradients
included; the node itself; the forward step of a custom Function; a range of the program's own; memory taken or given
back."""

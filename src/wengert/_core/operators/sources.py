"""Kinds of parameter of an operator, and sources of saved values (`sources.pxd` has the same as C constants)."""

PLAIN, ARRAY, ARRAYS, INDEX, INDICES = range(5)
"""Kinds of parameter: plain, a differentiable tensor, a list of such, a tensor without derivative, a list of such."""

FROM_INPUT, FROM_OUTPUT, FROM_SHAPE, FROM_DTYPE, FROM_PLAIN, FROM_WANTED, FROM_STRIDES, FROM_TAIL = range(8)
"""Sources of a rule's argument: an input, an output, an input's shape or dtype, a plain argument, which gradients are
wanted, an input's strides in bytes, an input whose result has lost its digits (else None)."""

LAID_ROWS, LAID_ITERATOR, LAID_LIKE, LAID_SUGGESTED, LAID_OWN, LAID_REVERSED, LAID_POWER, LAID_SCALED = range(8)
"""Memory layouts of results: row-major; as torch's iterator over the operands decides; in the order of the first
tensor; channels innermost if those of the first tensor are; as the body made them; as the iterator decides that takes
the last operand first; as the iterator decides, but row-major if the first argument is a number; the same, but the
second operand counts as row-major beside integers, and beside float32 unless it is of integers itself."""

SEES_PART, SEES_DTYPE, SEES_BATCH, SEES_SIGNS, SEES_MEMORY = range(5)
"""Memory that a view sees: a part, by shape and strides; another kind of numbers; the members of a batch, or all of
them; conjugates or negatives; by shape and strides on the source's memory, whatever the source's own strides."""

APART_NEVER, APART_ITSELF, APART_PARTLY, APART_WHOLLY, APART_WARNED = range(5)
"""Sharing that an in-place form refuses: none; elements of the target that share memory; further other inputs that
share a part of it; further other inputs that share any of it, even all. The last refuses nothing,
but warns of elements of the target that share memory."""

"""Exchange of two tensors: each object becomes the other."""

from __future__ import annotations

import sys
import weakref

from ..._core.tensor import slots
from ..._core.tensor.base import Tensor

OWN_REFERENCES = 3
"""References to an accumulator that no edge leads to: the leaf's, a variable's, and that of the call that counts the
leaf's field. (When it counts the variable's, the call borrows its reference from Python 3.14 on.)"""

FIELDS = ("_array_", "_storage_", "_flags_", "_edge_", "_meta_")


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange two tensors: values, position in the graph, class and attributes, for all who hold either.

    Args:
        t1, t2: tensors, or parameters.

    Raises:
        RuntimeError: if one of them has a weak reference, or is a leaf that a graph leads to: both would refer to the
            other tensor from then on.
        TypeError: if only one is of a subclass.

    >>> import wengert as wg
    >>> x, y = wg.zeros(2), wg.ones(3)
    >>> wg.utils.swap_tensors(x, y)
    >>> x, y
    (tensor([1., 1., 1.]), tensor([0., 0.]))
    """
    slots.settle_tapes()
    for name, tensor in (("t1", t1), ("t2", t2)):
        if has_accumulator(tensor):
            raise RuntimeError(
                f"Cannot swap {name}: a graph leads to it, and would give it the gradients of the other one. Delete "
                "what was computed with it first."
            )
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    kinds = type(t1), type(t2)
    if kinds[0] is not kinds[1]:
        if Tensor in kinds:  # a compiled class: objects cannot be converted to it
            raise TypeError(f"swap_tensors(): a {kinds[0].__name__} cannot become a {kinds[1].__name__} and vice versa")
        t1.__class__, t2.__class__ = kinds[1], kinds[0]
    attributes = dict(vars(t1)), dict(vars(t2))
    for tensor, values in ((t1, attributes[1]), (t2, attributes[0])):
        vars(tensor).clear()
        vars(tensor).update(values)
    for field in FIELDS:
        first, second = getattr(t1, field), getattr(t2, field)
        setattr(t1, field, second)
        setattr(t2, field, first)


def has_accumulator(tensor: Tensor) -> bool:
    """Return whether a live graph ends in a leaf; if none does, forget the node that its graphs ended in."""
    meta = tensor._meta_
    accumulator = None if meta is None else meta.accumulator
    if isinstance(accumulator, weakref.ref):
        return accumulator() is not None
    if accumulator is None or sys.getrefcount(meta.accumulator) > OWN_REFERENCES:  # edges hold the other references
        return accumulator is not None
    meta.accumulator = None
    return False

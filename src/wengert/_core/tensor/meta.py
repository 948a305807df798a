"""The autograd fields that only some tensors have."""

from __future__ import annotations

from typing import Any

from .. import errors


class AutogradMeta:
    """Fields that only some tensors have: a gradient, hooks, a place among the views of a base.

    Attributes:
        grad: the accumulated gradient of a leaf, or a retained one.
        grad_dtype: NumPy dtype that a leaf's gradients are to have, `...` for any; None for the leaf's own.
        accumulator: the `AccumulateGrad` of a leaf, or a weak reference to it.
        lock: held while a gradient is added; created with the first one, in the process with the number `process`.
        view: `views.ViewInfo` of a differentiable view.
        hooks: `HookDict` of a leaf.
        after_accumulate: `HookDict` called with the leaf after its `.grad` was written.
        retains_grad: whether a non-leaf keeps its gradient.
        name: a name that the program has set.
        tangent: the tangent of forward mode, or None.
        origin: `origins.Origin`: where the tensor was created, noted under `set_debug`.
    """

    grad: Any
    grad_dtype: Any
    accumulator: Any
    lock: Any
    view: Any
    hooks: Any
    after_accumulate: Any
    name: Any
    tangent: Any
    origin: Any
    retains_grad: bool
    process: int

    __slots__ = (
        "accumulator",
        "after_accumulate",
        "grad",
        "grad_dtype",
        "hooks",
        "lock",
        "name",
        "origin",
        "process",
        "retains_grad",
        "tangent",
        "view",
    )
    __reduce__ = errors.refuse_pickling


def new_meta() -> AutogradMeta:
    """Return empty autograd fields."""
    meta: AutogradMeta = AutogradMeta.__new__(AutogradMeta)
    meta.grad = meta.accumulator = meta.lock = meta.view = meta.hooks = meta.after_accumulate = None
    meta.name = meta.tangent = meta.origin = meta.grad_dtype = None
    meta.process, meta.retains_grad = 0, False
    return meta

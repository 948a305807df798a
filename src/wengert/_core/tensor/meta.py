"""The autograd fields that only some tensors have."""

from __future__ import annotations

from typing import Any

from .. import errors


class AutogradMeta:
    """What only some tensors have: a gradient, hooks, a place among the views of a base.

    Attributes:
        grad: the accumulated gradient of a leaf, or a retained one.
        grad_dtype: NumPy dtype that a leaf's gradients are to have, `...` for whichever they come in; None: the leaf's.
        accumulator: the `AccumulateGrad` of a leaf, or a weak reference to it.
        lock: held while a gradient is added; made with the first one, in the process with the number `process`.
        view: `views.ViewInfo` of a differentiable view.
        hooks: `HookDict` of a leaf.
        after_accumulate: `HookDict` called with the leaf after its `.grad` was written.
        retains_grad: whether a non-leaf keeps its gradient.
        name: a name given by the program.
        tangent: forward mode's part.
        origin: `origins.Origin`: where the tensor was made, noted if `set_debug` asks for it.
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
    """Autograd fields that hold nothing."""
    meta: AutogradMeta = AutogradMeta.__new__(AutogradMeta)
    meta.grad = meta.accumulator = meta.lock = meta.view = meta.hooks = meta.after_accumulate = None
    meta.name = meta.tangent = meta.origin = meta.grad_dtype = None
    meta.process, meta.retains_grad = 0, False
    return meta

"""Methods and properties of tensors about gradients: retaining, hooks, `.grad` and its dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import flags
from .._core.aliasing import views
from .._core.graph.hooks import HookDict, RemovableHandle, add_to
from .._core.leaves import hooked
from .._core.leaves.accumulate import forget_space, gradient_edge
from .._core.state.modes import current
from .._core.tensor.assigned import check_grad_dtype, wanted_dtype
from .._core.tensor.base import Tensor, meta_of
from .._core.types.dtypes import dtype, from_numpy


def is_leaf(tensor: Tensor) -> bool:
    """Return whether a tensor is a leaf; a view whose base was written to gets its history first."""
    if tensor._flags_ & flags.VIEW:
        views.refresh(tensor)
    return tensor._edge_ is None


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a tensor inside the graph in `.grad`; that of a leaf is kept anyway.

    It is the gradient after the hooks of the tensor. After a write in place it is that of the new value.

    Raises:
        RuntimeError: if the tensor does not require a gradient.

    >>> import wengert as wg
    >>> x = wg.tensor(3.0, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> (y * y).backward()
    >>> y.grad
    tensor(12.)
    """
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if current().transforms:
        raise RuntimeError(refused_in_transform("retain_grad()"))
    if not is_leaf(self) and not meta_of(self).retains_grad:
        hooked.retain(self)


def refuse_batch(self: Tensor, text: str) -> None:
    """Refuse a tensor that stands for the members of a batch.

    Raises:
        RuntimeError: if the tensor stands for a batch; with `text`.
    """
    if self._flags_ & flags.BATCHED:
        raise RuntimeError(text)


def refused_in_transform(call: str) -> str:
    """Error text for a call inside a function that is transformed by `func.grad` and its like."""
    name = call.partition(" ")[0]
    return (
        f"You are attempting to call Tensor.{call} inside of a function being transformed by a functorch transform. "
        "This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) "
        f"or call {name} outside of a function being transformed instead."
    )


def get_retains_grad(self: Tensor) -> bool:
    """Return whether this is a tensor inside the graph that keeps its gradient."""
    return self._meta_ is not None and self._meta_.retains_grad


def hooks_of(leaf: Tensor, kind: str) -> HookDict:
    """Return the hooks of a leaf of a kind, an attribute of its metadata; there are none before the first one."""
    meta = meta_of(leaf)
    if getattr(meta, kind) is None:
        hooks = HookDict()
        if getattr(meta, kind) is None:  # see `base.meta_of`
            setattr(meta, kind, hooks)
    result: HookDict = getattr(meta, kind)
    return result


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient of this tensor is known; its result replaces the gradient.

    Hooks are called in the order of their registration, each with the result of the one before it; with
    None in a pass that reaches the tensor's node, but not the tensor. A hook belongs to the value that the tensor has
    now: after a write in place the gradient that it sees is still that of the old value.

    Args:
        hook: must not write to the gradient; returns a tensor of its shape and dtype, or None to leave it as it is.

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        RuntimeError: if the tensor does not require a gradient.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> x.sum().backward()
    >>> x.grad
    tensor([10., 10.])
    """
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if is_leaf(self):
        return add_to(hooks_of(self, "hooks"), hook)
    edge = gradient_edge(self)
    hooks = edge.node.own_hooks()
    return hooks.tensor.setdefault(edge.nr, HookDict()).add(hook)


def get_backward_hooks(self: Tensor) -> HookDict | None:
    """The hooks that `register_hook` has put on the tensor's present value, by the ids of their handles."""
    if is_leaf(self):
        return None if self._meta_ is None else self._meta_.hooks
    edge = gradient_edge(self)
    hooks = edge.node.node_hooks
    return None if hooks is None else hooks.tensor.get(edge.nr)


def keep_hooks(self: Tensor) -> None:
    """Keep the hooks of a result's present value for the leaf that it is about to become; its node keeps them, too."""
    hooks = get_backward_hooks(self)
    if hooks is not None or self._meta_ is not None:
        meta_of(self).hooks = hooks


def set_backward_hooks(self: Tensor, hooks: Any) -> None:
    """Replace the hooks of a leaf by a dictionary; those of a tensor inside the graph belong to its node, and stay.

    Raises:
        TypeError: if `hooks` is neither a dictionary nor None.
    """
    check_hooks("_backward_hooks", hooks)
    if is_leaf(self):
        meta_of(self).hooks = hooks


def get_post_accumulate_grad_hooks(self: Tensor) -> HookDict | None:
    """The hooks that are called after the leaf's `.grad` was written, by the ids of their handles."""
    return None if self._meta_ is None else self._meta_.after_accumulate


def set_post_accumulate_grad_hooks(self: Tensor, hooks: Any) -> None:
    """Replace the hooks that are called after `.grad` was written by a dictionary.

    Raises:
        TypeError: if `hooks` is neither a dictionary nor None.
    """
    check_hooks("_post_accumulate_grad_hooks", hooks)
    meta_of(self).after_accumulate = hooks


def check_hooks(name: str, hooks: Any) -> None:
    """Refuse hooks that are not in a dictionary.

    Raises:
        TypeError: if `hooks` is neither a dictionary nor None.
    """
    if hooks is not None and not isinstance(hooks, dict):
        raise TypeError(f"{name} must be a dict (an OrderedDict) or None, not {type(hooks).__name__}")


def get_kept(self: Tensor) -> Any:
    """`.grad` without a warning for tensors inside the graph."""
    return None if self._meta_ is None else self._meta_.grad


def set_grad(self: Tensor, value: Tensor | None) -> None:
    """Set `.grad`."""
    self.grad = value


def drop_grad(self: Tensor) -> None:
    """Delete `.grad`: set it to None."""
    self.grad = None


def drop_history(self: Tensor, value: None) -> None:
    """`tensor._grad_fn = None`: leave the graph.

    Raises:
        RuntimeError: if `value` is not None.
    """
    if value is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.detach_()


def get_grad_dtype(self: Tensor) -> dtype | None:
    """The dtype to which the gradients of a leaf are converted: its own unless another was set; None for any.

    Set it before there is a gradient, e.g. to float32 for a parameter of half precision that is used many times.

    Raises:
        RuntimeError: if the tensor is not a leaf; or if it is set to a dtype other than that of an existing gradient.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> x.grad_dtype = wg.float64
    >>> x.sum().backward()
    >>> x.grad
    tensor([1., 1.], dtype=torch.float64)
    """
    if not is_leaf(self):
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    wanted = wanted_dtype(self)
    return None if wanted is ... else from_numpy(wanted)


def set_grad_dtype(self: Tensor, value: dtype | None) -> None:
    """Set `grad_dtype`; edges to the leaf are rebuilt."""
    check_grad_dtype(self, value)
    meta = meta_of(self)
    meta.grad_dtype = ... if value is None else value.numpy
    forget_space(meta)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook(leaf)` after its `.grad` was written.

    It runs with recording off, unless the backward pass is itself recorded, and may write to the leaf and its `.grad`,
    e.g. take an optimiser's step and free the gradient.

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        RuntimeError: if the tensor is not a leaf that requires a gradient.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> x.sum().backward()
    tensor([1., 1.])
    """
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not is_leaf(self):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return add_to(hooks_of(self, "after_accumulate"), hook)

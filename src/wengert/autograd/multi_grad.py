"""One hook for the gradients of several tensors."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .._core.graph.hooks import RemovableHandle
from .._core.graph.node import Node
from .._core.leaves.accumulate import gradient_edge
from .._core.state.modes import Pass, current
from .._core.tensor.base import Tensor

MODES = ("all", "any")


class MultiHandle(RemovableHandle):
    """The handles of the hooks of several tensors, removed together."""

    __slots__ = ("handles",)

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Remove all hooks; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self


class Gathering:
    """State of one hook in one backward pass.

    Attributes:
        grads: the gradients so far.
        missing: the number of tensors that have not been reached yet.
    """

    __slots__ = ("grads", "missing")

    def __init__(self, count: int, missing: int) -> None:
        self.grads: list[Tensor | None] = [None] * count
        self.missing = missing


class AllGrads:
    """Collect the gradients of a backward pass, and call `fn` with the last of them.

    Nodes (for leaves the tensors, whose nodes are temporary) are held by weak references, because they hold the hook.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[[Sequence[Tensor | None]], None]) -> None:
        self.fn = fn
        self.places = [weakref.ref(tensor if tensor.is_leaf else tensor.grad_fn) for tensor in tensors]
        self.passes: weakref.WeakKeyDictionary[Pass, Gathering] = weakref.WeakKeyDictionary()

    def arrived(self, at: int, grad: Tensor | None) -> None:
        """Note the gradient of tensor number `at`."""
        this_pass = current().this_pass()
        gathering = self.passes.get(this_pass)
        if gathering is None:
            gathering = self.passes[this_pass] = Gathering(len(self.places), self.count_reached(at, this_pass.tasks))
        gathering.grads[at] = grad
        gathering.missing -= 1
        if gathering.missing == 0:
            self.fn(gathering.grads)

    def count_reached(self, at: int, tasks: dict[Any, Any]) -> int:
        """Return the number of tensors that the pass reaches; called at the first, number `at`, whose task is done."""
        own_node = node_at(self.places[at]())
        nodes = [node_at(place()) for place in self.places]
        return sum(node is own_node or (node in tasks and tasks[node].wanted) for node in nodes)


def node_at(place: Tensor | Node | None) -> Node | None:
    """Return the node that accumulates the gradient of a leaf, or the node itself."""
    return gradient_edge(place).node if isinstance(place, Tensor) else place


class AnyGrad:
    """Call `fn` with the first gradient of each backward pass."""

    def __init__(self, fn: Callable[[Tensor], None]) -> None:
        self.fn = fn
        self.passes: weakref.WeakSet[Pass] = weakref.WeakSet()

    def arrived(self, grad: Tensor) -> None:
        """Note a gradient."""
        this_pass = current().this_pass()
        if this_pass not in self.passes:
            self.passes.add(this_pass)
            self.fn(grad)


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Sequence[Tensor | None]], None] | Callable[[Tensor], None],
    *,
    mode: str = "all",
) -> RemovableHandle:
    """Call `fn` once in each backward pass that reaches some of the tensors.

    Args:
        tensors: tensors that require a gradient (in mode "any" others are ignored).
        fn: in mode "all" called with the list of their gradients, once all tensors that the pass reaches have one; None
            stands for the others. In mode "any" called with the first gradient. Its result is ignored.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` removes the hook.

    Raises:
        ValueError: if there is no such mode.
        AssertionError: if a tensor does not require a gradient (mode "all").

    >>> import wengert as wg
    >>> x, y, z = (wg.tensor(value, requires_grad=True) for value in (2.0, 3.0, 4.0))
    >>> def show(grads):
    ...     print([None if each is None else each.item() for each in grads])
    >>> handle = wg.autograd.graph.register_multi_grad_hook([x, y, z], show)
    >>> (x * y).backward()
    [3.0, 2.0, None]
    """
    if mode not in MODES:
        raise ValueError(f"Expects mode to be one of {MODES} but got {mode}")
    handles = []
    if mode == "any":
        first = AnyGrad(fn)  # type: ignore[arg-type]
        return MultiHandle([tensor.register_hook(first.arrived) for tensor in tensors if tensor.requires_grad])
    for at, tensor in enumerate(tensors):
        if not tensor.requires_grad:
            raise AssertionError(
                f"Expected gradient function to be set: tensor number {at} does not require a gradient"
            )
    gather = AllGrads(tensors, fn)  # type: ignore[arg-type]
    for at, tensor in enumerate(tensors):
        handles.append(tensor.register_hook(Arrival(gather, at)))
    return MultiHandle(handles)


class Arrival:
    """Hook of one of the tensors."""

    __slots__ = ("at", "gather")

    def __init__(self, gather: AllGrads, at: int) -> None:
        self.gather = gather
        self.at = at

    def __call__(self, grad: Tensor | None) -> None:
        """Handle the gradient of the tensor."""
        self.gather.arrived(self.at, grad)

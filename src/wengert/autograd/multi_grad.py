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
        """Take all the hooks away; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self


class Gathering:
    """What one hook has seen of one backward pass.

    Attributes:
        grads: the gradients so far.
        missing: how many tensors have not been reached yet.
    """

    __slots__ = ("grads", "missing")

    def __init__(self, count: int, missing: int) -> None:
        self.grads: list[Tensor | None] = [None] * count
        self.missing = missing


class AllGrads:
    """Gathers the gradients of one backward pass; the last of them calls `fn`.

    The nodes of the tensors (of leaves: the tensors, whose nodes come and go) are known by weak references: the hook
    hangs on them.
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
        """How many of the tensors the pass reaches, told at the first of them, number `at`, whose task is done."""
        mine = node_at(self.places[at]())
        nodes = [node_at(place()) for place in self.places]
        return sum(node is mine or (node in tasks and tasks[node].wanted) for node in nodes)


def node_at(place: Tensor | Node | None) -> Node | None:
    """The node that takes the gradient of a leaf, or the node itself."""
    return gradient_edge(place).node if isinstance(place, Tensor) else place


class AnyGrad:
    """Calls `fn` with the first gradient of each backward pass."""

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
        tensors: all must require a gradient (in mode "any" others are passed over).
        fn: in mode "all" called with the list of their gradients, when the last of those that the pass reaches is
            known; the place of one that it does not reach, or that nothing arrives at, holds None. In mode "any" called
            with the first gradient. What it returns is of no account.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        ValueError: there is no such mode.
        AssertionError: a tensor does not require a gradient.

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
    """The hook of one of the tensors."""

    __slots__ = ("at", "gather")

    def __init__(self, gather: AllGrads, at: int) -> None:
        self.gather = gather
        self.at = at

    def __call__(self, grad: Tensor | None) -> None:
        """Be called with the tensor's gradient."""
        self.gather.arrived(self.at, grad)

"""What a transform differentiates by: variables of its own, in the one graph that there is.

A variable stands for an argument. Where that is part of a graph already, the variable is an alias in it; otherwise it
is a leaf that nobody else knows. A derivative by a variable meets no other one: each is a place of its own in the
graph. What a transform returns is part of the graph only if it depends on more than such leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._core import door, flags
from .._core.backward import passes
from .._core.calls.batching import lift
from .._core.leaves.accumulate import AccumulateGrad
from .._core.state.modes import Modes, current
from .._core.state.regions import Region
from .._core.tensor.base import Tensor, share
from .._core.tensor.tangents import is_dual, share_tangents
from .limits import depth

NOT_A_TENSOR = "Thing passed to transform API must be Tensor, got {}"
NOT_FLOATING = "only Tensors of floating point dtype can require gradients"


class Scope(Region):
    """The run of a function that is differentiated: a context in which calls are recorded.

    Attributes:
        alive: whether the function still runs.
        recording: whether calls were recorded around it.
        start: the number of the first node made in it.
        depth: the number of its transform among those under way, from 1; 0 if it is none.
    """

    __slots__ = ("alive", "before", "depth", "recording", "start")

    def __init__(self) -> None:
        modes = current()
        self.alive = True
        self.recording = modes.grad and not modes.inference
        self.start = modes.sequence
        self.depth = depth() if modes.transforms else 0
        self.before = (modes.grad, modes.inference)

    def _before_(self, modes: Modes) -> Any:
        return self.before

    def _begin_(self, modes: Modes, before: Any) -> Scope:
        modes.switch(True, False)
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        self.alive = False
        modes.switch(*before)

    def variable(self, value: Any) -> Tensor:
        """The variable that stands for an argument; to be made inside.

        Raises:
            ValueError: it is no tensor.
            RuntimeError: it is neither floating point nor complex.
        """
        if not isinstance(value, Tensor):
            raise ValueError(NOT_A_TENSOR.format(type(value)))
        if not door.is_inexact(value._array_):
            raise RuntimeError(NOT_FLOATING)
        # A gradient is one for each member of a batch.
        value = lift(value, [batch for batch in current().batches if not batch.directions])
        if self.recording and value.requires_grad:
            alias: Tensor = value.view_as(value)  # type: ignore[attr-defined]
            alias.grad_fn.metadata["scope_"] = self  # type: ignore[union-attr]
            return alias
        result = twin(value)
        result._flags_ = result._flags_ & ~flags.INFERENCE | flags.REQUIRES_GRAD
        result._scope_ = self  # type: ignore[attr-defined]
        return result

    def closed(self, value: Any) -> Any:
        """What a program outside gets for a value made inside."""
        if not isinstance(value, Tensor) or not value.requires_grad:
            return value
        return self.parted(value, self.recording and self.outlives([value]))

    def parted(self, value: Tensor, outliving: bool) -> Tensor:
        """`closed` of a tensor of which it is known whether it is `outliving`."""
        return value if outliving or not value.requires_grad else twin(value)

    def outlives(self, tensors: Iterable[Any]) -> bool:
        """Whether tensors depend on more than leaves that stand for arguments of functions that have run.

        The graph is followed only as far as it was made in this scope: whatever is older was there before.
        """
        edges = [passes.edge_of(tensor) for tensor in tensors if isinstance(tensor, Tensor) and tensor.requires_grad]
        seen = set()
        while edges:
            edge = edges.pop()
            if edge is None or edge.node in seen:
                continue
            node = edge.node
            seen.add(node)
            if isinstance(node, AccumulateGrad):
                scope = getattr(node.variable, "_scope_", None)
                if scope is None or (scope is not self and scope.alive):
                    return True
            elif node.sequence_number < self.start:
                return True
            else:
                edges += node.next_edges
        return False


def twin(tensor: Tensor) -> Tensor:
    """A leaf on the memory of a tensor, with its tangents."""
    result = share(tensor._array_, tensor._storage_)
    result._flags_ |= tensor._flags_ & flags.INFERENCE
    share_tangents(result, tensor)
    return result


def gradients(
    outputs: list[Any], variables: list[Tensor], cotangents: list[Any], keep: bool, create: bool
) -> list[Any]:
    """The gradients by the variables, zeros where nothing depends on one."""
    live = [at for at, output in enumerate(outputs) if output.requires_grad]
    if not live:
        return [variable.new_zeros(variable.shape) for variable in variables]  # type: ignore[attr-defined]
    roots, cotangents_ = [outputs[at] for at in live], [cotangents[at] for at in live]
    return list(passes.grad(roots, variables, cotangents_, keep, create, True, True))


def is_followed(tensor: Tensor) -> bool:
    """Whether a derivative of what is made of a tensor now may be asked for: it is recorded, or dual."""
    return (current().grad and tensor.requires_grad) or is_dual(tensor)

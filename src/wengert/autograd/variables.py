"""Variables of transforms: tensors in the graph that a transform differentiates with respect to.

A variable stands for an argument. If that is part of a graph already, the variable is an alias in it; otherwise it is a
new leaf. Each variable is a place of its own in the graph, so derivatives with respect to variables do not mix. The
result of a transform is part of the graph only if it depends on more than such leaves.
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
from .._tensor.transforms import nodes_behind
from .limits import depth

NOT_A_TENSOR = "Thing passed to transform API must be Tensor, got {}"
NOT_FLOATING = "only Tensors of floating point dtype can require gradients"


class Scope(Region):
    """Context of the run of a differentiated function, in which calls are recorded.

    Attributes:
        alive: whether the function still runs.
        recording: whether calls were recorded around it.
        start: the number of the first node made inside.
        depth: the number of its transform among those under way, from 1; 0 if it is not a transform.
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
        """Return the variable that stands for an argument; to be called inside.

        Raises:
            ValueError: if it is not a tensor.
            RuntimeError: if it is neither floating point nor complex.
        """
        if not isinstance(value, Tensor):
            raise ValueError(NOT_A_TENSOR.format(type(value)))
        if not door.is_inexact(value._array_):
            raise RuntimeError(NOT_FLOATING)
        # Each member of a batch has its own gradient.
        value = lift(value, [batch for batch in current().batches if not batch.directions])
        if self.recording and value.requires_grad:
            alias: Tensor = value.view_as(value)
            alias.grad_fn.metadata["scope_"] = self  # type: ignore[union-attr]
            return alias
        result = twin(value)
        result._flags_ = result._flags_ & ~flags.INFERENCE | flags.REQUIRES_GRAD
        result._scope_ = self  # type: ignore[attr-defined]
        return result

    def closed(self, value: Any) -> Any:
        """Return a value from inside for the program outside."""
        if not isinstance(value, Tensor) or not value.requires_grad:
            return value
        return self.parted(value, self.recording and self.outlives([value]))

    def parted(self, value: Tensor, outliving: bool) -> Tensor:
        """Return `closed` of a tensor that is known to be `outliving` or not."""
        return value if outliving or not value.requires_grad else twin(value)

    def outlives(self, tensors: Iterable[Any]) -> bool:
        """Return whether tensors depend on more than leaves that stand for arguments of finished functions.

        Only the part of the graph made in this scope is traversed: older nodes existed before.
        """
        for node in nodes_behind([tensor for tensor in tensors if isinstance(tensor, Tensor)], self.start):
            if isinstance(node, AccumulateGrad):
                scope = getattr(node.variable, "_scope_", None)
                if scope is None or (scope is not self and scope.alive):
                    return True
            elif node.sequence_number < self.start:
                return True
        return False


def twin(tensor: Tensor) -> Tensor:
    """Return a leaf on the memory of a tensor, with its tangents."""
    result = share(tensor._array_, tensor._storage_)
    result._flags_ |= tensor._flags_ & flags.INFERENCE
    share_tangents(result, tensor)
    return result


def gradients(
    outputs: list[Any], variables: list[Tensor], cotangents: list[Any], keep: bool, create: bool
) -> list[Any]:
    """Return the gradients with respect to the variables; zeros for variables without influence."""
    live = [at for at, output in enumerate(outputs) if output.requires_grad]
    if not live:
        return [variable.new_zeros(variable.shape) for variable in variables]
    roots, live_cotangents = [outputs[at] for at in live], [cotangents[at] for at in live]
    return list(passes.grad(roots, variables, live_cotangents, keep, create, True, True))


def is_followed(tensor: Tensor) -> bool:
    """Return whether operations on a tensor can be differentiated: it is recorded, or dual."""
    return (current().grad and tensor.requires_grad) or is_dual(tensor)

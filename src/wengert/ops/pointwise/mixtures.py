"""Linear interpolation: lerp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import FLOATS, Array, Bad, InPlace, Out, Sample, nodes, op
from ..._core.operators.batch_rules import elementwise, one_of
from ..._core.out_errors import FOUND
from ..._core.recording.recorded import conjugate
from ..._core.types import dtypes
from ..._core.types.dtypes import from_numpy, promote_types
from ..._core.types.sizes import broadcast
from ..dtype_checks import checked_number
from .binary import is_number, native


def by_weights(args: tuple[Any, ...], result: Any) -> str:
    """Refuse an output of another dtype, unless there is a single weight."""
    return "" if is_number(args[2]) or not args[2].ndim else FOUND


def lerp_members(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of lerp: a weight without dimensions is a number for each member, of any dtype."""
    self, end, weight = args
    if (
        carried[2]
        and weight._array_.ndim == 1
        and weight.dtype is not self.dtype is end.dtype
        and weight.dtype.category < dtypes.COMPLEX
    ):
        alone = one_of(self, carried[0]).ndim == one_of(end, carried[1]).ndim == 0
        wanted = promote_types(self.dtype, weight.dtype) if alone else self.dtype
        args = [self.to(wanted), end.to(wanted), weight.to(wanted)]
    return elementwise(op, size, args, carried)


@op(
    layout="iterator",
    dtypes=FLOATS,
    larger=True,
    numbers="weight",
    inplace=InPlace(native=native("lerp_")),
    batching=lerp_members,
    out=Out(apart="partly", words=by_weights),
    native=native("lerp"),
    node=nodes("LerpBackward0", "LerpBackward1", by=lambda args: not is_number(args[2])),
)
def lerp(self: Array, end: Array, weight: Array) -> Any:
    """Linear interpolation self + weight * (end - self), element by element.

    Args:
        end: tensor of the same dtype that broadcasts with `self`.
        weight: number, also in a 0-dim tensor, or tensor of the same dtype that broadcasts with both.

    Returns:
        A new tensor of the broadcast shape.

    Raises:
        RuntimeError: if the dtypes differ, or the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> wg.lerp(wg.tensor([0.0, 10.0]), wg.tensor([1.0, 20.0]), 0.25)
        tensor([ 0.2500, 12.5000])
    """
    for name, value in (("end", end), ("weight", weight)):
        kind = getattr(value, "dtype", self.dtype)
        alone = name == "weight" and np.ndim(value) == 0 and kind.kind in "biufV"
        if kind != self.dtype and not alone:
            names = [
                from_numpy(operand.dtype).name.replace("32", "").replace("float64", "double")
                for operand in (self, value)
            ]
            raise RuntimeError(f"expected dtype {names[0]} for `{name}` but got dtype {names[1]}")
    if isinstance(weight, complex) and self.dtype.kind in "fV":
        weight = checked_number(weight, from_numpy(self.dtype)).real
    if self.dtype.kind not in "fcV":
        raise NotImplementedError(errors.no_kernel("lerp_kernel_scalar", from_numpy(self.dtype)))
    broadcast(broadcast(self.shape, np.shape(end)), np.shape(weight))
    if not self.ndim and not end.ndim and getattr(weight, "dtype", self.dtype) != self.dtype:  # all three count equally
        wanted = promote_types(from_numpy(self.dtype), from_numpy(weight.dtype)).numpy
        self, end, weight = (operand.astype(wanted) for operand in (self, end, weight))
    near, difference = np.abs(weight) < 0.5, end - self
    return np.where(near, self + weight * difference, end - difference * (1 - weight)).astype(self.dtype, copy=False)


@lerp.vjp("self")
def lerp_vjp_self(grad: Any, weight: Any) -> Any:
    return grad * conjugate(1 - weight)


@lerp.vjp("end")
def lerp_vjp_end(grad: Any, weight: Any) -> Any:
    return grad * conjugate(weight)


@lerp.vjp("weight")
def lerp_vjp_weight(grad: Any, self: Any, end: Any) -> Any:
    return grad * conjugate(end - self)


@lerp.jvp("self", "end")
def lerp_jvp(self_tangent: Any, end_tangent: Any, weight: Any) -> Any:
    return self_tangent + weight * (end_tangent - self_tangent)


@lerp.jvp("weight")
def lerp_jvp_weight(tangent: Any, self: Any, end: Any) -> Any:
    return tangent * (end - self)


@lerp.samples
def lerp_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), 0.25)
    yield Sample(make(3, 4), make(4), make(3, 1))
    yield Sample(make(), make(), 0.75)
    yield Sample(make(0, 2), make(2), 0.5)
    yield Bad(make(2), make(3), 0.5, raises=RuntimeError, says="must match the size of tensor b")

"""The cross product."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import NUMBERS, Array, Bad, Out, Sample, composite, op
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import check_member, full
from ..._core.out_errors import EXACT
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import broadcast, normalise
from ..axes import read_dim
from ..dtype_checks import refuse
from ..family import WRITTEN, describes
from .matrices import type_name


def crossed(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule: the dimension is counted from the end."""
    first, second, dim = full(args, carried, size)
    if first.ndim != second.ndim or first.ndim < 2:
        check_member(op, size, args, carried)
    return op.call((first, second, normalise(dim, first.ndim - 1) + 1))


def check_cross(self: Any, other: Any, dim: int) -> int:
    """Return the dimension of the vectors, counted from the front.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = read_dim("linalg_cross", dim, self.ndim)
    lengths = [operand.shape[axis] if operand.ndim else 1 for operand in (self, other)]
    if lengths != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    broadcast(self.shape, other.shape)
    if self.dtype != other.dtype:
        raise RuntimeError(f"linalg_cross: expected scalar type {type_name(self)} but found {type_name(other)}")
    if self.dtype.kind == "b" or (self.dtype.kind == "u" and self.itemsize > 1):
        refuse("linalg_cross", "cross", self)
    return axis


@op(
    dtypes=NUMBERS,
    layout="rows",
    larger=True,
    linear=("self", "other"),
    batching=crossed,
    public="neither",
    out=Out(apart="wholly"),
    native=kernels.direct_function("cross"),
)
def linalg_cross(self: Array, other: Array, *, dim: int = -1) -> Any:
    """The cross product of vectors of three elements; complex ones are not conjugated.

    Args:
        self, other: tensors of the same dtype, which broadcast.
        dim: the dimension of the vectors.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.cross(wg.tensor([1.0, 0.0, 0.0]), wg.tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])
    """
    axis = check_cross(self, other, dim)
    result = np.empty(np.broadcast_shapes(self.shape, other.shape), self.dtype)
    parts: list[Any] = [(*(slice(None),) * axis, at) for at in range(3)]
    for at in range(3):
        first, second = parts[at - 2], parts[at - 1]
        result[parts[at]] = self[first] * other[second] - self[second] * other[first]
    return result


@linalg_cross.vjp("self")
def linalg_cross_vjp_self(grad: Any, other: Any, dim: int) -> Any:
    return linalg_cross(conjugate(other).expand(grad.shape), grad, dim=dim)


@linalg_cross.vjp("other")
def linalg_cross_vjp_other(grad: Any, self: Any, dim: int) -> Any:
    return linalg_cross(grad, conjugate(self).expand(grad.shape), dim=dim)


@linalg_cross.samples
def linalg_cross_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3))
    yield Sample(make(3, 2), make(3, 1), dim=0)
    yield Bad(make(2, 2), make(2, 2), raises=RuntimeError, says="inputs dimension -1 must have length 3. Got 2 and 2")
    yield Bad(make(3), make(2, 3), raises=RuntimeError, says="inputs must have the same number of dimensions")


@composite()
@describes(WRITTEN, error="if shapes or dtypes do not fit, or no dimension has length 3")
def cross(self: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Any:
    """The cross product of vectors of three elements.

    Args:
        self, other: tensors of the same dtype, which broadcast.
        dim: the dimension of the vectors; None for the first one of length 3.

    Examples:
        >>> import wengert as wg
        >>> wg.cross(wg.tensor([1.0, 0.0, 0.0]), wg.tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])
    """
    if dim is None:
        if 3 not in self.shape:
            raise RuntimeError(
                "linalg.cross: no dimension of size 3 in input"
                if self.ndim == other.ndim
                else "linalg.cross: inputs must have the same number of dimensions."
            )
        anomaly.warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
            "linalg.cross in a future release."
        )
        dim = tuple(self.shape).index(3)
    return put(
        "cross",
        out,
        linalg_cross(self, other, dim=dim),
        words=EXACT,
        read=(self, other),
        wholly=True,
        writer="linalg_cross",
    )


@cross.samples
def cross_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3), 1)
    yield Bad(make(2, 2), make(2, 2), raises=RuntimeError, says="no dimension of size 3 in input")

"""Products of vectors along a dimension, and matrices made of their powers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._core.cards.card import NUMBERS, Array, Bad, Sample, composite, op
from ..._core.operators.batch_rules import check_member, full
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast, normalise
from ..axes import read_dim
from ..dtype_checks import refuse
from ..shapes.join import cat
from .delivered import delivered
from .matrices import check_same_dtype, public, type_name


def crossed(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """The rule for batches: the dimension is counted from the back."""
    first, second, dim = full(args, carried, size)
    if first.ndim != second.ndim or first.ndim < 2:
        check_member(op, size, args, carried)
    return op.call((first, second, normalise(dim, first.ndim - 1) + 1))


@op(
    name="linalg_cross", dtypes=NUMBERS, layout="iterator", larger=True, linear=("self", "other"), batching=crossed,
    method=False, function=False,
)  # fmt: skip
def cross(self: Array, other: Array, *, dim: int = -1) -> Any:
    """The cross product of vectors of three elements; complex ones are not conjugated.

    Args:
        self, other: tensors of the same dtype, which broadcast.
        dim: the dimension of the vectors.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: shapes or dtypes do not fit.
    """
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = read_dim("linalg_cross", dim, self.ndim)
    lengths = [each.shape[axis] if each.ndim else 1 for each in (self, other)]
    if lengths != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    broadcast(self.shape, other.shape)
    if self.dtype != other.dtype:
        raise RuntimeError(f"linalg_cross: expected scalar type {type_name(self)} but found {type_name(other)}")
    if self.dtype.kind == "b" or (self.dtype.kind == "u" and self.itemsize > 1):
        refuse("linalg_cross", "cross", self)
    made = np.empty(np.broadcast_shapes(self.shape, other.shape), self.dtype)
    a, b, c = (np.moveaxis(each, axis, 0) for each in (self, other, made))
    for at in range(3):
        first, second = (at + 1) % 3, (at + 2) % 3
        c[at] = a[first] * b[second] - a[second] * b[first]
    return made


@cross.vjp("self")
def cross_vjp_self(grad: Any, other: Any, dim: int) -> Any:
    return cross(other.conj().expand(grad.shape), grad, dim=dim)


@cross.vjp("other")
def cross_vjp_other(grad: Any, self: Any, dim: int) -> Any:
    return cross(grad, self.conj().expand(grad.shape), dim=dim)


@cross.samples
def cross_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3))
    yield Sample(make(3, 2), make(3, 1), dim=0)
    yield Bad(make(2, 2), make(2, 2), raises=RuntimeError, says="inputs dimension -1 must have length 3. Got 2 and 2")
    yield Bad(make(3), make(2, 3), raises=RuntimeError, says="inputs must have the same number of dimensions")


@composite(name="cross")
def old_cross(self: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Any:
    """The cross product of vectors of three elements.

    Args:
        self, other: tensors of the same dtype, which broadcast.
        dim: the dimension of the vectors; None for the first one of length 3.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: shapes or dtypes do not fit, or no dimension has length 3.
    """
    if dim is None:
        if 3 not in self.shape:
            raise RuntimeError(
                "linalg.cross: no dimension of size 3 in input" if self.ndim == other.ndim
                else "linalg.cross: inputs must have the same number of dimensions."
            )  # fmt: skip
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
            "torch.linalg.cross in a future release.",
            stacklevel=3,
        )
        dim = tuple(self.shape).index(3)
    return delivered("cross", out, cross(self, other, dim=dim))


@old_cross.samples
def old_cross_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3), 1)
    yield Bad(make(2, 2), make(2, 2), raises=RuntimeError, says="no dimension of size 3 in input")


@public(name="linalg_vecdot")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    """The sum along a dimension of the products of two tensors' elements, those of the first conjugated.

    Args:
        x, y: floating or complex tensors of the same dtype, which broadcast.
        dim: the dimension.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: shapes or dtypes do not fit.
    """
    if x.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(x._array_)}"
        )
    check_same_dtype("linalg.vecdot", x._array_, y._array_, "x", "y")
    made = x.vdot(y) if x.ndim == y.ndim == 1 else (x.conj() * y).sum(dim)
    return delivered("linalg_vecdot", out, made)


@vecdot.samples
def vecdot_samples(make: Any) -> Any:
    yield Sample(make(3), make(3))
    yield Sample(make(2, 3), make(3))
    yield Sample(make(2, 3), make(2, 1), dim=0)
    yield Bad(make(3, dtype=dtypes.int64), make(3), raises=RuntimeError, says="Expected a floating point or complex")


@public(name="linalg_diagonal")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices.

    Args:
        A: tensor of two dimensions or more.
        offset: how far above the main diagonal.
        dim1, dim2: the dimensions of the matrices.

    Returns:
        A view, the diagonals along its last dimension.

    Raises:
        IndexError: there are no such dimensions.
    """
    return A.diagonal(offset, dim1, dim2)


@diagonal.samples
def diagonal_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 3), offset=1)


def powers(x: Any, count: int) -> Any:
    """The powers of elements from 0 to `count` - 1, along a new last dimension."""
    kind = x.dtype if x.dtype.category >= dtypes.FLOAT else dtypes.int64
    ones = x.new_ones((*x.shape, min(count, 1)), dtype=kind)
    if count < 2:
        return ones
    return cat([ones, x.unsqueeze(-1).expand((*x.shape, count - 1)).cumprod(-1)], -1)


@public(name="linalg_vander")
def linalg_vander(x: Tensor, *, N: int | None = None) -> Any:
    """Matrices of the powers of their rows' numbers.

    Args:
        x: (..., n).
        N: how many powers, from 0 on; n unless given.

    Returns:
        A new tensor (..., n, N).

    Raises:
        RuntimeError: `N` is less than 2.
    """
    if x.dtype is dtypes.bool_ or x.dtype is dtypes.float16:
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype}")
    x = x.unsqueeze(-1) if not x.ndim else x
    count = x.shape[-1] if N is None else N
    if count < 2:
        raise RuntimeError("linalg.vander: N must be greater than 1.")
    return powers(x, count)


@composite(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """The matrix of the powers of its rows' numbers.

    Args:
        x: (n,).
        N: how many powers; n unless given.
        increasing: from 0 on; else they end with 0.

    Returns:
        A new tensor (n, N).

    Raises:
        RuntimeError: `x` has not one dimension, or `N` is negative.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    made = powers(x, count)
    return made if increasing else made.flip(1)


@linalg_vander.samples
def linalg_vander_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(3), N=4)
    yield Bad(make(3), N=1, raises=RuntimeError, says="N must be greater than 1")


@vander.samples
def vander_samples(make: Any) -> Any:
    yield Sample(make(3))
    yield Sample(make(3), 2, True)
    yield Bad(make(3, 3), raises=RuntimeError, says="x must be a one-dimensional tensor")

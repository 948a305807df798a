"""Products of vectors along a dimension, and Vandermonde matrices."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.arguments import integer
from ..._core.cards.card import Bad, Sample, composite
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..family import WRITTEN, describes
from ..shapes.join import cat
from .matrices import check_same_dtype, public, type_name

OF_VECDOT = "linalg.vecdot: Expected out of dtype{wanted} but found {found}"


@public(name="linalg_vecdot")
@describes(WRITTEN, error="if shapes or dtypes do not fit")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    """The sum along a dimension of the products of two tensors' elements, those of the first conjugated.

    Args:
        x, y: floating or complex tensors of the same dtype, which broadcast.
        dim: the dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.vecdot(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([1.0, 10.0]))
        tensor([21., 43.])
    """
    if x.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(x._array_)}"
        )
    dim = integer("linalg_vecdot", "dim", dim)
    check_same_dtype("linalg.vecdot", x._array_, y._array_, "x", "y")
    result = x.vdot(y) if x.ndim == y.ndim == 1 else (conjugate(x) * y).sum(dim)
    return put("linalg_vecdot", out, result, words=OF_VECDOT, writer="vdot")


NATIVE = multiply, total = kernels.natives("multiply", "sum")


def dots_of_arrays(x: Any, y: Any, dim: Any) -> Any:
    """`vecdot` of real matrices of one shape, if nothing is recorded."""
    if type(dim) is not int or x.shape != y.shape or x.dtype is not y.dtype or x.ndim < 2 or x.dtype.kind != "f":
        return NotImplemented
    return total(multiply(x, y), dim, False, None)


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
        offset: distance above the main diagonal.
        dim1, dim2: the dimensions of the matrices.

    Returns:
        A view, the diagonals along its last dimension.

    Raises:
        IndexError: if `dim1` or `dim2` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.diagonal(wg.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    return A.diagonal(offset, dim1, dim2)


@diagonal.samples
def diagonal_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 3), offset=1)


def powers(x: Any, count: int) -> Any:
    """Powers of elements from 0 to `count` - 1, along a new last dimension."""
    kind = x.dtype if x.dtype.category >= dtypes.FLOAT else dtypes.int64
    ones = x.new_ones((*x.shape, min(count, 1)), dtype=kind)
    if count < 2:
        return ones
    exponents = x.new_ones((count - 1,), dtype=dtypes.int64).cumsum(0)
    return cat([ones, x.unsqueeze(-1).to(kind).pow(exponents)], -1)


@public()
def linalg_vander(x: Tensor, *, N: Any = None) -> Any:
    """Vandermonde matrices: powers of the numbers in their rows.

    Args:
        x: (..., n).
        N: number of powers, from 0; n by default.

    Returns:
        A new tensor (..., n, N).

    Raises:
        RuntimeError: if `N` is less than 2.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.vander(wg.tensor([2, 3]), N=3)
        tensor([[1, 2, 4],
                [1, 3, 9]])
    """
    if x.dtype is dtypes.bool_ or x.dtype in dtypes.HALVES:
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype}")
    x = x.unsqueeze(-1) if not x.ndim else x
    count = x.shape[-1] if N is None else integer("linalg_vander", "N", N)
    if count < 2:
        raise RuntimeError("linalg.vander: N must be greater than 1.")
    return powers(x, count)


@composite(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """Vandermonde matrix: powers of the numbers in its rows.

    Args:
        x: (n,).
        N: number of powers; n by default.
        increasing: powers ascend from 0; else they descend to 0.

    Returns:
        A new tensor (n, N).

    Raises:
        RuntimeError: if `x` does not have one dimension, or `N` is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.vander(wg.tensor([2, 3]), N=3)
        tensor([[4, 2, 1],
                [9, 3, 1]])
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    result = powers(x, count)
    return result if increasing else result.flip(1)


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

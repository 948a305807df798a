"""Matrix norms, rank and condition number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.calls.out import copied, put
from ..._core.cards.arguments import integer, some_integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.out_errors import CASTABLE, EXACT
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..reductions.vector_norm import native, vector_norm
from .eigen import eigvalsh
from .inverse import inverted
from .matrices import check_matrix, check_square, public, type_name
from .singular import singular_values

MATRIX_NORM = "linalg.matrix_norm expected out tensor dtype {wanted} but got: {found}"
NAME = "linalg.matrix_norm"
OF_RANK = f"torch.linalg.matrix_rank: {CASTABLE}"


def read_pair(dim: Any, ndim: int) -> tuple[int, int]:
    """Return the two dimensions of matrices, counted from the front.

    Raises:
        TypeError: if the dimensions are not integers.
        RuntimeError: if there are not two different dimensions.
    """
    dims = some_integers("linalg_matrix_norm", "dim", dim)
    if len(dims) != 2:
        raise RuntimeError(f"{NAME}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    first, second = (normalise(axis, ndim) for axis in dims)
    if first == second:
        raise RuntimeError(f"{NAME}: dims must be different. Got ({dims[0]}, {dims[1]})")
    return first, second


def check_order(ord: Any) -> Any:
    """Check the order of a norm: "fro", "nuc", or a number.

    Raises:
        RuntimeError: if the order is unknown.
    """
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"{NAME}: Order {ord} not supported.")
        return ord
    ord = float(ord)
    if abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"{NAME}: Order {ord:g} not supported.")
    return ord


def largest(values: Any, dim: int, keepdim: bool) -> Any:
    """Largest of non-negative numbers; zero if there are none."""
    return values.amax(dim, keepdim) if values.shape[dim] else values.sum(dim, keepdim)


def of_values(matrix: Any, ord: Any, dims: tuple[int, int], keepdim: bool) -> Any:
    """Norm from singular values."""
    others = [dim for dim in range(matrix.ndim) if dim not in dims]
    order = [*others, *dims]
    values = singular_values(matrix.permute(order))
    if ord == "nuc":
        result = values.sum(-1, keepdim)
    else:
        result = largest(values, -1, keepdim) if ord > 0 else values.amin(-1, keepdim)
    return result.unsqueeze(-1).permute([order.index(dim) for dim in range(matrix.ndim)]) if keepdim else result


def norm_of_matrices(A: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """Norm of matrices, for checked arguments."""
    ord = check_order(ord)
    check_matrix(NAME, A)
    if A.dtype.category < dtypes.FLOAT:
        raise RuntimeError(f"{NAME}: Expected a floating point or complex tensor as input. Got {type_name(A._array_)}")
    first, second = read_pair(dim, A.ndim)
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim, dtype=dtype)
    if ord == "nuc" or abs(ord) == 2:
        return of_values(A if dtype is None else A.to(dtype), ord, (first, second), keepdim)
    if math.isinf(ord):
        first, second = second, first
    sums = vector_norm(A, 1, first, keepdim, dtype=dtype)
    second -= not keepdim and first < second
    return largest(sums, second, keepdim) if ord > 0 else sums.amin(second, keepdim)


@public(name="linalg_matrix_norm")
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    """The norm of matrices.

    Args:
        A: floating or complex tensor of two dimensions or more.
        ord: "fro" for the root of the sum of squares, "nuc" for the sum of singular values, 2 and -2 for the largest
            and smallest of them, 1 and -1 (infinity and its negative) for the largest and smallest sum of absolute
            values of a column (row).
        dim: the two dimensions of the matrices.
        keepdim: leave them with length 1.
        dtype: the type to compute in.
        out: a tensor to write into.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `A` is not a batch of floating or complex matrices, or `ord` is unknown.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.matrix_norm(wg.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5.)
    """
    return copied("linalg_matrix_norm", out, norm_of_matrices(A, ord, dim, keepdim, dtype), words=MATRIX_NORM)


@public()
def linalg_norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Any = None, dtype: Any = None
) -> Any:
    """The norm of vectors or of matrices.

    Args:
        A: floating or complex tensor.
        ord: of vectors as for `vector_norm`, of matrices as for `matrix_norm`; None for the root of the sum of squares
            of all elements.
        dim: one dimension for vectors, two for matrices; None for all of a tensor with one or two.
        keepdim, dtype, out: as for `matrix_norm`.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `ord` is not an order of a norm of such a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.norm(wg.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5.)
    """
    count = A.ndim if dim is None else len(dim) if isinstance(dim, (tuple, list)) else 1
    if dim is not None and count not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if dim is None and ord is not None and count not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
        )
    if isinstance(ord, str) or (ord is not None and count == 2):
        result = norm_of_matrices(A, ord, (0, 1) if dim is None else dim, keepdim, dtype)
    else:
        result = vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return copied("linalg_norm", out, result, words="linalg.norm expected out tensor dtype {wanted} but got: {found}")


@matrix_norm.samples
def matrix_norm_samples(make: Any) -> Any:
    for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        yield Sample(make(3, 2), order)
    yield Sample(make(2, 3, 4), "nuc", (0, 2), True)
    yield Bad(make(3), raises=RuntimeError, says="linalg.matrix_norm: The input tensor A must have at least 2")
    yield Bad(make(3, 3), 3, raises=RuntimeError, says="linalg.matrix_norm: Order 3 not supported")


@linalg_norm.samples
def linalg_norm_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4))
    yield Sample(make(3, 4), 2)
    yield Sample(make(3, 4), 1, 0)
    yield Bad(make(2, 3, 4), 1, raises=RuntimeError, says="the input must be 1D or 2D. Got 3D.")


@composite()
def norm(
    self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None, *, out: Any = None
) -> Any:
    """The norm of a tensor.

    Args:
        self: floating or complex tensor.
        p: order of the norm: a number for vectors, where "fro" and None stand for 2; "nuc" for the sum of singular
            values.
        dim: the dimension or dimensions; None for all of them.
        keepdim, dtype, out: as for `linalg.matrix_norm`.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `self` is of integers, or `p` is not an order of a norm.

    Examples:
        >>> import wengert as wg
        >>> wg.norm(wg.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
        tensor([ 5., 10.])
    """
    if isinstance(p, str) and (p != "fro" or (isinstance(dim, (tuple, list)) and len(dim) > 2)):
        result = norm_of_matrices(self, p, tuple(range(self.ndim)) if dim is None else dim, keepdim, dtype)
        return copied("linalg_matrix_norm", out, result, words=MATRIX_NORM)
    result = vector_norm(self, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype)
    return put("norm", out, result, words=EXACT, writer="linalg_vector_norm")


@norm.samples
def norm_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 1, 0)
    yield Sample(make(3, 4), "nuc")
    yield Bad(make(3, 4), "a", raises=RuntimeError, says="Order a not supported")


plain_case(norm, vector_norm, native("vector_norm"))


@composite(method=False)
def nuclear_norm(self: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Nuclear norm: the sum of the singular values of matrices.

    Args:
        self: floating or complex tensor.
        dim: the two dimensions of the matrices; None for those of a single matrix.
        keepdim: leave them with length 1.
        out: a tensor to write into.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `self` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> wg.nuclear_norm(wg.tensor([[3.0, 1.0], [0.0, 4.0]]))
        tensor(7.0711)
    """
    dim, keepdim = (None, dim) if isinstance(dim, bool) else (dim, keepdim)  # `keepdim` was passed in place of `dim`
    result = norm_of_matrices(self, "nuc", (-2, -1) if dim is None else dim, keepdim, None)
    return copied("nuclear_norm", out, result)


@composite(method=False)
def frobenius_norm(self: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Frobenius norm: the root of the sum of squares over one or two dimensions.

    Args:
        self: floating or complex tensor.
        dim: the dimensions; None for all.
        keepdim: leave them with length 1.
        out: a tensor to write into.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `self` holds integers.

    Examples:
        >>> import wengert as wg
        >>> wg.frobenius_norm(wg.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5.)
    """
    return put("frobenius_norm", out, vector_norm(self, 2, dim, keepdim))


@nuclear_norm.samples
@frobenius_norm.samples
def two_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(2, 3, 4), (0, 2))


@public(name="linalg_cond")
def cond(A: Tensor, p: Any = None, *, out: Any = None) -> Any:
    """The condition number of matrices: their norm times that of the inverse.

    Args:
        A: (..., m, n), floating or complex; square unless `p` is None, 2 or -2.
        p: the norm, one of those of `matrix_norm`; None for 2.
        out: a tensor to write into.

    Returns:
        A new real tensor (...); infinite for singular matrices.

    Raises:
        RuntimeError: if `A` is not a batch of matrices of the shape that `p` needs, or `p` is unknown.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.cond(wg.tensor([[3.0, 1.0], [0.0, 4.0]]))
        tensor(1.5000)
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    valid = ("fro", "nuc") if isinstance(p, str) else (None, 1, -1, 2, -2, math.inf, -math.inf)
    if p not in valid:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p not in (None, 2, -2):
        check_square(f"linalg.cond(ord={p})", A)
    return copied("linalg_cond", out, condition(A, 2 if p is None else p), uncastable=f"linalg.cond: {CASTABLE}")


def condition(matrix: Any, order: Any) -> Any:
    """Condition number of matrices, for checked arguments."""
    if not matrix.numel():
        return matrix.new_zeros(matrix.shape[:-2], dtype=matrix.abs().dtype)
    if order == "nuc":
        values = singular_values(matrix)
        total = values.sum(-1)
        return (total * values.reciprocal().sum(-1)).masked_fill(total == 0, math.inf)
    if order in (2, -2):
        values = singular_values(matrix)
        largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.shape[-1] - 1, 1)
        ratio = largest / smallest if order == 2 else smallest / largest
        return ratio.masked_fill(largest == 0, math.inf).squeeze(-1)
    inverse, info = inverted(matrix, False)
    inverse = inverse.masked_fill(info[..., None, None] > 0, math.inf)
    size, other = (norm_of_matrices(operand, order, (-2, -1), False, None) for operand in (matrix, inverse))
    return (size * other).masked_fill(
        (size == 0).logical_and(other == math.inf), math.inf
    )  # for zeros: 0 times infinity


@cond.samples
def cond_samples(make: Any) -> Any:
    for order in (None, "fro", "nuc", 1, -1, -2):
        yield Sample(make(3, 3), order)
    yield Bad(make(3), raises=RuntimeError, says="linalg.cond: The input tensor must have at least 2 dimensions")
    yield Bad(make(2, 3), 1, raises=RuntimeError, says="batches of square matrices")


def tolerances(name: str, matrix: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Return the absolute and relative tolerances below which singular values count as zero, as tensors.

    Raises:
        RuntimeError: if a tolerance is complex.
    """
    for argument, tolerance in (("atol", atol), ("rtol", rtol)):
        if isinstance(tolerance, Tensor) and tolerance.dtype.is_complex:
            raise RuntimeError(f"{name}: {argument} tensor of complex type is not supported.")
    kind = matrix._array_.real.dtype
    if rtol is None:
        eps = float(np.finfo(kind).eps) * max(matrix.shape[-2:])
        if isinstance(atol, Tensor):
            rtol = matrix.new_full((), eps, dtype=dtypes.from_numpy(kind)).where(atol <= 0, 0.0)
        else:
            rtol = 0.0 if atol is not None and atol > 0 else eps
    absolute, relative = (
        tolerance if isinstance(tolerance, Tensor) else matrix.new_full((), tolerance, dtype=dtypes.from_numpy(kind))
        for tolerance in (0.0 if atol is None else atol, rtol)
    )
    return absolute, relative


@public(name="linalg_matrix_rank")
def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Any:
    """The rank of matrices: the number of singular values larger than a tolerance.

    Args:
        A: (..., m, n), floating or complex.
        tol: the same as `atol`, with an `rtol` of zero.
        hermitian: the matrices are Hermitian: use eigenvalues.
        atol: absolute tolerance, a number or a tensor (...).
        rtol: tolerance relative to the largest value; by default max(m, n) times the precision, or 0 with an `atol`.
        out: a tensor to write into.

    Returns:
        A new tensor (...) of int64.

    Raises:
        RuntimeError: if `A` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.matrix_rank(wg.tensor([[1.0, 2.0], [2.0, 4.0]]))
        tensor(1)
    """
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if A.dtype.category < dtypes.FLOAT or A.dtype.itemsize < 4:
        raise RuntimeError("linalg.matrix_rank: This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    A = A.detach()
    absolute, relative = tolerances("torch.linalg.matrix_rank", A, atol, rtol)
    if not A.numel():
        return put("linalg_matrix_rank", out, A.new_zeros(A.shape[:-2], dtype=dtypes.int64), uncastable=OF_RANK)
    values = eigvalsh(A).abs() if hermitian else singular_values(A)
    bound = absolute.unsqueeze(-1).maximum(relative.unsqueeze(-1) * values.amax(-1, True))
    return put("linalg_matrix_rank", out, (values > bound).sum(-1), uncastable=OF_RANK)


@matrix_rank.samples
def matrix_rank_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Sample(make(2, 3, 3), atol=1.0)
    yield Bad(make(3), raises=RuntimeError, says="input must have at least 2 dimensions")


@composite(method=False)
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Any:
    """Norms of the slices of a tensor: over all dimensions but one.

    Args:
        v: floating tensor.
        pow: the order of the norm.
        dim: dimension that remains; -1 for none.

    Returns:
        A new tensor, with length 1 in all other dimensions.

    Raises:
        IndexError: if `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.norm_except_dim(wg.tensor([[3.0, 4.0], [6.0, 8.0]]))
        tensor([[ 5.],
                [10.]])
    """
    pow, dim = (integer("norm_except_dim", *value) for value in (("pow", pow), ("dim", dim)))
    others = () if dim == -1 else tuple(value for value in range(v.ndim) if value != normalise(dim, v.ndim))
    return v.norm(pow) if dim == -1 else v.norm(pow, others, True) if others else v.unsqueeze(-1).norm(pow, -1)


@norm_except_dim.samples
def norm_except_dim_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2, 3, 2), 3, 1)
    yield Sample(make(2, 3), 2, -1)
    yield Bad(make(2, 3), 2, 2, raises=IndexError, says="Dimension out of range (expected to be in range of [-2, 1]")

"""Matrix powers, the matrix exponential, and products of several matrices.

Source of the derivative of the exponential: R. Mathias, A chain rule for matrix functions and applications, SIAM J.
Matrix Anal. Appl. 17, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import check_cast, copied, one_output, put
from ..._core.cards.arguments import asking, integer, tensors_of
from ..._core.cards.card import CARDS, Array, Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.out_errors import CASTABLE, EXACT
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.devices import contiguous_format
from ..._kernels import matrix_exponentials
from ..family import describes
from ..shapes.join import cat
from .inverse import inv
from .matrices import AS_IN_LINALG, FACTORED, OF_SQUARES, adjoint, check_inexact, check_square, of_matrices, public

CHAIN = "multi_dot(): expected out tensor to have dtype {wanted_type} but got {found_type}"
OF_POWER = f"matrix_power: {CASTABLE}"

(product,) = kernels.natives("mm")


@of_matrices(
    name="linalg_matrix_exp",
    layout="rows",
    dtypes=FACTORED | dtypes.HALVES,
    describes=OF_SQUARES.format(matrices="self"),
)
def exponential(self: Array) -> Any:
    """The exponential of square matrices: the sum of A^k / k!.

    Args:
        self: (..., n, n), floating or complex.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.matrix_exp(wg.tensor([[0.0, 0.5], [0.0, 0.0]]))
        tensor([[1.0000, 0.5000],
                [0.0000, 1.0000]])
    """
    check_inexact("linalg.matrix_exp", self)
    check_square("linalg.matrix_exp", self)
    return matrix_exponentials.exponential(self)


def along(matrix: Any, direction: Any) -> Any:
    """Derivative of the exponential in a direction: a block of the exponential of a matrix twice as large."""
    size = matrix.shape[-1]
    upper = cat([matrix, direction], -1)
    lower = cat([matrix.new_zeros(matrix.shape), matrix], -1)
    return exponential(cat([upper, lower], -2)).narrow(-2, 0, size).narrow(-1, size, size)


def turned_slope(grad: Any, matrix: Any) -> Any:
    """`along` of the adjoint, if nothing is recorded."""
    turned = matrix.swapaxes(-1, -2)
    with np.errstate(all="ignore"):
        return matrix_exponentials.derivative(turned.conj() if turned.dtype.kind == "c" else turned, grad)


@exponential.vjp("self", native=turned_slope)
def exponential_vjp(grad: Any, self: Any) -> Any:
    return along(adjoint(self), grad)


@exponential.jvp("self")
def exponential_jvp(tangent: Any, self: Any) -> Any:
    return along(self, tangent)


@exponential.samples
def exponential_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Sample(make(2, 2, 2))
    yield Sample(make(0, 0))
    yield Bad(make(2, 3), raises=RuntimeError, says="linalg.matrix_exp: A must be batches of square matrices")


@composite()
@describes(OF_SQUARES, matrices="self")
def matrix_exp(self: Tensor) -> Any:
    """The exponential of square matrices: `linalg.matrix_exp`.

    Args:
        self: as for `linalg.matrix_exp`.

    Examples:
        >>> import wengert as wg
        >>> wg.matrix_exp(wg.tensor([[0.0, 0.5], [0.0, 0.0]]))
        tensor([[1.0000, 0.5000],
                [0.0000, 1.0000]])
    """
    return exponential(self)


@matrix_exp.samples
def matrix_exp_samples(make: Any) -> Any:
    yield Sample(make(3, 3))


def power(matrix: Any, exponent: int) -> Any:
    """Integer power, by repeated squaring."""
    check_square("linalg.matrix_power", matrix)
    if exponent == 0:
        return matrix.clone(memory_format=contiguous_format).copy_(matrix.new_ones(matrix.shape[-1]).diag())
    if exponent == 1:
        return matrix.clone(memory_format=contiguous_format)
    if exponent == -1:
        return inv(matrix)
    square = matrix if exponent > 0 else inv(matrix)
    result = None
    rest = abs(exponent)
    while rest:
        if rest % 2:
            result = square if result is None else result.matmul(square)
        rest //= 2
        square = square.matmul(square) if rest else square
    return result


def delivered(name: str, out: Any, result: Tensor, n: int) -> Tensor:
    """Return a power of matrices, in `out` if there is one; the first powers are copied there."""
    if n in (0, 1):
        return copied(name, out, result, uncastable=OF_POWER)
    if out is not None:
        check_cast(one_output(name, out), result, OF_POWER)
    return put(name, out, result, words=EXACT)


@public()
def linalg_matrix_power(A: Tensor, n: int, *, out: Any = None) -> Any:
    """An integer power of square matrices.

    Args:
        A: (..., n, n); floating or complex if `n` is negative.
        n: the exponent.
        out: a tensor to write into.

    Returns:
        A new tensor (..., n, n).

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.
        LinAlgError: if `n` is negative, and a matrix cannot be inverted.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.matrix_power(wg.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """
    return delivered("linalg_matrix_power", out, power(A, integer("linalg_matrix_power", "n", n)), n)


@composite()
@describes(AS_IN_LINALG, function="matrix_power")
def matrix_power(self: Tensor, n: int, *, out: Any = None) -> Any:
    """An integer power of square matrices: `linalg.matrix_power`.

    Args:
        self: (..., n, n), as `A` of `linalg.matrix_power`.
        n, out: as for `linalg.matrix_power`.

    Examples:
        >>> import wengert as wg
        >>> wg.matrix_power(wg.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """
    return delivered("linalg_matrix_power", out, power(self, integer("matrix_power", "n", n)), n)


def power_of_array(array: Any, exponent: Any) -> Any:
    """`power` of one matrix, for exponents from 2, if nothing is recorded."""
    if type(exponent) is not int or not exponent >= 2:
        return NotImplemented
    result, rest = None, exponent
    while rest:
        if rest % 2:
            result = array if result is None else product(result, array)
        rest //= 2
        array = product(array, array) if rest else array
    return result


plain_case(matrix_power, arrays=power_of_array, needs=(product,))


@linalg_matrix_power.samples
@matrix_power.samples
def power_samples(make: Any) -> Any:
    for exponent in (2, 5, 1, -1, -2):
        yield Sample(make(3, 3), exponent)
    yield Bad(make(2, 3), 2, raises=RuntimeError, says="linalg.matrix_power: A must be batches of square matrices")


def best_split(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Return where to split each product of neighbouring matrices, so that the cost is lowest.

    Source: T. H. Cormen and others, Introduction to Algorithms, section 15.2.
    """
    count = len(lengths) - 1
    cost = {(at, at): 0 for at in range(count)}
    split = {}
    for span in range(1, count):
        for first in range(count - span):
            last = first + span
            costs = [
                cost[first, at] + cost[at + 1, last] + lengths[first] * lengths[at + 1] * lengths[last + 1]
                for at in range(first, last)
            ]
            cost[first, last] = least = min(costs)
            split[first, last] = first + costs.index(least)
    return split


def chained(matrices: list[Any]) -> Any:
    """Multiply matrices in the cheapest order."""
    if len(matrices) == 2:
        return matrices[0].mm(matrices[1])
    lengths = [matrices[0]._array_.shape[0], *[matrix._array_.shape[1] for matrix in matrices]]
    if len(matrices) == 3:
        rows, one, two, columns = lengths
        first, second, third = matrices
        if rows * two * (one + columns) < one * columns * (rows + two):
            return first.mm(second).mm(third)
        return first.mm(second.mm(third))
    split = best_split(lengths)

    def product(first: int, last: int) -> Any:
        if first == last:
            return matrices[first]
        at = split[first, last]
        return product(first, at).mm(product(at + 1, last))

    return product(0, len(matrices) - 1)


def chained_arrays(matrices: Any) -> Any:
    """`chained` of two or three matrices, if nothing is recorded."""
    if type(matrices) is not list or not 2 <= len(matrices) <= 3:
        return NotImplemented
    if len(matrices) == 2:
        return product(*matrices)
    first, second, third = matrices
    if not getattr(first, "ndim", 0) == getattr(second, "ndim", 0) == getattr(third, "ndim", 0) == 2:
        return NotImplemented
    (rows, one), (two, columns) = first.shape, third.shape
    if rows * two * (one + columns) < one * columns * (rows + two):
        return product(product(first, second), third)
    return product(first, product(second, third))


@public(name="linalg_multi_dot")
def multi_dot(tensors: Any, *, out: Any = None) -> Any:
    """The product of matrices, in the cheapest order.

    Args:
        tensors: two matrices or more of the same dtype; the first may be a row, the last a column, as vectors.
        out: a tensor to write into.

    Returns:
        A new tensor, without the dimensions that vectors lack.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.multi_dot([wg.ones(2, 3), wg.ones(3, 4), wg.ones(4)])
        tensor([12., 12.])
    """
    operands = list(tensors_of("linalg_multi_dot", tensors))
    if len(operands) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got 1")
    last = len(operands) - 1
    depths = [matrix._array_.ndim for matrix in operands]
    for at, matrix in enumerate(operands):
        if depths[at] != 2 and (depths[at] != 1 or 0 < at < last):
            wanted = "2D" if 0 < at < last else "1D or 2D"
            raise RuntimeError(f"multi_dot(): tensor {at} must be {wanted} but got {matrix.ndim}D")
        if matrix._array_.dtype is not operands[0]._array_.dtype and matrix.dtype is not operands[0].dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {operands[0].dtype} and tensor "
                f"{at} {matrix.dtype}"
            )
    row, column = depths[0] == 1, depths[last] == 1
    shape = operands[0]._array_.shape[: not row] + operands[-1]._array_.shape[1:]
    operands[0] = operands[0].unsqueeze(0) if row else operands[0]
    operands[-1] = operands[-1].unsqueeze(-1) if column else operands[-1]
    check_chain("multi_dot", operands)
    result = chained(operands)
    return put("linalg_multi_dot", out, result.view(shape), words=CHAIN, writer="mm")


def check_chain(name: str, matrices: list[Any]) -> None:
    """Refuse matrices that cannot be multiplied one after the other.

    Raises:
        RuntimeError: if lengths differ.
    """
    for at in range(len(matrices) - 1):
        shape, other = matrices[at]._array_.shape, matrices[at + 1]._array_.shape
        if shape[1] != other[0]:
            raise RuntimeError(
                f"{name}(): tensors {at} and {at + 1} with shapes {list(shape)} and {list(other)} cannot be multiplied"
            )


@multi_dot.samples
def multi_dot_samples(make: Any) -> Any:
    yield Sample([make(2, 3), make(3, 4), make(4, 2)])
    yield Sample([make(3), make(3, 2), make(2)])
    yield Bad([make(2, 3)], raises=RuntimeError, says="expected at least 2 tensors but got 1")


@composite(method=False)
def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """The product of matrices, in the cheapest order. Deprecated: use `linalg.multi_dot`.

    Args:
        matrices: one matrix or more, of the same dtype.
        out: a tensor to write into.

    Returns:
        A new tensor; a single matrix is returned itself.

    Raises:
        RuntimeError: if shapes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.chain_matmul(wg.ones(1, 3), wg.ones(3, 4), wg.ones(4, 2))
        tensor([[12., 12.]])
    """
    anomaly.warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters."
    )
    operands = list(tensors_of("chain_matmul", matrices))
    for at, matrix in enumerate(operands):
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor for argument #{at + 1} is expected to have 2 dimensions, but has {matrix.ndim}")
    check_chain("chain_matmul", operands)
    return put("chain_matmul", out, operands[0] if len(operands) == 1 else chained(operands))


vars(CARDS["chain_matmul"])["public"] = asking(chain_matmul, module="wengert")


@chain_matmul.samples
def chain_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(3, 4), make(4, 2))
    yield Bad(make(2, 3), make(2, 3), raises=RuntimeError, says="cannot be multiplied")

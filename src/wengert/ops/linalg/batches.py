"""Batching rules of products of vectors and matrices: one product for all members.

A factor that is the same for all members is multiplied once with all members of the other factor, as one tall matrix,
if their rows (or columns) are adjacent in memory; otherwise it is repeated without a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import flags
from ..._core.operators.batch_rules import Rule, singled
from ..._core.recording.recorded import conjugate

Product = Callable[[int, Any, Any, bool, bool], Any]
"""Product of two tensors, called with the size of the batch, both tensors, and which of them carry it."""

SHORT = 512
"""Largest number of terms that is summed by `sum`, not by a product of matrices."""


def product(multiply: Product) -> Rule:
    """Batching rule of an operator of two factors."""

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        (first, second), (on_first, on_second) = singled(args, carried)
        return multiply(size, first, second, on_first, on_second)

    return apply


def conjugate_product(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `vdot`."""
    first, second = args
    return product(vectors)(op, size, [conjugate(first), second], carried)


def stacked(whole: Any) -> bool:
    """Return whether the rows of all members form one tall matrix without a copy."""
    array = whole._array_
    shape, strides = array.shape, array.strides
    return 1 in shape[:2] or strides[0] == strides[1] * shape[1]


def matrices(size: int, first: Any, second: Any, on_first: bool, on_second: bool) -> Any:
    """Products of two matrices."""
    if on_first and on_second:
        return first.bmm(second)
    if on_first:
        return rows_times(size, first, second)
    _, inner, columns = second.shape
    if first._flags_ & flags.SPARSE:
        result = first.mm(second.transpose(0, 1).reshape(inner, size * columns))
        return result.reshape(first.shape[0], size, columns).transpose(0, 1)
    turned = second.transpose(1, 2)
    if stacked(turned):
        rows = first.shape[0]
        result = turned.reshape(size * columns, inner).mm(first.t())
        return result.reshape(size, columns, rows).transpose(1, 2)
    return repeated(size, first).bmm(second)


def rows_times(size: int, first: Any, second: Any) -> Any:
    """Products of different matrices with the same one."""
    _, rows, inner = first.shape
    if stacked(first):
        return first.reshape(size * rows, inner).mm(second).reshape(size, rows, second.shape[1])
    return first.bmm(repeated(size, second))


def repeated(size: int, single: Any) -> Any:
    """Expand a tensor to all members without a copy."""
    return single.expand((size, *single.shape))


def matrix_vector(size: int, first: Any, second: Any, on_first: bool, on_second: bool) -> Any:
    """Products of a matrix and a vector."""
    if not on_first:
        return first.mm(second.t()).t() if first._flags_ & flags.SPARSE else second.mm(first.t())
    _, rows, inner = first.shape
    if on_second:
        return first.bmm(second.unsqueeze(2)).reshape(size, rows)
    if stacked(first):
        return first.reshape(size * rows, inner).mv(second).reshape(size, rows)
    return first.bmm(repeated(size, second.unsqueeze(1))).reshape(size, rows)


def vectors(size: int, first: Any, second: Any, on_first: bool, on_second: bool) -> Any:
    """Products of two vectors."""
    if not (on_first and on_second):
        return first.mv(second) if on_first else second.mv(first)
    (_, length), (_, other) = first.shape, second.shape
    array = first._array_
    if length == other <= SHORT and first.dtype is second.dtype and array.dtype.kind in "fc" and array.itemsize > 2:
        return (first * second).sum(1)
    return first.unsqueeze(1).bmm(second.unsqueeze(2)).reshape(size)


def batches_of_matrices(size: int, first: Any, second: Any, on_first: bool, on_second: bool) -> Any:
    """Products of two batches of matrices."""
    count, rows, inner = first.shape[-3:]
    height, columns = second.shape[-2:]
    if on_first and on_second:
        result = first.reshape(size * count, rows, inner).bmm(second.reshape(size * second.shape[1], height, columns))
        return result.reshape(size, count, rows, columns)
    if on_first:
        wide = first.transpose(0, 1).reshape(count, size * rows, inner).bmm(second)
        return wide.reshape(count, size, rows, columns).transpose(0, 1)
    wide = first.bmm(second.permute(1, 2, 0, 3).reshape(second.shape[1], height, size * columns))
    return wide.reshape(count, rows, size, columns).permute(2, 0, 1, 3)


def sum_of_products(size: int, first: Any, second: Any, on_first: bool, on_second: bool) -> Any:
    """Sums of the products of two batches of matrices: one product over the batch and the inner dimension together."""
    (count, rows, inner), (other, height, columns) = first.shape[-3:], second.shape[-3:]
    if count != other or inner != height or first.ndim != 3 + on_first or second.ndim != 3 + on_second:
        raise RuntimeError("batch1 and batch2 do not fit")
    wide = first.transpose(-3, -2).reshape((*first.shape[:on_first], rows, count * inner))
    tall = second.reshape((*second.shape[:on_second], count * inner, columns))
    return matrices(size, wide, tall, on_first, on_second)


def added(multiply: Product, single: Callable[[Any, Any], Any]) -> Rule:
    """Batching rule of a product added to a tensor; `single` multiplies factors without a batch."""

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        (bias, first, second, beta, alpha), (on_bias, on_first, on_second, *_) = singled(args, carried)
        if first.dtype is not bias.dtype or second.dtype is not bias.dtype:
            raise RuntimeError("the dtypes differ")
        if on_first or on_second:
            result = multiply(size, first, second, on_first, on_second)
        else:
            result = repeated(size, single(first, second))
        return plus(result, bias, on_bias, beta, alpha)

    return apply


def plus(result: Any, bias: Any, on_bias: bool, beta: Any, alpha: Any) -> Any:
    """Return beta * bias + alpha * result, with the batch in front.

    Raises:
        RuntimeError: if `bias` does not broadcast to `result`.
    """
    number = {"i": int, "u": int, "c": complex}.get(result._array_.dtype.kind, float)
    if alpha != 1:
        result = result * number(alpha)
    if beta == 0:
        return result.clone()
    if on_bias:
        bias = bias.reshape((bias.shape[0], *(1,) * (result.ndim - bias.ndim), *bias.shape[1:]))
    total = result + (bias if beta == 1 else bias * number(beta))
    if total.shape != result.shape:
        raise RuntimeError("the sum is larger than the product")
    return total


def matrices_added(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `addmm`: one call if a bias along the columns and the second factor are the same for all."""
    (bias, first, second, beta, alpha), (on_bias, on_first, on_second, *_) = singled(args, carried)
    if on_first and not on_bias and not on_second and bias.ndim < 2 and first.ndim == 3 and stacked(first):
        _, rows, inner = first.shape
        result = op.call((bias, first.reshape(size * rows, inner), second, beta, alpha))
        return result.reshape(size, rows, result.shape[1])
    return added(matrices, lambda mat1, mat2: mat1.mm(mat2))(op, size, args, carried)


def matrix_vector_added(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `addmv`: `addmm` if the matrix is the same for all members."""
    (bias, mat, vec, beta, alpha), (on_bias, on_mat, on_vec, *_) = singled(args, carried)
    if on_vec and not on_mat and bias.ndim - on_bias < 2:
        if on_bias and bias.ndim == 1:
            bias = bias.unsqueeze(1)
        return bias.addmm(vec, mat.t(), beta=beta, alpha=alpha)
    return added(matrix_vector, lambda first, second: first.mv(second))(op, size, args, carried)


of_mm, of_bmm = product(matrices), product(batches_of_matrices)
of_mv, of_dot = product(matrix_vector), product(vectors)
of_addbmm = added(sum_of_products, lambda batch1, batch2: batch1.bmm(batch2).sum(0))
of_baddbmm = added(batches_of_matrices, lambda batch1, batch2: batch1.bmm(batch2))
"""Batching rules by operator name."""

"""`matmul`, which chooses among the products of vectors and matrices, and `outer` and `inner`."""

from __future__ import annotations

import math
from typing import Any

from ..._core import errors
from ..._core.calls.out import put
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.out_errors import EXACT, OF_PRODUCT, OF_VECTOR, PAIRS
from ..._core.tensor.base import OPERATORS
from ..._core.tensor.batches import is_batched
from ..._core.types.sizes import broadcast
from ..shapes.view_shape import unsafe_view
from .products import dot, mm, mv, native


@composite()
def outer(self: Any, vec2: Any, *, out: Any = None) -> Any:
    """Outer product: all products of an element of one vector and an element of another.

    Args:
        self: (n,).
        vec2: (m,).
        out: where to write the result.

    Returns:
        A new tensor (n, m) of the promoted dtype.

    Raises:
        RuntimeError: if an operand is not a vector.

    Examples:
        >>> import wengert as wg
        >>> wg.outer(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    check_tensors("outer", self=self, vec2=vec2)
    for name, vector in (("self", self), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return put("outer", out, self.reshape(self.shape[0], 1) * vec2, read=(self, vec2), wholly=True, writer="mul")


@composite()
def ger(self: Any, vec2: Any, *, out: Any = None) -> Any:
    """Alias of `outer`.

    Examples:
        >>> import wengert as wg
        >>> wg.ger(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    return outer(self, vec2, out=out)


@outer.samples
@ger.samples
def outer_samples(make: Any) -> Any:
    yield Sample(make(3), make(2))
    yield Bad(make(3, 1), make(2), raises=RuntimeError, says="outer: Expected 1-D argument self, but got 2-D")


@composite()
def inner(self: Any, other: Any, *, out: Any = None) -> Any:
    """Sums of products over the last dimension of both tensors; a plain product if one is 0-dim.

    Args:
        self: (..., k).
        other: (..., k), of the same dtype.
        out: where to write the result.

    Returns:
        A new tensor with the other dimensions of `self` and of `other`.

    Raises:
        RuntimeError: if the last dimensions or the dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.inner(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor(11.)
    """
    check_tensors("inner", self=self, other=other)
    if not self._array_.ndim or not other._array_.ndim:
        return put("inner", out, self * other, writer="mul")
    return put("inner", out, inner_products(self, other), words=PAIRS)


def inner_products(self: Any, other: Any) -> Any:
    """`inner` of two tensors."""
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{errors.shown(self.shape)} and {errors.shown(other.shape)}"
        )
    if self.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if self.ndim == other.ndim == 1:
        return self.dot(other).view(())
    length = self.shape[-1]
    first = self.reshape(math.prod(self.shape[:-1]), length)
    second = other.reshape(math.prod(other.shape[:-1]), length)
    return first.mm(second.t()).reshape((*self.shape[:-1], *other.shape[:-1]))


@inner.samples
def inner_samples(make: Any) -> Any:
    yield Sample(make(3), make(3))
    yield Sample(make(2, 3), make(4, 2, 3))
    yield Sample(make(), make(2))


def foldable(batch: Any, matrix: Any, first: bool) -> bool:
    """Return whether a batch of matrices is multiplied with `matrix` as one tall matrix.

    Args:
        batch: tensor with three dimensions or more.
        matrix: tensor with one or two.
        first: whether `batch` is the first operand.

    This saves an expanded gradient of `matrix`; otherwise it must not cost a copy (members may have any strides).
    """
    if matrix.requires_grad:
        return True
    if not first and matrix.ndim == 2:
        return False
    if is_batched(batch):
        return True
    array = batch._array_ if first else batch._array_.swapaxes(-1, -2)
    if not array.size:
        return True
    return not any(array.strides[at] != array.strides[at + 1] * array.shape[at + 1] for at in range(array.ndim - 2))


def folded(batch: Any, matrix: Any, first: bool) -> Any:
    """Product of a batch of matrices and one matrix or vector, as one product."""
    if not first:
        batch = batch.transpose(-1, -2)
        matrix = matrix.t() if matrix.ndim == 2 else matrix
    *leading, width = batch.shape
    tall = batch.reshape(math.prod(leading), width)
    if matrix.ndim == 1:
        return unsafe_view(tall.mv(matrix), tuple(leading))
    result = unsafe_view(tall.mm(matrix), (*leading, matrix.shape[1]))
    return result if first else result.transpose(-1, -2).contiguous()


def batched(a: Any, b: Any) -> Any:
    """Product of two batches of matrices (or of a batch and a vector), by `bmm` over the common batch."""
    shape1, shape2 = tuple(a.shape), tuple(b.shape)
    if len(shape1) == len(shape2) == 3 and shape1[0] != shape2[0]:
        # A single matrix that needs a gradient is not expanded, nor is its gradient.
        if shape1[0] == 1 and a.requires_grad:
            return matmul(a.squeeze(0), b)
        if shape2[0] == 1 and b.requires_grad:
            return matmul(a, b.squeeze(0))
    rows, inner1 = shape1[-2:] if len(shape1) > 1 else (1, shape1[-1])
    inner2, columns = shape2[-2:] if len(shape2) > 1 else (shape2[-1], 1)
    lead = broadcast(shape1[:-2], shape2[:-2])
    count = math.prod(lead)
    left = a.expand((*lead, rows, inner1)).reshape(count, rows, inner1)
    if len(shape2) == 1:
        b = b.unsqueeze(1)
    right = b.expand((*lead, inner2, columns)).reshape(count, inner2, columns)
    result = lead
    if len(shape1) > 1:
        result = (*result, rows)
    if len(shape2) > 1:
        result = (*result, columns)
    return unsafe_view(left.bmm(right), tuple(result))


@composite()
def matmul(self: Any, other: Any, *, out: Any = None) -> Any:
    """Matrix product, of vectors, matrices and batches of them.

    Args:
        self: (k,), (n, k) or (..., n, k).
        other: (k,), (k, m) or (..., k, m), of the same dtype; leading dimensions broadcast.
        out: where to write the result.

    Returns:
        A new tensor (..., n, m), without the dimensions that vectors lack.

    Raises:
        RuntimeError: if an operand is 0-dim, or shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.matmul(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([1.0, 10.0]))
        tensor([21., 43.])
    """
    check_tensors("matmul", self=self, other=other)
    result = product(self, other)
    return result if out is None else put("matmul", out, result, words=words_of(self.ndim, other.ndim))


def words_of(first: int, second: int) -> str:
    """Words of the error for an `out` of another dtype: those of the product that the dimensions choose."""
    if second == 1:
        return OF_PRODUCT if first == 1 else OF_VECTOR
    return EXACT


def product(self: Any, other: Any) -> Any:
    """`matmul` of two tensors."""
    dim1, dim2 = self.ndim, other.ndim
    if dim1 == 2 and dim2 == 2:
        return mm(self, other)
    if not dim1 or not dim2:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {dim1}D and {dim2}D")
    if dim2 == 1 and dim1 <= 2:
        return self.dot(other) if dim1 == 1 else self.mv(other)
    if dim1 == 1 and dim2 == 2:
        return self.unsqueeze(0).mm(other).squeeze_(0)
    if dim2 <= 2 and foldable(self, other, True):
        return folded(self, other, True)
    if dim1 <= 2 and dim2 >= 3 and foldable(other, self, False):
        return folded(other, self, False)
    return batched(self, other)


@matmul.samples
def matmul_samples(make: Any) -> Any:
    for first, second in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 3, 4), (4, 2))):
        yield Sample(make(*first), make(*second))
    yield Sample(make(2, 3), make(2, 3, 4))
    yield Sample(make(2, 1, 3, 4), make(5, 4, 2))
    yield Bad(make(2, 3), make(), raises=RuntimeError, says="need to be at least 1D, but they are 2D and 0D")


OPERATORS.matmul = plain_case(
    matmul, mm, mm.native, further=((mv, mv.native), (dot, dot.native), (None, native("matmul")))
)

"""Products of two tensors, summed over some of their dimensions: by one product of matrices, or a batch of them."""

from __future__ import annotations

import math
from typing import Any

from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import normalise
from ..shapes.view_shape import unsafe_view
from .delivered import delivered


def multiplied(left: Any, right: Any, summed: list[int]) -> Any:
    """The product of two tensors that broadcast, summed over dimensions, which keep length 1.

    Args:
        left, right: tensors of the same number of dimensions.
        summed: dimensions.
    """
    if not summed:
        return left * right
    lengths = [(one, other) for one, other in zip(left.shape, right.shape)]
    others = [dim for dim in range(left.ndim) if dim not in summed]
    both = [dim for dim in others if lengths[dim][0] != 1 != lengths[dim][1]]
    first = [dim for dim in others if dim not in both and lengths[dim][0] != 1]
    second = [dim for dim in others if dim not in both and dim not in first]
    batch, rows, columns, inner = (
        math.prod(lengths[dim][side] for dim in dims)
        for dims, side in ((both, 0), (first, 0), (second, 1), (summed, 0))
    )
    left = left.permute(both + first + summed + second).reshape((batch, rows, inner))
    right = right.permute(both + summed + second + first).reshape((batch, inner, columns))
    order = both + first + summed + second
    shape = [1 if dim in summed else lengths[dim][dim in second] for dim in order]
    return left.bmm(right).view(shape).permute([order.index(dim) for dim in range(len(order))])


def read_dims(a: Any, b: Any, dims: Any) -> tuple[Any, Any]:
    """The dimensions of either tensor that are summed over.

    Raises:
        RuntimeError: they are neither a number nor two lists, or the number is too large.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (tuple, list)):
        if len(dims) != 2:
            raise ValueError(f"tensordot expects dims to be an int or two lists of dimensions, but got {dims=}")
        first, second = ((each,) if isinstance(each, int) else integers("tensordot", "dims", each) for each in dims)
        return first, second
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got {dims=}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got {dims=}")
    if dims > min(a.ndim, b.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got {dims=}")
    return tuple(range(a.ndim - dims, a.ndim)), tuple(range(dims))


@composite(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Any:
    """The sum of products over dimensions of two tensors.

    Args:
        a, b: tensors of the same dtype.
        dims: how many dimensions, the last of `a` and the first of `b`; or two lists, of those of `a` and of `b`.
        out: a tensor to write into.

    Returns:
        A new tensor with the other dimensions of `a`, then those of `b`.

    Raises:
        RuntimeError: lengths or dtypes differ, or there are not as many dimensions.
    """
    first, second = read_dims(a, b, dims)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    first = [normalise(dim, a.ndim) for dim in first]
    second = [normalise(dim, b.ndim) for dim in second]
    inner = 1
    for one, other in zip(first, second):
        length, width = a.shape[one], b.shape[other]
        if width == 1:
            a = a.sum(one, True, dtype=a.dtype)
        elif length == 1:
            b = b.sum(other, True, dtype=b.dtype)
        elif length == width:
            inner *= length
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {length} in dim {one} and second has size "
                f"{width} in dim {other}"
            )
    for dims in (first, second):
        if len(set(dims)) < len(dims):
            twice = next(dim for at, dim in enumerate(dims) if dim in dims[:at])
            raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    rows = [dim for dim in range(a.ndim) if dim not in first]
    columns = [dim for dim in range(b.ndim) if dim not in second]
    shape = [a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns]
    height, width = math.prod(shape[: len(rows)]), math.prod(shape[len(rows) :])
    left = a.permute(rows + first).reshape((height, inner))
    right = b.permute(second + columns).reshape((inner, width))
    return delivered("tensordot", out, left.mm(right).reshape(shape))


@tensordot.samples
def tensordot_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), make(3, 4, 2))
    yield Sample(make(2, 3), make(3, 2), 1)
    yield Sample(make(2, 3), make(2), 0)
    yield Sample(make(2, 3, 4), make(4, 2, 3), ([0, 2], [1, 0]))
    yield Sample(make(2, 3), make(2, 1), ([0, 1], [0, 1]))
    yield Bad(make(2, 3), make(2, 3), 1, raises=RuntimeError, says="contracted dimensions need to match, but first has")
    yield Bad(make(2, 3), make(2, 3), 3, raises=RuntimeError, says="tensordot expects dims < ndim_a or ndim_b")


@composite()
def kron(self: Tensor, other: Tensor, *, out: Any = None) -> Any:
    """The Kronecker product: each element of `self` times all of `other`, as blocks.

    Args:
        self, other: tensors; the one with fewer dimensions counts as having dimensions of length 1 before its own.
        out: a tensor to write into.

    Returns:
        A new tensor, in each dimension as long as the product of both lengths.
    """
    depth = max(self.ndim, other.ndim)
    one = (1,) * (depth - self.ndim) + tuple(self.shape)
    two = (1,) * (depth - other.ndim) + tuple(other.shape)
    left = self.reshape([length for each in one for length in (each, 1)])
    right = other.reshape([length for each in two for length in (1, each)])
    return delivered("kron", out, unsafe_view(left * right, tuple([x * y for x, y in zip(one, two)])))


@kron.samples
def kron_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(3, 2))
    yield Sample(make(3), make(2, 2))
    yield Sample(make(), make(2))

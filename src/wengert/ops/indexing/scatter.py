"""Writing elements at indices along one dimension: scatter, scatter_add."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import WIDE, Array, Index, InPlace, Sample, nodes, op
from ..._core.errors import shown
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import normalise
from ..._kernels.index import along_axis
from ..memory.overwrite import checked_value
from .index import ADDED, check_range, integers, out_of_range_sample

native = kernels.direct_function


def check_scatter(name: str, array: Any, dim: int, index: Any, source: Any) -> int:
    """Check the arguments of `scatter` and `scatter_add`; `source` is an array or a number."""
    at = normalise(dim, array.ndim)
    if index.size and index.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    is_array = isinstance(source, np.ndarray)
    if is_array and source.dtype != array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return at
    ndim = max(array.ndim, 1)
    if max(index.ndim, 1) != ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if is_array and max(source.ndim, 1) != ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    room, source_shape = array.shape or (1,), (source.shape or (1,)) if is_array else index.shape or (1,)
    lengths = index.shape or (1,)
    outside = any(
        (length > room[axis] and axis != at) or length > source_shape[axis] for axis, length in enumerate(lengths)
    )
    if outside:
        raise RuntimeError(
            f"Expected index {shown(index.shape)} to be no larger than self {shown(array.shape)} apart from "
            f"dimension {at}" + (f" and to be no larger size than src {shown(source.shape)}" if is_array else "")
        )
    check_range(index, room[at], at, RuntimeError, low=False)
    return at


def check_scattered(target: Any, dim: int, index: Any, src: Any, reduce: Any) -> tuple[int, Any]:
    """Return the dimension of `scatter`, counted from the front, and the source, which must fit if it is a number.

    Raises:
        RuntimeError: if shapes, dtypes or the number do not fit, or `reduce` is unknown.
    """
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    at = check_scatter("scatter", target, dim, index, src)
    return at, src if isinstance(src, np.ndarray) else checked_value("scatter", target, src)


def write_scattered(target: Any, dim: int, index: Any, src: Any, reduce: Any) -> None:
    """Write (or combine) elements at `index`."""
    at, src = check_scattered(target, dim, index, src, reduce)
    if not isinstance(src, np.ndarray):
        src = np.asarray(src).astype(target.dtype)
    if not index.size:
        return
    full, indices = target.reshape(1) if not target.ndim else target, np.atleast_1d(index)
    where = along_axis(full, at, indices)
    source = src if not src.ndim else src[tuple(slice(length) for length in indices.shape)]
    if reduce is None:
        full[where] = source
    else:
        (np.add if reduce == "add" else np.multiply).at(full, where, source)
    if not target.ndim:
        target[...] = full[0]


def scatter_form(args: tuple[Any, ...]) -> int:
    """Return which of torch's two operators a call is."""
    return 0 if isinstance(args[3], Tensor) else 1


@op(
    dtypes=WIDE,
    inplace=InPlace(write=write_scattered, apart="wholly", native=native("scatter_")),
    numbers="src",
    node=nodes("ScatterBackward0", "ScatterBackward1", by=scatter_form),
    batching="batches.elements",
    native=native("scatter"),
)
def scatter(self: Array, dim: int, index: Index, src: Array, *, reduce: str | None = None) -> Any:
    """Copy the tensor and write elements of `src`: `out[index[i][j]][j] = src[i][j]` for `dim` 0.

    Args:
        dim: the dimension of `index`.
        index: int64 tensor with as many dimensions, no longer than `src`, nor than `self` along the others.
        src: tensor of the same dtype, or a number (also by the name `value`).
        reduce: "add" or "multiply" instead of replacing; has no derivative, use `scatter_add`.

    Returns:
        A new tensor; `scatter_` writes into `self`. If an index occurs more than once, one of the values stays.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or an index is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.scatter(wg.zeros(2, 3), 1, wg.tensor([[2], [0]]), wg.tensor([[5.0], [6.0]]))
        tensor([[0., 0., 5.],
                [6., 0., 0.]])
    """
    result = self.copy(order="C")
    write_scattered(result, dim, index, src, reduce)
    return result


def refuse_reduce(reduce: Any) -> None:
    """Refuse the derivative of a scatter with a reduction."""
    if reduce is not None:
        raise RuntimeError("derivative for aten::scatter with reduce is not implemented; use scatter_add")


@scatter.vjp("self")
def scatter_vjp_self(grad: Any, dim: int, index: Any, reduce: Any) -> Any:
    refuse_reduce(reduce)
    return grad.scatter(dim, index, 0)


def of_source(grad: Any, dim: int, index: Any, src_shape: Any) -> Any:
    """Gradient of the source, 0 for elements that the index does not read; supports 0 and 1 dimensions."""
    if not index._array_.size:
        return grad.new_zeros(src_shape)
    picked = grad.gather(dim, index)
    if len(src_shape) != index._array_.ndim:
        picked = picked.reshape((1,) if src_shape else ())
    return padded(picked, src_shape)


def padded(part: Any, shape: tuple[int, ...]) -> Any:
    """Append zeros to the first elements along each dimension, up to a shape."""
    for dim, length in enumerate(shape):
        lengths = part._array_.shape
        if lengths[dim] != length:
            zeros = part.new_zeros((*lengths[:dim], length, *lengths[dim + 1 :]))
            part = zeros.slice_scatter(part, dim, 0, lengths[dim])
    return part


@scatter.vjp("src")
def scatter_vjp_src(grad: Any, dim: int, index: Any, src_shape: Any, reduce: Any) -> Any:
    refuse_reduce(reduce)
    return of_source(grad, dim, index, src_shape)


scatter.aliases["value"] = scatter.names.index("src")


@scatter.jvp("self", "src")
def scatter_jvp(self_tangent: Any, src_tangent: Any, dim: int, index: Any, reduce: Any) -> Any:
    refuse_reduce(reduce)
    return self_tangent.scatter(dim, index, src_tangent)


@scatter.samples
def scatter_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers([2, 0]), make(1, 2))
    yield Sample(make(3, 2), 0, integers([2, 0]), 3)
    yield out_of_range_sample(make)


@op(
    dtypes=WIDE,
    inplace=InPlace(apart="wholly", native=native("scatter_add_")),
    batching="batches.elements",
    native=native("scatter_add"),
    describes=ADDED.format(name="scatter_add"),
)
def scatter_add(self: Array, dim: int, index: Index, src: Array) -> Any:
    """Copy the tensor and add elements of `src`: `out[index[i][j]][j] += src[i][j]` for `dim` 0.

    Args:
        dim: the dimension of `index`.
        index: int64 tensor with as many dimensions, no longer than `src`, nor than `self` along the others.
        src: tensor of the same dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.scatter_add(wg.zeros(3), 0, wg.tensor([0, 2, 2]), wg.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
    """
    at = check_scatter("scatter", self, dim, index, src)
    return kernels.scatter_add(self, at, index, src if index.ndim else src.reshape(-1)[0])


@scatter_add.vjp("self")
def scatter_add_vjp_self(grad: Any) -> Any:
    return grad


@scatter_add.vjp("src", native=native("scatter_source_rule"))
def scatter_add_vjp_src(grad: Any, dim: int, index: Any, src_shape: Any) -> Any:
    return of_source(grad, dim, index, src_shape)


@scatter_add.jvp("self", "src")
def scatter_add_jvp(self_tangent: Any, src_tangent: Any, dim: int, index: Any) -> Any:
    return self_tangent.scatter_add(dim, index, src_tangent)


@scatter_add.samples
def scatter_add_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers([2, 0], [2, 1]), make(2, 2))
    yield Sample(make(3), 0, integers(1, 1), make(2))
    yield Sample(make(), 0, integers(0), make())
    yield out_of_range_sample(make)

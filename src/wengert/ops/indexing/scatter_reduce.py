"""Combining elements at indices by a reduction: scatter_reduce, index_reduce."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import ALL, ORDERED, Array, Bad, Index, InPlace, Sample, op
from ..._core.errors import shown
from ..._core.recording.recorded import conjugate
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..._kernels import direct_function as native
from ..._kernels.index import along_axis
from ..dtype_checks import check_ordered, refuse
from ..pointwise.activation import kept_gradient
from .index import check_range, integers
from .index_write import check_length, check_vector
from .scatter import check_scatter, padded

COMBINE = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


def neutral(reduce: str, dtype: Any) -> Any:
    """Return the initial value of a reduction if the old element does not count."""
    if reduce in ("sum", "mean", "prod"):
        return 1 if reduce == "prod" else 0
    if dtype.kind == "b":
        return reduce == "amin"
    low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return low if reduce == "amax" else high


def refuse_wide(array: Any, title: str, name: str) -> None:
    """Refuse wide unsigned integers."""
    if array.dtype.kind == "u" and array.itemsize > 1:
        refuse(name, title, array)


def combine(target: Any, where: Any, source: Any, reduce: str, include_self: bool) -> None:
    """Combine the elements of `source` into `target` at index arrays."""
    if not include_self:
        target[where] = neutral(reduce, target.dtype)
    COMBINE[reduce].at(target, where, source)
    if reduce == "mean":
        counts = np.full(target.shape, 1 if include_self else 0, np.int64)
        np.add.at(counts, where, 1)
        exact = target.dtype.kind in "fcV"
        counts = np.maximum(counts, 1).astype(target.dtype if exact else np.int64)
        divide = np.true_divide if exact else np.floor_divide
        np.copyto(target, divide(target, counts), "unsafe")


def check_reduced(target: Any, dim: int, index: Any, src: Any, reduce: str) -> int:
    """Return the dimension of `scatter_reduce`, counted from the front.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or `reduce` is unknown.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if reduce not in COMBINE:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    refuse_wide(target, f"scatter_gather_tensor_cpu_reduce_{reduce}", "scatter_reduce")
    if reduce in ("amax", "amin"):
        check_ordered("scatter_reduce", f"scatter_gather_tensor_cpu_reduce_{reduce}", target)
    return check_scatter("scatter", target, dim, index, src)


def write_reduced(target: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> None:
    """Combine elements at `index`."""
    at = check_reduced(target, dim, index, src, reduce)
    if not index.size:
        return
    full, indices = target if target.ndim else target.reshape(1), np.atleast_1d(index)
    source = src[tuple(slice(length) for length in indices.shape)] if src.ndim else src.reshape(1)
    combine(full, along_axis(full, at, indices), source, reduce, include_self)


reduction = partial(
    op,
    inplace=InPlace(apart="wholly"),
    describes="""
    Raises:
        RuntimeError: if shapes or dtypes do not fit, an index is out of range, or `reduce` is unknown.

    Derivative:
        For "amax" and "amin" in equal parts for the elements that equal the result, as in torch.
    """,
)
"""Card decorator for a write that combines with the old elements."""


@reduction(
    dtypes=ALL,
    inplace=InPlace(apart="wholly", write=write_reduced),
    batching="batches.elements",
    native=native("scatter_reduce"),
)
def scatter_reduce(self: Array, dim: int, index: Index, src: Array, reduce: str, *, include_self: bool = True) -> Any:
    """Copy the tensor and combine elements of `src` into it at `index`.

    Args:
        dim: the dimension of `index`.
        index: int64 tensor with as many dimensions, no longer than `src`, nor than `self` along the others.
        src: tensor of the same dtype.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether the old element counts.

    Returns:
        A new tensor; `scatter_reduce_` writes into `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.scatter_reduce(wg.zeros(3), 0, wg.tensor([0, 2, 2]), wg.tensor([1.0, 2.0, 3.0]), "amax")
        tensor([1., 0., 3.])
    """
    result = self.copy(order="C")
    write_reduced(result, dim, index, src, reduce, include_self)
    return result


@scatter_reduce.vjp("self", "src")
def scatter_reduce_vjp(
    grad: Any, self: Any, src: Any, out: Any, dim: int, index: Any, reduce: str, include_self: bool
) -> Any:
    if not index._array_.size:
        return grad, src.new_zeros(src.shape)
    full_src, src = src, read_part(src, index)
    grad_self, other = gradients(grad, self, src, out, dim, index, reduce, include_self)
    if full_src is not src:
        other = padded(other, full_src._array_.shape)
    elif src._array_.ndim < index._array_.ndim:  # 0 and 1
        other = other.sum()
    elif src._array_.ndim > index._array_.ndim:  # only the first element counts
        other = src.new_zeros(src.shape).slice_scatter(other.reshape((-1,)).narrow(0, 0, 1), 0, 0, 1)
    return grad_self if include_self else grad_self.scatter(dim, index, 0), other


def read_part(src: Any, index: Any) -> Any:
    """Return the part of a tensor that an index reads: at most the index's length in each dimension."""
    lengths = index._array_.shape
    if src._array_.ndim == len(lengths):
        for dim, length in enumerate(lengths):
            if src._array_.shape[dim] != length:
                src = src.narrow(dim, 0, length)
    return src


@scatter_reduce.jvp("self", "src")
def scatter_reduce_jvp(
    self_tangent: Any,
    src_tangent: Any,
    self: Any,
    src: Any,
    out: Any,
    dim: int,
    index: Any,
    reduce: str,
    include_self: bool,
) -> Any:
    grad_self, other = scatter_reduce_vjp(out.new_ones(out.shape), self, src, out, dim, index, reduce, include_self)
    return (conjugate(grad_self) * self_tangent).scatter_add(dim, index, conjugate(other) * src_tangent)


def gradients(
    grad: Any, old: Any, src: Any, out: Any, dim: int, index: Any, reduce: str, include_self: bool
) -> tuple[Any, Any]:
    """Gradients of the old elements (0 if they do not count, unless that is still to come) and of the elements combined
    into them."""
    if reduce == "sum":
        grad_self, other = grad, grad.gather(dim, index)
    elif reduce == "mean":
        start = old.new_ones(old.shape) if include_self else old.new_zeros(old.shape)
        counts = start.scatter_add(dim, index, src.new_ones(src.shape))
        grad_self = grad / counts.masked_fill(counts == 0, 1)
        other = grad_self.gather(dim, index)
    elif reduce == "prod":
        grad_self, other = product_gradients(grad, old, src, dim, index, include_self)
    else:
        grad_self, other = extreme_gradients(grad, old, src, out, dim, index)
    return grad_self, other


def product_gradients(grad: Any, old: Any, src: Any, dim: int, index: Any, include_self: bool) -> tuple[Any, Any]:
    """Derivatives of products: the products of the other factors; zeros are counted, not divided by."""
    old_zero, src_zero = old == 0, src == 0
    old_safe, src_safe = old.masked_fill(old_zero, 1), src.masked_fill(src_zero, 1)
    product = old_safe.scatter_reduce(dim, index, src_safe, "prod", include_self=include_self)
    counts = zeros_among(old_zero.to(old.dtype), src_zero.to(src.dtype), dim, index, include_self)
    sums = zeros_among(old.where(old_zero, 0), src.where(src_zero, 0), dim, index, include_self)
    spread_grad = grad * conjugate(product)
    grad_self = kept_gradient(spread_grad / conjugate(old_safe), counts[0] == 0)
    grad_self = grad_self + (spread_grad / conjugate(old_safe) * conjugate(sums[0])).where(counts[0] == 1, 0)
    other = spread_grad.gather(dim, index) / conjugate(src_safe)
    return grad_self, other.where(counts[1] == 0, 0) + (other * conjugate(sums[1])).where(counts[1] == 1, 0)


def zeros_among(old: Any, src: Any, dim: int, index: Any, include_self: bool) -> tuple[Any, Any]:
    """Return the sum of the other zeros of each element of `old` and `src`, where these hold something for each zero.

    For the zeros themselves it is 0; its derivative is needed for a second derivative if a single zero is among the
    others: the product has the derivative of that zero there.
    """
    total = (old if include_self else old.scatter(dim, index, 0)).scatter_add(dim, index, src)
    return total - old, -(src - total.gather(dim, index))  # the order of `src` in memory determines it, as in torch


def extreme_gradients(grad: Any, old: Any, src: Any, out: Any, dim: int, index: Any) -> tuple[Any, Any]:
    """Gradient in equal parts for the elements that equal the result, even an old one that does not count."""
    own_attains = (old == out).to(grad.dtype)
    src_attains = (src == out.gather(dim, index)).to(grad.dtype)
    share = grad / own_attains.scatter_add(dim, index, src_attains)  # none equals NaN, whose gradient is NaN
    return own_attains * share, src_attains * share.gather(dim, index)


@scatter_reduce.samples
def scatter_reduce_samples(make: Any) -> Any:
    index = integers([2, 0], [2, 1])
    ordered = make(1).dtype.is_complex is False
    for reduce in COMBINE if ordered else ("sum", "prod", "mean"):
        yield Sample(make(3, 2), 0, index, make(2, 2), reduce)
        yield Sample(make(3, 2), 0, index, make(2, 2), reduce, include_self=False)
    yield Sample(make(3), -1, integers(1, 1), make(2), "prod")
    yield Sample(make(3), 0, integers(1), make(), "prod")
    yield Sample(make(), 0, integers(0).reshape(()), make(1), "prod")
    yield Bad(make(3), 0, integers(0), make(1), "median", raises=RuntimeError, says="must be either sum, prod, mean")
    yield Bad(make(3), 0, integers(3), make(1), "sum", raises=RuntimeError, says="index 3 is out of bounds")


def check_slices(target: Any, dim: int, index: Any, source: Any, reduce: str) -> int:
    """Check the arguments of `index_reduce`; return the dimension, counted from the front."""
    if reduce not in COMBINE or reduce == "sum":
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    check_ordered("index_reduce", "index_func", target)
    at = check_vector("index_reduce", target, dim, index)
    if target.dtype != source.dtype:
        names = [dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (target, source)]
        raise RuntimeError(f"index_reduce(): self ({names[0]}) and source ({names[1]}) must have the same scalar type")
    check_length("index_reduce_", index, source, at)
    for axis in range(max(target.ndim, source.ndim)):
        if source.ndim != target.ndim or (axis != at and source.shape[axis] != target.shape[axis]):
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
                f"{shown(target.shape)} source.shape = {shown(source.shape)}"
            )
    check_range(index, target.shape[at] if target.ndim else 1, at, IndexError, low=False)
    return at


def write_reduced_slices(target: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool) -> None:
    """Combine slices of `source` at `index`."""
    at = check_slices(target, dim, index, source, reduce)
    if index.size:
        full = np.moveaxis(target, at, 0) if target.ndim else target.reshape(1)
        moved = np.moveaxis(source, at, 0) if source.ndim else source.reshape(1)
        combine(full, index.reshape(-1), moved, reduce, include_self)


@reduction(dtypes=ORDERED, inplace=InPlace(apart="wholly", write=write_reduced_slices), batching="batches.written")
def index_reduce(self: Array, dim: int, index: Index, source: Array, reduce: str, *, include_self: bool = True) -> Any:
    """Copy the tensor and combine the slices of `source` into it along `dim` at `index`.

    Args:
        index: int64 or int32 vector.
        source: like `self`, but as long as `index` along `dim`.
        reduce: "prod", "mean", "amax" or "amin"; for a sum see `index_add`.
        include_self: whether the old elements count.

    Returns:
        A new tensor; `index_reduce_` writes into `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.index_reduce(wg.ones(3), 0, wg.tensor([0, 2, 2]), wg.tensor([4.0, 2.0, 3.0]), "prod")
        tensor([4., 1., 6.])
    """
    result = self.copy(order="C")
    write_reduced_slices(result, dim, index, source, reduce, include_self)
    return result


@index_reduce.vjp("self", "source")
def index_reduce_vjp(
    grad: Any, self: Any, source: Any, out: Any, dim: int, index: Any, reduce: str, include_self: bool
) -> Any:
    grad_self, other = gradients(grad, self, source, out, dim, spread(index, dim, source), reduce, include_self)
    return grad_self if include_self else grad_self.index_fill(dim, index, 0), other


@index_reduce.jvp("self", "source")
def index_reduce_jvp(
    self_tangent: Any,
    source_tangent: Any,
    self: Any,
    source: Any,
    out: Any,
    dim: int,
    index: Any,
    reduce: str,
    include_self: bool,
) -> Any:
    grad_self, other = index_reduce_vjp(out.new_ones(out.shape), self, source, out, dim, index, reduce, include_self)
    return (grad_self * self_tangent).index_add(dim, index, other * source_tangent)


def spread(index: Any, dim: int, source: Any) -> Any:
    """Expand an index along one dimension to one for each element, as `scatter` needs."""
    shape = [1] * source.ndim
    if not shape:
        return index.reshape(())
    shape[normalise(dim, source.ndim)] = index._array_.size
    return index.reshape(shape).expand(source.shape)


@index_reduce.samples
def index_reduce_samples(make: Any) -> Any:
    for reduce in ("prod", "mean", "amax", "amin"):
        yield Sample(make(3, 2), 0, integers(2, 0, 2), make(3, 2), reduce)
        yield Sample(make(2, 3), -1, integers(1), make(2, 1), reduce, include_self=False)
    yield Bad(make(3), 0, integers(0), make(1), "sum", raises=RuntimeError, says="one of prod, mean, amax or amin")
    yield Bad(make(3), 0, integers(0), make(2), "prod", raises=RuntimeError, says="should be equal to source.size(dim)")
    yield Bad(make(2, 3), -1, integers(1), make(3), "prod", raises=RuntimeError, says="Indexing dim 1 is out of bounds")
    yield Bad(make(2, 3), -1, integers(1), make(2, 1, 1), "prod", raises=RuntimeError, says="source tensor shape must")

"""Elements of a rank along a dimension: kthvalue, median, nanmedian; and the most frequent ones: mode."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as native_kernels
from ..._core.cards.arguments import integer
from ..._core.cards.card import BOOLS, ORDERED, Array, Bad, Out, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.tensor.base import Tensor
from ..._kernels import order as kernels
from .. import return_types
from ..axes import read_dim
from ..dtype_checks import check_number, check_ordered
from ..reductions.maxima import check_some, dim_rules, whole_rules, with_indices
from .sort import as_line

MODE = (
    "expected scalar type '{wanted}' but got '{found}' for values output",
    "expected scalar type '{wanted}' but got '{found}' for indices output",
)
native = native_kernels.direct_function
NUMBERS = ORDERED - BOOLS


def reduced(result: tuple[Any, Any], shape: tuple[int, ...], axis: int, keepdim: bool) -> tuple[Any, Any]:
    """Remove the axis of values and indices unless it is kept; those of a scalar are scalars."""
    values, places = result
    if not shape:
        return values.reshape(()), places.reshape(())
    return result if keepdim else (values.squeeze(axis), places.squeeze(axis))


def rank_samples(make: Any) -> Any:
    """Samples of an element of some rank along a dimension."""
    yield Sample(make(3, 4), 0, False)
    yield Sample(make(3, 5), -1, True)
    yield Sample(make(), 0, False)
    yield Bad(make(3), 1, False, raises=IndexError, says="Dimension out of range")
    yield Bad(make(0, 3), 0, False, raises=IndexError, says="Expected reduction dim 0 to have non-zero size")


ranked = partial(with_indices, dtypes=NUMBERS, rules=dim_rules, out=Out(apart="partly"))
"""Card decorator for one element along a dimension, with its index."""


def checked_rank(shape: tuple[int, ...], k: Any, axis: int) -> int:
    """Return the rank of an element along a dimension.

    Raises:
        RuntimeError: if there are fewer elements.
    """
    k = integer("kthvalue", "k", k)
    if not 1 <= k <= (shape or (1,))[axis]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    return k


@ranked(
    node="KthvalueBackward0",
    out=Out(
        apart="wholly",
        words=("output values must be of same type as input", "output indices must be of scalar type {wanted}"),
    ),
    native=native("kthvalue_along"),
)
def kthvalue_along(self: Array, k: int, dim: int, keepdim: bool) -> Any:
    """The `k`-th smallest elements along a dimension and their indices."""
    axis = read_dim("kthvalue", dim, self.ndim)
    check_some("kthvalue", self, (axis,))
    line, k = as_line(self), checked_rank(self.shape, k, axis)
    if self.ndim:  # a single number is sorted, whatever it is
        check_number("kthvalue", "kthvalue_cpu", self)
        check_ordered("kthvalue", "kthvalue_cpu", self)
    return reduced(kernels.ranked(line, k - 1, axis), self.shape, axis, keepdim)


@kthvalue_along.samples
def kthvalue_along_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2, 0, False)
    yield Sample(make(3, 4), 4, -1, True)
    yield Sample(make(), 1, 0, False)


@composite()
def kthvalue(
    input: Any, k: int, dim: int = -1, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None
) -> Any:
    """The `k`-th smallest element along a dimension.

    Args:
        input: real tensor, not bool.
        k: rank, from 1.
        dim: the dimension.
        keepdim: leave it with length 1.
        out: a tuple of two tensors to write into.

    Returns:
        A tuple (values, indices) of new tensors, with the first index of equals.

    Raises:
        RuntimeError: if `k` is out of range.
        IndexError: if `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.kthvalue(wg.tensor([2., 3., 1.]), 2).values
        tensor(2.)
    """
    return return_types.named(return_types.kthvalue, kthvalue_along(input, k, dim, keepdim, out=out), out)


@kthvalue.samples
def kthvalue_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2)
    yield Sample(make(3, 4), 1, 0, True)
    yield Bad(make(3), 4, raises=RuntimeError, says="selected number k out of range for dimension 0")
    yield Bad(make(3), 0, raises=RuntimeError, says="selected number k out of range for dimension 0")


def median_of(name: str, kernel: Any, array: Any, dim: Any, keepdim: bool) -> Any:
    """Median along a dimension, for checked arguments."""
    axis = read_dim(name, dim, array.ndim)
    check_some(name, array, (axis,))
    check_number(name, "median_cpu", array)
    check_ordered(name, "median_out", array)
    line = as_line(array)
    result = kernel(line, axis) if line.size else kernels.ranked(line, 0, axis)
    return reduced(result, array.shape, axis, keepdim)


@ranked(node="MedianBackward1", samples=rank_samples, native=native("median_along"))
def median_along(self: Array, dim: int, keepdim: bool) -> Any:
    """The lower median along a dimension and its index."""
    return median_of("median", kernels.median, self, dim, keepdim)


@ranked(node="NanmedianBackward1", samples=rank_samples, native=native("nanmedian_along"))
def nanmedian_along(self: Array, dim: int, keepdim: bool) -> Any:
    """The lower median of the elements along a dimension that are not NaN, and its index."""
    return median_of("nanmedian", kernels.nanmedian, self, dim, keepdim)


def median_of_all(name: str, kernel: Any, array: Any) -> Any:
    """Median of all elements; NaN if there are none."""
    check_number(name, "median_cpu", array)
    check_ordered(name, "median_cpu", array)
    if not array.size:
        return np.full((), np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).min, array.dtype)
    return kernel(array.reshape(-1), 0)[0].reshape(())


def flattened(along_dim: Any) -> Any:
    """Batching rule of a median of all elements."""

    def rule(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        whole = args[0]
        count = math.prod(whole.shape[1:])
        if not count:
            return op.call((whole.new_empty((0,)),)).expand((size,)).clone()
        return along_dim.call((whole.reshape((size, count)), 1, False))[0]

    return rule


def all_samples(make: Any) -> Any:
    """Samples of the median of all elements."""
    yield Sample(make(3, 4))
    yield Sample(make())
    yield Sample(make(0))


of_all = partial(op, dtypes=NUMBERS, public="neither", rules=whole_rules, samples=all_samples)
"""Card decorator for a median of all elements."""


@of_all(node="MedianBackward0", batching=flattened(median_along), native=native("median_full"))
def median_full(self: Array) -> Any:
    """The lower median of all elements."""
    return median_of_all("median", kernels.median, self)


@of_all(node="NanmedianBackward0", batching=flattened(nanmedian_along), native=native("nanmedian_full"))
def nanmedian_full(self: Array) -> Any:
    """The lower median of all elements that are not NaN."""
    return median_of_all("nanmedian", kernels.nanmedian, self)


WHOLE = object()
"""Stands for a dimension: all elements."""


def choose(name: str, full: Any, over: Any, input: Any, dim: Any, keepdim: bool, out: Any) -> Any:
    """Choose the form of a median with or without a dimension."""
    if dim is WHOLE:
        if keepdim or out is not None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        return full(input)
    return return_types.named(getattr(return_types, name), over(input, dim, keepdim, out=out), out)


@composite()
def median(input: Any, dim: Any = WHOLE, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """The median, the lower of two in the middle; NaN if an element is NaN.

    Args:
        input: real tensor, not bool.
        dim: the dimension; by default of all elements.
        keepdim: leave the dimension with length 1.
        out: a tuple of two tensors to write into, if there is a dimension.

    Returns:
        A new tensor; along a dimension a tuple (values, indices) with the first index of equals.

    Raises:
        IndexError: if `dim` is out of range, or there are no elements along it.

    Derivative:
        For all elements: in equal parts for those that equal the result. Along a dimension: for the element at the
            index.

    Examples:
        >>> import wengert as wg
        >>> wg.median(wg.tensor([2., 4., 1., 3.]))
        tensor(2.)
    """
    return choose("median", median_full, median_along, input, dim, keepdim, out)


@composite()
def nanmedian(input: Any, dim: Any = WHOLE, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """The median of all elements that are not NaN, the lower of two in the middle; NaN if there are none.

    Args:
        input, dim, keepdim, out: as for `median`.

    Returns:
        A new tensor; along a dimension a tuple (values, indices) with the first index of equals.

    Raises:
        IndexError: as `median`.

    Derivative:
        As that of `median`.

    Examples:
        >>> import wengert as wg
        >>> wg.nanmedian(wg.tensor([2., float("nan"), 1.]))
        tensor(1.)
    """
    return choose("nanmedian", nanmedian_full, nanmedian_along, input, dim, keepdim, out)


@median.samples
@nanmedian.samples
def median_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(3, 4), dim=-1, keepdim=True)
    yield Bad(make(3), None, raises=TypeError, says="must be int, not NoneType")
    yield Bad(make(0, 2), 0, raises=IndexError, says="Expected reduction dim 0 to have non-zero size")
    yield Bad(make(2), keepdim=True, raises=TypeError, says='missing 1 required positional arguments: "dim"')


@ranked(
    dtypes=ORDERED,
    node="ModeBackward0",
    samples=rank_samples,
    native=native("mode_along"),
    out=Out(apart="partly", words=MODE),
)
def mode_along(self: Array, dim: int, keepdim: bool) -> Any:
    """The most frequent elements along a dimension, the smallest of several, and their last indices."""
    axis = read_dim("mode", dim, self.ndim)
    check_some("mode", self, (axis,))
    if self.ndim:
        check_ordered("mode", "mode_cpu", self)
    line = as_line(self)
    result = kernels.mode(line, axis) if line.size else kernels.ranked(line, 0, axis)
    return reduced(result, self.shape, axis, keepdim)


@composite()
def mode(input: Any, dim: int = -1, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """The most frequent element along a dimension, the smallest of several.

    Args:
        input: real tensor.
        dim, keepdim, out: as for `kthvalue`.

    Returns:
        A tuple (values, indices) of new tensors, with the last index of equals.

    Raises:
        IndexError: if `dim` is out of range, or there are no elements along it.

    Examples:
        >>> import wengert as wg
        >>> wg.mode(wg.tensor([2., 1., 2., 3.])).values
        tensor(2.)
    """
    return return_types.named(return_types.mode, mode_along(input, dim, keepdim, out=out), out)


@mode.samples
def mode_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0, True)


plain_case(kthvalue, kthvalue_along, kthvalue_along.native, then=(return_types.kthvalue,))
plain_case(median, median_along, median_along.native, then=(return_types.median,))
plain_case(nanmedian, nanmedian_along, nanmedian_along.native, then=(return_types.nanmedian,))
plain_case(mode, mode_along, mode_along.native, then=(return_types.mode,))

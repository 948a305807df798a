"""Sums, means and logical reductions over dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.calls.out import one_output, put
from ..._core.cards.card import COMPLEXES, FLOATS, WIDE, Array, Bad, Index, Out, Sample, composite, nodes, op
from ..._core.operators.batch_rules import along
from ..._core.operators.choices import whole_or_dims
from ..._core.operators.declaration import OLDER, ONE_BY_ONE
from ..._core.out_errors import DECIDING, of_truth
from ..._core.recording.recorded import conjugate
from ..._core.state.modes import current
from ..._core.types import dtypes
from ..axes import count_along, read_dims, restored
from ..create.factory import read_dtype
from ..memory.convert import cast
from ..pointwise.binary import native, over


def numpy_dtype(name: str, wanted: Any) -> Any:
    """Return the NumPy dtype of an argument `dtype`, or None."""
    return None if wanted is None else read_dtype(name, wanted, dtypes.float32).numpy


def drop_imaginary(array: Any, element: Any) -> Any:
    """Drop imaginary parts if a reduction in a real dtype is requested."""
    if element is None or array.dtype.kind != "c":
        return array
    return cast(array, element) if np.dtype(element).kind not in "cb" else array


def reduction_samples(make: Any) -> Any:
    """Samples of a reduction over any dimensions."""
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), (0, -1), True)
    yield Sample(make(3, 4), [])
    yield Sample(make())
    yield Sample(make(), -1)
    yield Bad(make(3), 2, raises=IndexError, says="Dimension out of range")
    yield Bad(make(3), (0, 0), raises=RuntimeError, says="dim 0 appears multiple times in the list of dims")
    yield Bad(make(3), "a", raises=TypeError, says="must be int or tuple of ints, not str")


@op(
    dtypes=WIDE,
    linear="self",
    node=nodes("SumBackward0", "SumBackward1", by=whole_or_dims),
    native=native("sum"),
    batching=along("dim"),
    out=Out(words=DECIDING),
)
def sum(self: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum over dimensions.

    Args:
        dim: the dimension or dimensions to sum over; None or () for all of them.
        dtype: the type to sum in and to return; default: that of `self`, int64 for integers and bool.

    Raises:
        IndexError: if `dim` is out of range.
        RuntimeError: if a dimension is given twice.

    Examples:
        >>> import wengert as wg
        >>> wg.sum(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), 0)
        tensor([4., 6.])
    """
    axes = None if dim is None else read_dims("sum", dim, self.ndim)
    wanted = None if dtype is None else numpy_dtype("sum", dtype)
    if wanted is not None and self.dtype.kind == "c" and wanted.kind != "c":
        self = self.real
    return kernels.sum(self, axes, keepdim, wanted)


sum.shows(dim="as dimensions")
sum.nodes.hides = {"SumBackward0": ("dim", "keepdim")}


@sum.vjp("self", native=native("sum_rule"))
def sum_vjp(grad: Any, self_shape: Any, dim: Any, keepdim: bool) -> Any:
    return restored(grad, self_shape, dim, keepdim).expand(self_shape)


sum.samples(reduction_samples)


def mean_dtype(array: Any, dtype: Any) -> Any:
    """Return the NumPy dtype of an argument `dtype` of `mean`, or None.

    Raises:
        RuntimeError: if the mean would be an integer.
    """
    which = "Input" if dtype is None else "Optional"
    result = dtypes.from_numpy(array.dtype) if dtype is None else read_dtype("mean", dtype, dtypes.float32)
    if result.category < dtypes.FLOAT:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {result.legacy[:-6]}"
        )
    return None if dtype is None else result.numpy


def of_mean(args: tuple[Any, ...], result: Any) -> str | None:
    """Refuse an output of `mean`: along dimensions a real one never, since complex numbers are cast."""
    if args[1] is None:
        return None if dtypes.can_cast(args[3] or args[0].dtype, result) else OF_WHOLE_MEAN
    return None if result.is_floating_point and args[3] is None else ""


OF_WHOLE_MEAN = "mean.dtype_out(): input types can't be cast to the desired output type {found}"


@op(
    dtypes=FLOATS,
    linear="self",
    node=nodes("MeanBackward0", "MeanBackward1", by=whole_or_dims),
    native=native("mean"),
    batching=along("dim"),
    out=Out(words=of_mean),
)
def mean(self: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Arithmetic mean over dimensions.

    Args:
        self: floating or complex tensor (others need `dtype`).
        dim: the dimension or dimensions; None or () for all of them.
        dtype: the floating type to compute in and to return.

    Returns:
        A new tensor; NaN if there are no elements.

    Raises:
        RuntimeError: if the result would be an integer.

    Examples:
        >>> import wengert as wg
        >>> wg.mean(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, keepdim=True)
        tensor([[1.5000],
                [3.5000]])
    """
    wanted = mean_dtype(self, dtype)
    return kernels.mean(drop_imaginary(self, wanted), read_dims("mean", dim, self.ndim), keepdim, wanted)


mean.shows(dim="as dimensions", self_sym_numel="as count")
mean.nodes.hides = {"MeanBackward0": ("dim", "keepdim")}


@mean.vjp("self", native=native("mean_rule"))
def mean_vjp(grad: Any, self_shape: Any, dim: Any, keepdim: bool) -> Any:
    count = max(1, count_along(self_shape, dim))
    if current().grad:  # torch's order, which a recorded pass shows
        return over(restored(grad, self_shape, dim, keepdim).expand(self_shape), count)
    return restored(grad / count, self_shape, dim, keepdim).expand(self_shape)


mean.samples(reduction_samples)


def of_nansum(args: tuple[Any, ...], result: Any) -> str | None:
    """Refuse an output of `nansum` of another dtype like a missing kernel, except for sums of integers.

    Raises:
        NotImplementedError: if the output cannot hold floating-point numbers.
    """
    if args[0].dtype.category < dtypes.FLOAT:
        return None
    if not result.is_floating_point:
        raise NotImplementedError(errors.no_kernel("nansum", result))
    return ""


@op(dtypes=WIDE - COMPLEXES, batching=along("dim"), out=Out(words=of_nansum), native=native("nansum"))
def nansum(self: Array, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum over dimensions, with NaN as zero.

    Args:
        self: real tensor.
        dim: the dimension or dimensions; None or () for all of them.
        dtype: the type to sum in and to return.

    Raises:
        RuntimeError: if `self` is complex.
        NotImplementedError: if floating-point numbers are to be summed as complex ones.

    Examples:
        >>> import wengert as wg
        >>> wg.nansum(wg.tensor([1.0, float("nan"), 2.0]))
        tensor(3.)
    """
    if self.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if self.dtype.kind not in "biu" and isinstance(dtype, dtypes.dtype) and dtype.is_complex:
        raise NotImplementedError(errors.no_kernel("nansum", dtype))
    numbers = np.where(np.isnan(self), self.dtype.type(0), self) if self.dtype.kind == "f" else self
    return kernels.sum(numbers, read_dims("nansum", dim, self.ndim), keepdim, numpy_dtype("nansum", dtype))


nansum.shows(dim="as dimensions")


@nansum.vjp("self")
def nansum_vjp(grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    return restored(grad, self.shape, dim, keepdim).expand(self.shape) * self.isnan().logical_not()


@nansum.jvp("self")
def nansum_jvp(tangent: Any, self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    return tangent.masked_fill(self.isnan(), 0).sum(dim, keepdim, dtype=dtype)


nansum.samples(reduction_samples)


@composite()
def nanmean(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Any:
    """Mean over dimensions of all elements that are not NaN.

    Args:
        self: floating tensor.
        dim: the dimension or dimensions; None for all of them.
        keepdim: leave them with length 1.
        dtype: the floating type to compute in and to return.
        out: where to write the result.

    Returns:
        A new tensor; NaN where there are no such elements.

    Raises:
        RuntimeError: if the dtype of `self` is not floating-point.

    Examples:
        >>> import wengert as wg
        >>> wg.nanmean(wg.tensor([1.0, float("nan"), 2.0]))
        tensor(1.5000)
    """
    if self.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got " + self.dtype.legacy[:-6]
        )
    if isinstance(dtype, dtypes.dtype) and dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.legacy[:-6]}"
        )
    count = self.detach().isnan().logical_not().sum(dim, keepdim)
    result_dtype = (
        None if out is None or dtype is not None or self.dtype.is_complex else one_output("nanmean", out).dtype
    )
    if result_dtype is not None and not result_dtype.is_floating_point:
        raise NotImplementedError(errors.no_kernel("nansum", result_dtype))
    return put("nanmean", out, self.nansum(dim, keepdim, dtype=dtype) / count, writer="nansum")


@nanmean.samples
def nanmean_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 1, True)


def as_floating(array: Any) -> Any:
    """Convert an array of numbers to floating-point numbers."""
    return array if array.dtype.kind in "fcV" else array.astype(dtypes.get_default_dtype().numpy)


@op(
    dtypes=WIDE,
    batching=along("dim"),
    native=native("logsumexp"),
    out=Out(words=None, uncastable="logsumexp(): Expected floating point type for result tensor, but got: {found}"),
)
def logsumexp(self: Array, dim: Any, keepdim: bool = False) -> Any:
    """Logarithm of the sum of exponentials over dimensions, computed without overflow.

    Args:
        self: tensor; integers become floating-point numbers.
        dim: the dimension or dimensions; `()` for all of them.

    Returns:
        A new tensor; -inf for the sum of no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.logsumexp(wg.tensor([1000.0, 1000.0]), 0)
        tensor(1000.6932)
    """
    return kernels.logsumexp(as_floating(self), read_dims("logsumexp", dim, self.ndim), keepdim)


logsumexp.shows(dim="as dimensions")


@logsumexp.vjp("self", native=native("logsumexp_rule"))
def logsumexp_vjp(grad: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    return restored(grad, self.shape, dim, keepdim) * conjugate(shares(self, out, dim, keepdim))


@logsumexp.jvp("self")
def logsumexp_jvp(tangent: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    return (tangent * shares(self, out, dim, keepdim)).sum(dim, keepdim)


def shares(self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    """Contribution of each element to the sum of exponentials: `softmax`, whose derivatives have no cancellation."""
    dims = read_dims("logsumexp", dim, len(self.shape))
    axes = sorted(range(len(self.shape)) if dims is None else dims)
    if self.dtype.is_complex or not self.dtype.is_floating_point or not axes:
        return (self - restored(out, self.shape, dim, keepdim)).exp()
    expanded = restored(out, self.shape, dim, keepdim)
    finite = expanded.abs() < math.inf  # beside infinity a number contributes nothing, where softmax is NaN
    if len(axes) == 1:
        return self.softmax(axes[0]).where(finite, (self - expanded).exp())
    order = [axis for axis in range(len(self.shape)) if axis not in axes] + axes
    lines = self.permute(order)
    flat = lines.reshape((*lines.shape[: -len(axes)], -1)).softmax(-1)
    result = flat.reshape(lines.shape).permute([order.index(axis) for axis in range(len(order))])
    return result.where(finite, (self - expanded).exp())


@logsumexp.samples
def logsumexp_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), (0, -1), True)
    yield Sample(make(), 0)
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")
    yield Bad(make(3), raises=TypeError, says='missing 1 required positional arguments: "dim"')


def truth(name: str, kernel: Any, array: Any, dim: Any, keepdim: bool) -> Any:
    """`all` or `any` of an array; uint8 results for uint8; without dimensions nothing is reduced."""
    if isinstance(dim, (tuple, list)) and not dim:
        result = array != 0
    else:
        result = kernel(array, read_dims(name, dim, array.ndim), keepdim)
    return result.astype(np.uint8) if array.dtype == np.uint8 else result


tested = partial(
    op,
    dtypes=WIDE,
    batching=along("dim", none=True),
    why="truth values",
    describes="""
    Args:
        dim: the dimension or dimensions to test over; None for all of them.
    """,
)
"""Card decorator for a test of elements."""


@tested(native=native("all"), out=Out(words=of_truth("all")))
def all(self: Index, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Any:
    """Return whether all elements are different from zero.

    Returns:
        A new bool tensor (uint8 for uint8); True if there are no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.all(wg.tensor([[True, True], [True, False]]), 1)
        tensor([ True, False])
    """
    return truth("all", kernels.all_along, self, dim, keepdim)


@tested(native=native("any"), out=Out(words=of_truth("any")))
def any(self: Index, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Any:
    """Return whether any element is different from zero.

    Returns:
        A new bool tensor (uint8 for uint8); False if there are no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.any(wg.tensor([[True, False], [False, False]]), 1)
        tensor([ True, False])
    """
    return truth("any", kernels.any_along, self, dim, keepdim)


@op(dtypes=WIDE, batching=along("dim"), why="a count", native=native("count_nonzero"))
def count_nonzero(self: Index, dim: int | Sequence[int] | None = None) -> Any:
    """Number of elements different from zero.

    Args:
        dim: the dimension or dimensions to count over; None for all of them.

    Returns:
        A new int64 tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.count_nonzero(wg.tensor([0, 1, 0, 2]))
        tensor(2)
    """
    return np.asarray(np.count_nonzero(self, axis=read_dims("count_nonzero", dim, self.ndim)), np.int64)


OLDER[count_nonzero.name] = {ONE_BY_ONE: ()}


@all.samples
@any.samples
@count_nonzero.samples
def truth_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), (0, -1))
    yield Sample(make())
    yield Bad(make(3), 2, raises=IndexError, says="Dimension out of range")

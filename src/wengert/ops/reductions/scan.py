"""Cumulative sums and products along a dimension, and the product over one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import FLOATS, WIDE, Array, Bad, Out, Sample, checked, nodes, op
from ..._core.cards.late import bind
from ..._core.operators.batch_rules import along
from ..._core.operators.choices import whole_or_dims
from ..._core.out_errors import DECIDING
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import constant_beside, is_meta
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..._kernels import positions
from ..axes import read_dim, summed
from ..differentiated import is_differentiated
from ..dtype_checks import check_inexact
from ..pointwise.binary import native
from .reduce import drop_imaginary, numpy_dtype


def scanned(name: str, kernel: Any, array: Any, dim: Any, dtype: Any) -> Any:
    """Cumulative sum or product, for checked arguments."""
    axis = read_dim(name, dim, array.ndim)
    element = numpy_dtype(name, dtype)
    if element is not None and element.kind == "b":
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return kernel(drop_imaginary(array, element), axis, element)


def add_in_place_form(card: Any) -> None:
    """Add the in-place form of a scan, which refuses a target whose dtype cannot hold the sum or product."""
    write = card.in_place

    def scan_in_place(self: Any, dim: int, *, dtype: Any = None) -> Any:
        """Replace the elements by their cumulative sums or products along `dim`; `dtype` must be that of the tensor.

        Examples:
            >>> import wengert as wg
            >>> x = wg.tensor([1.0, 2.0, 3.0])
            >>> x.cumsum_(0)
            tensor([1., 3., 6.])
        """
        if isinstance(dtype, dtypes.dtype) and dtype is not self.dtype:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {self.dtype.c_name} and output tensor dtype {dtype.c_name} "
                "should match"
            )
        if self.dtype is dtypes.bool_:
            raise NotImplementedError(f"\"{card.name}_out_cpu\" not implemented for 'Bool'")
        return write(self, dim, dtype=dtype)

    scan_in_place.__qualname__ = write.name
    bind(write.name, checked(write.name, scan_in_place, method=True))


def scan_samples(make: Any) -> Any:
    """Samples of an operator along one dimension."""
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), -2)
    yield Sample(make(), 0)
    yield Sample(make(0, 3), 0)
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")
    yield Bad(make(3), None, raises=TypeError, says="argument 'dim' (position 2) must be int, not NoneType")


@op(
    dtypes=WIDE,
    batching=along("dim"),
    linear="self",
    inplace=True,
    out=Out(apart="partly", words=DECIDING),
    native=native("cumsum"),
)
def cumsum(self: Array, dim: int, *, dtype: Any = None) -> Any:
    """Cumulative sum along a dimension.

    Args:
        dtype: the type to sum in and to return; default: that of `self`, int64 for integers and bool.

    Returns:
        A new tensor of the shape of `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.cumsum(wg.tensor([1, 2, 3]), 0)
        tensor([1, 3, 6])
    """
    return scanned("cumsum", kernels.cumulative_sum, self, dim, dtype)


@cumsum.vjp("self", native=native("cumsum_rule"))
def cumsum_vjp(grad: Any, dim: int) -> Any:
    return cumsum_reversed(grad, dim)


cumsum.samples(scan_samples)
add_in_place_form(cumsum)


@op(
    dtypes=FLOATS,
    batching=along("dim"),
    linear="self",
    public="neither",
    node="FlipBackward0",
    native=native("cumsum_reversed"),
)
def cumsum_reversed(self: Array, dim: int) -> Any:
    """Cumulative sum from the end to the beginning."""
    check_inexact("cumsum_reversed", "cumsum_reversed", self)
    if not self.ndim:
        return self.copy()
    axis = read_dim("cumsum", dim, self.ndim)
    return np.flip(kernels.cumulative_sum(np.flip(self, axis), axis), axis).copy()


@cumsum_reversed.vjp("self")
def cumsum_reversed_vjp(grad: Any, dim: int) -> Any:
    return grad.cumsum(dim)


@cumsum_reversed.samples
def cumsum_reversed_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 0)
    yield Sample(make(), 0)


def shifted(tensor: Any, dim: int, by: int, fill: Any) -> Any:
    """Move a tensor by one place along `dim`, to the back (`by` 1) or the front (-1), with `fill` at the free end."""
    shape = tensor.shape
    length = shape[dim]
    index = np.clip(positions.arange(length) - by, 0, length - 1)
    free = np.zeros([length if at == dim else 1 for at in range(len(shape))], np.bool_)
    free.reshape(-1)[0 if by > 0 else -1] = True
    moved = tensor.index_select(dim, constant_beside(tensor, wrap(index)))
    return moved.masked_fill(constant_beside(tensor, wrap(free)), fill)


def turned(tensor: Any, dim: int) -> Any:
    """Reverse a tensor along `dim`."""
    index = wrap(positions.arange(tensor.shape[dim])[::-1].copy())
    return tensor.index_select(dim, constant_beside(tensor, index))


@op(dtypes=FLOATS, batching=along("dim"), public="neither")
def recurrence(factor: Array, start: Array, dim: int, reverse: bool) -> Any:
    """y[k] = start[k] + factor[k] * y[k - 1] along `dim`, or with y[k + 1] from the end; the first is `start` alone."""
    check_inexact("recurrence", "recurrence", start)
    factors, result = np.moveaxis(factor, dim, 0), np.moveaxis(start.copy(), dim, 0)
    places = range(len(result) - 2, -1, -1) if reverse else range(1, len(result))
    before = 1 if reverse else -1
    for at in places:
        result[at] += factors[at] * result[at + before]
    return np.moveaxis(result, 0, dim)


@recurrence.vjp("factor", "start")
def recurrence_vjp(grad: Any, factor: Any, out: Any, dim: int, reverse: bool, wanted: Any) -> Any:
    # The adjoint of a recurrence runs the other way, with the factors shifted by one place.
    step = -1 if reverse else 1
    adjoint = recurrence(shifted(conjugate(factor), dim, -step, 0), grad, dim, not reverse)
    return (adjoint * conjugate(shifted(out, dim, step, 0)) if wanted[0] else None), adjoint


@recurrence.jvp("factor", "start")
def recurrence_jvp(factor_tangent: Any, start_tangent: Any, factor: Any, out: Any, dim: int, reverse: bool) -> Any:
    before = shifted(out, dim, -1 if reverse else 1, 0)
    return recurrence(factor, start_tangent + factor_tangent * before, dim, reverse)


@recurrence.samples
def recurrence_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), 0, False)
    yield Sample(make(3, 4), make(3, 4), 1, True)


@op(dtypes=WIDE, batching=along("dim"), inplace=True, out=Out(apart="partly", words=DECIDING), native=native("cumprod"))
def cumprod(self: Array, dim: int, *, dtype: Any = None) -> Any:
    """Cumulative product along a dimension.

    Args:
        dtype: the type to multiply in and to return; default: that of `self`, int64 for integers and bool.

    Returns:
        A new tensor of the shape of `self`.

    Derivative:
        Correct for zeros, too, and of any order.

    Examples:
        >>> import wengert as wg
        >>> wg.cumprod(wg.tensor([1, 2, 3, 4]), 0)
        tensor([ 1,  2,  6, 24])
    """
    return scanned("cumprod", kernels.cumulative_product, self, dim, dtype)


@cumprod.vjp("self")
def cumprod_vjp(grad: Any, self: Any, out: Any, dim: int) -> Any:
    if not self.ndim or not self.numel():
        return grad
    if may_divide(self, out):
        return cumsum_reversed(grad * conjugate(out), dim) / conjugate(self.to(out.dtype))
    dim, wide = read_dim("cumprod", dim, self.ndim), wide_dtype(out.dtype)
    factor = conjugate(self.to(wide))
    before = shifted(factor, dim, 1, 1).cumprod(dim)
    return recurrence(shifted(factor, dim, -1, 0), grad.to(wide), dim, True) * before


@cumprod.jvp("self")
def cumprod_jvp(tangent: Any, self: Any, out: Any, dim: int) -> Any:
    if not self.ndim or not self.numel():
        return tangent
    dim, wide = read_dim("cumprod", dim, self.ndim), out.dtype
    if wide.itemsize == 2:  # for overflowing products, which a tangent of zero excludes
        wide = wide_dtype(wide)
        out = self.to(wide).cumprod(dim)
    return recurrence(self.to(wide), tangent.to(wide) * shifted(out, dim, 1, 1), dim, False)


cumprod.samples(scan_samples)
add_in_place_form(cumprod)


def may_divide(factors: Any, product: Any) -> bool:
    """Return whether derivatives of products may be computed by dividing by a factor: products are normal numbers.

    In half precision second derivatives would overflow.
    """
    if is_meta(product):
        return True
    if is_batched(product) or (product.dtype.itemsize == 2 and is_differentiated(factors)):
        return False
    limits = dtypes.finfo(product.dtype)
    return bool(decided(are_within, (product,), limits.tiny, limits.max))


def are_within(product: Any, least: float, most: float) -> bool:
    """Return whether the sizes of all elements are within limits."""
    size = np.abs(product)
    return bool(size.min() >= least and size.max() <= most)


def wide_dtype(dtype: Any) -> Any:
    """Return the dtype that derivatives of products are computed in: its powers seldom overflow."""
    return dtypes.complex128 if dtype.is_complex else dtypes.float64


def product_of_others(tensor: Any, dim: int) -> Any:
    """For each element the product of all others along `dim`: those before it times those behind it."""
    before = shifted(tensor, dim, 1, 1).cumprod(dim)
    behind = turned(shifted(turned(tensor, dim), dim, 1, 1).cumprod(dim), dim)
    return before * behind


@op(
    dtypes=WIDE,
    batching=along("dim", flat=True),
    node=nodes("ProdBackward0", "ProdBackward1", by=whole_or_dims),
    native=native("prod"),
    out=Out(words=DECIDING),
)
def prod(self: Array, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Product over a dimension, or of all elements.

    Args:
        dim: the dimension; None for all.
        keepdim: leave it with length 1.
        dtype: the type to multiply in and to return; default: that of `self`, int64 for integers and bool.

    Derivative:
        Correct for zeros, too, and of any order.

    Examples:
        >>> import wengert as wg
        >>> wg.prod(wg.tensor([[1, 2], [3, 4]]), 1)
        tensor([ 2, 12])
    """
    if dim is None and keepdim:
        raise TypeError(errors.wrong_type("prod", "dim", 0, "int", dim))
    axis = None if dim is None else read_dim("prod", dim, self.ndim)
    element = numpy_dtype("prod", dtype)
    return kernels.prod(drop_imaginary(self, element), axis if self.ndim else None, keepdim, element)


@prod.vjp("self", native=native("prod_rule"))
def prod_vjp(grad: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    if not self.ndim:
        return grad
    values = self.to(out.dtype)
    if dim is not None:
        dim = read_dim("prod", dim, self.ndim)
        if not keepdim:
            grad, out = grad.unsqueeze(dim), out.unsqueeze(dim)
    if not self.numel():
        return grad * values
    if may_divide(self, out):
        return grad * conjugate(out / values)
    values = self.to(wide_dtype(out.dtype))
    if dim is not None:
        return grad * conjugate(product_of_others(values, dim))
    return grad * conjugate(product_of_others(values.reshape(-1), 0).reshape(self.shape))


@prod.jvp("self")
def prod_jvp(tangent: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    return summed(tangent, prod_vjp(out.new_ones(out.shape), self, out, dim, keepdim), dim, keepdim)


@prod.samples
def prod_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), -1, True)
    yield Sample(make())
    yield Sample(make(0, 2), 0)
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")
    yield Bad(make(3), (0,), raises=TypeError, says="must be int, not tuple")
    yield Bad(make(3), keepdim=True, raises=TypeError, says="argument 'dim' must be int, not NoneType")

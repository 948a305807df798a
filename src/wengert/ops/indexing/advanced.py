"""Advanced indexing: masks and index arrays in `x[...]` and `x[...] = value`; masked_select, masked_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import flags
from ..._core.cards.card import WIDE, Array, Bad, Index, Indices, InPlace, Out, Sample, nodes, op
from ..._core.errors import shown, target_shape
from ..._core.operators.overlap import refuse_shared
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..._kernels import positions
from ..._kernels.index import private
from ..memory.memory_formats import in_order_like
from ..memory.overwrite import checked_value
from ..pointwise.binary import native
from .index import OF_TENSOR, integers, warn_expanded
from .indexed import in_torch_order, refuse_places, refuse_types

_IN_PACKAGE = ("index_put_",)

WHOLE = slice(None)


def places(indices: Any) -> Any:
    """Copy index arrays (None: a whole dimension) for NumPy, so that no other thread can change them meanwhile."""
    return tuple([WHOLE if index is None else private(index) for index in indices])


@op(
    layout="own",
    dtypes=WIDE,
    linear="self",
    batching="advanced_batches.indexed",
    public="neither",
    native=native("index"),
)
def index(self: Array, indices: Indices) -> Any:
    """Return the elements at index arrays, one for each leading dimension (None: the whole dimension).

    A mask stands for as many dimensions as it has.
    """
    only = indices[-1]
    refuse_types(self.shape, indices)
    try:
        if only.dtype.kind == "i" and (len(indices) == 1 or all(array is None for array in indices[:-1])):
            result = np.asarray(positions.take(self, only, len(indices) - 1))
        else:
            result = np.asarray(self[places(indices)], order="C")
        return in_torch_order(result, self, indices)
    except (IndexError, ValueError):
        refuse_places(self.shape, indices)
        raise


@index.vjp("self", native=native("index_rule"))
def index_vjp(grad: Any, self_shape: Any, indices: Any) -> Any:
    return index_backward(grad, self_shape, indices)


@index.samples
def index_samples(make: Any) -> Any:
    yield Sample(make(3, 4), [integers(2, 0, 2)])
    yield Sample(make(3, 4), [None, integers([1, 0], [3, 3])])
    yield Sample(make(3, 4, 2), [integers(0, 1), None, integers(1, 0)])
    yield Sample(make(3, 2), [wrap(np.array([True, False, True]))])
    yield Sample(make(3, 2), [integers([1, -1], [-3, 1])])
    yield Sample(make(2, 3), [wrap(np.array([[True, False, True], [False, True, False]]))])
    yield Bad(make(3), [integers(3)], raises=IndexError, says="index 3 is out of bounds for dimension 0 with size 3")
    yield Bad(make(3), [wrap(np.array([True]))], raises=IndexError, says="The shape of the mask [1] at index 0")
    yield Bad(make(3), [wrap(np.array([], np.bool_))], raises=IndexError, says="The shape of the mask [0] at index 0")


@op(
    dtypes=WIDE,
    linear="grad",
    batching="advanced_batches.indexed_backward",
    node="IndexPutImplBackward0",
    public="neither",
)
def index_backward(grad: Array, shape: Any, indices: Indices) -> Any:
    """Zeros of `shape` with `grad` added at index arrays."""
    zeros = np.zeros(shape, grad.dtype)
    axes = [at for at, array in enumerate(indices) if array is not None]
    where = places(indices)
    if len(axes) == 1:
        only = indices[axes[0]]
        if only.dtype == np.bool_:
            zeros[where] = grad
            return zeros
        if only.ndim == 1:
            return kernels.index_add(zeros, axes[0], from_front(only, shape[axes[0]]), grad)
    return kernels.index_put_add(zeros, where, grad)


def from_front(index: Any, length: int) -> Any:
    """Convert indices so that all are counted from the front."""
    return np.where(index < 0, index + length, index) if index.size and index.min() < 0 else index


@index_backward.vjp("grad")
def index_backward_vjp(grad: Any, indices: Any) -> Any:
    return index(grad, indices)


@index_backward.samples
def index_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2), (3, 2), [integers(2, 2)])
    yield Sample(make(3, 2), (3, 4), [None, integers(0, -1)])


def is_mask(indices: Any, shape: tuple[int, ...]) -> bool:
    """Return whether the index arrays are one mask that fits the leading dimensions."""
    mask = indices[-1] if indices else None
    return (
        mask is not None
        and mask.dtype == np.bool_
        and all(array is None for array in indices[:-1])
        and mask.shape == shape[len(indices) - 1 : len(indices) - 1 + mask.ndim]
        and mask.ndim > 0
    )


def spread_mask(mask: Any, ndim: int) -> Any:
    """Reshape a mask for the first of `ndim` dimensions so that it broadcasts to all of them."""
    return mask if mask.ndim == ndim else mask.reshape(mask.shape + (1,) * (ndim - mask.ndim))


def write_at(target: Any, indices: Any, values: Any, accumulate: bool) -> None:
    """Write or add `values` at index arrays; one value for a mask may be of another dtype, as in torch."""
    if values.size == 1 and not accumulate and is_mask(indices, target.shape):
        value = checked_value("masked_fill_", target, values.reshape(()))
        np.copyto(target, value, "unsafe", where=spread_mask(indices[-1], target.ndim - len(indices) + 1))
        return
    for operand in (*indices, values):
        if operand is not None:
            refuse_shared(target, operand, True)
    check_kinds(target, indices, values)
    where = places(indices)
    try:
        if accumulate:
            refuse_places(target.shape, indices)
            np.add.at(target, where, values)
        else:
            target[where] = values
    except (ValueError, TypeError, IndexError):
        refuse_places(target.shape, indices)
        raise mismatch(values.shape, target[where].shape) from None


def check_kinds(target: Any, indices: Any, values: Any) -> None:
    """Refuse values of another dtype than the target's, and index arrays that are not indices.

    Raises:
        RuntimeError: if the dtypes differ.
        IndexError: if index arrays are neither integers nor masks.
    """
    refuse_types(target.shape, indices)
    if values.dtype != target.dtype:
        refuse_places(target.shape, indices, values_too=False)
        have, source_type = (dtypes.from_numpy(array.dtype).legacy[:-6] for array in (target, values))
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {have} for the destination and "
            f"{source_type} for the source."
        )


def mismatch(value_shape: Any, wanted: Any) -> RuntimeError:
    """Return the error for values that do not fit the part that they are written to."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {shown(value_shape)} cannot be broadcast to indexing result of shape "
        f"{shown(wanted)}"
    )


def fills_mask(args: tuple[Any, ...]) -> bool:
    """Return whether arguments of `index_put` write one value under a single mask."""
    indices = [array for array in args[1] if array is not None]
    if len(indices) != 1 or args[3] or not isinstance(args[2], Tensor):
        return False
    return indices[0]._array_.dtype.kind == "b" and args[2]._array_.size == 1


def warn_of_put(args: tuple[Any, ...]) -> None:
    """Warn about elements that share memory; torch's form for a mask and one value warns, too."""
    warn_expanded("index_put", OF_TENSOR)
    if fills_mask(args):
        warn_expanded("masked_fill")


@op(
    layout="like",
    dtypes=WIDE,
    inplace=InPlace(write=write_at, native=native("index_put_"), apart=warn_of_put),
    larger=True,
    native=native("index_put"),
    batching="advanced_batches.index_written",
)
def index_put(self: Array, indices: Indices, values: Array, accumulate: bool = False) -> Any:
    """Copy the tensor and write `values` at index arrays.

    Args:
        indices: a tuple of int64 (or bool) tensors for the leading dimensions; None for a whole dimension.
        values: tensor of the same dtype that broadcasts to the indexed part.
        accumulate: add to the old elements, as often as an index occurs.

    Returns:
        A new tensor; `index_put_` writes into `self`.

    Raises:
        IndexError: if an index is out of range, or the index arrays do not fit.
        RuntimeError: if `values` do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.index_put(wg.zeros(4), (wg.tensor([0, 2]),), wg.tensor([1.0, 2.0]))
        tensor([1., 0., 2., 0.])
    """
    result = self.copy(order="K")
    write_at(result, indices, values, accumulate)
    return result


@index_put.vjp("self", native=native("index_put_rule"))
def index_put_vjp_self(grad: Any, indices: Any, accumulate: bool) -> Any:
    return grad if accumulate else index_put(grad, indices, zero_of(grad))


@index_put.vjp("values", native=native("index"))
def index_put_vjp_values(grad: Any, indices: Any) -> Any:
    last = indices[-1] if indices else None
    if isinstance(last, Tensor) and last._flags_ & flags.BATCHED:
        from . import advanced_batches as rules

        if rules.is_only_mask(indices):
            return rules.masked_gradient(grad, last, len(indices) - 1)
    return grad if all(place is None for place in indices) else index(grad, indices)


@index_put.jvp("self", "values")
def index_put_jvp(self_tangent: Any, values_tangent: Any, indices: Any, accumulate: bool) -> Any:
    return self_tangent.index_put(indices, values_tangent, accumulate)


@index_put.samples
def index_put_samples(make: Any) -> Any:
    yield Sample(make(3, 2), [integers(2, 0)], make(2, 2))
    yield Sample(make(3, 2), [integers(2, 0), integers(1, 1)], make(1))
    yield Sample(make(3, 2), [integers(2, 2)], make(2), True)
    yield Sample(make(3, 2), [integers(-1, 0, 1)], make(3, 1))
    yield Sample(make(3, 2), [None, integers(1)], make(3, 1))
    yield Sample(make(3, 2), [wrap(np.array([True, False, True]))], make(2, 2))
    yield Sample(make(3, 2), [wrap(np.array([True, False, True]))], make())
    yield Sample(make(3, 2), (), make(2), True)
    yield Sample(make(3, 2), (None,), make(2))
    yield Bad(
        make(3), [integers(3)], make(1), raises=IndexError, says="index 3 is out of bounds for dimension 0 with size 3"
    )
    yield Bad(make(3), [integers(1, 2)], make(3), raises=RuntimeError, says="shape mismatch: value tensor of shape [3]")


def zero_of(like: Any) -> Tensor:
    """A 0-dim zero of a tensor's dtype."""
    return wrap(np.zeros((), like._array_.dtype))


def check_mask_fill(array: Any, mask: Any, value: Any) -> Any:
    """Return the value that is written; refuse a mask that is not bool, and a value with dimensions."""
    if mask.dtype != np.bool_:
        name = dtypes.from_numpy(mask.dtype).c_name
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return checked_value("masked_fill_", array, value)


def write_where(target: Any, mask: Any, value: Any) -> None:
    """Write `value` where the mask holds."""
    value = check_mask_fill(target, mask, value)
    common = broadcast(target.shape, mask.shape)
    if common != target.shape:
        raise RuntimeError(target_shape(target.shape, common))
    np.copyto(target, value, "unsafe", where=mask)


def mask_form(args: tuple[Any, ...]) -> int:
    """Return which of torch's two operators a call is."""
    return 1 if isinstance(args[2], Tensor) else 0


@op(
    dtypes=WIDE,
    inplace=InPlace(write=write_where, apart=lambda args: warn_expanded("masked_fill"), native=native("masked_fill_")),
    larger=True,
    numbers="value",
    node=nodes("MaskedFillBackward0", "MaskedFillBackward1", by=mask_form),
    takes_halves=True,
    native=native("masked_fill"),
    batching="advanced_batches.mask_filled",
)
def masked_fill(self: Array, mask: Index, value: Array) -> Any:
    """Copy the tensor and write `value` where `mask` holds; both are broadcast.

    Args:
        mask: bool tensor.
        value: number or 0-dim tensor.

    Returns:
        A new tensor of the dtype of `self`.

    Raises:
        RuntimeError: if `mask` is not bool, `value` has dimensions, or the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> wg.masked_fill(wg.tensor([1.0, 2.0]), wg.tensor([True, False]), 0)
        tensor([0., 2.])
    """
    value = check_mask_fill(self, mask, value)
    common = broadcast(mask.shape, self.shape)
    result = np.broadcast_to(self, common).copy(order="C")
    np.copyto(result, value, "unsafe", where=mask)
    return result


@masked_fill.vjp("self", native=native("masked_fill_rule"))
def masked_fill_vjp_self(grad: Any, mask: Any) -> Any:
    return grad.masked_fill(mask, 0)


@masked_fill.vjp("value")
def masked_fill_vjp_value(grad: Any, mask: Any) -> Any:
    return grad.where(mask, 0).sum()


@masked_fill.jvp("self", "value")
def masked_fill_jvp(self_tangent: Any, value_tangent: Any, mask: Any) -> Any:
    return self_tangent.masked_fill(mask, value_tangent)


@masked_fill.samples
def masked_fill_samples(make: Any) -> Any:
    mask = wrap(np.array([True, False, True]))
    yield Sample(make(2, 3), mask, 2)
    yield Sample(make(3), mask, make())
    yield Bad(make(3), integers(1, 0, 0), 1, raises=RuntimeError, says="only supports boolean masks")
    yield Bad(make(2), mask, 1, raises=RuntimeError, says="must match the size of tensor")


def check_mask_dtype(mask: Any) -> None:
    """Refuse a mask of `masked_select` that is not bool.

    Raises:
        RuntimeError: if the mask is not bool.
    """
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")


@op(
    dtypes=WIDE,
    linear="self",
    larger=True,
    batching="advanced_batches.mask_selected",
    out=Out(apart="wholly", words="masked_select(): self and result must have the same scalar type"),
    native=native("masked_select"),
)
def masked_select(self: Array, mask: Index) -> Any:
    """Return the elements where `mask` holds, as a vector; both are broadcast.

    Args:
        mask: bool tensor.

    Returns:
        A new tensor with one dimension.

    Raises:
        RuntimeError: if `mask` is not bool, or the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1, -2, 3])
        >>> wg.masked_select(x, x > 0)
        tensor([1, 3])
    """
    check_mask_dtype(mask)
    common = broadcast(mask.shape, self.shape)
    return np.broadcast_to(self, common)[private(np.broadcast_to(mask, common))]


@masked_select.vjp("self")
def masked_select_vjp(grad: Any, self_shape: Any, self_strides: Any, mask: Any) -> Any:
    return in_order_like(masked_select_backward(grad, self_shape, mask), self_shape, self_strides)


@masked_select.samples
def masked_select_samples(make: Any) -> Any:
    yield Sample(make(2, 3), wrap(np.array([True, False, True])))
    yield Sample(make(3), wrap(np.array([[True, False, True], [True, True, True]])))
    yield Bad(make(2), integers(0, 1), raises=RuntimeError, says="expected BoolTensor for mask")


@op(
    dtypes=WIDE,
    linear="grad",
    batching="advanced_batches.mask_selected_backward",
    public="neither",
    native=native("masked_select_backward"),
    node="MaskedScatterBackward0",
)
def masked_select_backward(grad: Array, shape: Any, mask: Index) -> Any:
    """Zeros of the shape of a tensor broadcast with a mask, with `grad` where the mask holds."""
    common = broadcast(tuple(shape), mask.shape)
    zeros = np.zeros(common, grad.dtype)
    zeros[private(np.broadcast_to(mask, common))] = grad
    return zeros


@masked_select_backward.vjp("grad")
def masked_select_backward_vjp(grad: Any, mask: Any) -> Any:
    return grad.masked_select(mask)


@masked_select_backward.samples
def masked_select_backward_samples(make: Any) -> Any:
    yield Sample(make(2), (3,), wrap(np.array([True, False, True])))

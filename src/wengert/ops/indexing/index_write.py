"""Writing slices at indices along one dimension: index_add, index_copy, index_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import WIDE, Array, Bad, Index, InPlace, Number, Sample, nodes, op
from ..._core.errors import shown
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..._kernels.index import private
from ..memory.overwrite import checked_value
from ..pointwise.binary import unsigned
from .index import ADDED, check_range, integers, warn_expanded

native = kernels.direct_function


def check_vector(name: str, array: Any, dim: int, index: Any) -> int:
    """Refuse an index that is not a vector of integers in range; return the dimension, counted from the front."""
    at = normalise(dim, array.ndim)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{dtypes.from_numpy(index.dtype).legacy[:-6]} and size: {shown(index.shape)}"
        )
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index but got: {dtypes.from_numpy(index.dtype).legacy[:-6]}"
        )
    return at


def source_length(name: str, source: Any, at: int) -> int:
    """Return the number of slices of `source` along a dimension.

    Raises:
        RuntimeError: if `source` does not have the dimension.
    """
    if at >= max(source.ndim, 1):
        raise RuntimeError(f"{name}(): Indexing dim {at} is out of bounds of the source tensor with dim {source.ndim}")
    return source.shape[at] if source.ndim else 1


def check_length(name: str, index: Any, source: Any, at: int) -> None:
    """Refuse another number of indices than slices.

    Raises:
        RuntimeError: if `source` does not have dimension `at`, or another length along it.
    """
    length = source_length(name, source, at)
    if index.size != length:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): ({length}), for dim: {at}"
        )


def check_index_add(array: Any, dim: int, index: Any, source: Any) -> int:
    """Check the arguments of `index_add`."""
    at = check_vector("index_add_", array, dim, index)
    if array.dtype != source.dtype:
        have, source_type = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (array, source))
        raise RuntimeError(f"index_add_(): self ({have}) and source ({source_type}) must have the same scalar type")
    check_length("index_add_", index, source, at)
    shapes = [[length for axis, length in enumerate(operand.shape) if axis != at] for operand in (array, source)]
    if (source.ndim and (array.ndim != source.ndim or shapes[0] != shapes[1])) or (array.ndim and not source.ndim):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{shown(array.shape)} source.shape = {shown(source.shape)}"
        )
    kind = RuntimeError if array.ndim > 1 else IndexError
    check_range(index, array.shape[at] if array.ndim else 1, at, kind, low=False)
    return at


@op(
    dtypes=WIDE,
    inplace=InPlace(apart="wholly", native=native("index_add_")),
    batching="batches.written",
    native=native("index_add"),
    describes=ADDED.format(name="index_add"),
)
def index_add(self: Array, dim: int, index: Index, source: Array, *, alpha: Number = 1) -> Any:
    """Copy the tensor and add the slices of `source` along `dim` at `index`.

    Args:
        index: int64 or int32 vector.
        source: like `self`, but as long as `index` along `dim`.
        alpha: multiplier of `source`.

    Examples:
        >>> import wengert as wg
        >>> wg.index_add(wg.zeros(3), 0, wg.tensor([0, 2, 2]), wg.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 5.])
    """
    at = check_index_add(self, dim, index, source)
    return kernels.index_add(self, at, index, source, unsigned(alpha, self) if self.dtype.kind == "u" else alpha)


@index_add.vjp("self")
def index_add_vjp_self(grad: Any) -> Any:
    return grad


@index_add.vjp("source")
def index_add_vjp_source(grad: Any, dim: int, index: Any, source_shape: Any, alpha: Any) -> Any:
    picked = grad.index_select(dim, index).reshape(source_shape)
    return picked if alpha == 1 else picked * alpha


@index_add.jvp("self", "source")
def index_add_jvp(self_tangent: Any, source_tangent: Any, dim: int, index: Any, alpha: Any) -> Any:
    return self_tangent.index_add(dim, index, source_tangent, alpha=alpha)


@index_add.samples
def index_add_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers(2, 0, 2), make(3, 2))
    yield Sample(make(2, 3), -1, integers(1), make(2, 1), alpha=2)
    yield Sample(make(2, 3), 0, integers(0), make(1, 3), alpha=-1)
    yield Bad(make(3), 0, integers(3), make(1), raises=IndexError, says="index 3 is out of bounds for dimension 0 with")
    yield Bad(
        make(3, 2), 0, integers(3), make(1, 2), raises=RuntimeError, says="index 3 is out of bounds for dimension"
    )
    yield Bad(make(3), 0, integers(1), make(2), raises=RuntimeError, says="should be equal to source.size(dim): (2)")


def check_index_copy(target: Any, dim: int, index: Any, source: Any) -> int:
    """Check the arguments of `index_copy`, except the range of indices; return the dimension from the front."""
    at, name = normalise(dim, target.ndim), "index_copy_()"
    if index.ndim > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {index.ndim})")
    if not source.ndim and index.size != 1:
        raise IndexError(f"{name}: When source is scalar, index should have one element (got {index.size})")
    if source.ndim and target.ndim and source.ndim != target.ndim:
        raise IndexError(
            f"{name}: When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({target.ndim})"
        )
    have, source_type, counts = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (target, source, index))
    if index.dtype != np.int64:
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {counts}")
    if have != source_type:
        raise RuntimeError(
            f"{name}: self and source expected to have the same dtype, but got (self) {have} and (source) {source_type}"
        )
    shapes = [(*operand.shape[:at], *operand.shape[at + 1 :]) for operand in (target, source)]
    if shapes[0] != shapes[1]:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{shown(shapes[0])} at dimension {at} and source slice shape: {shown(shapes[1])} at dimension 0."
        )
    if source.ndim and index.size != source.shape[at]:
        raise IndexError(
            f"{name}: Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[at]})"
        )
    return at


def write_slices(target: Any, dim: int, index: Any, source: Any) -> None:
    """Write slices of `source` along `dim`."""
    at = check_index_copy(target, dim, index, source)
    index = private(index)
    check_range(index, target.shape[at] if target.ndim else 1, at, low=False, name="index_copy_(): ")
    if target.ndim:
        np.moveaxis(target, at, 0)[index.reshape(-1)] = np.moveaxis(source, at, 0) if source.ndim else source
    elif index.size:
        target[...] = source.reshape(-1)[-1]


@op(
    dtypes=WIDE,
    inplace=InPlace(write=write_slices, apart="wholly", native=native("index_copy_")),
    batching="batches.written",
    native=native("index_copy"),
)
def index_copy(self: Array, dim: int, index: Index, source: Array) -> Any:
    """Copy the tensor and write the slices of `source` along `dim` at `index`.

    Args:
        index: int64 vector.
        source: like `self`, but as long as `index` along `dim`.

    Returns:
        A new tensor; `index_copy_` writes into `self`.

    Raises:
        IndexError: if an index is out of range, or the number of indices does not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.index_copy(wg.zeros(3), 0, wg.tensor([0, 2]), wg.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
    """
    result = self.copy(order="C")
    write_slices(result, dim, index, source)
    return result


@index_copy.vjp("self")
def index_copy_vjp_self(grad: Any, dim: int, index: Any) -> Any:
    return grad.index_fill(dim, index, 0)


@index_copy.vjp("source")
def index_copy_vjp_source(grad: Any, dim: int, index: Any, source_shape: Any) -> Any:
    return grad.index_select(dim, index).reshape(source_shape)


@index_copy.jvp("self", "source")
def index_copy_jvp(self_tangent: Any, source_tangent: Any, dim: int, index: Any) -> Any:
    return self_tangent.index_copy(dim, index, source_tangent)


@index_copy.samples
def index_copy_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers(2, 0), make(2, 2))
    yield Bad(
        make(3), 0, integers(3), make(1), raises=IndexError, says="index 3 is out of bounds for dimension 0 with size 3"
    )
    yield Bad(make(3), 0, integers(-1), make(1), raises=IndexError, says="index_copy_(): index -1 is out of bounds")
    yield Bad(make(3), 0, integers([0]), make(1), raises=IndexError, says="Index should have dimension 1 or 0 (got 2)")
    yield Bad(make(3), 0, integers(0), make(1, 1), raises=IndexError, says="their dimensionality must match. Source")
    yield Bad(
        make(3), 0, integers(0, 1), make(), raises=IndexError, says="When source is scalar, index should have one"
    )
    yield Bad(make(3, 2), 0, integers(0), make(1, 3), raises=RuntimeError, says="must have same slice shapes")


def check_index_fill(target: Any, dim: int, index: Any, value: Any) -> tuple[Any, int]:
    """Return the value that `index_fill` writes, and the dimension counted from the front.

    Raises:
        RuntimeError: if value or index have dimensions, or the value does not fit.
        IndexError: if an index is of another dtype, or out of range.
    """
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    is_complex = value.dtype.kind == "c" if isinstance(value, np.ndarray) else np.iscomplexobj(value)
    if is_complex and target.dtype.kind != "c":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    value = checked_value("index_fill_", target, value)
    at = normalise(dim, target.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    check_range(index, target.shape[at] if target.ndim else 1, at)
    return value, at


def write_value_at(target: Any, dim: int, index: Any, value: Any) -> None:
    """Write one value into slices along `dim`."""
    value, at = check_index_fill(target, dim, index, value)
    if target.ndim:
        np.moveaxis(target, at, 0)[private(index).reshape(-1)] = np.asarray(value).astype(target.dtype)
    elif index.size:
        np.copyto(target, value, "unsafe")


def fill_form(args: tuple[Any, ...]) -> int:
    """Return which of torch's two operators a call is."""
    return 1 if isinstance(args[3], Tensor) else 0


@op(
    layout="like",
    dtypes=WIDE,
    inplace=InPlace(write=write_value_at, apart=lambda args: warn_expanded("index_fill"), native=native("index_fill_")),
    numbers="value",
    node=nodes("IndexFillBackward0", "IndexFillBackward1", by=fill_form),
    takes_halves=True,
    native=native("index_fill"),
    batching="batches.filled",
)
def index_fill(self: Array, dim: int, index: Index, value: Array) -> Any:
    """Copy the tensor and write `value` to the slices along `dim` at `index`.

    Args:
        index: int64 vector.
        value: number or 0-dim tensor.

    Returns:
        A new tensor; `index_fill_` writes into `self`.

    Raises:
        IndexError: if an index is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.index_fill(wg.zeros(3), 0, wg.tensor([0, 2]), 5.0)
        tensor([5., 0., 5.])
    """
    result = self.copy(order="K")
    write_value_at(result, dim, index, value)
    return result


index_fill.vjp("self")(index_copy_vjp_self)


@index_fill.vjp("value")
def index_fill_vjp_value(grad: Any, dim: int, index: Any) -> Any:
    shape = grad._array_.shape
    behind = shape[normalise(dim, len(shape)) :] if shape else ()
    mask = constant_beside(index, wrap(np.zeros(behind[:1], np.bool_))).index_fill(0, index, True)
    return grad.where(mask.reshape((*behind[:1], *(1,) * (len(behind) - 1))), 0).sum()


@index_fill.jvp("self", "value")
def index_fill_jvp(self_tangent: Any, value_tangent: Any, dim: int, index: Any) -> Any:
    return self_tangent.index_fill(dim, index, value_tangent)


@index_fill.samples
def index_fill_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers(2, 0), 2)
    yield Sample(make(3, 2), -1, integers(1), make())
    yield Bad(
        make(3), 0, integers(3), 1, raises=IndexError, says="index 3 is out of bounds for dimension 0 with size 3"
    )

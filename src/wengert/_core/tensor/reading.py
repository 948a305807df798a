"""Methods of tensors without an operator: numbers, lengths, and the values outside the graph."""

from __future__ import annotations

from typing import Any

from ..._start.loading import load
from .. import door, errors, flags
from ..graph.anomaly import warn_once
from ..state.modes import current
from ..types.devices import contiguous_format
from ..types.sizes import Size, normalise
from . import slots, tracing
from .base import Tensor, share
from .standins import HANDLER, members

LEAVES = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def may_be_cut(tensor: Tensor) -> bool:
    """Return whether a tensor may require a gradient, or note that it was cut off from one that does."""
    return tensor._meta_ is not None or tensor._flags_ & flags.REQUIRES_GRAD != 0


def warn_of_leaving(tensor: Tensor) -> None:
    """Warn, once in a process, that a number no longer belongs to the graph."""
    if may_be_cut(tensor) and tensor.requires_grad:
        warn_once(LEAVES)


def item(self: Tensor) -> Any:
    """Return the value of a tensor with one element as a Python number.

    Raises:
        RuntimeError: if the tensor does not have exactly one element.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([2.5]).item()
        2.5
    """
    number: Any = door.number_in(self._array_)
    if number is None:
        if self._array_.size != 1 and not self._flags_ & flags.BATCHED:
            raise RuntimeError(f"a Tensor with {self._array_.size} elements cannot be converted to Scalar")
        number = self._array_.item()
    if may_be_cut(self) and current().debug is not None:
        tracing.left(self, number, "item()", tracing.NUMBER)
    if slots.watched:
        tracing.told_reading(self, "item()")
    return number


def tolist(self: Tensor) -> Any:
    """Return the values as nested lists of Python numbers; a number for a 0-dim tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
    """
    if may_be_cut(self) and current().debug is not None:
        tracing.left(self, [], "tolist()", tracing.NUMBER)
    if slots.watched:
        tracing.told_reading(self, "tolist()")
    return self._array_.tolist()


def one_number(self: Tensor) -> Any:
    """Return the value of a tensor with one element, for Python's conversions.

    Raises:
        ValueError: if the tensor does not have exactly one element.
    """
    number: Any = door.number_in(self._array_)
    if number is None:
        if self._array_.size != 1 and not self._flags_ & flags.BATCHED:
            raise ValueError("only one element tensors can be converted to Python scalars")
        number = self._array_.item()
    if may_be_cut(self) and current().debug is not None:
        tracing.left(self, number, "a conversion to a number", tracing.NUMBER)
    if slots.watched:
        tracing.told_reading(self, "a conversion to a number")
    return number


def real_number(self: Tensor, kind: str) -> Any:
    """Return the only value, for conversions to real numbers; `kind` is their name in the error.

    Raises:
        RuntimeError: if it has an imaginary part.
    """
    number: Any = one_number(self)
    if not isinstance(number, complex):
        return number
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow: it has an imaginary part")
    return number.real


def to_integer(self: Tensor) -> int:
    """Return `int(tensor)` of a tensor with one element."""
    return int(real_number(self, "int64_t"))


def to_float(self: Tensor) -> float:
    """Return `float(tensor)` of a tensor with one element."""
    warn_of_leaving(self)
    return float(real_number(self, "double"))


def to_complex(self: Tensor) -> complex:
    """Return `complex(tensor)` of a tensor with one element."""
    warn_of_leaving(self)
    return complex(one_number(self))


def to_index(self: Tensor) -> int:
    """Return the only value as an index.

    Raises:
        TypeError: if it is not an integer, or there is not exactly one element.
    """
    if self._array_.size != 1 or self._array_.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if slots.watched:
        tracing.told_reading(self, "a conversion to an index")
    return int(self._array_.item())


def size(self: Tensor, dim: Any = None) -> Any:
    """Return the shape, or the length of one dimension.

    Args:
        dim: the dimension; None for all.

    Examples:
        >>> import wengert as wg
        >>> x = wg.zeros(2, 3)
        >>> x.size(), x.size(1)
        (torch.Size([2, 3]), 3)
    """
    if dim is None:
        return door.shape_as(self._array_, Size)
    lengths: tuple[int, ...] = door.shape_of(self._array_)
    return lengths[place_of("size", dim, len(lengths))]


def dim(self: Tensor) -> int:
    """The number of dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).dim()
        2
    """
    return door.ndim_of(self._array_)


def numel(self: Tensor) -> int:
    """The number of elements.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).numel()
        6
    """
    return door.size_of(self._array_)


def place_of(name: str, dim: Any, ndim: int) -> int:
    """Return a dimension counted from the front.

    Raises:
        TypeError: if `dim` is not an integer.
        IndexError: if `dim` is out of range.
    """
    if type(dim) is int and -ndim <= dim < ndim:
        place: int = dim
        return place + ndim if place < 0 else place
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(errors.wrong_type(name, "dim", 1, "int", dim))
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return normalise(dim.__index__(), ndim)


def length(self: Tensor) -> int:
    """Return the length of the first dimension.

    Raises:
        TypeError: if the tensor has no dimensions.
    """
    if door.ndim_of(self._array_) == 0:
        raise TypeError("len() of a 0-d tensor")
    return len(self._array_)


def detach(self: Tensor) -> Tensor:
    """Return a tensor on the same memory outside the graph; writes to either are counted for both.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1.0], requires_grad=True)
        >>> (x * 2).detach()
        tensor([2.])
    """
    array: Any = self._array_
    result: Tensor
    if self._flags_ & (flags.BATCHED | flags.OBSERVED):
        if self._flags_ & flags.OBSERVED:
            return load(HANDLER).detached(self)
        array = members(array.whole, array.level)
    else:
        array = array.view()  # an array object of its own, which identifies saved tensors
    result = share(array, self._storage_)
    result._flags_ |= self._flags_ & (flags.INFERENCE | flags.VOLATILE)
    if current().debug is not None:
        tracing.cut(result, self, "detach()", tracing.DETACH)
    return result


def contiguous(self: Tensor, memory_format: Any = contiguous_format) -> Any:
    """Return the tensor itself if it is row-major (or in the order of a memory format), otherwise a copy.

    Args:
        memory_format: the order of the elements; row-major by default.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1, 2], [3, 4]]).t().contiguous().stride()
        (2, 1)
    """
    if memory_format is not contiguous_format:
        return slots.table.contiguous(self, memory_format)
    return self if door.has_rows(self._array_) else slots.table.contiguous(self)

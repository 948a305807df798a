"""Shapes by composition: reshape, flatten and others, which are views if the strides allow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor, bind
from ..._core.types.devices import contiguous_format
from ..._core.types.sizes import normalise
from ..._kernels.layout import view_strides
from ..family import as_function_of
from .view_shape import infer_size, reshape_alias, unsafe_view, view_shape

native = kernels.direct_function


def spread(name: str, values: tuple[Any, ...], named: Any, argument: str = "shape") -> Any:
    """Return sizes passed as one sequence, by keyword, or integer by integer.

    Raises:
        TypeError: if they are passed twice, or are not integers.
    """
    if named is not None:
        if values:
            raise TypeError(f"{name}() got multiple values for argument '{argument}'")
        return integers(name, argument, named)
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        return values[0]
    for at, value in enumerate(values):
        if not hasattr(value, "__index__"):
            raise TypeError(errors.wrong_type(name, argument, at + 1, "tuple of ints", value))
    return values


@composite()
def reshape(input: Any, *size: Any, shape: Any = None) -> Any:
    """Return the elements with another shape: a view if the strides allow it, a copy otherwise.

    Args:
        input: tensor.
        size, shape: the shape, as one sequence or integer by integer; one of them may be -1.

    Returns:
        A view if possible, otherwise a new tensor.

    Raises:
        RuntimeError: if the shape has another number of elements.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    wanted = spread("reshape", size, shape)
    array = input._array_
    if not array.flags.c_contiguous:
        wanted = infer_size(wanted, array.size)
        if view_strides(array.shape, array.strides, array.itemsize, wanted) is None:
            return unsafe_view(input.clone(memory_format=contiguous_format), wanted)
        return reshape_alias(input, wanted)
    return view_shape.call((input, wanted))


@reshape.samples
def reshape_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 6))
    yield Sample(make(3, 4), 2, -1)
    yield Sample(make(), (1,))
    yield Bad(make(3, 4), (5, 2), raises=RuntimeError, says="shape '[5, 2]' is invalid for input of size 12")


plain_case(reshape, view_shape, native("view_dense"))


@as_function_of(reshape, view_shape, native("view_dense"))
def reshape_function(input: Any, shape: Any) -> Any:
    return reshape(input, shape=shape)


def pairs(make: Any) -> Any:
    """Samples of a function of a tensor and one that gives the shape."""
    yield Sample(make(3, 4), make(2, 6))


@composite(function=False)
def reshape_as(self: Any, other: Tensor) -> Any:
    """Return `self.reshape(other.shape)`.

    Args:
        self, other: tensors.

    Returns:
        A view if possible, otherwise a new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(4).reshape_as(wg.zeros(2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    return self.reshape(other._array_.shape)


@composite(function=False)
def view_as(self: Any, other: Tensor) -> Any:
    """Return `self.view(other.shape)`.

    Args:
        self, other: tensors.

    Returns:
        A view.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(4).view_as(wg.zeros(2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    return self.view(other._array_.shape)


reshape_as.samples(pairs)
view_as.samples(pairs)


@composite()
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Merge neighbouring dimensions to one.

    Args:
        input: tensor.
        start_dim, end_dim: first and last of these dimensions.

    Returns:
        A tensor, a view if the strides allow it.

    Raises:
        RuntimeError: if the first dimension is behind the last.

    Examples:
        >>> import wengert as wg
        >>> wg.flatten(wg.zeros(2, 3, 5), 1).shape
        torch.Size([2, 15])
    """
    shape = input._array_.shape
    start, end = normalise(start_dim, len(shape)), normalise(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return input.reshape((1,))
    if start == end:
        return input
    length = 1
    for size in shape[start : end + 1]:
        length *= size
    return input.reshape((*shape[:start], length, *shape[end + 1 :]))


@flatten.samples
def flatten_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4))
    yield Sample(make(2, 3, 4), 1)
    yield Sample(make())
    yield Bad(make(2, 3), 1, 0, raises=RuntimeError, says="start_dim cannot come after end_dim")


plain_case(flatten, view_shape, native("flatten"), shaped=True)


@composite()
def ravel(input: Any) -> Any:
    """Flatten a tensor, row-major.

    Args:
        input: tensor.

    Returns:
        A view if the strides allow it, otherwise a new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.ravel(wg.tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4])
    """
    return input.contiguous().view((-1,)) if input._array_.size else input.reshape((0,))


@ravel.samples
def ravel_samples(make: Any) -> Any:
    yield Sample(make(2, 3))


@composite()
def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """Split one dimension into several.

    Args:
        input: tensor.
        dim: the dimension.
        sizes: its new lengths, one of which may be -1.

    Returns:
        A view.

    Raises:
        RuntimeError: if the product of the lengths differs, or there are no dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.unflatten(wg.zeros(6, 5), 0, (2, 3)).shape
        torch.Size([2, 3, 5])
    """
    shape = input._array_.shape
    if shape and not len(sizes):
        raise RuntimeError("unflatten: sizes must be non-empty")
    at = normalise(dim, len(shape))
    if not shape:
        raise RuntimeError(f"unflatten: Dimension specified as {dim} but tensor has no dimensions")
    try:
        lengths = infer_size(sizes, shape[at])
    except RuntimeError as error:
        if "is invalid for" not in str(error):
            raise
        raise RuntimeError(
            f"unflatten: Provided sizes {shown(sizes)} don't multiply up to the size of dim {at} ({shape[at]}) in the "
            "input tensor"
        ) from None
    return input.view((*shape[:at], *lengths, *shape[at + 1 :]))


@unflatten.samples
def unflatten_samples(make: Any) -> Any:
    yield Sample(make(2, 6), 1, (2, -1))
    yield Bad(make(), 0, (1, -1), raises=RuntimeError, says="Dimension specified as 0 but tensor has no dimensions")
    yield Bad(make(2, 6), 1, (4, 2), raises=RuntimeError, says="don't multiply up to the size of dim 1 (6)")


plain_case(unflatten, view_shape, native("unflatten"), shaped=True)


REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
CONJUGATE = "Tensor.{} is deprecated on 0-D tensors. Consider using x.conj()."


def reversed_dims(self: Tensor) -> Any:
    """Reverse the order of all dimensions, as a view."""
    if self._array_.ndim != 2:
        anomaly.warn_once(IDENTITY.format("T") if not self._array_.ndim else REVERSED)
    return self.permute(tuple(range(self._array_.ndim))[::-1])


def matrix_form(name: str, conjugate: bool, batches: bool) -> property:
    """Return one of the properties `mT`, `mH` and `H`."""

    def transposed(self: Any) -> Any:
        ndim = self._array_.ndim
        if ndim == 1 or (ndim > 2 and not batches):
            wanted = "matrices or batches of matrices" if batches else "matrices (2-D tensors)"
            hint = "" if batches or ndim < 2 else " For batches of matrices, consider using tensor.mH"
            raise RuntimeError(f"tensor.{name} is only supported on {wanted}. Got {ndim}-D tensor.{hint}")
        if not ndim:
            anomaly.warn_once((CONJUGATE if conjugate else IDENTITY).format(name))
            return self.adjoint() if conjugate else self
        return self.adjoint() if conjugate else self.transpose(-2, -1)

    return property(
        transposed, doc=f"The {'conjugate ' if conjugate else ''}transpose of a matrix, a view where possible."
    )


bind("T", property(reversed_dims, doc=reversed_dims.__doc__))
bind("mT", matrix_form("mT", conjugate=False, batches=True))
bind("mH", matrix_form("mH", conjugate=True, batches=True))
bind("H", matrix_form("H", conjugate=True, batches=False))

"""Public forms of pooling: one to three dimensions, fixed and adaptive windows."""

from __future__ import annotations

import operator
from typing import Any

from ..._core import errors
from ..._core.calls import attempts
from ..._core.cards.arguments import Truth
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._core.operators.declaration import is_whole
from ..._core.tensor.base import Tensor
from ..._core.types.devices import channels_last, channels_last_3d
from ..._kernels import direct_function as native
from ..family import describes
from ..neural.norm import unrecorded
from ..shapes.view_shape import unsafe_view
from ..shapes.views import unsqueeze
from .pool import avg_pool2d as average, max_pool2d_with_indices, max_pool3d_with_indices
from .pool_adaptive import adaptive_average, adaptive_average3d, adaptive_maximum, adaptive_maximum3d
from .windows import LINE, PLANE, VOLUME, check_windows_along


def check_tensor(name: str, input: Any) -> None:
    """Refuse anything but a tensor, with a TypeError."""
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type(name, "input", 1, "Tensor", input))


def single(name: str, option: str, value: Any, default: Any = None) -> int:
    """Return the number of an option of one-dimensional pooling.

    Raises:
        RuntimeError: if there is more than one number.
        TypeError: if the number is not an integer.
    """
    if value is None or (isinstance(value, (tuple, list)) and not value and default is not None):
        return int(default)
    if isinstance(value, (tuple, list)):
        if len(value) != 1:
            raise RuntimeError(f"{name}() argument '{option}' should contain one int (got {len(value)})")
        value = value[0]
    if not is_whole(value):
        raise TypeError(errors.wrong_type(name, option, 2, "tuple of ints", value))
    return operator.index(value)


MAXIMA = """
    Args:
        input: {input}, real.
        kernel_size: {lengths} of the window; {numbers}.
        stride: step between windows; `kernel_size` by default.
        padding: number of places around each {item} that count as minus infinity, at most half the window.
        dilation: step inside the window.
        ceil_mode: whether a last window may extend beyond the end.
        return_indices: also return the index of each value in its {item} (int64).

    Returns:
        A new tensor, or a pair of them. The first of equal elements counts; NaN is the largest.

    Raises:
        RuntimeError: if the windows do not fit the input.
    """


@composite(method=False)
@describes(MAXIMA, **PLANE)
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> Any:
    """Maximum of each window of planes.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.max_pool2d(wg.arange(16.0).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])
    """
    check_tensor("max_pool2d", input)
    values, indices = max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


@composite(method=False)
@describes(MAXIMA, **VOLUME)
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> Any:
    """Maximum of each window of volumes.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.max_pool3d(wg.arange(8.0).reshape(1, 1, 2, 2, 2), 2)
        tensor([[[[[7.]]]]])
    """
    check_tensor("max_pool3d", input)
    values, indices = max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


largest_of_lines = native("max_pool1d")
"""Values alone, of arrays, or NotImplemented; None without the extension."""


@composite(method=False)
@describes(MAXIMA, **LINE)
def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> Any:
    """Maximum of each window along the last dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.max_pool1d(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        tensor([[[3., 5.]]])
    """
    check_tensor("max_pool1d", input)
    if not return_indices and largest_of_lines is not None and unrecorded(input):
        result = attempts.unrecorded(largest_of_lines, (input, kernel_size, stride, padding, dilation, ceil_mode))
        if result is not NotImplemented:
            return result
    name = "max_pool1d"
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{shown(input.shape)}"
        )
    kernel = single(name, "kernel_size", kernel_size)
    step, side = single(name, "stride", stride, kernel), single(name, "padding", padding)
    gap = single(name, "dilation", dilation)
    if not return_indices:
        check_windows_along(input.shape[-1], kernel, step, side, gap, ceil_mode)
    values, indices = max_pool2d_with_indices(
        input.unsqueeze(-2), (1, kernel), (1, step), (0, side), (1, gap), ceil_mode
    )
    return (values.squeeze(-2), indices.squeeze(-2)) if return_indices else largest_of_line(values)


def largest_of_line(values: Any) -> Any:
    """Return results of images with one row as those of a signal; as a view only if they are recorded, as in torch."""
    if values.requires_grad:
        return values.squeeze(-2)
    shape = tuple(values.shape)
    return unsafe_view(values, (*shape[:-2], shape[-1]))


@composite(method=False)
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Mean of each window along the last dimension.

    Args:
        input: (N, C, L) or (C, L), floating.
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `avg_pool2d`, one number each.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.avg_pool1d(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        tensor([[[2.0000, 3.5000]]])
    """
    check_tensor("avg_pool1d", input)
    name = "avg_pool1d"
    check_line(name, input)
    kernel = single(name, "kernel_size", kernel_size)
    step, side = single(name, "stride", stride, kernel), single(name, "padding", padding)
    result = average(input.unsqueeze(-2), (1, kernel), (1, step), (0, side), ceil_mode, count_include_pad)
    return without_row(result)


without_row = operator.methodcaller("squeeze", -2)
"""Convert images with one row to signals."""


def checked_sizes(input: Tensor, output_size: Any) -> Any:
    """Return the requested sizes, as numbers if a tensor holds them; refuse too few dimensions (ValueError)."""
    if isinstance(output_size, Tensor) and output_size.ndim:
        output_size = output_size.tolist()
    if isinstance(output_size, (tuple, list)) and input.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}, but got {shown(input.shape)}")
    return output_size


def is_one(input: Tensor, output_size: Any, count: int) -> bool:
    """Return whether there is one window in each of `count` dimensions, so that the result is a mean."""
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(sizes) != count:
        return False
    lengths = input.shape[-count:] if input.ndim > count else (None,) * count
    wanted = (length if size is None else size for size, length in zip(sizes, lengths))
    if count == 1 and output_size is True:  # a number if a single one is expected, as in torch; not in a sequence
        return True
    return all(type(size) is int and size == 1 for size in wanted)


def mean_of(input: Tensor, dims: tuple[int, ...], order: Any) -> Tensor:
    """Mean over some dimensions, which stay with length 1; channels-last if the input is."""
    result = input.mean(dims, keepdim=True)
    inside = input.ndim == len(dims) + 2 and layouts.suggests_channels(input._array_)
    return result.clone(memory_format=order) if inside else result


def check_line(name: str, input: Tensor) -> None:
    """Refuse inputs of neither 2 nor 3 dimensions, with a RuntimeError."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {name})"
        )


ADAPTIVE_MEANS = """
    Args:
        input: {input}, floating.
        output_size: {numbers}; None keeps the size.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if a size is negative, or `input` has another number of dimensions.
        ValueError: if there are more sizes than dimensions of a {item}.
    """
ADAPTIVE_MAXIMA = """
    Args:
        input: {input}, real.
        output_size: {numbers}; None keeps the size.
        return_indices: also return the index of each value in its {item} (int64).

    Returns:
        A new tensor, or a pair of them.

    Raises:
        RuntimeError: if a size is negative, or `input` has another number of dimensions.
        ValueError: if there are more sizes than dimensions of a {item}.
    """


@composite(method=False, function=False)
@describes(ADAPTIVE_MEANS, **PLANE)
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Mean of each of the windows that divide planes into `output_size` rows and columns.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_avg_pool2d(wg.arange(16.0).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 2.5000,  4.5000],
                  [10.5000, 12.5000]]]])
    """
    check_tensor("adaptive_avg_pool2d", input)
    output_size = checked_sizes(input, output_size)
    if is_one(input, output_size, 2):
        return mean_of(input, (-1, -2), channels_last)
    return adaptive_average(input, output_size)


@composite(method=False)
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` along the last dimension: `input` (N, C, L) or (C, L).

    Args:
        input: (N, C, L) or (C, L), floating.
        output_size: a number.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_avg_pool1d(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        tensor([[[2.0000, 3.5000]]])
    """
    check_tensor("adaptive_avg_pool1d", input)
    check_line("adaptive_avg_pool1d", input)
    result = adaptive_avg_pool2d(input.unsqueeze(-2), (1, single("adaptive_avg_pool1d", "output_size", output_size)))
    return result.squeeze(-2)


@composite(method=False, function=False)
@describes(ADAPTIVE_MAXIMA, **PLANE)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: Truth = False) -> Any:
    """Maximum of each of the windows that divide planes into `output_size` rows and columns.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_max_pool2d(wg.arange(16.0).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])
    """
    check_tensor("adaptive_max_pool2d", input)
    values, indices = adaptive_maximum(input, checked_sizes(input, output_size))
    return (values, indices) if return_indices else values


@composite(method=False, function=False)
@describes(ADAPTIVE_MEANS, **VOLUME)
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Mean of each of the windows that divide volumes into `output_size` depths, rows and columns.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_avg_pool3d(wg.ones(1, 1, 4, 4, 4), 2).shape
        torch.Size([1, 1, 2, 2, 2])
    """
    check_tensor("adaptive_avg_pool3d", input)
    output_size = checked_sizes(input, output_size)
    if is_one(input, output_size, 3):
        return mean_of(input, (-1, -2, -3), channels_last_3d)
    return adaptive_average3d(input, output_size)


@composite(method=False, function=False)
@describes(ADAPTIVE_MAXIMA, **VOLUME)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: Truth = False) -> Any:
    """Maximum of each of the windows that divide volumes into `output_size` depths, rows and columns.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_max_pool3d(wg.ones(1, 1, 4, 4, 4), 2).shape
        torch.Size([1, 1, 2, 2, 2])
    """
    check_tensor("adaptive_max_pool3d", input)
    values, indices = adaptive_maximum3d(input, checked_sizes(input, output_size))
    return (values, indices) if return_indices else values


@composite(method=False, function=False)
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: Truth = False) -> Any:
    """`adaptive_max_pool2d` along the last dimension: `input` (N, C, L) or (C, L).

    Args:
        input: (N, C, L) or (C, L), real.
        output_size: a number.
        return_indices: also return the index of each value.

    Returns:
        A new tensor, or a pair of them.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.adaptive_max_pool1d(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        tensor([[[3., 5.]]])
    """
    check_tensor("adaptive_max_pool1d", input)
    check_line("adaptive_max_pool1d", input)
    size = (1, single("adaptive_max_pool1d", "output_size", output_size))
    values, indices = adaptive_maximum(input.unsqueeze(-2), size)
    values = values.squeeze(-2)
    return (values, indices.squeeze(-2)) if return_indices else values


def planes(make: Any) -> Any:
    """Samples of two-dimensional pooling."""
    yield Sample(make(2, 3, 6, 5), 2)
    yield Sample(make(3, 6, 5), (3, 2))
    yield Bad(make(6, 5), 2, raises=RuntimeError, says="3D or 4D")


def volumes(make: Any) -> Any:
    """Samples of three-dimensional pooling."""
    yield Sample(make(2, 2, 4, 3, 5), 2)
    yield Sample(make(2, 5, 3, 4), (3, 2, 1))
    yield Bad(make(6, 5), 2, raises=RuntimeError, says="4D or 5D")


def lines(make: Any) -> Any:
    """Samples of one-dimensional pooling."""
    yield Sample(make(2, 3, 6), 2)
    yield Sample(make(3, 6), (3,))
    yield Bad(make(2, 3, 6, 5), 2, raises=RuntimeError, says="Expected 2")


for form in (max_pool2d, adaptive_avg_pool2d, adaptive_max_pool2d):
    form.samples(planes)
for form in (max_pool3d, adaptive_avg_pool3d, adaptive_max_pool3d):
    form.samples(volumes)
for form in (max_pool1d, avg_pool1d, adaptive_avg_pool1d, adaptive_max_pool1d):
    form.samples(lines)

first = operator.itemgetter(0)
max_pool2d = plain_case(max_pool2d, max_pool2d_with_indices, then=(first,), module=FUNCTIONAL)
avg_pool1d = plain_case(
    avg_pool1d,
    average,
    prepare=((0, unsqueeze, (-2,)),),
    translate=native("avg_pool1d_arguments"),
    then=(without_row,),
    module=FUNCTIONAL,
)
adaptive_avg_pool2d = plain_case(adaptive_avg_pool2d, adaptive_average, module=FUNCTIONAL)
adaptive_max_pool2d = plain_case(adaptive_max_pool2d, adaptive_maximum, then=(first,), module=FUNCTIONAL)

__all__ = ["adaptive_avg_pool1d", "avg_pool1d", "max_pool1d", "max_pool2d", "max_pool3d"]

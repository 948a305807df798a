"""Windows along the last axes of arrays: their options, number and checks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.errors import shown
from ..._core.operators.declaration import is_whole
from ..._kernels.pool import pooled_size

Ints = tuple[int, ...]
COUNTS = {2: "two", 3: "three"}
GAPS = {2: ("dilationH", "dilationW"), 3: ("dilationT", "dilationH", "dilationW")}


LINE = {"input": "(N, C, L) or (C, L)", "lengths": "length", "numbers": "a number", "item": "signal"}
PLANE = {
    "input": "(N, C, H, W) or (C, H, W)",
    "lengths": "rows and columns",
    "numbers": "a number or a pair",
    "item": "plane",
}
VOLUME = {
    "input": "(N, C, D, H, W) or (C, D, H, W)",
    "lengths": "depths, rows and columns",
    "numbers": "a number or three",
    "item": "volume",
}
"""Words of docstrings for windows along one, two and three dimensions."""


def compact(array: Any) -> Any:
    """Return a row-major array, as the native kernels need."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def spread(name: str, option: str, value: Any, count: int, default: Ints | None = None) -> Ints:
    """Return a number for each dimension of a window, slowest first; `default` if there is none.

    Raises:
        TypeError: if the numbers are not integers.
        RuntimeError: if there is neither one number nor one for each dimension.
    """
    if type(value) is int:
        return (value,) * count
    if default is not None and (value is None or (isinstance(value, (tuple, list)) and not value)):
        return default
    if is_whole(value):
        return (value.__index__(),) * count
    if not isinstance(value, (tuple, list)) or not all(is_whole(item) for item in value):
        raise TypeError(errors.wrong_type(name, option, 2, "tuple of ints", value))
    if len(value) not in (1, count):
        raise RuntimeError(f"{name}: {option} must {allowed(name, count, default)}, got {shown(value)}")
    numbers = tuple([item.__index__() for item in value])
    return numbers * count if len(value) == 1 else numbers


def allowed(name: str, count: int, default: Ints | None) -> str:
    """Allowed forms of an option, in torch's words."""
    words = f"a tuple of {COUNTS[count]} ints"
    either = "" if name == "avg_pool3d" else "either "
    return (
        f"{either}be omitted, a single int, or {words}"
        if default is not None
        else f"{either}be a single int, or {words}"
    )


def read_window(
    name: str, shape: Ints, count: int, options: tuple[Any, ...], ceil_mode: bool
) -> tuple[Any, Any, Any, Any]:
    """Return kernel, stride, padding and dilation of windows, with one number for each of `count` dimensions.

    Args:
        name: name of the operator.
        shape: shape of the input.
        count: number of dimensions of a window.
        options: kernel size, stride (by default the kernel's), padding and dilation, as they are given.
        ceil_mode: whether a last window may extend beyond the end.

    Raises:
        TypeError: if a number is not an integer.
        RuntimeError: if the windows do not fit the input.
    """
    kernel = spread(name, "kernel_size", options[0], count)
    stride = spread(name, "stride", options[1], count, kernel)
    padding, dilation = spread(name, "padding", options[2], count), spread(name, "dilation", options[3], count)
    if name == "avg_pool2d" and len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got -3): "
            f"avg_pool2d takes 3D or 4D input, not {shown(shape)}"
        )
    check_window(name, shape, kernel, stride, padding, dilation, ceil_mode)
    return kernel, stride, padding, dilation


def average_window(
    name: str, shape: Ints, count: int, options: tuple[Any, ...], ceil_mode: bool
) -> tuple[Any, Any, Any]:
    """Return kernel, stride and padding of the windows of a mean; see `read_window`."""
    return read_window(name, shape, count, (*options, 1), ceil_mode)[:3]


def check_int(name: str, value: int) -> None:
    """Refuse numbers beyond C's `int`, with which torch counts windows.

    Raises:
        ValueError: if a number is beyond 64 bits.
        RuntimeError: if a number is beyond 32 bits.
    """
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {name} got {value}")
    if not -(2**31) <= value < 2**31:
        raise RuntimeError(f"value cannot be converted to type int without overflow: {name} got {value}")


@lru_cache(maxsize=256)
def check_window(
    name: str, shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> None:
    """Refuse windows that do not fit the input.

    Raises:
        RuntimeError: if they do not fit.
    """
    for value in (*kernel, *stride, *padding, *dilation):
        check_int(name, value)
    count = len(kernel)
    check_steps(name, kernel, stride, dilation)
    if len(shape) not in (count + 1, count + 2):
        raise RuntimeError(
            f"non-empty {count + 1}D or {count + 2}D (batch mode) tensor expected for input, but got {shown(shape)}"
        )
    check_padding(kernel, padding, dilation)
    if 0 in shape[-count - 1 :]:
        raise RuntimeError(empty_input_words(name, shape, count))
    if name == "avg_pool3d" and any(length < taps for length, taps in zip(shape[-count:], kernel)):
        lengths, taps = numbered(("T", "H", "W"), shape[-count:]), numbered(("kT", "kH", "kW"), kernel)
        raise RuntimeError(f"input image ({lengths}) smaller than kernel size ({taps})")
    check_sizes(shape, window_counts(shape, kernel, stride, padding, dilation, ceil_mode))
    for options in zip(shape[-count:], kernel, stride, padding, dilation):
        check_filled(name, *options)


def numbered(names: tuple[str, ...], values: Ints) -> str:
    """Return names and numbers as text: `H: 2 W: 3`."""
    return " ".join([f"{name}: {value}" for name, value in zip(names, values)])


def check_steps(name: str, kernel: Ints, stride: Ints, dilation: Ints) -> None:
    """Refuse windows, strides and dilations below 1.

    Raises:
        RuntimeError: if a number is below 1.
    """
    if min(stride) == 0:
        raise RuntimeError(f"stride should not be zero, but got stride={shown(stride)} in {name}")
    for what, numbers in (("kernel size", kernel), ("stride", stride)):
        if min(numbers) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {what} {shown(numbers)}")
    if min(dilation) <= 0:
        text = numbered(GAPS[len(dilation)], dilation)
        raise RuntimeError(f"dilation should be greater than zero, but got {text}")


def empty_input_words(name: str, shape: Ints, count: int) -> str:
    """Return the words of the error for an input without elements in one item."""
    if count == 3:
        at = next(at for at, length in enumerate(shape[-4:]) if not length)
        return (
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{shown(shape)} and non-batch dimension {at} has length zero!"
        )
    return f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{shown(shape)}"


@lru_cache(maxsize=256)
def window_counts(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool = False
) -> Ints:
    """Return the number of windows along each of the last axes of `shape`."""
    windows = zip(shape[-len(kernel) :], kernel, stride, padding, dilation)
    return tuple([pooled_size(*window, ceil_mode) for window in windows])


def check_sizes(shape: Ints, sizes: Ints) -> None:
    """Refuse a result without windows.

    Raises:
        RuntimeError: if there are no windows along an axis.
    """
    if min(sizes) < 1:
        before, after = shape[-len(sizes) - 1 :], (shape[-len(sizes) - 1], *[max(0, size) for size in sizes])
        first, second = ("x".join(map(str, lengths)) for lengths in (before, after))
        raise RuntimeError(f"Given input size: ({first}). Calculated output size: ({second}). Output size is too small")


def check_padding(kernel: Ints, padding: Ints, dilation: Ints) -> None:
    """Refuse padding that is negative, or more than half of a window.

    Raises:
        RuntimeError: if padding is out of range.
    """
    for side, length, gap in zip(padding, kernel, dilation):
        if side < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {side}")
        if side > (gap * (length - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={side}, kernel_size={length} and "
                f"dilation={gap}"
            )
    if any(side > length // 2 for side, length in zip(padding, kernel)):
        raise RuntimeError(
            f"pad should be smaller than or equal to half of kernel size, but got padding {shown(padding)} and kernel "
            f"size {shown(kernel)}"
        )


def check_filled(name: str, length: int, kernel: int, stride: int, padding: int, dilation: int) -> None:
    """Refuse windows without an element: those that step over an axis shorter than their dilation.

    Raises:
        RuntimeError: if a window is empty: its maximum would not be an element, and its index out of range.
    """
    if dilation <= length or padding == 0:
        return
    for start in range(-padding, 0, stride):
        inside = start % dilation  # the first tap behind the padding at the start
        if inside >= length or inside - start > (kernel - 1) * dilation:
            raise RuntimeError(
                f"{name}(): a window is entirely in the padding: from {start} on, with kernel_size={kernel}, "
                f"padding={padding} and dilation={dilation}, it has none of {length} elements"
            )


def check_divisor(name: str, value: int | None) -> None:
    """Refuse a divisor that is not an integer, zero, or beyond 64 bits."""
    if value is not None and not is_whole(value):
        raise TypeError(errors.wrong_type(name, "divisor_override", 7, "int", value))
    if value is not None and not -(2**63) <= value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {name} got divisor_override={value}")
    if value == 0:
        raise RuntimeError("divisor must be not zero")


def check_windows_along(length: int, kernel: int, step: int, side: int, gap: int, ceil_mode: bool) -> None:
    """Refuse windows that do not fit an axis of this length.

    Raises:
        RuntimeError: if they do not fit.
    """
    for option, value in (("kernel_size", kernel), ("stride", step), ("dilation", gap)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {option} must be greater than zero, but got {value}")
    if side < 0 or side > kernel // 2:
        text = "must be non-negative" if side < 0 else "should be at most half of kernel size"
        raise RuntimeError(f"max_pool1d() padding {text}, but got padding={side} and kernel_size={kernel}")
    size = pooled_size(length, kernel, step, side, gap, ceil_mode)
    if size < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")
    check_filled("max_pool1d", length, kernel, step, side, gap)

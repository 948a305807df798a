"""Checks of convolutions, and options with one number for each dimension."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NoReturn

from ..._core import errors
from ..._core.cards.card import NUMBERS
from ..._core.errors import shown
from ..._core.types import dtypes
from ..create.factory import refuse_dtype
from .conv_nd import places_of

Ints = tuple[int, ...]
LOOPS = ("float32", "float64", "int64")
WITHOUT_RESULT = (
    "2D or 4D weight tensor expected",
    "5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight",
)
"""Words of the error for a transposed convolution's weight without output channels, for images and volumes."""
OUTPUT_PADDING = "output padding must be smaller than either stride or dilation"


def spread_options(
    count: int, stride: Any, padding: Any, dilation: Any, output_padding: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the options with one number for each dimension."""
    if (
        type(stride) is type(padding) is type(dilation) is tuple
        and len(stride) == len(padding) == len(dilation) == count
    ):
        if type(output_padding) is tuple and len(output_padding) == count:
            return stride, padding, dilation, output_padding
    return (
        spread("stride", stride, count),
        spread("padding", padding, count),
        spread("dilation", dilation, count),
        spread("output_padding", output_padding, count),
    )


def spread(name: str, value: Any, count: int) -> Ints:
    """Return one number for each of `count` dimensions.

    Raises:
        TypeError: if a number is not an integer.
        RuntimeError: if the count of numbers is wrong.
    """
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return (int(value.__index__()),) * count
    if not isinstance(value, (tuple, list)) or not all(hasattr(item, "__index__") for item in value):
        raise TypeError(f"convolution(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    if len(value) not in (1, count):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {name}={shown(value)}"
        )
    numbers = tuple(int(item.__index__()) for item in value)
    return numbers * count if len(value) == 1 else numbers


def as_of_input(bias: Any, input: Any) -> Any:
    """Cast the bias of a transposed convolution, of any real dtype, to that of the input, as torch's loops do."""
    return bias.astype(input.dtype) if is_cast(bias, input) else bias


def is_cast(bias: Any, input: Any) -> bool:
    """Return whether a bias of another dtype than the input is cast to it by torch's loops."""
    taken = "biu" if input.dtype.kind == "i" else "biufV"
    return bool(
        bias is not None and bias.dtype != input.dtype and bias.dtype.kind in taken and input.dtype.name in LOOPS
    )


def check_dtypes(input: Any, weight: Any, bias: Any) -> None:
    """Refuse operands of different dtypes, and dtypes without a kernel.

    Raises:
        RuntimeError: if the dtypes differ.
        NotImplementedError: if the dtype is bool, or a wide unsigned dtype.
    """
    if bias is not None and bias.dtype != input.dtype:
        names = [dtypes.from_numpy(operand.dtype).c_name for operand in (input, bias)]
        raise RuntimeError(f"Input type ({names[0]}) and bias type ({names[1]}) should be the same")
    if weight.dtype != input.dtype:
        wanted, weight_type = [dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (input, weight)]
        raise RuntimeError(
            f"expected scalar type {wanted} but found {weight_type}: Input type ({errors.type_name(input)}) and weight "
            f"type ({errors.type_name(weight)}) should be the same. Cast one of them with .to(dtype)."
        )
    refuse_dtype("convolution", input, NUMBERS)


@lru_cache(maxsize=256)
def check_shapes(
    input: Ints,
    weight: Ints,
    bias: Ints | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    output_padding: Ints,
    transposed: bool,
    groups: int,
) -> None:
    """Refuse shapes and options that do not fit together.

    Raises:
        RuntimeError: if they do not fit.
    """
    if len(weight) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    check_options(stride, padding, dilation, output_padding, groups)
    check_channels(input, weight, bias, transposed, groups)
    if 0 in weight[2:]:
        refuse_kernel(weight[2:])
    if transposed:
        check_output_padding(stride, dilation, output_padding)
    elif min(places_of(input, weight[2:], stride, padding, dilation), default=1) < 1:
        padded = " x ".join(str(length + 2 * side) for length, side in zip(input[2:], padding))
        reach = " x ".join(str(gap * (length - 1) + 1) for length, gap in zip(weight[2:], dilation))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). Kernel size can't be "
            "greater than actual input size"
        )
    if 0 in input[2:] and 0 not in input[:2]:
        sizes = (*input[:2], 1, *input[2:]) if len(input) == 3 else input  # torch adds a dimension to vectors
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {errors.shown(sizes)}"
        )


def check_backward(
    grad: Ints,
    weight: Ints,
    input: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    output_padding: Ints,
    groups: int,
) -> None:
    """Refuse shapes and options that do not fit together in a gradient of a convolution.

    Raises:
        RuntimeError: if they do not fit, or `grad` is larger than the convolution's result (smaller: output padding).
    """
    check_shapes(input, weight, None, stride, padding, dilation, output_padding, False, groups)
    expected = (input[0], weight[0], *places_of(input, weight[2:], stride, padding, dilation))
    if (
        len(grad) != len(expected)
        or grad[:2] != expected[:2]
        or any(have > room for have, room in zip(grad[2:], expected[2:]))
    ):
        raise RuntimeError(
            f"convolution: expected a gradient of shape {shown(expected)} for input {shown(input)} and weight "
            f"{shown(weight)}, but got {shown(grad)}"
        )


def check_dilation(dilation: Ints) -> None:
    """Refuse a dilation below 1."""
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {shown(dilation)}")


def check_options(stride: Ints, padding: Ints, dilation: Ints, output_padding: Ints, groups: int) -> None:
    """Refuse options out of range."""
    check_dilation(dilation)
    for wrong, what in (
        (min(padding) < 0, "negative padding"),
        (min(stride) <= 0, "non-positive stride"),
        (groups <= 0, "non-positive groups"),
        (min(output_padding) < 0, "negative output_padding"),
    ):
        if wrong:
            raise RuntimeError(f"{what} is not supported")


def check_dimensions(input: Ints, weight: Ints) -> None:
    """Refuse operands of different numbers of dimensions."""
    if len(weight) != len(input):
        raise RuntimeError(
            f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional weight {shown(weight)}, but got "
            f"{len(input)}-dimensional input of size {shown(input)} instead"
        )


def check_channels(input: Ints, weight: Ints, bias: Ints | None, transposed: bool, groups: int) -> None:
    """Refuse operands whose dimensions or channels do not fit together."""
    subject = f"Given groups={groups}" if not transposed else f"Given transposed={int(transposed)}"
    check_dimensions(input, weight)
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{shown(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{shown(weight)}] instead"
        )
    channels = weight[0] if transposed else weight[1] * groups
    if input[1] != channels:
        raise RuntimeError(
            f"{subject}, weight of size {shown(weight)}, expected input{shown(input)} to have {channels} channels, but "
            f"got {input[1]} channels instead"
        )
    expected = weight[1] * groups if transposed else weight[0]
    if bias is not None and bias != (expected,):
        start = f"{subject}, weight" if transposed else "Given weight"
        raise RuntimeError(
            f"{start} of size {shown(weight)}, expected bias to be 1-dimensional with {expected} elements, but got "
            f"bias of size {shown(bias)} instead"
        )
    if transposed and not weight[1]:
        lengths = (*weight[:2], 1, *weight[2:]) if len(weight) == 3 else weight
        raise RuntimeError(f"non-empty {WITHOUT_RESULT[len(weight) == 5]}, but got: {shown(lengths)}")


def refuse_kernel(lengths: Ints) -> NoReturn:
    """Refuse an empty kernel.

    Raises:
        RuntimeError: always; it words the error for a kernel with a length of 0.
    """
    lengths = (1, *lengths) if len(lengths) == 1 else lengths
    text = f": {' x '.join(map(str, lengths))} (TxHxW)"
    if len(lengths) == 2:
        text = f" kernel_height: {lengths[0]} kernel_width: {lengths[1]}"
    raise RuntimeError(f"kernel size should be greater than zero, but got{text}")


def check_output_padding(stride: Ints, dilation: Ints, output_padding: Ints) -> None:
    """Refuse output padding that would add places that nothing is written to."""
    for step, gap, extra in zip(stride, dilation, output_padding):
        if extra >= step and extra >= gap:
            raise RuntimeError(
                f"{OUTPUT_PADDING}, but got output_padding {shown(output_padding)}, stride {shown(stride)}, dilation "
                f"{shown(dilation)}"
            )


def transposed_lengths(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, output_padding: Ints
) -> Ints:
    """Return the lengths of the result of a transposed convolution.

    Raises:
        RuntimeError: if a length would not be positive.
    """
    lengths = tuple(
        (length - 1) * step - 2 * side + gap * (taps - 1) + extra + 1
        for length, taps, step, side, gap, extra in zip(shape[2:], kernel, stride, padding, dilation, output_padding)
    )
    if min(lengths) < 1:
        lead = (1,) if len(lengths) == 1 else ()  # a signal is treated as an image of one row
        before, after = (" x ".join(map(str, (*lead, *sizes))) for sizes in (shape[2:], lengths))
        raise RuntimeError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). Output size is "
            "too small"
        )
    return lengths

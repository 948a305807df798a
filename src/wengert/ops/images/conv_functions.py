"""Public forms of convolution: one, two and three dimensions, plain and transposed."""

from __future__ import annotations

from typing import Any

from ..._core import errors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.errors import shown
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._kernels import direct_function as native
from ..family import describes
from .conv import check_dilation, check_dimensions, convolution, spread
from .pad import constant_pad_nd

UNEVEN = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def check_operands(name: str, count: int, input: Any, weight: Any) -> None:
    """Refuse anything but tensors, and inputs with another number of dimensions.

    Raises:
        TypeError: if an operand is not a tensor.
        RuntimeError: if `input` has neither `count + 1` nor `count + 2` dimensions.
    """
    for at, (argument, value) in enumerate((("input", input), ("weight", weight))):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type(name, argument, at + 1, "Tensor", value))
    if input.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{shown(input.shape)}"
        )


def convolve(name: str, count: int, input: Any, weight: Any, bias: Any, *options: Any) -> Tensor:
    """Convolution in `count` dimensions, with or without a batch dimension."""
    check_operands(name, count, input, weight)
    stride, padding, dilation, groups = options
    taps = weight.ndim - 2
    if padding == "same":
        check_dimensions((1,) * (count + 2 - input.ndim) + input.shape, weight.shape)
    stride, dilation = (
        spread_for(name, "stride", stride, count, taps),
        spread_for(name, "dilation", dilation, count, taps),
    )
    batched = input if input.ndim == count + 2 else input.unsqueeze(0)
    if isinstance(padding, str):
        batched, padding = named_padding(padding, batched, weight, stride, dilation)
    padding = spread_for(name, "padding", padding, count, taps)
    result = convolution(batched, weight, bias, stride, padding, dilation, False, (0,) * count, groups)
    return result if batched.ndim == input.ndim else result.squeeze(0)


def spread_for(name: str, option: str, value: Any, count: int, taps: int) -> tuple[int, ...]:
    """Return one number for each dimension of the input; refuse a weight with another number of dimensions."""
    if type(value) is int and count == taps:
        return (value,) * count
    if isinstance(value, str):
        raise TypeError(f"{name}(): argument '{option}' must be tuple of ints, not str")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = value if isinstance(value, float) else (value,) * count
    return spread(option, value, taps)


def named_padding(
    padding: str, input: Any, weight: Any, stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[Any, tuple[int, ...]]:
    """Return input and widths for `padding="same"` (the result is as long as the input) and "valid" (no padding).

    Raises:
        RuntimeError: if `padding` is another word, or "same" with a stride.
    """
    if padding == "valid":
        return input, (0,) * len(stride)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'; expected 'valid' or 'same'")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    check_dilation(dilation)
    total = [gap * (length - 1) for gap, length in zip(dilation, weight.shape[2:])]
    extra = [width % 2 for width in total]
    if any(extra):
        anomaly.warn_once(UNEVEN)
        sides = [side for width in reversed(extra) for side in (0, width)]
        input = constant_pad_nd(input, tuple(sides))
    return input, tuple(width // 2 for width in total)


def convolve_transposed(name: str, count: int, input: Any, weight: Any, bias: Any, *options: Any) -> Tensor:
    """Transposed convolution in `count` dimensions, with or without a batch dimension."""
    check_operands(name, count, input, weight)
    stride, padding, output_padding, groups, dilation = options
    names = ("stride", "padding", "dilation", "output_padding")
    steps = [
        spread_for(name, word, value, count, weight.ndim - 2)
        for word, value in zip(names, (stride, padding, dilation, output_padding))
    ]
    batched = input if input.ndim == count + 2 else input.unsqueeze(0)
    result = convolution(batched, weight, bias, *steps[:3], True, steps[3], groups)
    return result if batched.ndim == input.ndim else result.squeeze(0)


CONVOLUTION = """
    Args:
        input: (N, C, {lengths}) or (C, {lengths}).
        weight: (O, C / groups, {kernel}), of the dtype of `input`.
        bias: (O,) or None.
        stride: step between places; a number, or one for each dimension.
        padding: zeros on both sides of each dimension; or "same": the result is as long as the input; or "valid": none.
        dilation: step between elements of the kernel.
        groups: number of groups of channels, each with its own kernels.

    Returns:
        A new tensor (N, O, {places}) or (O, {places}).

    Raises:
        RuntimeError: if shapes, dtypes or options do not fit together.
        TypeError: if an operand is not a tensor.
    """
TRANSPOSED = """
    Args:
        input: (N, C, {lengths}) or (C, {lengths}).
        weight: (C, O / groups, {kernel}), of the dtype of `input`.
        bias: (O,) or None.
        stride: distance in the result of neighbours in the input.
        padding: number of elements cut off on both sides.
        output_padding: number of elements added at the end of the result.
        groups: number of groups of channels, each with its own kernels.
        dilation: step between elements of the kernel.

    Returns:
        A new tensor (N, O, {places}) or (O, {places}).

    Raises:
        RuntimeError: if shapes, dtypes or options do not fit together.
        TypeError: if an operand is not a tensor.
    """
LINE = {"lengths": "L", "kernel": "K", "places": "length"}
PLANE = {"lengths": "H, W", "kernel": "rows, columns", "places": "height, width"}
VOLUME = {"lengths": "D, H, W", "kernel": "depths, rows, columns", "places": "depth, height, width"}
"""Docstring sections for one, two and three dimensions."""


@composite(method=False)
@describes(CONVOLUTION, **LINE)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) along one dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv1d(wg.tensor([[[1.0, 2.0, 3.0, 4.0]]]), wg.tensor([[[1.0, -1.0]]]))
        tensor([[[-1., -1., -1.]]])
    """
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@composite(method=False)
@describes(CONVOLUTION, **PLANE)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) in two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv2d(wg.ones(1, 1, 3, 3), wg.ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])
    """
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@composite(method=False)
@describes(CONVOLUTION, **VOLUME)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) in three dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv3d(wg.ones(1, 1, 4, 4, 4), wg.ones(2, 1, 3, 3, 3), padding=1).shape
        torch.Size([1, 2, 4, 4, 4])
    """
    return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@composite(method=False)
@describes(TRANSPOSED, **LINE)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution along one dimension: the transpose, as a linear map, of `conv1d` with the same kernel.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv_transpose1d(wg.tensor([[[1.0, 2.0]]]), wg.tensor([[[1.0, 10.0]]]))
        tensor([[[ 1., 12., 20.]]])
    """
    return convolve_transposed(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(method=False)
@describes(TRANSPOSED, **PLANE)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution in two dimensions: the transpose, as a linear map, of `conv2d` with the same kernel.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv_transpose2d(wg.ones(1, 1, 2, 2), wg.ones(1, 1, 2, 2))
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    return convolve_transposed(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(method=False)
@describes(TRANSPOSED, **VOLUME)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution in three dimensions: the transpose, as a linear map, of `conv3d` with the same kernel.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv_transpose3d(wg.ones(1, 2, 2, 2, 2), wg.ones(2, 1, 2, 2, 2), stride=2).shape
        torch.Size([1, 1, 4, 4, 4])
    """
    return convolve_transposed(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(method=False)
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution along the first dimension, with the channels last.

    Args:
        input: (L, N, C).
        weight: (K, C, O), of the dtype of `input`.
        bias: (O,).
        pad: number of zeros at both ends.

    Returns:
        A new tensor (length, N, O).

    Raises:
        RuntimeError: if the shapes do not fit together.
        TypeError: if an operand is not a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.conv_tbc(wg.ones(4, 1, 1), wg.ones(2, 1, 1), wg.zeros(1)).flatten()
        tensor([2., 2., 2.])
    """
    for at, (argument, value) in enumerate((("input", input), ("weight", weight), ("bias", bias))):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type("conv_tbc", argument, at + 1, "Tensor", value))
    for wrong, says in (
        (input.ndim != 3, "Input must have 3 dims: time, batch, in_channel"),
        (weight.ndim != 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels"),
        (bias.ndim != 1, "Bias must be 1-D"),
    ):
        if wrong:
            raise RuntimeError(f"{says}, but got {shown(input.shape)}, {shown(weight.shape)} and {shown(bias.shape)}")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError(
            "Input dim 2 (input channels) is not == dim 1 in the weight tensor: "
            f"{shown(input.shape)} and {shown(weight.shape)}"
        )
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError(
            f"Bias size must equal dim 2 in the weight tensor (output channels): {bias.shape[0]} and "
            f"{shown(weight.shape)}"
        )
    signal, kernels = input.permute(1, 2, 0), weight.permute(2, 1, 0)
    return conv1d(signal, kernels, bias, padding=pad).permute(2, 0, 1).contiguous()


@conv_tbc.samples
def conv_tbc_samples(make: Any) -> Any:
    yield Sample(make(5, 2, 3), make(2, 3, 4), make(4), 1)
    yield Bad(make(5, 2, 3), make(2, 2, 4), make(4), raises=RuntimeError, says="is not == dim 1 in the weight tensor")


@conv1d.samples
def conv1d_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 6), make(6, 2, 3), make(6), 2, 1, 1, 2)
    yield Sample(make(3, 5), make(2, 3, 2), padding="same")
    yield Bad(
        make(5), make(2, 3, 2), raises=RuntimeError, says="Expected 2D (unbatched) or 3D (batched) input to conv1d"
    )


@conv2d.samples
def conv2d_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 6, 5), make(4, 3, 3, 2), make(4), (2, 1), (1, 0), (1, 2))
    yield Sample(make(3, 4, 4), make(2, 3, 3, 3), padding="same")
    yield Bad(
        make(3, 4),
        make(2, 3, 3, 3),
        raises=RuntimeError,
        says="Expected 3D (unbatched) or 4D (batched) input to conv2d",
    )
    yield Bad(
        make(2, 3, 4, 4), make(2, 3, 3, 3), stride=0, raises=RuntimeError, says="non-positive stride is not supported"
    )


@conv3d.samples
def conv3d_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3, 4, 3), make(2, 2, 2, 2, 2), make(2), padding=1, groups=2)
    yield Bad(
        make(3, 4),
        make(2, 3, 2, 2, 2),
        raises=RuntimeError,
        says="Expected 4D (unbatched) or 5D (batched) input to conv3d",
    )


@conv_transpose1d.samples
def conv_transpose1d_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 5), make(4, 3, 3), make(6), 2, 1, 1, 2)
    yield Bad(
        make(2, 4, 5), make(4, 3, 3), output_padding=1, raises=RuntimeError, says="output padding must be smaller"
    )


@conv_transpose2d.samples
def conv_transpose2d_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3, 4), make(2, 3, 2, 3), make(3), 2, (0, 1), 1)
    yield Sample(make(2, 3, 4), make(2, 3, 2, 3), dilation=2, output_padding=1)


@conv_transpose3d.samples
def conv_transpose3d_samples(make: Any) -> Any:
    yield Sample(make(1, 2, 2, 3, 2), make(2, 1, 2, 2, 2), stride=2)


conv1d = plain_case(conv1d, convolution, translate=native("conv1d_arguments"), module=FUNCTIONAL)
conv2d = plain_case(conv2d, convolution, translate=native("conv2d_arguments"), module=FUNCTIONAL)
conv3d = plain_case(conv3d, convolution, translate=native("conv3d_arguments"), module=FUNCTIONAL)
conv_transpose1d = plain_case(
    conv_transpose1d, convolution, translate=native("conv_transpose1d_arguments"), module=FUNCTIONAL
)
conv_transpose2d = plain_case(
    conv_transpose2d, convolution, translate=native("conv_transpose2d_arguments"), module=FUNCTIONAL
)
conv_transpose3d = plain_case(
    conv_transpose3d, convolution, translate=native("conv_transpose3d_arguments"), module=FUNCTIONAL
)

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]

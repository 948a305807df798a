"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.create.create import empty
from ...tensor import Tensor
from .. import functional, init
from ..parameter import Parameter
from .module import Module

Lengths = int | Sequence[int]
PADDING_MODES = ("circular", "zeros", "replicate", "reflect")


def spread(value: Lengths, count: int) -> tuple[int, ...]:
    """One number for each of `count` dimensions."""
    return (value,) * count if isinstance(value, int) else tuple(value)


class Convolution(Module):
    """What the convolutions of all dimensions share; arguments as of `Conv2d`."""

    dimensions: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths | str = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = spread(kernel_size, self.dimensions)
        self.stride = spread(stride, self.dimensions)
        self.padding = padding if isinstance(padding, str) else spread(padding, self.dimensions)
        self.dilation = spread(dilation, self.dimensions)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        self.weight = Parameter(empty((out_channels, in_channels // groups, *self.kernel_size), dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check(self) -> None:
        """Refuse arguments that do not fit together."""
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'valid', 'same'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {{{', '.join(map(repr, PADDING_MODES))}}}, "
                f"but got padding_mode='{self.padding_mode}'"
            )

    def _pads(self) -> list[int]:
        """How much to put before and after each dimension, the last one first."""
        if isinstance(self.padding, str):
            totals = [gap * (length - 1) for gap, length in zip(self.dilation, self.kernel_size)]
            sides = [(total // 2, total - total // 2) if self.padding == "same" else (0, 0) for total in totals]
        else:
            sides = [(width, width) for width in self.padding]
        return [width for side in reversed(sides) for width in side]

    def _convolve(self, convolution: Callable[..., Tensor], input: Tensor) -> Tensor:
        if self.padding_mode == "zeros":
            return convolution(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
        padded = functional.pad(input, self._pads(), mode=self.padding_mode)
        return convolution(padded, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)

    def reset_parameters(self) -> None:
        """Draw new values, uniform in [-1/sqrt(n), 1/sqrt(n)) for n input values per output value."""
        init.uniform_within_fan_in(self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes, and what is not the default."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self.dimensions:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.dimensions:
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class Conv1d(Convolution):
    """Cross-correlation along one dimension; arguments as of `Conv2d`."""

    dimensions = 1

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, L) or (in_channels, L) to (N, out_channels, L') or (out_channels, L')."""
        return self._convolve(functional.conv1d, input)


class Conv2d(Convolution):
    """Cross-correlation over images.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: height and width of the kernel, or one number for both.
        stride: step of the kernel.
        padding: zeros put at each side; "same" keeps the size (stride 1), "valid" puts none.
        dilation: distance between the points of the kernel.
        groups: parts into which the channels are divided, which do not see each other.
        bias: whether there is one.
        padding_mode: what to put there: "zeros", "reflect", "replicate" or "circular".
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight: shape (out_channels, in_channels / groups, height, width).
        bias: shape (out_channels,), or None.

    Raises:
        ValueError: the arguments do not fit together.
    """

    dimensions = 2

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, H, W) or without N to (N, out_channels, H', W') or without N."""
        return self._convolve(functional.conv2d, input)

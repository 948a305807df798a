"""Convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._tensor import Tensor
from ...ops.create.placed import empty
from .. import functional, init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, _reverse_repeat_tuple, name_constructor

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

Lengths = int | Sequence[int]
PADDING_MODES = ("circular", "zeros", "replicate", "reflect")


class _ConvNd(Module):
    """Base of all convolutions, plain and transposed; arguments as of `Conv2d`."""

    __init_subclass__: Any = classmethod(name_constructor)

    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        self._reversed_padding_repeated_twice = self._widths()
        self.weight = Parameter(empty(self._weight_shape(), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
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

    def _weight_shape(self) -> tuple[int, ...]:
        """Shape of the weight; the dimension that is summed has the channels of one group only."""
        if self.transposed:
            return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def _widths(self) -> Sequence[int]:
        """Widths of the padding before and behind each dimension, the last one first, as `pad` expects them."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        totals = [gap * (length - 1) for gap, length in zip(self.dilation, self.kernel_size)]
        sides = [(total // 2, total - total // 2) if self.padding == "same" else (0, 0) for total in totals]
        return [width for side in reversed(sides) for width in side]

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Convolve `input` with these kernels; for subclasses that compute their kernels."""
        raise NotImplementedError(f"{self._get_name()} defines no _conv_forward(): it has no convolution to call")

    def reset_parameters(self) -> None:
        """Draw new values, uniform in [-1/sqrt(n), 1/sqrt(n)) for n = length of weight[0]."""
        init.uniform_within_fan_in(self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes, and the options that differ from their defaults."""
        count = len(self.kernel_size)
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * count:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * count:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * count:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _PlainConvNd(_ConvNd):
    """Base of `Conv1d`, `Conv2d` and `Conv3d`."""

    dimensions: int
    convolution: Callable[..., Tensor]

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
        spread = _ntuple(self.dimensions)
        padding = padding if isinstance(padding, str) else spread(padding)
        steps: tuple[Any, ...] = (spread(kernel_size), spread(stride), padding, spread(dilation))
        options: tuple[Any, ...] = (False, spread(0), groups, bias, padding_mode, device, dtype)
        super().__init__(in_channels, out_channels, *steps, *options)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolution, padding = type(self).convolution, self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0  # type: ignore[assignment]
        return convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Convolve (N, in_channels, ...) to (N, out_channels, ...); N may be missing in both."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_PlainConvNd):
    """Cross-correlation along one dimension; arguments as of `Conv2d`."""

    dimensions = 1
    convolution = staticmethod(functional.conv1d)


class Conv2d(_PlainConvNd):
    """Cross-correlation over images.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: height and width of the kernel, or one number for both.
        stride: step of the kernel.
        padding: width of the padding at each side; "same" keeps the size (stride 1), "valid" is none.
        dilation: distance between the points of the kernel.
        groups: number of groups of channels that are convolved independently.
        bias: whether the layer has a bias.
        padding_mode: values of the padding: "zeros", "reflect", "replicate" or "circular".
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight: shape (out_channels, in_channels / groups, height, width).
        bias: shape (out_channels,), or None.

    Raises:
        ValueError: if the arguments do not fit together.
    """

    dimensions = 2
    convolution = staticmethod(functional.conv2d)


class Conv3d(_PlainConvNd):
    """Cross-correlation over volumes (N, C, D, H, W); arguments as of `Conv2d`.

    >>> import wengert as wg
    >>> wg.nn.Conv3d(2, 4, 3, padding=1)(wg.ones(1, 2, 5, 6, 7)).shape
    torch.Size([1, 4, 5, 6, 7])
    """

    dimensions = 3
    convolution = staticmethod(functional.conv3d)


class _ConvTransposeNd(_ConvNd):
    """Base of transposed convolutions; arguments as of `_ConvNd`.

    Raises:
        ValueError: if the padding mode is not "zeros".
    """

    def _check(self) -> None:
        if self.padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super()._check()

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Sequence[int],
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> Sequence[int]:
        """Return the output padding that lengthens the result to `output_size`; the layer's own if it is None.

        Raises:
            ValueError: if `output_size` has the wrong length, or the layer has no result of this size for the input.
        """
        if output_size is None:
            return self.output_padding
        count = num_spatial_dims
        lead = 2 if input.ndim == count + 2 else 1
        wanted = list(output_size)[lead:] if len(output_size) == lead + count else list(output_size)
        if len(wanted) != count:
            raise ValueError(
                f"ConvTranspose{count}D: for {input.ndim}D input, output_size must have {count} or {lead + count} "
                f"elements (got {len(wanted)})"
            )
        gaps = (1,) * count if dilation is None else dilation
        least = [
            (length - 1) * step - 2 * side + gap * (taps - 1) + 1
            for length, step, side, gap, taps in zip(input.shape[lead:], stride, padding, gaps, kernel_size)
        ]
        most = [size + step - 1 for size, step in zip(least, stride)]
        if not all(low <= size <= high for low, size, high in zip(least, wanted, most)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} (for an input "
                f"of {input.shape[2:]})"
            )
        return [size - low for size, low in zip(wanted, least)]


class _TurnedConvNd(_ConvTransposeNd):
    """Base of `ConvTranspose1d`, `ConvTranspose2d` and `ConvTranspose3d`."""

    dimensions: int
    convolution: Callable[..., Tensor]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Lengths = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        spread = _ntuple(self.dimensions)
        steps: tuple[Any, ...] = (spread(kernel_size), spread(stride), spread(padding), spread(dilation))
        options: tuple[Any, ...] = (True, spread(output_padding), groups, bias, padding_mode, device, dtype)
        super().__init__(in_channels, out_channels, *steps, *options)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Map (N, in_channels, ...) to (N, out_channels, ...); N may be missing in both.

        Args:
            input: (N, in_channels, ...) or (in_channels, ...).
            output_size: lengths of the result, one for each dimension of the kernel or of the result: with a stride
                above 1, results of several sizes belong to one input size.

        Raises:
            ValueError: if the result cannot have the size `output_size`.
        """
        count = self.dimensions
        extra = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,  # type: ignore[arg-type]
            self.kernel_size,
            count,
            self.dilation,
        )
        options = (self.stride, self.padding, extra, self.groups, self.dilation)
        return type(self).convolution(input, self.weight, self.bias, *options)


class ConvTranspose1d(_TurnedConvNd):
    """Transposed convolution along one dimension; arguments as of `ConvTranspose2d`."""

    dimensions = 1
    convolution = staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_TurnedConvNd):
    """Transposed convolution over images: the transpose, as a linear map, of `Conv2d` with the same kernels.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: height and width of the kernel, or one number for both.
        stride: distance in the result between neighbours in the input.
        padding: width that is cut off at each side.
        output_padding: additional length at the end of the result.
        groups: number of groups of channels that are convolved independently.
        bias: whether the layer has a bias.
        dilation: distance between the points of the kernel.
        padding_mode: "zeros".
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight: shape (in_channels, out_channels / groups, height, width).
        bias: shape (out_channels,), or None.

    Raises:
        ValueError: if the arguments do not fit together.

    >>> import wengert as wg
    >>> x = wg.ones(1, 3, 12, 13)
    >>> smaller = wg.nn.Conv2d(3, 4, 3, stride=2, padding=1)(x)
    >>> wg.nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1)(smaller, output_size=x.shape).shape
    torch.Size([1, 3, 12, 13])
    """

    dimensions = 2
    convolution = staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_TurnedConvNd):
    """Transposed convolution over volumes; arguments as of `ConvTranspose2d`."""

    dimensions = 3
    convolution = staticmethod(functional.conv_transpose3d)


class _LazyConvXdMixin(LazyModuleMixin):
    """Mixin for convolutions that learn the number of channels."""

    weight: Any
    bias: Any
    in_channels: int
    out_channels: int
    groups: int
    dimensions: int

    def _wait(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Register parameters whose shapes are not known yet."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new values, if the shapes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take `in_channels` from the input (N, in_channels, ...) or (in_channels, ...).

        Raises:
            ValueError: if the groups do not divide the channels.
            RuntimeError: if the input has another number of dimensions.
        """
        self.in_channels = self._get_in_channels(input)
        if not self.has_uninitialized_params():  # values were loaded
            return
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())  # type: ignore[attr-defined]
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input: Tensor) -> int:
        count = self._get_num_spatial_dims()
        if input.ndim not in (count + 1, count + 2):
            raise RuntimeError(
                f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        return int(input.shape[1] if input.ndim == count + 2 else input.shape[0])

    def _get_num_spatial_dims(self) -> int:
        return self.dimensions


class _LazyPlainConvNd(_LazyConvXdMixin, _PlainConvNd):
    """Base of `LazyConv1d`, `LazyConv2d` and `LazyConv3d`; arguments as of `Conv2d`, without `in_channels`."""

    def __init__(
        self,
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
        options = (kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        super().__init__(0, 0, *options)
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyPlainConvNd, Conv1d):
    """`Conv1d` with `in_channels` of the first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyPlainConvNd, Conv2d):
    """`Conv2d` with `in_channels` of the first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyPlainConvNd, Conv3d):
    """`Conv3d` with `in_channels` of the first input."""

    cls_to_become = Conv3d


class _LazyTurnedConvNd(_LazyConvXdMixin, _TurnedConvNd):
    """Base of lazy transposed convolutions; arguments as of `ConvTranspose2d`, without `in_channels`."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Lengths = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = (kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        super().__init__(0, 0, *options)
        self._wait(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyTurnedConvNd, ConvTranspose1d):
    """`ConvTranspose1d` with `in_channels` of the first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTurnedConvNd, ConvTranspose2d):
    """`ConvTranspose2d` with `in_channels` of the first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTurnedConvNd, ConvTranspose3d):
    """`ConvTranspose3d` with `in_channels` of the first input."""

    cls_to_become = ConvTranspose3d

"""Layers that learn the number of their input's channels or features from the first input."""

from __future__ import annotations

from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...autograd import no_grad
from ...ops.create.placed import tensor
from ..parameter import UninitializedBuffer, UninitializedParameter
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _NormBase
from .conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    Lengths,
    _PlainConvNd,
    _TurnedConvNd,
)
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .lazy import LazyModuleMixin
from .linear import Linear


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear` with `in_features` of the first input.

    Args:
        out_features: length of the last dimension of the result.
        bias: whether the layer has a bias.
        device: "cpu".
        dtype: of the parameters.
    """

    cls_to_become = Linear
    bias: Any

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new values, if the shapes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_features` from the input (..., in_features).

        Raises:
            AssertionError: if values were loaded that are for another number of features.
        """
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


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


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Mixin for normalisations that learn the number of channels; arguments as of `BatchNorm2d`."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, device=device, dtype=dtypes.int64)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and reset the running statistics, if the shapes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `num_features` from the input (N, num_features, ...)."""
        self.num_features = input.shape[1]
        if not self.has_uninitialized_params():  # values were loaded
            return
        for held in (self.weight, self.bias, self.running_mean, self.running_var):
            if held is not None:
                held.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """`BatchNorm1d` with `num_features` of the first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """`BatchNorm2d` with `num_features` of the first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """`BatchNorm3d` with `num_features` of the first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """`InstanceNorm1d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """`InstanceNorm2d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """`InstanceNorm3d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm3d


at_home("wengert.nn.modules.linear", LazyLinear)
at_home(
    "wengert.nn.modules.conv",
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
)
at_home("wengert.nn.modules.batchnorm", LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d)
at_home("wengert.nn.modules.instancenorm", LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d)

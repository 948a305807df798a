"""Normalisation within one sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor
from ...ops.create.create import tensor
from ...ops.create.placed import ones, zeros
from .. import functional, init
from ..parameter import Parameter
from .module import Module
from .utils import name_constructor

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _Affine(Module):
    """Base of normalisations: a weight, which is 1 at first, and a bias, which is 0; either may be None."""

    weight: Any
    bias: Any

    def _add_parameters(self, shape: Any, *, weight: bool, bias: bool, device: Any = None, dtype: Any = None) -> None:
        """Register weight and bias, those that are wanted."""
        where: Any = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(shape, **where)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(shape, **where)) if bias else None)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(_Affine):
    """Normalisation over the last dimensions.

    Args:
        normalized_shape: lengths of the last dimensions, or the length of the last one.
        eps: added to the variance.
        elementwise_affine: whether the layer has a weight and a bias, of shape `normalized_shape`.
        bias: whether the layer has a bias, with `elementwise_affine`.
        device: "cpu".
        dtype: of the parameters.

    Source: Ba, Kiros and Hinton, Layer Normalization, 2016.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        bias = elementwise_affine and bias
        self._add_parameters(self.normalized_shape, weight=elementwise_affine, bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """Normalisation of groups of channels of (N, C, *) within each sample.

    Args:
        num_groups: number of groups.
        num_channels: number of channels C.
        eps: added to the variance.
        affine: whether the layer has a weight and a bias, one element per channel.
        device: "cpu".
        dtype: of the parameters.
        bias: whether the layer has a bias, with `affine`.

    Raises:
        ValueError: if `num_channels` is not divisible by `num_groups`.

    Source: Wu and He, Group Normalization, 2018.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._add_parameters(num_channels, weight=affine, bias=affine and bias, device=device, dtype=dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Division by the root mean square over the last dimensions.

    Args:
        normalized_shape: lengths of the last dimensions, or the length of the last one.
        eps: added to the mean square; the machine epsilon of the dtype if not given.
        elementwise_affine: whether the layer has a weight.
        device: "cpu".
        dtype: of the weight.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = Parameter(ones(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def reset_parameters(self) -> None:
        """Set weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


# ---- squares of neighbouring channels --------------------------------------------------------------------------------


class _ChannelNorm(Module):
    """Normalisation by the squares of `size` neighbouring channels."""

    __init_subclass__: Any = classmethod(name_constructor)

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(_ChannelNorm):
    """The input divided by (k + alpha * mean of squares) ** beta, the mean over neighbouring channels of (N, C, ...).

    Args:
        size: number of neighbouring channels.
        alpha: factor of the mean.
        beta: exponent.
        k: added to the mean.

    Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)


def neighbours(channels: int, size: int) -> list[list[float]]:
    """Matrix of zeros and ones: the channels summed for each channel in `CrossMapLRN2d`.

    As in torch, the first channel counts for all that follow.
    """
    before = int((size - 1) / 2 + 1)
    return [
        [float(other < channel + before and (other > channel - before or other == 0)) for other in range(channels)]
        for channel in range(channels)
    ]


class CrossMapLRN2d(_ChannelNorm):
    """`LocalResponseNorm` of images, as Lua's Torch had it; arguments as there."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input (N, C, H, W).

        Raises:
            ValueError: if the input is not 4-D.
        """
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        x: Any = input
        items, channels, *plane = input.shape
        window: Any = tensor(neighbours(channels, self.size), dtype=input.dtype)
        sums = (window @ (x * x).reshape(items, channels, plane[0] * plane[1])).reshape(input.shape)
        return x * (sums * (self.alpha / self.size) + self.k) ** -self.beta

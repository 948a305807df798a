"""Normalisation within one sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor
from ...ops.create.placed import ones, zeros
from .. import functional, init
from ..parameter import Parameter
from .channel_norms import CrossMapLRN2d as CrossMapLRN2d, LocalResponseNorm as LocalResponseNorm
from .module import Module


class LayerNorm(Module):
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
        where: Any = {"device": device, "dtype": dtype}
        shape = self.normalized_shape
        self.register_parameter("weight", Parameter(ones(shape, **where)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(zeros(shape, **where)) if elementwise_affine and bias else None)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Module):
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
        where: Any = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(num_channels, **where)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(num_channels, **where)) if affine and bias else None)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

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

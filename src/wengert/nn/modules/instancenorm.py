"""Normalisation of each channel of each sample."""

from __future__ import annotations

import warnings
from typing import Any

from ..._tensor import Tensor
from .. import functional
from .batchnorm import _LazyNormBase, _NormBase


class _InstanceNorm(_NormBase):
    """Base of instance normalisation; see `InstanceNorm2d`."""

    dimensions: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        wanted = self.dimensions + 1, self.dimensions + 2
        if input.ndim not in wanted:
            raise ValueError(f"expected {wanted[0]}D or {wanted[1]}D input (got {input.ndim}D input)")

    def _check_channels(self, input: Tensor) -> None:
        dim = input.ndim - self.dimensions - 1
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[dim]}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                stacklevel=3,
            )

    def forward(self, input: Tensor) -> Tensor:
        """Normalise the input."""
        self._check_input_dim(input)
        self._check_channels(input)
        batch = input if input.ndim == self.dimensions + 2 else input.unsqueeze(0)
        result: Tensor = functional.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result if batch is input else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Normalisation of each channel of each sample of (N, C, L) or (C, L); arguments as of `InstanceNorm2d`."""

    dimensions = 1


class InstanceNorm2d(_InstanceNorm):
    """Normalisation of each channel of each sample of (N, C, H, W) or (C, H, W).

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: weight of the batch in the running statistics.
        affine: whether the layer has a weight and a bias.
        track_running_stats: whether running statistics are tracked, and used in evaluation.
        device: "cpu".
        dtype: of parameters and buffers.
        bias: whether the layer has a bias, with `affine`.

    Source: Ulyanov, Vedaldi and Lempitsky, Instance Normalization, 2016.
    """

    dimensions = 2


class InstanceNorm3d(_InstanceNorm):
    """Normalisation of each channel of each sample of (N, C, D, H, W) or (C, D, H, W); see `InstanceNorm2d`."""

    dimensions = 3


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """`InstanceNorm1d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """`InstanceNorm2d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """`InstanceNorm3d` with `num_features` of the first input."""

    cls_to_become = InstanceNorm3d

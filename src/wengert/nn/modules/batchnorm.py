"""Batch normalisation."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._start.loading import on_demand
from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...ops.create.placed import full, tensor
from .. import functional, init
from ..parameter import Parameter
from .module import Module
from .utils import _own_init

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lazy_layers import (
        LazyBatchNorm1d as LazyBatchNorm1d,
        LazyBatchNorm2d as LazyBatchNorm2d,
        LazyBatchNorm3d as LazyBatchNorm3d,
    )


class _NormBase(Module):
    """What batch and instance normalisation share: parameters and running statistics; see `BatchNorm2d`."""

    __init_subclass__: Any = classmethod(_own_init)

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        made = partial(full, (num_features,), device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(made(1.0)) if affine else None)
        self.register_parameter("bias", Parameter(made(0.0)) if affine and bias else None)
        tracks = track_running_stats
        self.register_buffer("running_mean", made(0.0) if tracks else None)
        self.register_buffer("running_var", made(1.0) if tracks else None)
        self.register_buffer("num_batches_tracked", tensor(0, device=device, dtype=dtypes.int64) if tracks else None)

    def reset_running_stats(self) -> None:
        """Forget what was tracked: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, nothing tracked."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """As of any module; states before version 2 had no count of batches, which then stays as it is."""
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = tensor(0, device="cpu", dtype=dtypes.int64) if count is None else count
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """Normalisation of each channel over the batch; see `BatchNorm2d`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input normalised, of the same shape; in training the running statistics are moved."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / self.num_batches_tracked.item()
        moves = not self.training or self.track_running_stats
        return functional.batch_norm(  # type: ignore[no-any-return]
            input,
            self.running_mean if moves else None,
            self.running_var if moves else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalisation of each channel of (N, C) or (N, C, L) over the batch; arguments as of `BatchNorm2d`."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.ndim}D input)")


class BatchNorm2d(_BatchNorm):
    """Normalisation of each channel of (N, C, H, W) over the batch and the image.

    In training with the statistics of the batch, else with the running ones.

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: share of the batch in the running statistics; None for plain averages over all batches.
        affine: whether there are weight and bias.
        track_running_stats: whether running statistics are kept; without, the batch's are used in evaluation too.
        device: "cpu".
        dtype: of parameters and buffers.
        bias: whether there is one, if `affine`.

    Raises:
        ValueError: (on call) the input has another number of dimensions, or one value per channel in training.

    Source: Ioffe and Szegedy, Batch Normalization, 2015.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim != 4:
            raise ValueError(f"expected 4D input (got {input.ndim}D input)")


class BatchNorm3d(_BatchNorm):
    """Normalisation of each channel of (N, C, D, H, W) over the batch and the volume; arguments as of `BatchNorm2d`."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim != 5:
            raise ValueError(f"expected 5D input (got {input.ndim}D input)")


class SyncBatchNorm(_BatchNorm):
    """Normalisation of each channel of (N, C, ...) over the batches of all processes, of which there is one.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as of `BatchNorm2d`.
        process_group: kept.

    Raises:
        ValueError: (on call) the input has fewer than two dimensions, or no channels.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")
        if not input.shape[1]:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """A module in which every batch normalisation is one of these, with its parameters and statistics.

        Args:
            module: the module, whose children are replaced.
            process_group: kept by the new ones.

        Returns:
            The module, or what takes its place.
        """
        made = module
        if isinstance(module, _BatchNorm):
            options = (module.eps, module.momentum, module.affine, module.track_running_stats, process_group)
            made = SyncBatchNorm(module.num_features, *options, bias=module.bias is not None)
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            made.running_mean, made.running_var = module.running_mean, module.running_var
            made.num_batches_tracked = module.num_batches_tracked
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


__getattr__, __dir__ = on_demand(globals())

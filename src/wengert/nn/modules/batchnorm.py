"""Batch normalisation."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...ops.create.placed import full, tensor
from .. import functional
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .lazy import LazyModuleMixin
from .normalization import _Affine
from .utils import name_constructor


class _NormBase(_Affine):
    """Base of batch and instance normalisation: parameters and running statistics; see `BatchNorm2d`."""

    __init_subclass__: Any = classmethod(name_constructor)

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
        filled = partial(full, (num_features,), device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(filled(1.0)) if affine else None)
        self.register_parameter("bias", Parameter(filled(0.0)) if affine and bias else None)
        tracks = track_running_stats
        self.register_buffer("running_mean", filled(0.0) if tracks else None)
        self.register_buffer("running_var", filled(1.0) if tracks else None)
        self.register_buffer("num_batches_tracked", tensor(0, device=device, dtype=dtypes.int64) if tracks else None)

    def reset_running_stats(self) -> None:
        """Reset the running statistics: mean 0, variance 1, count 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and reset the running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

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
        """Load the module's own state; states before version 2 have no `num_batches_tracked`, which stays as it is."""
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
        """Normalise the input; in training also update the running statistics."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / self.num_batches_tracked.item()
        moves = not self.training or self.track_running_stats
        return functional.batch_norm(
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

    Uses the statistics of the batch in training, and the running statistics in evaluation.

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: weight of the batch in the running statistics; None for the average over all batches.
        affine: whether the layer has a weight and a bias.
        track_running_stats: whether running statistics are tracked; if not, evaluation uses those of the batch too.
        device: "cpu".
        dtype: of parameters and buffers.
        bias: whether the layer has a bias, with `affine`.

    Raises:
        ValueError: if (on call) the input is not 4-D, or has one value per channel in training.

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
    """Normalisation of each channel of (N, C, ...) over the batches of all processes (here always one).

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as of `BatchNorm2d`.
        process_group: stored, and not used.

    Raises:
        ValueError: if (on call) the input has fewer than two dimensions, or no channels.
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
        """Replace every batch normalisation in a module by a `SyncBatchNorm` with the same parameters and statistics.

        Args:
            module: the module, whose children are replaced.
            process_group: stored by the new modules.

        Returns:
            `module`, or its replacement if it is a batch normalisation itself.
        """
        result = module
        if isinstance(module, _BatchNorm):
            options = (module.eps, module.momentum, module.affine, module.track_running_stats, process_group)
            result = SyncBatchNorm(module.num_features, *options, bias=module.bias is not None)
            if module.affine:
                result.weight, result.bias = module.weight, module.bias
            result.running_mean, result.running_var = module.running_mean, module.running_var
            result.num_batches_tracked = module.num_batches_tracked
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


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

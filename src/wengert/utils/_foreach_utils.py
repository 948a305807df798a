"""What optimisers of libraries ask before they step over lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ..optim.of_libraries import (
    Indices,
    TensorListList,
    _foreach_supported_types,
    _group_tensors_by_device_and_dtype,
)

__all__ = ["Indices", "TensorListList", "_foreach_supported_types", "_group_tensors_by_device_and_dtype"]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The kinds of devices on which torch prefers lists; none of them is here."""
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The kinds of devices on which torch has steps for all parameters at once."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _device_has_foreach_support(device: Any) -> bool:
    """Whether a device takes lists."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: Any) -> bool:
    """Whether a device takes a list of these: they are plain tensors or parameters."""
    plain = all(tensor is None or type(tensor) in _foreach_supported_types for tensor in tensors)
    return _device_has_foreach_support(device) and plain

"""Functions that optimisers of libraries call before they use lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ..optim.of_libraries import Indices, TensorListList, _foreach_supported_types, _group_tensors_by_device_and_dtype

__all__ = ["Indices", "TensorListList", "_foreach_supported_types", "_group_tensors_by_device_and_dtype"]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return the device types for which torch prefers lists; none of them exists here."""
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return the device types for which torch has fused steps."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _device_has_foreach_support(device: Any) -> bool:
    """Return whether a device supports lists of tensors."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: Any) -> bool:
    """Return whether a device supports a list of these tensors: plain tensors or parameters."""
    plain = all(tensor is None or type(tensor) in _foreach_supported_types for tensor in tensors)
    return _device_has_foreach_support(device) and plain

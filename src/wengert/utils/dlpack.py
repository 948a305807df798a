"""`torch.utils.dlpack`: memory handed to other libraries, and taken from them."""

from __future__ import annotations

import enum

from .._tensor import Tensor
from ..ops.create.interchange import capsule_of, from_dlpack

_IN_PACKAGE = ("to_dlpack",)

DLDeviceType = enum.IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1,
        "kDLCUDA": 2,
        "kDLCUDAHost": 3,
        "kDLOpenCL": 4,
        "kDLVulkan": 7,
        "kDLMetal": 8,
        "kDLVPI": 9,
        "kDLROCM": 10,
        "kDLROCMHost": 11,
        "kDLExtDev": 12,
        "kDLCUDAManaged": 13,
        "kDLOneAPI": 14,
    },
)
"""The numbers of kinds of devices in the DLPack protocol."""


def to_dlpack(tensor: Tensor) -> object:
    """A DLPack capsule of a tensor's memory, for libraries that take capsules; `from_dlpack` takes it once.

    Args:
        tensor: of any shape; its gradient is none of the capsule's concern.

    Returns:
        A capsule of the first version of the protocol.

    Raises:
        TypeError: it is no tensor.
        BufferError: it is on the device "meta".
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    return capsule_of(tensor, False, {})


__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

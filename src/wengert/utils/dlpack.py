"""`torch.utils.dlpack`: memory handed to other libraries, and taken from them."""

from __future__ import annotations

import enum

from ..ops.create.interchange import from_dlpack, to_dlpack

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

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

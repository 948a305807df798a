"""Exchange of memory with other libraries: the mirror of `torch.utils.dlpack`."""

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
"""Numbers of device types in the DLPack protocol."""


def to_dlpack(tensor: Tensor) -> object:
    """Return a DLPack capsule of a tensor's memory, for libraries that accept capsules; it can be consumed once.

    Args:
        tensor: a tensor of any shape; its graph is ignored.

    Returns:
        A capsule of the first version of the protocol.

    Raises:
        TypeError: if it is not a tensor.
        BufferError: if it is on the device "meta".

    Examples:
        >>> import wengert as wg
        >>> wg.from_dlpack(wg.to_dlpack(wg.tensor([1.0, 2.0])))
        tensor([1., 2.])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    return capsule_of(tensor, False, {})


__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

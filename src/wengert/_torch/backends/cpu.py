"""`torch.backends.cpu`: which instructions the native kernels use."""

from __future__ import annotations

from wengert import _kernels


def get_cpu_capability() -> str:
    """'DEFAULT', 'AVX2' or 'AVX512', as torch calls them."""
    if _kernels.native is None:
        return "DEFAULT"
    name = _kernels.native.instruction_set()
    return "DEFAULT" if name == "baseline" else name.upper()

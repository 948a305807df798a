"""How torch's errors about dtypes call the kernels of operators."""

from __future__ import annotations

OF_OPERATORS: dict[str, str] = {}
"""By the name of the operator, where the kernel is not called after it: what cards say by `kernel`."""

WHOLE = ("_impl", "_bounds", "_handling", "_out", "_", "Impl", "_all", "_forward_out_frame")
"""Ends of names that are those of kernels."""


def kernel_name(name: str) -> str:
    """The name of a kernel.

    Args:
        name: that of the operator, or of the kernel itself.
    """
    if name in OF_OPERATORS:
        return OF_OPERATORS[name]
    return name if "_cpu" in name or name.endswith(WHOLE) else f"{name.removeprefix('special_')}_cpu"

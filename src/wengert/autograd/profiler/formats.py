"""Times, shares, bytes and counts as texts."""

from __future__ import annotations

UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
"""Microseconds in each unit of time, the largest first."""
COUNTS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def format_time(time: float, unit: str | None = None) -> str:
    """Format a time in microseconds, in a unit that fits it or in `unit`.

    >>> format_time(12.5), format_time(1500), format_time(1500, "us")
    ('12.500us', '1.500ms', '1500.000us')
    """
    if unit not in UNITS:
        unit = next((name for name, size in UNITS.items() if time >= size), "us")
    return f"{time / UNITS[unit]:.3f}{unit}"


def format_share(time: float, total: float) -> str:
    """Format a time as a share of another time, in percent."""
    return f"{time * 100.0 / total:.2f}%" if total else "NaN"


def format_memory(size: int) -> str:
    """Format a number of bytes.

    >>> format_memory(100), format_memory(-3 << 19)
    ('100 B', '-1.50 MB')
    """
    for unit, bits in (("GB", 30), ("MB", 20), ("KB", 10)):
        if abs(size) >= 1 << bits:
            return f"{size / (1 << bits):.2f} {unit}"
    return f"{size} B"


def flops_scale(smallest: int) -> tuple[float, str]:
    """Return the factor that makes the smallest number of operations readable, and the name of the unit."""
    thousands = 0
    while thousands < len(COUNTS) - 1 and smallest >= 1000 ** (thousands + 1):
        thousands += 1
    return 1000.0**-thousands, COUNTS[thousands]

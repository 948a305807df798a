"""Names and numbers of the reductions of losses, as torch has them."""

from __future__ import annotations

from ..ops.warned import warn

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """Return the number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".

    Raises:
        ValueError: if `reduction` is none of these.
    """
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Return the reduction for two deprecated options.

    Args:
        size_average: whether the values are averaged, not added; None means True.
        reduce: whether the values are reduced at all; None means True.
        emit_warning: whether to warn with the equivalent `reduction`.
    """
    averaged, reduced = size_average in (None, True), reduce in (None, True)
    reduction = "none" if not reduced else "mean" if averaged else "sum"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Return the number of the reduction that `legacy_get_string` names."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))

"""What losses do with the values of a batch, by torch's names and numbers."""

from __future__ import annotations

from ..ops.warned import warn

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".

    Raises:
        ValueError: none of these.
    """
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that two options of torch's early days stand for.

    Args:
        size_average: whether the values are averaged, otherwise added; None means that they are averaged.
        reduce: whether anything is done with them; None means that it is.
        emit_warning: whether to say what to write instead.
    """
    averaged, reduced = size_average in (None, True), reduce in (None, True)
    made = "none" if not reduced else "mean" if averaged else "sum"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{made}' instead.")
    return made


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of `legacy_get_string`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))

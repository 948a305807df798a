"""Checks that losses of classes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.types import dtypes

Ints = tuple[int, ...]


def as_classes(target: Any) -> Any:
    """Convert class indices to int64.

    Raises:
        RuntimeError: if the dtype is neither int64 nor uint8.
    """
    check_class_dtype(target)
    return target if target.dtype == np.int64 else target.astype(np.int64)


def check_class_dtype(target: Any) -> None:
    """Refuse class indices that are neither int64 nor uint8.

    Raises:
        RuntimeError: if the dtype is neither.
    """
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {dtypes.from_numpy(target.dtype).legacy[:-6]}"
        )


def check_classes(logp: Ints, target: Ints) -> None:
    """Refuse targets whose shape does not fit the log-probabilities.

    Raises:
        ValueError, RuntimeError: if it does not fit.
    """
    if not logp:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(logp) == 1:
        if len(target) == 1 and target[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target[0]}")
    elif not target or logp[0] != target[0]:
        rows = target[0] if target else 0
        raise ValueError(f"Expected input batch_size ({logp[0]}) to match target batch_size ({rows}).")
    if len(logp) <= 2:
        if len(target) > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return
    if len(logp) == 4 and len(target) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(target)}"
        )
    wanted = (logp[0], *logp[2:])
    if target != wanted:
        raise RuntimeError(f"Expected target size {errors.shown(wanted)}, got {errors.shown(target)}")


def check_class_weights(logp: Any, weight: Any, shape: Ints, weight_shape: Ints) -> None:
    """Refuse weights without one element for each class, or of another dtype.

    Raises:
        RuntimeError: if shape or dtype do not fit.
    """
    classes = shape[1 if len(shape) > 1 else 0]
    if weight_shape != (classes,):
        if len(shape) > 2:
            raise RuntimeError("weight tensor should be defined either for all or no classes")
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {errors.shown(weight_shape)}"
        )
    if weight.dtype != logp.dtype:
        wanted, types = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (logp, weight))
        raise RuntimeError(f"expected scalar type {wanted} but found {types}")

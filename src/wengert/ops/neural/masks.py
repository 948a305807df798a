"""Masks of attention: conversion to numbers, and checks."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes

Masks: TypeAlias = tuple[Any, Any]
"""The mask of the keys, and that of queries and keys; each may be None."""

NAMES = {"src_": ("src_key_padding_mask", "src_mask"), "encoder": ("src_key_padding_mask", "mask")}
"""Names of the masks in transformers."""


def as_numbers(mask: Any, name: str, dtype: Any) -> Any:
    """Return a mask as numbers that are added to scores: -inf where a value does not count.

    Raises:
        AssertionError: if the dtype of the mask is neither bool nor floating-point.
    """
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype != dtypes.bool_:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask.new_zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    """`as_numbers` under the name that torch's layers use; warns if the other mask has another dtype.

    Raises:
        AssertionError: if the dtype of the mask is neither bool nor floating-point.
    """
    if mask is not None and check_other and other_type is not None and mask.dtype != other_type:
        anomaly.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead."
        )
    return as_numbers(mask, mask_name, target_type)


def _none_or_dtype(input: Any) -> Any:
    """Return the dtype of a tensor; None for None.

    Raises:
        RuntimeError: if `input` is neither.
    """
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def masks_as_numbers(key_padding_mask: Any, attn_mask: Any, dtype: Any, prefix: str = "") -> Masks:
    """Return both masks as numbers; warns if their dtypes differ.

    Args:
        key_padding_mask, attn_mask: tensors, or None.
        dtype: dtype of the scores.
        prefix: prefix of their names, if a program uses other ones: "src_", or "encoder" for those of an encoder.

    Raises:
        AssertionError: if the dtype of a mask is neither bool nor floating-point.
    """
    names = NAMES.get(prefix, (f"{prefix}key_padding_mask", f"{prefix}attn_mask"))
    of_keys = _canonical_mask(key_padding_mask, names[0], _none_or_dtype(attn_mask), names[1], dtype)
    return of_keys, as_numbers(attn_mask, names[1], dtype)

"""Masks of attention: bools as numbers, and what is said of masks that do not go together."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes

Masks: TypeAlias = tuple[Any, Any]
"""The mask of the keys, and that of queries and keys; each may be None."""

NAMES = {"src_": ("src_key_padding_mask", "src_mask"), "encoder": ("src_key_padding_mask", "mask")}
"""What transformers call the masks."""


def as_numbers(mask: Any, name: str, dtype: Any) -> Any:
    """A mask as numbers that are added to scores: -inf where bools say that a value does not count.

    Raises:
        AssertionError: it holds neither bools nor floating-point numbers.
    """
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype != dtypes.bool_:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask.new_zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    """`as_numbers` as torch's layers call it; a warning, if the other mask is of another dtype.

    Raises:
        AssertionError: the mask holds neither bools nor floating-point numbers.
    """
    if mask is not None and check_other and other_type is not None and mask.dtype != other_type:
        anomaly.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead."
        )
    return as_numbers(mask, mask_name, target_type)


def _none_or_dtype(input: Any) -> Any:
    """The dtype of a tensor; None for None.

    Raises:
        RuntimeError: it is neither.
    """
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def masks_as_numbers(key_padding_mask: Any, attn_mask: Any, dtype: Any, prefix: str = "") -> Masks:
    """Both masks as numbers; a warning, if they are of two dtypes.

    Args:
        key_padding_mask, attn_mask: tensors, or None.
        dtype: of the scores.
        prefix: of their names, where a program knows them by others: "src_", or "encoder" for those of an encoder.

    Raises:
        AssertionError: one holds neither bools nor floating-point numbers.
    """
    names = NAMES.get(prefix, (f"{prefix}key_padding_mask", f"{prefix}attn_mask"))
    of_keys = _canonical_mask(key_padding_mask, names[0], _none_or_dtype(attn_mask), names[1], dtype)
    return of_keys, as_numbers(attn_mask, names[1], dtype)

"""Renormalisation of embedding tables."""

from __future__ import annotations

from ..._core import errors
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from .embedding import shorten

_IN_PACKAGE = ("embedding_renorm_",)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale rows in use down to a norm, if theirs is larger; in place and unrecorded.

    Args:
        input: the table (rows, width).
        indices: row numbers, int64 or int32, of any shape.
        max_norm: largest norm.
        norm_type: the order of the norm.

    Returns:
        `input`.

    Raises:
        RuntimeError: if the table does not have two dimensions, or the numbers have another dtype.
        IndexError: if a number is out of range.
    """
    for name, value in (("input", input), ("indices", indices)):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type("embedding_renorm_", name, 0, "Tensor", value))
    doing = "(while checking arguments for embedding_renorm_)"
    if input.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.ndim}-dimensional tensor for argument #1 'self' {doing}"
        )
    if indices.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{indices.dtype.legacy} instead {doing}"
        )
    shorten(input, indices, float(max_norm), float(norm_type))
    return input

"""Options of `linear_cross_entropy` for computing its items in chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..._tensor.attributes import dtypes

__all__ = ["LinearCrossEntropyOptions"]

POLICIES = ("auto", "accurate", "balanced", "compact")
SUMS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options that make `linear_cross_entropy` compute the scores of a chunk of items at a time, to save memory.

    The scores of a chunk are not stored: the backward pass computes them again.

    Args:
        allow_retain_graph: accepted for torch's users; graphs can always be retained and differentiated again.
        batch_chunk_size: number of items in a chunk; None: as `chunking_method` says, or all.
        chunking_method: "aspect_ratio": chunks whose scores take the memory of the input; "aspect_ratio:4": a quarter
            of that; "auto": "aspect_ratio" for half precision, else "aspect_ratio:2", unless there is a chunk size.
        acc_policy: accepted for torch's users; half precision is computed in float32 and rounded once.
        acc_dtype: None, the dtype of the input, or float32 with half precision.

    Raises:
        ValueError: if an option has none of these values.

    >>> import wengert as wg
    >>> options = wg.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    >>> x, weight, classes = wg.ones(4, 3), wg.ones(5, 3), wg.tensor([0, 1, 2, 4])
    >>> wg.nn.functional.linear_cross_entropy(x, weight, classes, options=options)
    tensor(1.6094)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtypes.dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        size, method = self.batch_chunk_size, self.chunking_method
        if method not in (None, "auto") and not share_of(str(method)):
            raise ValueError(f"invalid chunking_method: {method!r}")
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in SUMS:
            raise ValueError(f"acc_dtype must be one of {{None, {', '.join(map(str, SUMS))}}}, got {self.acc_dtype!r}")

    def part(self, items: int, features: int, classes: int, dtype: dtypes.dtype) -> int:
        """Return the number of items in a chunk.

        Raises:
            ValueError: if `batch_chunk_size` and `chunking_method` ask for different sizes.
            RuntimeError: if `acc_dtype` does not fit the dtype of the input.
        """
        halves = dtype in (dtypes.float16, dtypes.bfloat16)
        if self.acc_dtype not in (None, dtype) and not (halves and self.acc_dtype is dtypes.float32):
            raise RuntimeError(
                "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
                f"{self.acc_dtype} acc_dtype and {dtype} inputs."
            )
        size, method = self.batch_chunk_size, self.chunking_method
        if method == "auto":
            method = None if size is not None else "aspect_ratio" if halves else "aspect_ratio:2"
        if method is None:
            return max(1, items if size is None else min(size, items))
        wanted = math.ceil(items / max(1, math.ceil(classes / max(1, features))))
        count = min((1 << max(0, wanted - 1).bit_length()) // share_of(method), items)
        if size not in (None, count):
            raise ValueError(
                f"batch_chunk_size (={size}) and chunking_method ('{method}') give different chunk sizes "
                f"({size} vs {count}); pass only one."
            )
        return max(1, count)


def share_of(method: str) -> int:
    """Return the divisor of the chunk size in `method`; 0 if there is no such method."""
    name, colon, factor = method.partition(":")
    factor = factor if colon else "1"
    return int(factor) if name == "aspect_ratio" and factor.isdigit() else 0

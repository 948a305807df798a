"""Bounds of `linspace` and `logspace`: reading them, and batching rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.batches import is_batched
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._kernels import positions
from .factory import read_number, result_dtype


def refuse_kind(name: str, element: DType) -> None:
    """Refuse dtypes without ranges in torch: wide unsigned ones, bool, and complex ones for `arange`.

    Raises:
        NotImplementedError: if the dtype is one of them.
    """
    wide = element.category == dtypes.INTEGER and not element.is_signed and element is not dtypes.uint8
    if wide or element.category == dtypes.BOOL or (name == "arange" and element.category == dtypes.COMPLEX):
        raise NotImplementedError(errors.no_kernel(f"{name}_cpu", element))


def read_ends(name: str, start: Any, end: Any) -> tuple[Any, Any]:
    """Return the bounds of `linspace` and `logspace`."""
    if any(isinstance(value, Tensor) and value.ndim for value in (start, end)):
        named = (("start", start), ("end", end))
        descriptions = [f"{word} with {value.ndim} dimension(s)" for word, value in named if isinstance(value, Tensor)]
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(descriptions)}."
        )
    return read_number(name, "start", 1, start), read_number(name, "end", 2, end)


def spaced_dtype(name: str, low: Any, high: Any, dtype: Any, out: Any) -> DType:
    """Return the dtype of `linspace` and `logspace`.

    Raises:
        RuntimeError: if a bound is complex, and the dtype is not.
    """
    default = dtypes.get_default_dtype()
    if isinstance(low, complex) or isinstance(high, complex):
        default = default.to_complex()
    element = result_dtype(name, dtype, out, default)
    if default.category == dtypes.COMPLEX != element.category:
        part = "float" if default is dtypes.complex64 else "double"
        raise RuntimeError(
            f"torch.{name}(): inferred dtype c10::complex<{part}> can't be safely cast to passed dtype "
            f"{element.legacy[:-6]}"
        )
    return element


def read_steps(name: str, low: Any, high: Any, steps: Any) -> int:
    """Return the number of elements.

    Raises:
        TypeError: if `steps` is not an integer.
        RuntimeError: if `steps` is negative.
    """
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        types = ", ".join(type(value).__name__ for value in (low, high, steps))
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({types}), but argument 'steps' (position 3) "
            f"must be int, not {type(steps).__name__}"
        )
    count = int(steps.__index__())
    if count < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {count}")
    return count


def carry_batch(start: Any, end: Any) -> bool:
    """Return whether a bound is a tensor that stands for the members of a batch."""
    return any(isinstance(operand, Tensor) and is_batched(operand) for operand in (start, end))


def of_members(name: str, start: Any, end: Any, steps: Any, dtype: Any, out: Any, base: Any = None) -> Any:
    """`linspace` (or, with a base, `logspace`) between tensors that carry a batch, by operators.

    Raises:
        RuntimeError: if there is an `out`.
    """
    if out is not None:
        raise RuntimeError(f"vmap: {name}() cannot write numbers between ends of each member's own into one `out`")
    pattern = [
        (0j if operand.dtype.is_complex else 0) if isinstance(operand, Tensor) else operand for operand in (start, end)
    ]
    low, high = read_ends(name, *pattern)
    element = spaced_dtype(name, low, high, dtype, None)
    refuse_kind(name, element)
    wide = dtypes.float64 if element.category < dtypes.FLOAT else element
    numbers: Any = (operand if isinstance(operand, Tensor) else wrap(np.asarray(operand)) for operand in (start, end))
    count = read_steps(name, low, high, steps)
    first, last = (operand.to(element if count > 1 else wide).to(wide) for operand in numbers)  # as without a batch
    result = first.expand(count)
    if count > 1:
        places = positions.arange(count)
        at, nearer = wrap(places.astype(wide.numpy)), wrap(places < count // 2)
        step = (last - first) / (count - 1)
        result = (first + step * at).where(nearer, last - step * (count - 1 - at))
    return (result if base is None else base**result).to(element)

"""Tensors as they are told about: shape, dtype, norm, and all elements if there are few."""

import dataclasses
import reprlib
from typing import Any

import numpy as np

from wengert.viz.boxes import clean, readable_shape
from wengert.viz.measures import array_of, is_sparse, norm_of

__all__ = ["Value", "as_text", "value_of", "value_of_array"]

MOST_ELEMENTS = 100
COLUMNS = 76
SHORT = reprlib.Repr()
SHORT.maxtuple = SHORT.maxlist = 12
SHORT.maxstring = SHORT.maxother = 60


@dataclasses.dataclass(frozen=True, eq=False)
class Value:
    """A tensor at one moment, without its memory.

    Args:
        shape: its shape.
        dtype: name of its dtype.
        norm: Euclidean norm of its elements; None if they are not known.
        array: A copy of the elements, if there are at most 100; None otherwise.
        words: what is known of them otherwise.
    """

    shape: tuple[int, ...]
    dtype: str
    norm: float | None = None
    array: np.ndarray | None = None
    words: str = ""

    def head(self) -> str:
        """Return shape and dtype."""
        return f"{readable_shape(self.shape)} {self.dtype}"

    def body(self) -> str:
        """Return the elements, or what is known of them, in one or several lines."""
        if self.array is None:
            return self.words
        options: dict[str, Any] = {"precision": 4, "suppress_small": True, "max_line_width": COLUMNS, "threshold": 1000}
        return np.array2string(self.array, **options)

    def in_one_line(self) -> str:
        """Return the text of the value with its rows beside one another."""
        return " ".join(str(self).split())

    def __str__(self) -> str:
        norm = f"norm {self.norm:.4g}; " if self.array is None and self.norm is not None else ""
        return f"{self.head()} {norm}{self.body()}"


def value_of(tensor: Any) -> Value:
    """Return what is told about a tensor."""
    shape, dtype = tuple(tensor.shape), str(tensor.dtype).rpartition(".")[2]
    array = array_of(tensor)
    if array is None:
        return Value(shape, dtype, words="without elements, on the device meta")
    if is_sparse(tensor):
        return Value(shape, dtype, norm_of(array), None, f"sparse, with {len(array)} entries")
    return value_of_array(array, dtype)


def value_of_array(array: Any, dtype: str = "") -> Value:
    """Return what is told about an array, which may be one that stands for another kind of tensor."""
    if not isinstance(array, np.ndarray):
        return Value(tuple(array.shape), dtype or str(array.dtype), words="not read")
    dtype = dtype or str(array.dtype)
    if array.dtype.kind == "V":  # bfloat16
        array = array.astype(np.float32)
    if array.size <= MOST_ELEMENTS:
        return Value(array.shape, dtype, norm_of(array), array.copy())
    return Value(array.shape, dtype, norm_of(array), None, summary(array))


def summary(array: np.ndarray) -> str:
    """Describe the elements of a large array in one line."""
    absolute = array.dtype.kind == "c"
    real = np.abs(array) if absolute else array
    finite = real[np.isfinite(real)]
    words = [f"{array.size:,} elements"]
    if finite.size:
        limits = f"{'absolute values ' if absolute else ''}from {finite.min():.4g} to {finite.max():.4g}"
        words.append(f"{limits}, mean {finite.mean(dtype=np.float64):.4g}")
    zeros = array.size - int(np.count_nonzero(array))
    if zeros:
        words.append(f"{zeros:,} are zero")
    if finite.size < array.size:
        words.append(f"{array.size - finite.size:,} are NaN or infinite")
    return "; ".join(words)


def as_text(value: Any) -> str:
    """Return a saved value that is not a tensor, such as a shape or a number, in one line."""
    return clean(SHORT.repr(value))

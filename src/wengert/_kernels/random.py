"""Random arrays and dropout, in NumPy. A generator is NumPy's; half precision is drawn in float32 and rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from .results import Array, as_array

Shape = tuple[int, ...]


def generator(seed: int | None = None) -> np.random.Generator:
    """A generator of random numbers.

    Args:
        seed: 0 or more; None takes one from the system.

    Returns:
        NumPy's generator over PCG64.
    """
    return np.random.Generator(np.random.PCG64(seed))


def drawing_dtype(dtype: Any) -> Any:
    """The dtype to draw in: float32 and float64 are themselves, half precision float32."""
    return np.float64 if np.dtype(dtype) == np.float64 else np.float32


def uniform(source: np.random.Generator, shape: Shape, dtype: Any = np.float32) -> Array:
    """Numbers from [0, 1), even after rounding to `dtype`."""
    if np.dtype(dtype) == np.float16:  # eleven bits are exact in half precision: none rounds up to 1
        return (as_array(source.integers(0, 2048, shape)) / 2048).astype(np.float16)
    return as_array(source.random(shape, dtype=drawing_dtype(dtype)))


def normal(source: np.random.Generator, shape: Shape, dtype: Any = np.float32) -> Array:
    """Numbers of the standard normal distribution; complex: of variance 1, half in each part."""
    if np.dtype(dtype).kind == "c":
        real = np.float32 if np.dtype(dtype) == np.complex64 else np.float64
        parts = normal(source, (2, *shape), real) * real(np.sqrt(0.5))
        return as_array(parts[0] + 1j * parts[1]).astype(dtype)
    return as_array(source.standard_normal(shape, dtype=drawing_dtype(dtype))).astype(dtype, copy=False)


def integers(source: np.random.Generator, low: int, high: int, shape: Shape, dtype: Any = np.int64) -> Array:
    """Integers from [low, high), in any dtype."""
    return as_array(source.integers(low, high, shape)).astype(dtype, copy=False)


def permutation(source: np.random.Generator, count: int) -> Array:
    """The int64 numbers 0 ... count - 1 in random order."""
    return source.permutation(count).astype(np.int64, copy=False)


def dropout_mask(source: np.random.Generator, shape: Shape, p: float) -> Array:
    """Which elements stay: True with probability 1 - p, bool, new."""
    return as_array(source.random(shape, dtype=np.float32) >= p)


def dropout_apply(x: Array, mask: Array, p: float) -> Array:
    """`x` / (1 - p) where `mask` holds, 0 times `x` elsewhere (so NaN and inf there give NaN, as in torch).

    Args:
        x: floating or complex.
        mask: bool, same shape.
        p: probability of dropping, 0 to 1.

    Returns:
        A new array like `x`.
    """
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return as_array(x * (mask * x.dtype.type(scale)))

"""Discrete Fourier transforms by NumPy, which computes in the precision of what it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

FORWARD: tuple[Any, ...] = ("backward", "ortho", "forward")
INVERSE: tuple[Any, ...] = ("forward", "ortho", "backward")
"""NumPy's names for a result as it is, divided by the square root of the number of points, and by their number."""


def complex_to_complex(array: Any, axes: Any, scale: int, forward: bool, made: Any) -> Any:
    """Transform complex numbers along some axes.

    Args:
        array: complex.
        axes: at least one, in the order in which they are transformed.
        scale: 0, 1 or 2: place in `FORWARD` and `INVERSE`.
        forward: with a negative exponent.
        made: memory for the result, of the same shape.

    Returns:
        `made`.
    """
    norm = (FORWARD if forward else INVERSE)[scale]
    transform = np.fft.fft if forward else np.fft.ifft
    for axis in axes:
        array = transform(array, axis=axis, norm=norm, out=made)
    return made


def real_to_complex(array: Any, axes: Any, scale: int, onesided: bool, made: Any) -> Any:
    """Transform real numbers forward along some axes.

    Args:
        array: real.
        axes: the last one first.
        scale: as for `complex_to_complex`.
        onesided: only the terms 0 to n // 2 of the last axis are wanted, whose conjugates the others are.
        made: memory for the result.

    Returns:
        `made`.
    """
    transform = np.fft.rfft if onesided else np.fft.fft
    transform(array, axis=axes[0], norm=FORWARD[scale], out=made)
    return complex_to_complex(made, axes[1:], scale, True, made)


def complex_to_real(array: Any, axis: int, scale: int, length: int, made: Any) -> Any:
    """Transform the terms 0 to n // 2 of a spectrum back along an axis, as if the others were their conjugates.

    Args:
        array: complex.
        axis: along which.
        scale: as for `complex_to_complex`.
        length: n.
        made: memory for the result.

    Returns:
        `made`.
    """
    return np.fft.irfft(array, length, axis=axis, norm=INVERSE[scale], out=made)

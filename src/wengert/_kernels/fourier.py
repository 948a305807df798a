"""Discrete Fourier transforms along one axis by NumPy, which computes in the precision of its input."""

from __future__ import annotations

from typing import Any

from numpy import fft  # which NumPy loads later, too

FORWARD: tuple[Any, ...] = ("backward", "ortho", "forward")
INVERSE: tuple[Any, ...] = ("forward", "ortho", "backward")
"""NumPy's names for a result as it is, divided by the square root of the number of points, and by their number."""


def fft_lines(array: Any, axis: int, scale: int, forward: bool, out: Any) -> Any:
    """Transform complex numbers along an axis.

    Args:
        array: complex.
        axis: axis of the transform.
        scale: 0, 1 or 2: index into `FORWARD` and `INVERSE`.
        forward: whether the exponent is negative.
        out: memory for the result, of the same shape; it may be `array` itself.

    Returns:
        `out`.
    """
    transform = fft.fft if forward else fft.ifft
    return transform(array, axis=axis, norm=(FORWARD if forward else INVERSE)[scale], out=out)


def rfft_lines(array: Any, axis: int, scale: int, onesided: bool, out: Any) -> Any:
    """Transform real numbers forward along an axis.

    Args:
        array: real.
        axis: along which.
        scale: as for `fft_lines`.
        onesided: whether to return the terms 0 to n // 2 only, whose conjugates the others are.
        out: memory for the result.

    Returns:
        `out`.
    """
    transform = fft.rfft if onesided else fft.fft
    return transform(array, axis=axis, norm=FORWARD[scale], out=out)


def irfft_lines(array: Any, axis: int, scale: int, length: int, out: Any) -> Any:
    """Transform the terms 0 to n // 2 of a spectrum back along an axis, as if the others were their conjugates.

    Args:
        array: complex.
        axis: along which.
        scale: as for `fft_lines`.
        length: n.
        out: memory for the result.

    Returns:
        `out`.
    """
    return fft.irfft(array, length, axis=axis, norm=INVERSE[scale], out=out)

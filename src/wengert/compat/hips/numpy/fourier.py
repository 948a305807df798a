"""Functions of `numpy.fft`, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boxes import RULES, boxed, rule, tensor_of
from ..extend import defjvp, defvjp, primitive
from .matrices import real_like


def fitted(x: Any, length: int, axis: int) -> Any:
    """Truncate an array, or pad it with zeros, to a length along a dimension."""
    size = np.shape(x)[axis]
    if size > length:
        return np.take(x, np.arange(length), axis=axis)
    widths = [(0, length - size if dim == axis % np.ndim(x) else 0) for dim in range(np.ndim(x))]
    return np.pad(x, widths) if size < length else x


def transform(function: Any) -> Any:
    """Return a Fourier transform along one dimension as a primitive, whose matrix is symmetric."""
    operation = primitive(lambda a, axis, norm: function(a, None, axis, norm))
    defvjp(operation, lambda ans, a, axis, norm: lambda g: real_like(a, operation(g, axis, norm)))
    defjvp(operation, lambda g, ans, a, axis, norm: operation(g, axis, norm))
    return operation


forward, backward = transform(np.fft.fft), transform(np.fft.ifft)


@rule(np.fft.fft)
def fft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Fourier transform along a dimension."""
    return tensor_of(forward(fitted(a, np.shape(a)[axis] if n is None else n, axis), axis, norm))


@rule(np.fft.ifft)
def ifft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Inverse of `fft`."""
    return tensor_of(backward(fitted(a, np.shape(a)[axis] if n is None else n, axis), axis, norm))


@rule(np.fft.rfft)
def rfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Fourier transform of real numbers, without the conjugate half."""
    length = np.shape(a)[axis] if n is None else n
    spectrum = forward(fitted(a, length, axis), axis, norm)
    return tensor_of(np.take(spectrum, np.arange(length // 2 + 1), axis=axis))


@rule(np.fft.irfft)
def irfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Inverse of `rfft`, with `n` real results."""
    length = 2 * (np.shape(a)[axis] - 1) if n is None else n
    half = fitted(a, length // 2 + 1, axis)
    mirrored = np.conj(np.take(half, np.arange((length - 1) // 2, 0, -1), axis=axis))
    return tensor_of(np.real(backward(np.concatenate([half, mirrored], axis), axis, norm)))


def several(transform_of_one: Any, axes_before: Any = None) -> Any:
    """Return a transform along several dimensions (all by default), the last first."""

    def apply(a: Any, s: Any = None, axes: Any = axes_before, norm: Any = None) -> Any:
        axes, lengths = named_axes(a, s, axes)
        for axis, length in reversed(list(zip(axes, lengths))):
            a = transform_of_one(a, length, axis, norm)
        return tensor_of(a)

    return apply


def named_axes(a: Any, s: Any, axes: Any) -> tuple[list[int], list[Any]]:
    """Return the dimensions of a transform, and the lengths along them (None for the array's own)."""
    if axes is None:
        axes = range(np.ndim(a) - len(s), np.ndim(a)) if s is not None else range(np.ndim(a))
    return list(axes), [None] * len(axes) if s is None else list(s)


def of_real(axes_before: Any = None) -> Any:
    """Return the transform of real numbers along several dimensions: `rfft` along the last, `fft` along the others."""

    def apply(a: Any, s: Any = None, axes: Any = axes_before, norm: Any = None) -> Any:
        axes, lengths = named_axes(a, s, axes)
        half = np.fft.rfft(a, lengths[-1], axes[-1], norm)
        return several(np.fft.fft)(half, None if s is None else lengths[:-1], axes[:-1], norm)

    return apply


def to_real(axes_before: Any = None) -> Any:
    """Return the inverse of `of_real`."""

    def apply(a: Any, s: Any = None, axes: Any = axes_before, norm: Any = None) -> Any:
        axes, lengths = named_axes(a, s, axes)
        half = several(np.fft.ifft)(a, None if s is None else lengths[:-1], axes[:-1], norm)
        return tensor_of(np.fft.irfft(boxed(half), lengths[-1], axes[-1], norm))

    return apply


RULES.update(
    {
        np.fft.rfft2: of_real((-2, -1)),
        np.fft.rfftn: of_real(),
        np.fft.irfft2: to_real((-2, -1)),
        np.fft.irfftn: to_real(),
        np.fft.fftn: several(np.fft.fft),
        np.fft.ifftn: several(np.fft.ifft),
        np.fft.fft2: several(np.fft.fft, (-2, -1)),
        np.fft.ifft2: several(np.fft.ifft, (-2, -1)),
    }
)

"""Logarithms of sums of exponentials, element by element, without overflow on the way."""

from __future__ import annotations

import math

import numpy as np

from . import exp, log1p
from .results import Array, as_array, deliver

MANY = 512
"""Number of elements from which several fast passes take less time than NumPy's one."""


def logaddexp(a: Array, b: Array, out: Array | None = None) -> Array:
    """log(exp(a) + exp(b)), of real or complex arrays."""
    if a.dtype.kind == "c":
        return deliver(complex_logaddexp(a, b), out)
    if max(a.size, b.size) < MANY:
        return as_array(np.logaddexp(a, b, out=out))
    return deliver(by_passes(a, b, 1.0), out)


def logaddexp2(a: Array, b: Array, out: Array | None = None) -> Array:
    """log2(2^a + 2^b), of real arrays."""
    if max(a.size, b.size) < MANY:
        return as_array(np.logaddexp2(a, b, out=out))
    return deliver(by_passes(a, b, math.log(2)), out)


def by_passes(a: Array, b: Array, log_base: float) -> Array:
    """The larger operand plus log(1 + base^-|a - b|) / log(base)."""
    distance = np.abs(a - b)
    added = log1p(exp(distance * distance.dtype.type(-log_base)))
    if log_base != 1:
        added /= added.dtype.type(log_base)
    np.copyto(added, math.log(2) / log_base, where=a == b)  # of infinities the distance is NaN
    return as_array(np.maximum(a, b) + added)


def complex_logaddexp(a: Array, b: Array) -> Array:
    """log(exp(a) + exp(b)) of complex numbers, computed from the one with the larger real part."""
    swapped = a.real < b.real
    least, most = np.where(swapped, a, b), np.where(swapped, b, a)
    near = most + np.log1p(np.exp(least - most))
    infinite = np.isinf(least.real) & (least.real == most.real)
    far = np.where(least.real < 0, least, np.log(np.exp(least) + np.exp(most)))
    result = np.where(infinite, far, near).astype(a.dtype, copy=False)
    result[np.isnan(a) | np.isnan(b)] = complex(np.nan, np.nan)  # whatever the other part is
    return result

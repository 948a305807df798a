"""Polynomials of tensors, for rules whose closed form loses digits near a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def polynomial_at(x: Any, coefficients: Sequence[float]) -> Any:
    """Return the sum of `coefficients[k] * x**k`, by Horner's scheme; there are at least two coefficients."""
    total = x * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        total = total * x + coefficient
    return total

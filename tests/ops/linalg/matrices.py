"""Matrices for the tests of linear algebra."""

from __future__ import annotations

import numpy as np

import wengert as wg


def drawn(*shape: int, seed: int = 0, dtype: str = "float64") -> wg.Tensor:
    """Normal numbers, the same ones for a seed."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal(shape)
    return wg.tensor(values.astype(dtype))

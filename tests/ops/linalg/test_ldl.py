"""Factors of indefinite matrices."""

from __future__ import annotations

import numpy as np

import wengert as wg


def drawn(*shape: int, seed: int = 0, dtype: str = "float64") -> wg.Tensor:
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal(shape)
    return wg.tensor(values.astype(dtype))


def test_ldl_factors_solve_indefinite_systems():
    a = drawn(4, 4, dtype="complex128")
    for matrix, hermitian in ((a + a.mT, False), (a + a.mH, True)):
        factors = wg.linalg.ldl_factor(matrix, hermitian=hermitian)
        assert wg.allclose(matrix @ wg.linalg.ldl_solve(*factors, a, hermitian=hermitian), a)

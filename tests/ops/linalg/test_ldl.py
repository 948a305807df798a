"""Factors of indefinite matrices."""

from __future__ import annotations

import wengert as wg
from tests.ops.linalg.matrices import drawn


def test_ldl_factors_solve_indefinite_systems():
    a = drawn(4, 4, dtype="complex128")
    for matrix, hermitian in ((a + a.mT, False), (a + a.mH, True)):
        factors = wg.linalg.ldl_factor(matrix, hermitian=hermitian)
        assert wg.allclose(matrix @ wg.linalg.ldl_solve(*factors, a, hermitian=hermitian), a)

"""Factors of matrices with exchanged rows: pivots, and packed factors."""

from __future__ import annotations

import pytest

import wengert as wg


def test_the_older_lu_tells_of_no_zero_pivot():
    assert wg.lu(wg.zeros(3, 3))[0].tolist() == [[0, 0, 0]] * 3


def test_systems_are_looked_at_before_their_pivots():
    with pytest.raises(RuntimeError, match="Incompatible shapes of A and B"):
        wg.linalg.lu_solve(wg.eye(3), wg.ones((), dtype=wg.int32), wg.ones(4, 1))
    with pytest.raises(IndexError, match="Dimension specified as -1 but tensor has no dimensions"):
        wg.linalg.lu_solve(wg.eye(3), wg.ones((), dtype=wg.int32), wg.ones(3, 1))


def test_the_parts_of_a_packed_factorisation_are_rows():
    packed = wg.rand(4, 5, 3).permute(2, 1, 0).contiguous().permute(2, 1, 0)
    made = wg.lu_unpack(packed, wg.ones(4, 3, dtype=wg.int32))
    assert [each.stride() for each in made] == [(25, 5, 1), (15, 3, 1), (9, 3, 1)]

"""Rows of sorted places as bounds, and back."""

from __future__ import annotations

import pytest

import wengert as wg

ROWS = wg.tensor([0, 0, 2, 3])
BOUNDS = wg.tensor([0, 2, 2, 3, 4, 4])
COLUMNS = wg.tensor([1, 2, 0, 1])


@pytest.mark.parametrize("dtype", [wg.int32, wg.int64])
@pytest.mark.parametrize("small", [True, False])
def test_rows_become_bounds_and_come_back(dtype, small):
    wanted = wg.int32 if small else wg.int64
    bounds = wg._convert_indices_from_coo_to_csr(ROWS.to(dtype), 5, out_int32=small)
    assert bounds.dtype is wanted and bounds.tolist() == BOUNDS.tolist()
    for transpose in (False, True):
        found = wg._convert_indices_from_csr_to_coo(bounds, COLUMNS.to(dtype), out_int32=small, transpose=transpose)
        rows, columns = found.flip(0) if transpose else found
        assert found.dtype is wanted and rows.tolist() == ROWS.tolist() and columns.tolist() == COLUMNS.tolist()


def test_no_entries_have_bounds():
    assert wg._convert_indices_from_coo_to_csr(ROWS[:0], 3).tolist() == [0, 0, 0, 0]
    assert wg._convert_indices_from_csr_to_coo(wg.zeros(4, dtype=wg.int64), COLUMNS[:0]).shape == (2, 0)


def test_what_are_no_places_is_refused():
    with pytest.raises(
        NotImplementedError, match="\"convert_indices_from_coo_to_csr_cpu\" not implemented for 'Float'"
    ):
        wg._convert_indices_from_coo_to_csr(ROWS.float(), 5)
    with pytest.raises(RuntimeError, match=r"Input is supposed to be a vector, but got 2 dimensional tensor."):
        wg._convert_indices_from_coo_to_csr(ROWS[None], 5)

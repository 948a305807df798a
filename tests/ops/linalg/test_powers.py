"""Powers of matrices, and matrices of powers."""

from __future__ import annotations

import pytest

import wengert as wg


def test_a_matrix_of_powers_that_no_memory_holds_is_refused_at_once():
    with pytest.raises((RuntimeError, MemoryError, ValueError, OverflowError)):
        wg.linalg.vander(wg.ones(2), N=2**62)


def test_the_first_power_of_matrices_lies_in_rows():
    x = wg.ones(3, 2, 2).transpose(1, 2)
    assert wg.linalg.matrix_power(x, 1).is_contiguous()
    assert wg.linalg.matrix_power(x, 0).is_contiguous()


def test_how_many_powers_may_stand_in_a_tensor_of_one_integer():
    x = wg.tensor([1.0, 2.0, 3.0])
    assert wg.linalg.vander(x, N=wg.tensor([2])).tolist() == [[1, 1], [1, 2], [1, 3]]
    with pytest.raises(TypeError, match="argument 'N' must be int, not float"):
        wg.linalg.vander(x, N=2.0)

"""NumPy's floating-point warnings do not reach programs, and programs' own settings stay as they are."""

from __future__ import annotations

import numpy as np

import wengert as wg


def test_infinities_and_nan_come_without_warnings_or_errors():
    with np.errstate(all="raise"):
        zero = wg.zeros(3, dtype=wg.float64)
        assert (1 / zero).isinf().all()
        assert (zero / zero).isnan().all()
        assert wg.log(zero).isinf().all()
        assert (wg.full((5, 1), 1e300, dtype=wg.float64) * wg.full((3,), 1e300, dtype=wg.float64)).isinf().all()


def test_the_error_state_of_the_program_is_untouched():
    before = np.geterr()
    wg.log(wg.zeros(3))
    assert np.geterr() == before

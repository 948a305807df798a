"""Results with names tell how many they are, as torch's do."""

from __future__ import annotations

import wengert as wg


def test_named_results_tell_their_number():
    largest = wg.ones(2, 2).max(1)
    assert (type(largest).n_fields, largest.n_sequence_fields, largest.n_unnamed_fields) == (2, 2, 0)
    assert wg.linalg.svd(wg.eye(2)).n_fields == 3

"""Elements at an index along one dimension."""

from __future__ import annotations

import numpy as np

import wengert as wg


def test_places_along_a_dimension_count_on_from_the_other_end():
    x = wg.arange(6.0).view(3, 2)
    assert wg.take_along_dim(x, wg.tensor([[-1, 4]]), 0).tolist() == [[4.0, 3.0]]


def test_integers_of_numpy_and_of_tensors_are_ints():

    x = wg.arange(6.0).reshape(2, 3)
    for dim in (np.int64(1), np.uint8(1), wg.tensor(1)):
        assert x.index_select(dim, wg.tensor([2])).tolist() == [[2], [5]]

"""Tensors that are reversed."""

from __future__ import annotations

import wengert as wg


def test_tensors_are_reversed_along_the_first_dimension():
    assert reversed(wg.tensor([[1, 2], [3, 4]])).tolist() == [[3, 4], [1, 2]]
    assert reversed(wg.tensor(3)).item() == 3

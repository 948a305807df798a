"""Parts, directions and conjugates of complex numbers."""

from __future__ import annotations

import math

import pytest

import wengert as wg


def test_the_direction_of_an_infinite_number_is_that_of_its_parts():
    z = wg.tensor([complex(1, math.inf), complex(-math.inf, -2), complex(0, -0.0), 3 + 4j])
    found = wg.view_as_real(z.sgn()).tolist()
    assert found[0][0] == 0 and math.isnan(found[0][1])
    assert math.isnan(found[1][0]) and found[1][1] == 0
    assert found[2:] == [[0, 0], pytest.approx([0.6, 0.8])]
    assert wg.sgn(z, out=z) is z and z[3].item() == pytest.approx(0.6 + 0.8j)


def test_a_conjugate_of_real_numbers_that_is_written_has_a_history_that_refuses():
    points = wg.tensor([1.0, 2.0], requires_grad=True)
    written = wg.conj_physical(points, out=wg.empty(0))
    assert written.requires_grad and wg.conj_physical(points) is points
    with pytest.raises(RuntimeError, match="derivative for aten::conj_physical is not implemented"):
        written.sum().backward()


def test_the_conjugate_transpose_of_a_single_number_is_its_conjugate() -> None:
    with pytest.warns(UserWarning, match="deprecated on 0-D tensors"):
        assert wg.tensor(1 + 2j).mH.item() == wg.tensor(1 + 2j).H.item() == 1 - 2j

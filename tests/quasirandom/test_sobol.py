"""Sobol' sequences: how evenly the points lie."""

import numpy as np
import pytest

import wengert as wg
from wengert.quasirandom import SobolEngine


@pytest.mark.parametrize("scramble", [False, True])
def test_every_interval_of_a_power_of_two_holds_one_point(scramble):
    points = SobolEngine(20, scramble=scramble, seed=1).draw(64, dtype=wg.float64).numpy()
    for column in points.T:
        assert sorted(np.floor(column * 64)) == list(range(64))


def test_the_first_two_dimensions_are_a_net():
    points = SobolEngine(2).draw(64, dtype=wg.float64).numpy()
    for rows in (1, 2, 4, 8, 16, 32, 64):
        boxes = {(int(x * rows), int(y * (64 // rows))) for x, y in points}
        assert len(boxes) == 64


def test_points_come_one_by_one_as_they_come_together():
    whole, single = SobolEngine(5), SobolEngine(5)
    assert whole.draw(9).tolist() == [single.draw().tolist()[0] for _ in range(9)]


def test_an_integral_is_found_better_than_by_chance():
    points = SobolEngine(4, scramble=True, seed=0).draw(1024, dtype=wg.float64)
    assert abs(points.prod(1).mean().item() - 1 / 16) < 1e-3

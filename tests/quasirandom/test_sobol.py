"""Sobol' sequences: how evenly the points lie."""

import hashlib

import numpy as np
import pytest

import wengert as wg
from tools import pack_sobol
from wengert._kernels import sobol
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


def test_the_packed_direction_numbers_are_those_of_joe_and_kuo():
    polynomials, degrees, numbers = sobol.table(sobol.DIMENSIONS)
    assert len(polynomials) == 21201
    assert degrees.sum() == len(numbers)
    for values, checksum in (
        (polynomials, "58c5f9c8d705027a48877469a994bb40345fa3943ec2a4734f6b4647cbc50eb4"),
        (numbers, "6e42ed7fd0edd41359130eec8c74bf7f247e21d5f2041fc9b0ab4f1cf6a40a62"),
    ):
        assert hashlib.sha256(values.astype("<i8").tobytes()).hexdigest() == checksum


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 5000])
def test_direction_numbers_do_not_depend_on_how_many_are_asked_for(dimension):
    assert (sobol.directions(dimension) == sobol.directions(6000)[:dimension]).all()


def test_the_text_file_packs_into_what_is_read_back(tmp_path, monkeypatch):
    text = "d s a m_i\n2 1 0 1\n3 2 1 1 3\n4 3 1 1 3 1\n5 3 2 1 1 1\n6 4 1 1 1 3 3\n7 4 4 1 3 5 13\n"
    pack_sobol.pack(pack_sobol.read(text), tmp_path / "sobol.npz")
    monkeypatch.setattr(sobol, "__file__", str(tmp_path / "sobol.py"))
    polynomials, degrees, numbers = sobol.table(7)
    assert polynomials.tolist() == [1, 3, 7, 11, 13, 19, 25]
    assert degrees.tolist() == [0, 1, 2, 3, 3, 4, 4]
    assert numbers.tolist() == [1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 3, 3, 1, 3, 5, 13]

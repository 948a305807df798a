"""Parts of a dataset for programs that run side by side. The orders are torch's."""

import pytest

from wengert.utils import data
from wengert.utils.data import DistributedSampler


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({}, [[4, 5, 0, 2], [1, 3, 8, 4], [7, 9, 6, 1]]),
        ({"shuffle": False}, [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]),
        ({"drop_last": True}, [[4, 5, 0], [1, 3, 8], [7, 9, 6]]),
        ({"seed": 3}, [[6, 7, 1, 4], [0, 8, 9, 6], [3, 5, 2, 0]]),
    ],
)
def test_all_get_as_many(options, parts):
    samplers = [DistributedSampler(range(10), 3, rank, **options) for rank in range(3)]
    assert [list(each) for each in samplers] == parts
    assert [len(each) for each in samplers] == [len(each) for each in parts]


def test_each_epoch_has_its_order():
    sampler = DistributedSampler(range(10), 3, 0)
    sampler.set_epoch(2)
    assert list(sampler) == [8, 5, 0, 3]


def test_few_samples_come_again():
    assert list(DistributedSampler(range(2), 5, 4, shuffle=False)) == [0]


def test_who_is_asked_for_must_be_said():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedSampler(range(4), 2)
    with pytest.raises(ValueError, match=r"Invalid rank 2, rank should be in the interval \[0, 1\]"):
        DistributedSampler(range(4), 2, 2)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("length", [7, 9])
def test_the_parts_of_all_processes_are_the_whole(shuffle, length):
    samplers = [data.DistributedSampler(range(length), 3, rank, shuffle) for rank in range(3)]
    parts = [list(each) for each in samplers]
    assert {len(part) for part in parts} == {3}
    assert sorted({index for part in parts for index in part}) == list(range(length))


def test_an_epoch_has_an_order_of_its_own():
    sampler = data.DistributedSampler(range(50), 2, 0)
    first = list(sampler)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first

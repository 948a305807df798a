"""Datasets side by side, and the parts of a dataset that several processes go through."""

import pytest

import wengert as wg
from wengert.utils import data


def test_a_stacked_dataset_gives_batches_of_all():
    rows = data.StackDataset(x=wg.arange(4.0), y=[0, 1, 0, 1])
    (first, second) = data.DataLoader(rows, batch_size=2)
    assert first["x"].tolist() == [0, 1] and second["y"].tolist() == [0, 1]


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


def test_streams_one_after_the_other_have_a_length_if_all_of_them_have_one():
    class Stream(wg.utils.data.IterableDataset):
        def __iter__(self):
            return iter((1, 2))

    class Counted(Stream):
        def __len__(self):
            return 2

    chain = wg.utils.data.ChainDataset
    assert len(chain([Counted(), Counted()])) == 4
    with pytest.raises(TypeError, match=r"object of type 'Stream' has no len\(\)"):
        len(chain([Counted(), Stream()]))

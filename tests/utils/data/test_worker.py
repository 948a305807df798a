"""Batches that other processes load: order, random numbers, streams, errors, ends."""

import os
import random
import time

import numpy as np
import pytest

import wengert as wg
from wengert.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Told(Dataset):
    """Samples that say what their worker was told, and draw."""

    def __len__(self):
        return 10

    def __getitem__(self, index):
        info = get_worker_info()
        return index, info.id, info.num_workers, info.seed, float(wg.rand(1)), random.random(), np.random.rand()


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 9, info.num_workers))


class Failing(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == 3:
            raise KeyError("three")
        return index


class Leaving(Failing):
    def __getitem__(self, index):
        if index == 2:
            os._exit(3)
        return index


class Slow(Failing):
    def __getitem__(self, index):
        time.sleep(60)


def loader(dataset, *options, num_workers=2, **more):
    """By forked workers, so that classes of a test need not be found by name."""
    return DataLoader(dataset, *options, num_workers=num_workers, multiprocessing_context="fork", **more)


def test_order_seeds_and_numbers_are_those_of_torch():
    wg.manual_seed(0)
    numbers, workers, counts, seeds, ours, pythons, numpys = zip(*loader(Told(), 2, shuffle=True))
    assert wg.stack(numbers).tolist() == [[6, 7], [1, 4], [2, 0], [9, 8], [3, 5]]
    assert wg.stack(workers)[:, 0].tolist() == [0, 1, 0, 1, 0]
    assert set(wg.cat(counts).tolist()) == {2}
    assert wg.stack(seeds)[:2, 0].tolist() == [900450186894289455, 900450186894289456]
    assert wg.stack(ours)[:2].tolist() == pytest.approx(np.array([[0.7821, 0.0536], [0.6938, 0.2980]]), abs=1e-4)
    assert wg.stack(pythons)[:2].tolist() == pytest.approx(np.array([[0.2132, 0.2764], [0.7734, 0.1634]]), abs=1e-4)
    assert wg.stack(numpys)[:2].tolist() == pytest.approx(np.array([[0.8372, 0.3876], [0.6703, 0.0759]]), abs=1e-4)
    assert wg.rand(1).item() == pytest.approx(0.3074, abs=1e-4)


def test_batches_are_those_of_the_program_itself():
    samples = [wg.full((2,), float(number)) for number in range(23)]
    alone, together = DataLoader(samples, 4), loader(samples, 4, num_workers=3)
    assert [each.tolist() for each in together] == [each.tolist() for each in alone]
    assert len(together) == 6 and together.prefetch_factor == 2


def test_each_worker_reads_its_part_of_a_stream():
    assert [each.tolist() for each in loader(Stream(), 2)] == [[0, 2], [1, 3], [4, 6], [5, 7], [8]]
    assert len(list(loader(Stream(), 2, drop_last=True))) == 4
    assert list(loader(Stream(), None)) == list(range(9))


@pytest.mark.parametrize("dataset", [Told(), Stream()])
def test_persistent_workers_serve_all_epochs(dataset):
    kept = loader(dataset, 3, persistent_workers=True)
    first = iter(kept)
    pids = [each.pid for each in first._started]
    next(first)  # the epoch is left: what is still under way belongs to none
    second = iter(kept)
    assert second is first
    assert [each.pid for each in second._started] == pids
    assert len(list(second)) == 4


def test_persistent_workers_can_be_ended():
    kept = loader(Told(), 2, persistent_workers=True)
    batches = iter(kept)
    next(batches)
    processes = batches._started
    batches._shutdown_workers()
    assert not any(each.is_alive() for each in processes)
    assert list(batches) == []
    batches._shutdown_workers()


def test_an_error_keeps_its_class_and_says_where_it_was():
    batches = iter(loader(Failing(), 1))
    assert [next(batches).item() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match=r"Caught KeyError in DataLoader worker process 1\.\nOriginal Traceback"):
        next(batches)
    assert [each.item() for each in batches] == [4, 5]


def test_an_error_of_a_stream_ends_that_worker():
    class Broken(IterableDataset):
        def __iter__(self):
            yield 1
            raise ValueError("broken")

    batches = iter(loader(Broken(), num_workers=1))
    assert next(batches).item() == 1
    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process 0"):
        next(batches)
    assert list(batches) == []


def test_what_cannot_be_sent_is_an_error():
    with pytest.raises(Exception, match=r"(?i)in DataLoader worker process 0[\s\S]*pickle"):
        list(loader([1], collate_fn=lambda samples: lambda: samples, num_workers=1))


def test_a_worker_is_prepared_by_the_program():
    def prepare(worker):
        np.random.seed(worker)

    batch = next(iter(loader(Told(), 2, worker_init_fn=prepare)))
    assert batch[6].tolist() == pytest.approx([0.5488135, 0.71518937])

    def refuse(worker):
        raise OSError("no such file")

    with pytest.raises(OSError, match="no such file"):
        next(iter(loader(Told(), worker_init_fn=refuse)))


def test_a_worker_that_is_gone_is_reported():
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(loader(Leaving(), num_workers=1))


def test_waiting_has_an_end():
    with pytest.raises(RuntimeError, match=r"timed out after 0\.2 seconds"):
        next(iter(loader(Slow(), num_workers=1, timeout=0.2)))


def test_workers_end_with_their_iterator():
    batches = iter(loader(Told()))
    next(batches)
    started = batches._started
    del batches
    assert not any(each.is_alive() for each in started)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"prefetch_factor": -1, "num_workers": 1}, ValueError, "prefetch_factor option should be non-negative"),
        ({"multiprocessing_context": "fork"}, ValueError, r"can only be used with multi-process loading"),
        ({"multiprocessing_context": "foo", "num_workers": 1}, ValueError, "should specify a valid start method in"),
        ({"multiprocessing_context": 3, "num_workers": 1}, TypeError, "should be a valid context object or a string"),
    ],
)
def test_bad_options_are_refused(options, error, says):
    with pytest.raises(error, match=says):
        DataLoader(Told(), **options)

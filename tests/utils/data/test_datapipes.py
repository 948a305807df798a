"""Data pipes: what is beside that in which they are like torch's (tests/parity/programs/pipes.py)."""

from __future__ import annotations

import pickle

import pytest

import wengert as wg
from wengert.utils.data import DataChunk, DataLoader, IterDataPipe, functional_datapipe
from wengert.utils.data.datapipes import iter as iter_pipes
from wengert.utils.data.datapipes.iter import Collator, IterableWrapper, Mapper, Sampler


def test_a_pipe_can_be_pickled_and_wraps_what_cannot_be_copied():
    pipe = pickle.loads(pickle.dumps(IterableWrapper([1, 2, 3]).map(abs).batch(2)))
    assert list(pipe) == [[1, 2], [3]] and isinstance(next(iter(pipe)), DataChunk)
    once = IterableWrapper(each for each in (1, 2))
    assert list(once) == [1, 2] and list(once) == []


def test_a_pipe_is_read_by_one_iterator_at_a_time():
    pipe = IterableWrapper(range(3))
    first = iter(pipe)
    assert next(first) == 0 and list(pipe) == [0, 1, 2]
    with pytest.raises(RuntimeError, match="another iterator has been created from the same IterDataPipe"):
        next(first)


def test_workers_of_a_loader_share_the_values_of_a_filter():
    pipe = IterableWrapper(range(6)).sharding_filter().map(abs)
    assert sorted(each.item() for each in DataLoader(pipe, num_workers=2, batch_size=1)) == list(range(6))
    pipe.datapipe.apply_sharding(3, 1)
    assert list(pipe) == [1, 4] and len(pipe) == 2
    with pytest.raises(ValueError, match="should be smaller"):
        pipe.datapipe.apply_sharding(3, 3)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda pipe: pipe.batch(0), AssertionError, "larger than 0"),
        (lambda pipe: pipe.nope, AttributeError, "no attribute 'nope'"),
        (lambda pipe: pipe.zip([1]), TypeError, "IterDataPipe"),
        (lambda pipe: pipe.concat([1]), TypeError, "IterDataPipe"),
        (lambda pipe: pipe.shuffle(buffer_size=0), ValueError, "larger than 0"),
        (lambda pipe: pipe.fork(0), ValueError, "larger than 0"),
        (lambda pipe: pipe.fork(2, copy="x"), ValueError, "Unknown copy method"),
        (lambda pipe: pipe.demux(2, abs, buffer_size=0), ValueError, "larger than 0"),
        (lambda pipe: list(pipe.demux(1, abs)[0]), ValueError, "between 0 and 0"),
        (lambda pipe: list(pipe.filter(abs)), ValueError, "Boolean output is required"),
        (lambda pipe: list(pipe.unbatch()), IndexError, "exceeds the depth"),
        (lambda pipe: Mapper(pipe, abs, output_col=1), ValueError, "must be None"),
        (lambda pipe: Collator(pipe, 5), TypeError, "expected a function"),
        (lambda pipe: functional_datapipe("new")(int), TypeError, "not a class of pipes"),
        (lambda pipe: functional_datapipe(5), TypeError, "must be str"),
        (lambda pipe: functional_datapipe("map")(IterDataPipe), Exception, "already taken"),
    ],
)
def test_what_makes_no_pipe_is_refused(make, error, says):
    with pytest.raises(error, match=says):
        make(IterableWrapper(range(3)))


def test_functions_that_no_other_process_can_be_given_are_warned_of():
    with pytest.warns(UserWarning, match="Local function is not supported by pickle"):
        IterableWrapper(range(3)).map(lambda value: value)


def test_copies_of_values_are_given_to_branches_and_samplers_draw_indices():
    one, two = IterableWrapper([[1], [2]]).fork(2, copy="deep")
    assert [each[0] for each in one] == [1, 2] and all(a is not b for a, b in zip(list(one), list(two)))
    assert list(Sampler(IterableWrapper(range(3)))) == [0, 1, 2]
    wg.manual_seed(0)
    assert sorted(Sampler(IterableWrapper(range(3)), wg.utils.data.RandomSampler)) == [0, 1, 2]


def test_a_loader_shuffles_a_pipe_without_an_order_of_its_own_as_it_says():
    wg.manual_seed(0)
    with pytest.warns(UserWarning, match="does not contain a `Shuffler`"):
        loader = DataLoader(IterableWrapper(range(50)), batch_size=None, shuffle=True)
    first, second = list(loader), list(loader)
    assert first != second and sorted(first) == sorted(second) == list(range(50))


def test_files_are_listed_opened_and_read(tmp_path):
    for name in ("b.txt", "a.txt", "c.bin", "inner/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name * 2)
    root = str(tmp_path)
    names = [each[len(root) + 1 :] for each in iter_pipes.FileLister(root)]
    assert names == ["a.txt", "b.txt", "c.bin"]
    listed = iter_pipes.IterableWrapper([root]).list_files(["*.txt"], recursive=True)
    assert [each[len(root) + 1 :] for each in listed] == ["a.txt", "b.txt", "inner/d.txt"]
    assert [text for _, text in listed.open_files().read_from_stream()] == [
        "a.txta.txt",
        "b.txtb.txt",
        "inner/d.txtinner/d.txt",
    ]
    pieces = iter_pipes.FileLister(root, "a*").open_files(mode="b").read_from_stream(6)
    assert [piece for _, piece in pieces] == [b"a.txta", b".txt"]
    ((_, stream),) = iter_pipes.FileOpener([f"{root}/a.txt"])
    assert list(stream) == ["a.txta.txt"] and repr(stream).startswith("StreamWrapper<")
    file = stream.file_obj
    del stream
    assert file.closed
    assert len(iter_pipes.FileLister(root, length=3)) == 3
    with pytest.raises(TypeError, match="doesn't have valid length"):
        len(iter_pipes.FileLister(root))
    with pytest.raises(ValueError, match="Invalid mode x"):
        iter_pipes.FileOpener([], mode="x")
    with pytest.raises(ValueError, match="doesn't take an encoding"):
        iter_pipes.FileOpener([], mode="b", encoding="utf-8")
    with pytest.raises(TypeError, match="Expected string type for pathname"):
        list(iter_pipes.FileOpener([1]))
    with pytest.warns(UserWarning, match="No such file"), pytest.raises(FileNotFoundError):
        list(iter_pipes.FileLister(f"{root}/nowhere"))

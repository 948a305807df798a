"""Datasets, samplers and loaders. The texts are torch's."""

import collections

import numpy as np
import pytest

import wengert as wg
from wengert.utils import data
from wengert.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    random_split,
)


def rows(count=10):
    return TensorDataset(wg.arange(count), wg.arange(count) * 2.0)


class Squares(Dataset):
    def __getitem__(self, index):
        if index >= 5:
            raise IndexError(index)
        return {"x": float(index), "square": index * index}

    def __len__(self):
        return 5


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


def lists(batches):
    return [[each.tolist() for each in batch] for batch in batches]


def test_batches_come_in_order_and_the_last_may_be_smaller():
    loader = DataLoader(rows(), 4)
    assert lists(loader) == [
        [[0, 1, 2, 3], [0, 2, 4, 6]],
        [[4, 5, 6, 7], [8, 10, 12, 14]],
        [[8, 9], [16, 18]],
    ]
    assert len(loader) == 3
    assert next(iter(loader))[0].dtype == wg.int64
    dropping = DataLoader(rows(), 4, drop_last=True)
    assert len(dropping) == len(list(dropping)) == 2


def test_shuffled_batches_hold_every_sample_once_in_a_new_order_each_epoch():
    loader = DataLoader(rows(100), 16, shuffle=True, generator=wg.Generator().manual_seed(1))
    epochs = [[value for batch in loader for value in batch[0].tolist()] for _ in range(2)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(100))
    assert epochs[0] != epochs[1] != list(range(100))
    again = DataLoader(rows(100), 16, shuffle=True, generator=wg.Generator().manual_seed(1))
    assert [value for batch in again for value in batch[0].tolist()] == epochs[0]
    assert all(second == 2 * first for batch in loader for first, second in zip(*(each.tolist() for each in batch)))


def test_the_global_seed_decides_where_no_generator_is_given():
    loader = DataLoader(rows(50), 50, shuffle=True)
    orders = []
    for seed in (3, 3, 4):
        wg.manual_seed(seed)
        orders.append(next(iter(loader))[0].tolist())
    assert orders[0] == orders[1] != orders[2]


def test_rows_taken_at_once_equal_samples_taken_one_by_one():
    class Plain(TensorDataset):
        pass

    tensors = wg.randn(10, 2, 3), wg.arange(10)
    indices = [7, 3, 3, 9]
    fast = DataLoader(Subset(Subset(TensorDataset(*tensors), indices), [2, 0, 1]), 2)
    slow = DataLoader(Subset(Subset(Plain(*tensors), indices), [2, 0, 1]), 2)
    assert lists(fast) == lists(slow)


def test_batches_of_tensors_with_a_graph_keep_it():
    weight = wg.ones(4, requires_grad=True)
    (batch,) = next(iter(DataLoader(TensorDataset(weight), 2)))
    batch.sum().backward()
    assert weight.grad.tolist() == [1, 1, 0, 0]


def test_a_dataset_of_mappings_gives_mappings_of_batches():
    batch = list(DataLoader(Squares(), 3))[1]
    assert batch["x"].tolist() == [3.0, 4.0]
    assert batch["x"].dtype == wg.float64
    assert batch["square"].tolist() == [9, 16]


def test_a_stream_is_batched_as_it_comes():
    assert [batch.tolist() for batch in DataLoader(Stream(), 2)] == [[0, 1], [2, 3], [4]]
    assert [batch.tolist() for batch in DataLoader(Stream(), 2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Stream(), None)) == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match=r"has no len\(\)"):
        len(DataLoader(Stream(), 2))


def test_without_batches_single_samples_come():
    loader = DataLoader(rows(3), None)
    assert [[each.item() for each in sample] for sample in loader] == [[0, 0], [1, 2], [2, 4]]
    assert len(loader) == 3


def test_samplers_and_batch_samplers_decide_the_order():
    assert lists(DataLoader(rows(), 2, sampler=[5, 3, 4])) == [[[5, 3], [10, 6]], [[4], [8]]]
    assert lists(DataLoader(rows(), batch_sampler=[[1, 2], [3]])) == [[[1, 2], [2, 4]], [[3], [6]]]


def test_a_collate_function_makes_the_batch():
    assert list(DataLoader([1, 2, 3], 2, collate_fn=sum)) == [3, 3]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"batch_size": 0}, ValueError, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"batch_size": 2.5}, ValueError, "batch_size should be a positive integer value, but got batch_size=2.5"),
        ({"batch_size": None, "drop_last": True}, ValueError, "batch_size=None option disables auto-batching"),
        ({"shuffle": True, "sampler": [1]}, ValueError, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 2}, ValueError, "batch_sampler option is mutually exclusive"),
        ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
        ({"timeout": -1}, ValueError, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
    ],
)
def test_bad_options_are_refused(options, error, says):
    with pytest.raises(error, match=says):
        DataLoader(rows(), **options)


def test_a_stream_has_no_order_to_choose():
    with pytest.raises(ValueError, match="expected unspecified shuffle option, but got shuffle=True"):
        DataLoader(Stream(), shuffle=True)
    with pytest.raises(ValueError, match="expected unspecified sampler option"):
        DataLoader(Stream(), sampler=[1])


def test_what_a_loader_was_made_of_stays():
    loader = DataLoader(rows(), 2)
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 3
    loader.collate_fn = len
    assert next(iter(loader)) == 2


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("samples", "batch"),
    [
        ([1, 2], "tensor([1, 2])"),
        ([1.0, 2.0], "tensor([1., 2.], dtype=torch.float64)"),
        ([True, False], "tensor([ True, False])"),
        (["a", "b"], "['a', 'b']"),
        ([np.float32(1)], "tensor([1.])"),
        ([np.ones(2), np.zeros(2)], "tensor([[1., 1.],\n        [0., 0.]], dtype=torch.float64)"),
        ([Pair(1, 2), Pair(3, 4)], "Pair(a=tensor([1, 3]), b=tensor([2, 4]))"),
        ([(1, (2.0, "x"))], "[tensor([1]), [tensor([2.], dtype=torch.float64), ('x',)]]"),
        ([{"a": 1.0}], "{'a': tensor([1.], dtype=torch.float64)}"),
    ],
)
def test_samples_are_collated_by_their_form(samples, batch):
    assert repr(default_collate(samples)) == batch


def test_samples_that_do_not_fit_are_refused():
    with pytest.raises(
        TypeError, match="batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'object'>"
    ):
        default_collate([object()])
    with pytest.raises(TypeError, match="found <U1"):
        default_collate([np.array(["a"])])
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        default_collate([[1, 2], [3]])
    with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
        default_collate([wg.ones(2), wg.ones(3)])


def test_arrays_in_any_nesting_are_converted():
    converted = default_convert({"a": [np.ones(1)], "b": Pair(np.int64(3), "x")})
    assert isinstance(converted["a"][0], wg.Tensor)
    assert converted["b"].a.item() == 3
    assert converted["b"].b == "x"


def test_datasets_are_split_joined_and_cut():
    parts = random_split(rows(), [0.3, 0.33, 0.37], generator=wg.Generator().manual_seed(0))
    assert [len(part) for part in parts] == [4, 3, 3]
    assert sorted(part[at][0].item() for part in parts for at in range(len(part))) == list(range(10))
    assert [len(part) for part in random_split(rows(), [7, 3])] == [7, 3]
    with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset!"):
        random_split(rows(), [3, 4])
    with pytest.raises(ValueError, match="Fraction at index 1 is not between 0 and 1"):
        random_split(rows(), [0.3, -0.1, 0.8])
    joined = rows() + rows(3)
    assert isinstance(joined, ConcatDataset)
    assert len(joined) == 13
    assert [joined[at][0].item() for at in (9, 10, -1)] == [9, 0, 2]
    assert Subset(rows(), [3, 5])[[0, 1]][0].tolist() == [3, 5]
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(wg.ones(2), wg.ones(3))
    with pytest.raises(IndexError):
        rows()[10]


def test_samplers_draw_what_they_say():
    data = rows()
    assert list(SequentialSampler(data)) == list(range(10))
    twice = list(RandomSampler(data, num_samples=25))
    assert sorted(twice[:10]) == sorted(twice[10:20]) == list(range(10))
    assert len(twice) == len(RandomSampler(data, num_samples=25)) == 25
    assert set(RandomSampler(data, replacement=True, num_samples=300)) == set(range(10))
    assert sorted(SubsetRandomSampler([5, 6, 9])) == [5, 6, 9]
    assert list(BatchSampler([1, 2, 3], 2, False)) == [[1, 2], [3]]
    assert list(BatchSampler([1, 2, 3], 2, True)) == [[1, 2]]
    for make, error, says in (
        (lambda: RandomSampler(data, replacement=3), TypeError, "replacement should be a boolean value"),
        (lambda: RandomSampler(data, num_samples=0), ValueError, "num_samples should be a positive integer value"),
        (lambda: RandomSampler([]), ValueError, "but got num_samples=0"),
        (lambda: BatchSampler([1], 0, False), ValueError, "batch_size should be a positive integer value"),
        (lambda: BatchSampler([1], 1, 3), ValueError, "drop_last should be a boolean value"),
        (lambda: WeightedRandomSampler([1], 1.5), ValueError, "num_samples should be a positive integer value"),
    ):
        with pytest.raises(error, match=says):
            make()


def test_weights_decide_how_often_a_sample_comes():
    drawn = collections.Counter(WeightedRandomSampler([1.0, 0.0, 3.0], 4000))
    assert set(drawn) == {0, 2}
    assert drawn[2] / 4000 == pytest.approx(0.75, abs=0.03)
    assert sorted(WeightedRandomSampler([1.0, 5.0, 0.0, 2.0], 3, replacement=False)) == [0, 1, 3]
    with pytest.raises(RuntimeError, match="element < 0"):
        list(WeightedRandomSampler([1.0, -1.0, 2.0], 2, replacement=False))
    with pytest.raises(RuntimeError, match="sum of probabilities <= 0"):
        list(WeightedRandomSampler([0.0, 0.0], 1))


def test_a_stacked_dataset_gives_batches_of_all():
    rows = data.StackDataset(x=wg.arange(4.0), y=[0, 1, 0, 1])
    (first, second) = data.DataLoader(rows, batch_size=2)
    assert first["x"].tolist() == [0, 1] and second["y"].tolist() == [0, 1]


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

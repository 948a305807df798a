"""Lists of tensors that a step reads and writes: what is taken as it is, and what is left to the general way."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import wengert as wg
from wengert._core import flags
from wengert._core.writes import tensor_lists


def leaf(*values, grad=None):
    tensor = wg.tensor(values, requires_grad=True)
    tensor.grad = grad
    return tensor


def test_parameters_without_a_gradient_are_left_out_in_order():
    first, second, third = leaf(1.0, grad=wg.ones(1)), leaf(2.0), leaf(3.0, grad=wg.zeros(1))
    params, grads = tensor_lists.with_gradients((first, second, third), flags.SPARSE)
    assert [id(param) for param in params] == [id(first), id(third)]
    assert [id(grad) for grad in grads] == [id(first.grad), id(third.grad)]


def test_a_flag_of_a_gradient_is_refused_and_other_values_are_too():
    sparse = leaf(1.0, grad=wg.ones(1).to_sparse())
    assert tensor_lists.with_gradients([sparse], flags.SPARSE) is None
    assert tensor_lists.with_gradients([sparse], 0) is not None

    class Stranger:
        grad = 1

    assert tensor_lists.with_gradients([Stranger()], 0) is None


def test_flags_and_halves_are_found_anywhere_in_a_list():
    dense, sparse, half = wg.ones(1), wg.ones(1).to_sparse(), wg.ones(1, dtype=wg.float16)
    assert tensor_lists.have_flag([dense, sparse], flags.SPARSE)
    assert not tensor_lists.have_flag([dense, half], flags.SPARSE)
    assert tensor_lists.have_halves([dense, half])
    assert tensor_lists.have_halves([dense, wg.ones(1, dtype=wg.bfloat16)])
    assert tensor_lists.have_halves([dense, wg.ones(1, dtype=wg.float16, device="meta")])
    assert not tensor_lists.have_halves([dense, wg.ones(1, dtype=wg.float64)])


def test_entries_are_listed_by_name_and_in_the_order_of_the_tensors():
    first, second = leaf(1.0), leaf(2.0)
    a, b, c, d = (wg.ones(1) for _ in range(4))
    states = defaultdict(dict, {second: {"mean": c, "square": d}, first: {"square": b, "mean": a}})
    columns = tensor_lists.entries(states, [first, second], ("mean", "square"))
    assert [[id(value) for value in column] for column in columns] == [[id(a), id(c)], [id(b), id(d)]]
    assert tensor_lists.entries(dict(states), [first], ("mean",))[0][0] is a


@pytest.mark.parametrize("state", [None, {}, {"mean": None}, {"mean": 1.0}, {"other": 1}])
def test_a_missing_entry_is_none_and_begins_no_state(state):
    tensor = leaf(1.0)
    states = defaultdict(dict) if state is None else defaultdict(dict, {tensor: state})
    assert tensor_lists.entries(states, [tensor], ("mean",)) is None
    assert len(states) == (state is not None)


def test_dictionaries_with_a_look_up_of_their_own_are_not_looked_into():
    class Own(dict):
        def __getitem__(self, key):
            return super().__getitem__(key)

    tensor, mean = leaf(1.0), wg.ones(1)
    assert tensor_lists.entries(Own({tensor: {"mean": mean}}), [tensor], ("mean",)) is None
    assert tensor_lists.entries({tensor: Own(mean=mean)}, [tensor], ("mean",)) is None
    assert tensor_lists.entries(OrderedDict({tensor: OrderedDict(mean=mean)}), [tensor], ("mean",)) == [[mean]]
    assert tensor_lists.entries([], [tensor], ("mean",)) is None


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64, wg.int64, wg.float16])
def test_counts_of_all_dtypes_are_incremented_by_one(dtype):
    steps = [wg.tensor(0, dtype=dtype), wg.tensor(7, dtype=dtype)]
    assert tensor_lists.counted(steps) == [1, 8]
    assert [step.item() for step in steps] == [1, 8]


def test_counts_are_those_of_numpy_at_the_limits_of_a_dtype():
    large = [wg.tensor(float(1 << 24)), wg.tensor(2.5, dtype=wg.float64), wg.tensor(-3.0)]
    expected = [int(np.float32(1 << 24) + np.float32(1)), 3, -2]
    assert tensor_lists.counted(large) == expected
    shared = wg.tensor(1.0)
    assert tensor_lists.counted([shared, shared]) == [3, 3]
    with pytest.raises(ValueError, match="NaN"):
        tensor_lists.counted([wg.tensor(float("nan"))])


def test_counts_that_may_not_be_written_to_are_refused():
    array = np.zeros((), np.float32)
    step = wg.from_numpy(array)
    step._array_.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        tensor_lists.counted([step])
    assert array == 0


def test_complex_tensors_are_two_arrays_and_values_are_repeated_for_them():
    real, pair = wg.ones(2), wg.tensor([1 + 2j, 3 + 4j])
    arrays = tensor_lists.real_parts([real, pair])
    assert [array.tolist() for array in arrays] == [[1, 1], [1, 3], [2, 4]]
    arrays[2][...] = 0
    assert pair.tolist() == [1, 3]
    assert tensor_lists.repeated([5, 6], [real, pair]) == [5, 6, 6]


def test_missing_tensors_are_completed_by_arrays():
    known, array = wg.ones(1), np.zeros(2, np.float32)
    arrays = tensor_lists.arrays_of([known, None])
    assert arrays[0] is known._array_ and arrays[1] is None
    complete = tensor_lists.completed([known, None, None], [known._array_, array, None])
    assert complete[0] is known and complete[1]._array_ is array and complete[2] is None


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_each_write_is_counted_once_and_noted_under_anomaly_detection():
    first, second, third = wg.ones(1), wg.ones(1), wg.ones(1)
    tensor_lists.written(([first, second], [None, first], []), "a step")
    assert [tensor._version for tensor in (first, second, third)] == [2, 1, 0]
    x = wg.ones(1, requires_grad=True)
    with wg.autograd.detect_anomaly():
        value = x * 2
        result = value * value
        tensor_lists.written(([value],), "a step")
        with pytest.raises(RuntimeError, match="a step"):
            result.backward()

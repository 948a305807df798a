"""Functions that spread modules over accelerators, where there is none."""

from __future__ import annotations

import importlib
from collections import namedtuple

import pytest

import wengert as wg
from wengert.nn import parallel
from wengert.nn.parallel.scatter_gather import scatter_kwargs

Pair = namedtuple("Pair", "a b")


def test_what_is_no_tensor_is_given_to_each_device() -> None:
    assert parallel.scatter(3, [0, 1]) == [3, 3]
    assert parallel.scatter((1, [2, 3]), [0, 1]) == [(1, [2, 3]), (1, [2, 3])]
    assert parallel.scatter({"a": 1}, [0, 1]) == [{"a": 1}, {"a": 1}]
    assert parallel.scatter(Pair(1, ()), [0, 1]) == [Pair(1, ()), Pair(1, ())]
    assert parallel.gather([None, None], "cpu") is None
    assert parallel.gather([(None,), (None,)], "cpu") == (None,)
    assert parallel.replicate(wg.nn.Linear(2, 2), []) == []


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x, m: parallel.scatter((x, 1), ["cpu"]), ValueError, "Expected a non cpu device"),
        (lambda x, m: parallel.scatter(x, [0]), RuntimeError, "no"),
        (lambda x, m: parallel.gather([{"a": x}, {"a": x}], "cpu"), AssertionError, "not implemented for CPU tensors"),
        (lambda x, m: parallel.gather([{"a": None}, {}], "cpu"), ValueError, "same number of keys"),
        (lambda x, m: parallel.replicate(m, ["cpu"]), ValueError, "Expected a non cpu device"),
        (lambda x, m: parallel.replicate(m, [0]), AssertionError, "not implemented for CPU tensors"),
        (lambda x, m: parallel.parallel_apply([m], [x, x]), AssertionError, "number of modules 1 is not equal"),
        (lambda x, m: parallel.parallel_apply([m], [x]), AssertionError, "No available accelerator found"),
        (lambda x, m: parallel.data_parallel(m, x), RuntimeError, "device type could not be determined"),
    ],
)
def test_tensors_are_refused_with_torchs_errors(call, error, says) -> None:
    with pytest.raises(error, match=says):
        call(wg.ones(4, 2), wg.nn.Linear(2, 2))


def test_arguments_by_name_go_to_as_many_devices_as_those_by_position() -> None:
    assert scatter_kwargs((1, "a"), {"b": 2}, [0, 1]) == (((1, "a"), (1, "a")), ({"b": 2}, {"b": 2}))
    assert scatter_kwargs((), {"c": 3}, [0]) == (((),), ({"c": 3},))
    assert scatter_kwargs((1,), None, [0]) == (((1,),), ({},))
    assert scatter_kwargs((), {}, [0]) == ((), ())


def test_each_function_stands_in_the_module_that_torch_has_for_it() -> None:
    for module, names in {
        "data_parallel": ("DataParallel",),
        "distributed": ("DistributedDataParallel",),
        "scatter_gather": ("scatter", "gather", "scatter_kwargs"),
    }.items():
        found = importlib.import_module(f"wengert.nn.parallel.{module}")
        assert all(hasattr(found, name) for name in names)

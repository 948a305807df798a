"""`debug_unwrap`, and the functions that stand for others in tests of overrides."""

from __future__ import annotations

import inspect

import pytest

import wengert as wg
from wengert.func import debug_unwrap


def test_the_tensor_behind_a_batch_has_all_members():
    seen = []

    def look(x):
        seen.extend((debug_unwrap(x), debug_unwrap(x, recurse=False)))
        return x * 2

    wg.vmap(wg.vmap(look))(wg.arange(4.0).reshape(2, 2))
    assert seen[0].tolist() == [[0, 1], [2, 3]]
    assert repr(seen[1]).startswith("BatchedTensor(lvl=1, bdim=0, value=")


def test_the_tensor_behind_a_derivative_has_no_history():
    seen = []

    def look(x):
        seen.append(debug_unwrap(x))
        return (x * 2).sum()

    x = wg.ones(2)
    wg.func.grad(look)(x)
    wg.func.jvp(look, (x,), (x,))
    assert [repr(each) for each in seen] == ["tensor([1., 1.])"] * 2 and not seen[0].requires_grad
    assert seen[0].data_ptr() == x.data_ptr()


def test_a_tensor_that_nothing_transforms_is_itself():
    x = wg.ones(2, requires_grad=True)
    assert debug_unwrap(x) is x is debug_unwrap(x, recurse=False)
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        debug_unwrap(1)


def test_stand_ins_take_what_the_functions_take():
    found = wg.overrides.get_testing_overrides()
    every = [each for functions in wg.overrides.get_overridable_functions().values() for each in functions]
    assert found.keys() == set(every) and len(found) > 900
    assert found[wg.add](1, 2) == found[wg.nn.functional.relu](1, inplace=True) == -1
    assert list(inspect.signature(found[wg.flip]).parameters) == ["self", "dims"]
    with pytest.raises(TypeError, match="missing a required argument: 'dims'"):
        found[wg.flip](1)

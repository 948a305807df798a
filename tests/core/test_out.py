"""What may be given as `out=`."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("given", [5, "a", 1.5, True, (), [3], {}])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("add", lambda out: wg.add(wg.ones(2), wg.ones(2), out=out)),
        ("sin", lambda out: wg.sin(wg.ones(2), out=out)),
        ("sum", lambda out: wg.sum(wg.ones(2), out=out)),
        ("cat", lambda out: wg.cat([wg.ones(2)], out=out)),
        ("zeros", lambda out: wg.zeros(2, out=out)),
        ("normal", lambda out: wg.normal(wg.ones(2), wg.ones(2), out=out)),
    ],
)
def test_a_single_result_is_written_into_a_tensor_only(name, call, given):
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'out' must be Tensor, not {type(given).__name__}"):
        call(given)


def test_a_tuple_is_not_taken_for_the_one_tensor_in_it():
    kept = wg.zeros(2)
    with pytest.raises(TypeError, match=r"add\(\): argument 'out' must be Tensor, not tuple"):
        wg.add(wg.ones(2), wg.ones(2), out=(kept,))
    assert kept.tolist() == [0.0, 0.0]


def test_several_results_are_written_into_as_many_tensors():
    x = wg.ones(2)
    with pytest.raises(TypeError, match=r"var_mean\(\): argument 'out' must be tuple of Tensors, not int"):
        wg.var_mean(x, out=5)
    with pytest.raises(TypeError, match="expected Tensor as element 1 in 'out', but got int"):
        wg.var_mean(x, out=(wg.ones(()), 3))
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        wg.var_mean(x, out=(wg.ones(()),))


def test_no_output_at_all_may_be_said_by_none():
    assert wg.add(wg.ones(2), wg.ones(2), out=None).tolist() == [2.0, 2.0]

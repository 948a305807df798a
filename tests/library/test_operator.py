"""Operators of a program whose results hold lists, NumPy's numbers among arguments, names with an underscore."""

from collections.abc import Sequence

import numpy as np
import pytest

import wengert as wg


@wg.library.custom_op("_tests_of_lists::parts", mutates_args=())
def parts(x: wg.Tensor, places: Sequence[int]) -> tuple[list[wg.Tensor], int, wg.Tensor]:
    return [each.clone() for each in wg.tensor_split(x, places)], len(places), x * 2


def keep(ctx, inputs, output):
    ctx.told = [type(each).__name__ for each in output]


def back(ctx, grads, count, doubled):
    assert ctx.told == ["list", "int", "Tensor"] and len(grads) == 3
    return wg.cat(list(grads)) + 2 * doubled, None


parts.register_autograd(back, setup_context=keep)


def test_results_in_lists_are_differentiated():
    x = wg.arange(6.0).requires_grad_()
    pieces, count, doubled = parts(x, [1, 3])
    assert isinstance(pieces, list) and count == 2
    assert {type(each.grad_fn).__name__ for each in (*pieces, doubled)} == {
        "GeneratedBackwardFor__tests_of_lists_parts_defaultBackward"
    }
    (pieces[0].sum() + 3 * pieces[2].sum() + doubled.sum()).backward()
    assert x.grad.tolist() == [3.0, 2.0, 2.0, 5.0, 5.0, 5.0]


def test_members_of_a_batch_one_by_one():
    x = wg.arange(12.0).reshape(2, 6)
    pieces, doubled = wg.vmap(lambda x: (lambda made: (made[0], made[2]))(parts(x, [1, 3])))(x)
    assert [tuple(each.shape) for each in pieces] == [(2, 1), (2, 2), (2, 3)]
    assert doubled.equal(x * 2)


def test_numbers_of_numpy_are_numbers():
    pieces, count, _ = parts(wg.arange(6.0), list(np.array([1, 3])))
    assert len(pieces) == 3 and count == 2
    for wrong in ([2.0], [np.float64(2)], np.array([1, 3.5])):
        with pytest.raises(RuntimeError, match=r"Expected a value of type 'List\[int\]' for argument 'places'"):
            parts(wg.arange(6.0), wrong)


def test_a_namespace_may_begin_with_an_underscore():
    pieces, _, _ = wg.ops._tests_of_lists.parts(wg.arange(6.0), [2])
    assert [each.tolist() for each in pieces] == [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]
    with pytest.raises(AttributeError):
        wg.ops.__tests_of_lists__  # noqa: B018

"""Derivatives of writes where an index says, of sources that the index reads in part or not at all."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert.testing import Call, check_first_order, check_second_order
from wengert.testing.batching import check_batched, check_batched_tangents
from wengert.testing.forward import check_forward, check_forward_second_order

SHAPES = {  # self, dimension, index, source
    "an empty index and one element": ((4,), 0, [], (1,)),
    "an empty index and three elements": ((4,), 0, [], (3,)),
    "an empty index and an empty source": ((4,), 0, [], (0,)),
    "no rows": ((3, 4), 0, [[], []], (2, 3)),
    "another number of dimensions": ((3, 4), 0, [], (2, 3)),
    "a longer source": ((4,), 0, [1, 0], (3,)),
    "a source that is longer both ways": ((3, 4), 1, [[1, 0], [2, 3]], (3, 5)),
    "a source with more rows": ((3, 4), 0, [[1, 0], [2, 2]], (5, 2)),
    "numbers alone": ((), 0, 0, ()),
    "a number and a vector": ((), 0, 0, (1,)),
    "a vector at a number": ((3,), 0, 1, (1,)),
    "a longer vector at a number": ((3,), 0, 1, (2,)),
    "a number at a vector": ((3,), 0, [1], ()),
}
OPERATORS = {
    "scatter": wg.scatter,
    "scatter_add": wg.scatter_add,
    **{
        f"scatter_reduce {reduce}{'' if kept else ' alone'}": (
            lambda self, dim, index, src, reduce=reduce, kept=kept: self.scatter_reduce(
                dim, index, src, reduce, include_self=kept
            )
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for kept in (True, False)
    },
}


def values(shape, start, requires_grad=True):
    count = math.prod(shape)
    array = start + 0.37 * np.random.default_rng(count).permutation(count)
    return wg.tensor(array.reshape(shape), dtype=wg.float64, requires_grad=requires_grad)


def call_of(operator, shapes, requires_grad=True):
    own, dim, index, source = SHAPES[shapes]
    index = wg.tensor(index, dtype=wg.int64)
    function = OPERATORS[operator]
    given = (values(own, 0.5, requires_grad), values(source, 1.13, requires_grad))
    return Call(lambda self, src: function(self, dim, index, src), given)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("operator", OPERATORS)
class TestSources:
    def test_gradients_have_the_shape_of_the_source_and_zeros_where_it_is_not_read(self, operator, shapes):
        call = call_of(operator, shapes)
        assert check_first_order(call)
        _, _, index, source = SHAPES[shapes]
        (grad,) = wg.autograd.grad(call.run().sum(), call.args[1])
        assert grad.shape == source
        if not np.size(index):
            assert not grad.any()

    def test_second_derivatives_are_right(self, operator, shapes):
        assert check_second_order(call_of(operator, shapes))

    def test_tangents_are_right_to_the_second_order(self, operator, shapes):
        assert check_forward(call_of(operator, shapes))
        assert check_forward_second_order(call_of(operator, shapes))


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("operator", ["scatter", "scatter_add", "scatter_reduce prod", "scatter_reduce amax alone"])
def test_a_batch_gives_what_each_member_gives(operator, shapes):
    assert check_batched(call_of(operator, shapes))
    check_batched_tangents(call_of(operator, shapes))


@pytest.mark.parametrize(
    ("own", "index", "source"), [((4,), 1, ()), ((4,), [1], ()), ((), [0], (1,)), ((), 0, ()), ((4, 2), [], (0, 2))]
)
def test_slices_without_dimensions_are_copied_for_a_batch(own, index, source):
    index = wg.tensor(index, dtype=wg.int64)
    given = (values(own, 0.5), values(source, 1.13))
    call = Call(lambda self, src: self.index_copy(0, index, src), given)
    assert check_first_order(call)
    assert check_forward(call)
    assert check_batched(call)


READS = {
    "gather": lambda self: self.gather(1, wg.tensor([[2, 2], [0, 1]])),
    "gather of nothing": lambda self: self.gather(0, wg.empty((0, 2), dtype=wg.int64)),
    "take_along_dim": lambda self: wg.take_along_dim(self, wg.tensor([[2]]), 0),
    "take_along_dim of all": lambda self: wg.take_along_dim(self, wg.tensor([5, 1, 5])),
    "take of nothing": lambda self: self.take(wg.empty(0, dtype=wg.int64)),
    "index_select of nothing": lambda self: self.index_select(1, wg.empty(0, dtype=wg.int64)),
    "index of nothing": lambda self: self[wg.empty(0, dtype=wg.int64)],
}


@pytest.mark.parametrize("name", READS)
def test_reads_of_a_part_give_zeros_for_the_rest(name):
    call = Call(READS[name], (values((4, 3), 0.5),))
    check_first_order(call)
    check_second_order(call)
    check_forward(call)
    check_batched(call)
    (grad,) = wg.autograd.grad(call.run().sum(), call.args[0])
    assert grad.shape == (4, 3)


def test_a_source_without_dimensions_may_be_added_by_an_index_of_one_element():
    x, source = (wg.tensor(2.0, requires_grad=True) for _ in range(2))
    made = x.scatter_add(0, wg.tensor([0]), source)
    assert [each.item() for each in wg.autograd.grad(made, [x, source])] == [1, 1]


@pytest.mark.parametrize("dtype", [wg.uint8, wg.bool, wg.float32])
def test_nothing_is_scattered_by_an_empty_index_of_any_dtype(dtype):
    x, index = wg.arange(3.0), wg.tensor([], dtype=dtype)
    for made in (x.scatter(0, index, wg.tensor([])), x.scatter(0, index, 1.0), x.scatter_add(0, index, wg.tensor([]))):
        assert made.tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64 for index"):
        x.scatter(0, wg.tensor([0]).to(dtype), 1.0)


@pytest.mark.parametrize("dtype", [wg.float32, wg.bool, wg.int64])
def test_one_place_without_dimensions_gets_the_first_of_several_elements(dtype):
    source, index = wg.tensor([1, 0, 1]).to(dtype), wg.tensor(1)
    assert wg.zeros(2).to(dtype).scatter_add(0, index, source).tolist() == [0, 1]
    assert wg.zeros(2).to(dtype).scatter_add_(0, index, source).tolist() == [0, 1]

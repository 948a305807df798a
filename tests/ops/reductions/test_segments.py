"""Reductions of segments beside their definition: segment by segment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

KINDS = ("sum", "mean", "max", "min", "prod")
EMPTY = {"sum": 0.0, "mean": np.nan, "max": -np.inf, "min": np.inf, "prod": 1.0}


def data(count, zeros=()):
    values = np.random.default_rng(count).normal(size=(count, 2))
    values[list(zeros)] = 0
    return wg.tensor(values, requires_grad=True)


def defined(rows, kind):
    if not len(rows):
        return rows.new_full((2,), EMPTY[kind])
    found = getattr(rows, kind)(0)
    return found if kind in ("sum", "mean", "prod") else found.values


@pytest.mark.parametrize("kind", KINDS)
@given(lengths=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_a_segment_gives_what_its_rows_give_and_so_do_its_gradients(kind, lengths):
    rows = data(sum(lengths), zeros=[0] if lengths[0] else [])
    made = wg.segment_reduce(rows, kind, lengths=wg.tensor(lengths))
    expected = wg.stack([defined(part, kind) for part in rows.split(lengths)])
    assert np.allclose(made.detach().numpy(), expected.detach().numpy(), equal_nan=True)
    factors = (wg.arange(1.0, made.numel() + 1).reshape(made.shape)).where(made.isfinite(), 0).double()
    seen = wg.tensor([length > 0 for length in lengths]).unsqueeze(-1)
    (first,) = wg.autograd.grad((made.where(seen, 0) * factors).sum(), rows)
    (second,) = wg.autograd.grad((expected.where(seen, 0) * factors).sum() + 0 * rows.sum(), rows)
    assert np.allclose(first.numpy(), second.numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_many_at_once_give_what_each_gives(kind):
    rows = wg.stack([data(5).detach(), data(5, zeros=[1]).detach(), data(5, zeros=[0, 1]).detach()])
    lengths = wg.tensor([[2, 0, 3], [1, 4, 0], [2, 2, 1]])

    def slope(part, own):
        def total(x):
            return wg.segment_reduce(x, kind, lengths=own, initial=2.0).sum()

        return wg.func.grad(total)(part)

    found = wg.vmap(slope)(rows, lengths)
    expected = wg.stack([slope(*each) for each in zip(rows, lengths, strict=True)])
    assert np.allclose(found.numpy(), expected.numpy())


def test_a_maximum_is_shared_by_those_that_reach_it_and_by_none_if_the_initial_value_is_larger():
    rows = wg.tensor([1.0, 3.0, 3.0, 2.0], requires_grad=True)
    for initial, shares in ((None, [0, 0.5, 0.5, 0]), (3.0, [0, 0.5, 0.5, 0]), (5.0, [0, 0, 0, 0])):
        made = wg.segment_reduce(rows, "max", lengths=wg.tensor([4]), initial=initial)
        assert wg.autograd.grad(made.sum(), rows)[0].tolist() == shares


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"lengths": wg.tensor([5])}, "to sum to data.size"),
        ({"lengths": wg.tensor([7, -1])}, "lengths contains negative value!"),
        ({"lengths": wg.tensor([[6]])}, "Expected axis to be the last dimension of lengths but got 0"),
        ({"offsets": wg.tensor([0, 9])}, "segments must be within 6 steps"),
        ({"offsets": wg.tensor([-1, 6])}, "segments must be within 6 steps"),
        ({"lengths": wg.tensor([6]), "indices": wg.tensor([0])}, "indices based reduction is not supported yet"),
        ({}, "Either lengths or offsets must be defined"),
    ],
)
def test_bad_segments_are_refused(options, says):
    with pytest.raises(RuntimeError, match=says):
        wg.segment_reduce(data(6), "sum", **options)


@pytest.mark.parametrize("name", ["lengths", "offsets"])
def test_segments_that_are_no_tensor_are_refused(name):
    with pytest.raises(TypeError, match=f"argument '{name}' must be Tensor, not bytes"):
        wg.segment_reduce(wg.ones(3), "sum", **{name: b"abc"})


@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "max", "min"])
def test_what_lies_before_the_first_segment_or_behind_the_last_has_no_gradient(reduce):
    x = wg.tensor([5.0, 2.0, 3.0, 4.0, 1.0], requires_grad=True)
    made = wg.segment_reduce(x, reduce, offsets=wg.tensor([1, 3, 4]))
    wanted = [getattr(x[1:3], reduce)(), x[3]]
    assert made.tolist() == [each.item() for each in wanted]
    assert wg.autograd.grad(made.sum(), x)[0].tolist() == wg.autograd.grad(sum(wanted), x)[0].tolist()


ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


def test_segments_have_a_number_to_begin_with_and_an_end():
    for initial in (wg.tensor([2.0]), "a"):
        with pytest.raises(TypeError, match=r"argument 'initial' .*must be Number"):
            wg.segment_reduce(ROW, "max", lengths=wg.tensor([2]), initial=initial)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        wg.segment_reduce(ROW, "max", offsets=wg.tensor([], dtype=wg.int64))


@pytest.mark.parametrize("kind", ["max", "min"])
def test_what_is_no_number_reaches_the_largest_element_of_its_segment(kind):
    x = wg.tensor([1.0, math.nan, 2.0, 3.0], requires_grad=True)
    wg.segment_reduce(x, kind, lengths=wg.tensor([2, 2])).sum().backward()
    assert x.grad.tolist() == [0, 1, *((0, 1) if kind == "max" else (1, 0))]


def test_what_is_no_number_is_left_out_of_its_own_slope_in_a_product():
    x = wg.tensor([2.0, math.nan, 0.0, math.nan, 0.0, 3.0], requires_grad=True)
    wg.segment_reduce(x, "prod", lengths=wg.tensor([2, 2, 2])).sum().backward()
    assert [str(each) for each in x.grad.tolist()] == ["nan", "2.0", "nan", "0.0", "3.0", "0.0"]


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min", "prod"])
def test_segments_of_rows_without_elements_have_none(kind):
    assert wg.segment_reduce(wg.ones(3, 0, 2), kind, lengths=wg.tensor([1, 0, 2])).shape == (3, 0, 2)

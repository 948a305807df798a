"""Bags of rows of a table: every mode beside its definition, also for many tables and bags at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
import wengert.nn.functional as F
from wengert.nn import functional

MODES = ("sum", "mean", "max")


@st.composite
def bags(draw):
    """Row numbers of a table of five rows, and where bags begin."""
    count = draw(st.integers(0, 8))
    rows = draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    starts = sorted(draw(st.lists(st.integers(0, count), max_size=4)))
    return wg.tensor(rows, dtype=wg.int64), wg.tensor([0, *starts])


def table(seed=0):
    return wg.tensor(np.random.default_rng(seed).normal(size=(5, 3)), requires_grad=True)


def defined(rows, weight, offsets, mode, padding):
    """What is meant: bag by bag."""
    ends = [*offsets.tolist()[1:], len(rows)]
    made = []
    for start, end in zip(offsets.tolist(), ends, strict=True):
        used = [weight[row] for row in rows.tolist()[start:end] if row != padding]
        if not used:
            made.append(weight.new_zeros(3))
        else:
            stacked = wg.stack(used)
            made.append(stacked.amax(0) if mode == "max" else getattr(stacked, mode)(0))
    return wg.stack(made)


@pytest.mark.parametrize("mode", MODES)
@given(given_bags=bags(), padding=st.sampled_from([None, 2]))
def test_a_bag_is_what_its_definition_says_and_so_are_its_gradients(mode, given_bags, padding):
    rows, offsets = given_bags
    weight = table()
    made = F.embedding_bag(rows, weight, offsets, mode=mode, padding_idx=padding)
    expected = defined(rows, weight, offsets, mode, padding)
    assert np.allclose(made.detach().numpy(), expected.detach().numpy())
    factors = wg.arange(1.0, made.numel() + 1, dtype=wg.float64).reshape(made.shape)
    (first,) = wg.autograd.grad((made * factors).sum(), weight)
    unused = (expected * factors).sum() + 0 * weight.sum()
    if mode != "max":  # where a row is in a bag twice, the definition shares a maximum
        assert np.allclose(first.numpy(), wg.autograd.grad(unused, weight)[0].numpy())
    assert wg.autograd.gradcheck(lambda w: F.embedding_bag(rows, w, offsets, mode=mode, padding_idx=padding), weight)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize("last", [False, True])
def test_many_tables_and_bags_at_once_give_what_each_gives(mode, padding, last):
    weights = wg.stack([table(seed).detach() for seed in range(3)])
    rows = wg.tensor([[0, 2, 4, 1], [2, 2, 2, 2], [3, 3, 0, 1]])
    offsets = wg.tensor([[0, 1, 3], [0, 0, 4], [0, 2, 2]])

    def one(weight, row, offset):
        return F.embedding_bag(row, weight, offset, mode=mode, padding_idx=padding, include_last_offset=last)

    found = wg.vmap(one)(weights, rows, offsets)
    expected = wg.stack([one(*each) for each in zip(weights, rows, offsets, strict=True)])
    assert np.allclose(found.numpy(), expected.numpy())


def test_factors_of_rows_have_gradients_and_rows_of_padding_none():
    weight, factors = table(), wg.tensor([1.0, 2.0, 3.0], dtype=wg.float64, requires_grad=True)
    rows, offsets = wg.tensor([1, 2, 1]), wg.tensor([0, 1])
    made = F.embedding_bag(rows, weight, offsets, mode="sum", per_sample_weights=factors, padding_idx=2)
    assert np.allclose(made[1].detach().numpy(), 3 * weight[1].detach().numpy())
    made.sum().backward()
    assert factors.grad.tolist()[1] == 0.0
    assert factors.grad[0].item() == pytest.approx(weight[1].sum().item())


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: F.embedding_bag(wg.tensor([0]), table()), ValueError, "offsets has to be a 1D Tensor but got None"),
        (lambda: F.embedding_bag(wg.tensor([[[0]]]), table()), ValueError, "input has to be 1D or 2D Tensor"),
        (lambda: F.embedding_bag(wg.tensor([[0]]), table(), wg.tensor([0])), ValueError, "if input is 2D, then"),
        (lambda: F.embedding_bag(wg.tensor([5]), table(), wg.tensor([0])), RuntimeError, r"not in the valid range"),
        (lambda: F.embedding_bag(wg.tensor([0]), table(), wg.tensor([1])), RuntimeError, r"offsets\[0\] has to be 0"),
        (lambda: F.embedding_bag(wg.tensor([0]), table(), wg.tensor([0, 9])), RuntimeError, "can not be greater"),
        (lambda: F.embedding_bag(wg.tensor([[0]]), table(), padding_idx=5), RuntimeError, "-5 through 4, but got 5"),
    ],
)
def test_bad_bags_are_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_maximum_is_nan_where_the_first_row_of_the_bag_is():
    table = wg.tensor([[1.0, 4.0], [math.nan, 2.0], [3.0, math.nan]], requires_grad=True)
    made = F.embedding_bag(wg.tensor([1, 0, 0, 1, 2]), table, wg.tensor([0, 2]), mode="max")
    assert [str(each) for each in made.flatten().tolist()] == ["nan", "4.0", "3.0", "4.0"]
    made.sum().backward()
    assert table.grad.tolist() == [[0, 2], [1, 0], [1, 0]]


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32, wg.float64], ids=str)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("padding", [None, 1, -1])
@pytest.mark.parametrize("offsets", [[0, 0, 3, 6], [0, 2, 2, 4], [0, 6, 6], [0, 5]])
@pytest.mark.parametrize("last", [False, True])
def test_bags_of_every_dtype_are_those_of_float64_rounded(dtype, mode, padding, offsets, last):
    rows, starts = wg.tensor([0, 1, 2, 2, 5, 1]), wg.tensor(offsets)
    tables = [(wg.arange(18.0).view(6, 3) / 7).to(dtype).to(kind).requires_grad_() for kind in (dtype, wg.float64)]
    factors = [(wg.arange(1.0, 7.0) / 3).to(dtype).to(kind).requires_grad_() for kind in (dtype, wg.float64)]
    for weighted in (False, True) if mode == "sum" else (False,):
        results = []
        for weight, factor in zip(tables, factors, strict=True):
            extra = {"per_sample_weights": factor} if weighted else {}
            how = {"mode": mode, "padding_idx": padding, "include_last_offset": last, **extra}
            made = F.embedding_bag(rows, weight, starts, **how)
            assert made.dtype is weight.dtype and made.shape == (len(offsets) - last, 3)
            inputs = (weight, factor) if weighted else (weight,)
            results.append((made, *wg.autograd.grad(made, inputs, wg.ones_like(made))))
        for found, exact in zip(*results, strict=True):
            assert found.dtype is dtype
            assert wg.allclose(found.double(), exact, rtol=float(wg.finfo(dtype).eps), atol=float(wg.finfo(dtype).eps))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("padding", [None, 2])
def test_the_last_offset_ends_the_last_bag(mode, padding):
    rows, weight = wg.tensor([0, 1, 2, 2, 4, 1, 3]), table()
    for bounds in ([0, 7], [0, 3, 7], [0, 3, 5], [0, 0, 4, 4]):
        made = F.embedding_bag(
            rows, weight, wg.tensor(bounds), mode=mode, include_last_offset=True, padding_idx=padding
        )
        expected = defined(rows[: bounds[-1]], weight, wg.tensor(bounds[:-1]), mode, padding)
        assert wg.allclose(made, expected)


NONE = wg.tensor([], dtype=wg.int64)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_without_offsets_there_are_no_bags(mode):
    table = wg.ones(5, 3, requires_grad=True)
    made = functional.embedding_bag(wg.tensor([0, 1]), table, NONE, mode=mode)
    made.sum().backward()
    assert made.shape == (0, 3)
    assert table.grad.tolist() == wg.zeros(5, 3).tolist()
    with pytest.raises(RuntimeError, match="include_last_offset: number of offset should be at least 1"):
        functional.embedding_bag(NONE, table, NONE, mode=mode, include_last_offset=True)


def test_numbers_of_rows_and_places_of_bags_meet_in_a_common_dtype():
    table, places = wg.arange(6.0).reshape(3, 2), wg.tensor([0, 2])
    made = F.embedding_bag(wg.tensor([0, 1, 1], dtype=wg.uint8), table, places, mode="sum")
    assert made.tolist() == [[2, 4], [2, 3]]
    with pytest.raises(RuntimeError, match="Long, Int"):
        F.embedding_bag(wg.tensor([0, 1, 1], dtype=wg.uint8), table, places.to(wg.uint8))

"""Random programs with checkpoints within checkpoints give the derivatives of the same programs without any."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.utils.checkpoint import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")


def doubled_in_place(x, weight):
    y = x.clone()
    y.mul_(2)
    return y


def part_written(x, weight):
    y = x * weight
    y[1:3] = x[:2].cos()
    return y


def part_scaled(x, weight):
    y = x.sin()
    y[::2].mul_(weight[::2])
    return y


def dropped(x, weight):
    return x * (wg.rand(4, dtype=wg.float64) > 0.4)


STEPS = {
    "sin": lambda x, weight: x.sin(),
    "sigmoid": lambda x, weight: x.sigmoid(),
    "weighted": lambda x, weight: x * weight,
    "squared": lambda x, weight: x * x * 0.5,
    "shaped": lambda x, weight: (x.reshape(2, 2) @ weight.reshape(2, 2)).tanh().reshape(4),
    "split": lambda x, weight: sum(each.sum() for each in x.split(2)) * weight,
    "softmax": lambda x, weight: x.softmax(0),
    "doubled in place": doubled_in_place,
    "part written": part_written,
    "part scaled": part_scaled,
    "dropped": dropped,
}

programs = st.recursive(
    st.sampled_from(sorted(STEPS)),
    lambda inner: st.tuples(st.sampled_from(["plain", "saving", "reentrant"]), st.lists(inner, min_size=1, max_size=4)),
    max_leaves=12,
)


def run(program, x, weight, forms):
    """Run a program; `forms` says what to do at a checkpoint."""
    if isinstance(program, str):
        return STEPS[program](x, weight)
    form, parts = program

    def body(x, weight):
        for part in parts:
            x = run(part, x, weight, forms)
        return x

    if form not in forms:
        return body(x, weight)
    return checkpoint(body, x, weight, use_reentrant=form == "reentrant")


def leaves():
    wg.manual_seed(5)
    x = wg.tensor([0.3, -0.7, 1.1, 0.5], dtype=wg.float64, requires_grad=True)
    return x, wg.tensor([0.9, 1.2, -0.4, 0.8], dtype=wg.float64, requires_grad=True)


def first(program, forms):
    x, weight = leaves()
    y = run(program, x * 1.0, weight, forms).sum()
    y.backward()
    return [y.detach(), *[wg.zeros_like(each) if each.grad is None else each.grad for each in (x, weight)]]


def second(program, forms):
    x, weight = leaves()
    y = run(program, x * 1.0, weight, forms).sum()
    grads = wg.autograd.grad(y, (x, weight), create_graph=True, materialize_grads=True)
    total = sum((each * each).sum() for each in grads)
    if not total.requires_grad:
        return list(grads)
    return list(wg.autograd.grad(total, (x, weight), materialize_grads=True))


def assert_equal(found, expected):
    for got, wanted in zip(found, expected, strict=True):
        assert wg.allclose(got, wanted, rtol=1e-10, atol=1e-12)


@given(st.lists(programs, min_size=1, max_size=4))
def test_gradients_are_those_without_checkpoints(parts):
    program = ("plain", parts)
    assert_equal(first(program, ("saving", "reentrant")), first(program, ()))


@given(st.lists(programs, min_size=1, max_size=4))
def test_second_derivatives_are_those_without_checkpoints(parts):
    program = ("plain", parts)
    assert_equal(second(program, ("saving",)), second(program, ()))

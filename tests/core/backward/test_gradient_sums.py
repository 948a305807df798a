"""Gradients that meet: added in the engine's own memory, equal to what the operator gives; the order of ready nodes."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

import wengert as wg
from wengert._core.backward.ready import new_ready
from wengert._core.tensor.slots import OPERATORS
from wengert.autograd import Function

DTYPES = [wg.float16, wg.float32, wg.float64, wg.complex64, wg.complex128]


def drawn(shape, dtype, seed):
    draw = np.random.default_rng(seed)
    values = draw.standard_normal(shape) + (1j * draw.standard_normal(shape) if dtype.is_complex else 0)
    return wg.tensor(values).to(dtype)


LAYOUTS = {
    "rows": lambda shape, dtype, seed: drawn(shape, dtype, seed),
    "columns": lambda shape, dtype, seed: drawn(shape[::-1], dtype, seed).permute(tuple(range(len(shape)))[::-1]),
    "expanded": lambda shape, dtype, seed: drawn((), dtype, seed).expand(shape),
    "a part": lambda shape, dtype, seed: drawn((*shape, 2), dtype, seed)[..., 0],
    "reversed": lambda shape, dtype, seed: drawn(shape, dtype, seed).flip(0) if shape else drawn(shape, dtype, seed),
}


@pytest.fixture
def added_into(monkeypatch):
    """How many elements each sum had that was written into one of its gradients."""
    sizes = []
    kernel = OPERATORS.add_into

    def counted(array, other, out):
        sizes.append(array.size)
        return kernel(array, other, out)

    monkeypatch.setattr(OPERATORS, "add_into", counted)
    return sizes


def uses(x, factors):
    """A sum of many uses of `x`, whose gradients differ and meet in the order of the factors, backwards."""
    inner = x * 1
    total = inner * factors[0]
    for factor in factors[1:]:
        total = total + inner * factor
    return total


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (2, 1, 3), (0,), (2, 0), (70, 300)], ids=str)
def test_a_sum_in_memory_equals_that_of_the_operator(shape, dtype, layout, added_into):
    factors = [LAYOUTS[layout](shape, dtype, seed) for seed in range(4)]
    x = drawn(shape, dtype, 9).requires_grad_()
    given = LAYOUTS[layout](shape, dtype, 5)
    (ours,) = wg.autograd.grad(uses(x, factors), x, given)
    assert added_into == [x.numel()] * 3
    (theirs,) = wg.autograd.grad(uses(x, factors), x, given, create_graph=True)
    assert ours.dtype == theirs.dtype == dtype
    assert ours.tolist() == theirs.tolist()


def test_infinities_and_nan_meet_in_silence():
    x = wg.ones(2, requires_grad=True)
    factors = [wg.tensor([np.inf, np.nan]), wg.tensor([-np.inf, 1.0]), wg.tensor([1.0, 1.0])]
    uses(x, factors).sum().backward()
    assert np.isnan(x.grad.numpy()).all()


class Twice(Function):
    """Gives the same gradient to both inputs."""

    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad):
        made = grad * 2
        return made, made


@pytest.mark.parametrize("first", [True, False])
def test_nothing_is_added_into_a_gradient_that_goes_to_two_places(first):
    x = wg.ones(3, requires_grad=True)
    y = wg.ones(3, requires_grad=True)
    a, b = x * 1, y * 1
    if first:
        loss = Twice.apply(a, b).sum() + (a * 5).sum()
    else:
        product = (a * 5).sum()
        loss = Twice.apply(a, b).sum() + product
    loss.backward()
    assert x.grad.tolist() == [7.0] * 3
    assert y.grad.tolist() == [2.0] * 3


def test_nothing_is_added_into_a_gradient_that_a_sum_hands_to_both_operands():
    x, y = wg.ones(3, requires_grad=True), wg.ones(3, requires_grad=True)
    a, b = x * 1, y * 1
    product = a * 5
    (((a + b) * 3) + product).sum().backward()
    assert x.grad.tolist() == [8.0] * 3
    assert y.grad.tolist() == [3.0] * 3


def test_nothing_is_added_into_a_gradient_that_a_hook_has_seen():
    x = wg.ones(3, requires_grad=True)
    inner = x * 1
    seen = []
    older, newer = inner * 2, inner * 3
    for each in (older, newer, inner):
        each.register_hook(seen.append)
    (older * 4 + newer * 5).sum().backward()
    assert [each.tolist() for each in seen] == [[5.0] * 3, [4.0] * 3, [23.0] * 3]


def test_observers_see_the_sums_of_gradients():
    names = []

    def watch(op, args, proceed):
        names.append(op.name)
        return proceed()

    from wengert._core.state.modes import current

    x = wg.ones(3, requires_grad=True)
    loss = uses(x, [2.0, 3.0, 4.0]).sum()
    before = current().observe([watch])
    try:
        loss.backward()
    finally:
        current().observe(before)
    assert names.count("add") == 2
    assert x.grad.tolist() == [9.0] * 3


@pytest.mark.parametrize("place", ["at the root", "in the middle"])
def test_a_pass_over_the_graph_of_the_pass_that_it_lies_in_gives_its_own_gradients(place):
    x = wg.ones(2, requires_grad=True)
    middle = x * 2
    loss = (middle * 3 + middle * 4).sum()
    begun, inner = [], []

    def again(grad):
        if len(begun) < 3:
            begun.append(None)
            inner.append(wg.autograd.grad(loss, x, retain_graph=True)[0].tolist())

    handle = (loss if place == "at the root" else middle).register_hook(again)
    loss.backward(retain_graph=True)
    assert inner == [[14.0] * 2] * 3
    assert x.grad.tolist() == [14.0] * 2
    handle.remove()
    x.grad = None
    loss.backward()
    assert x.grad.tolist() == [14.0] * 2


class Fails(Function):
    """Raises as long as its node says so."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        if ctx.failing:
            raise ValueError("no")
        return grad


def test_gradients_that_wait_where_a_pass_fails_are_freed_although_the_graph_lives_on():
    waiting = []

    x = wg.ones(3, requires_grad=True)
    older = x * 2
    failing = Fails.apply(x)
    failing.grad_fn.failing = True
    loss = (older + failing * 3).sum()

    class Marks(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            made = grad * 2
            waiting.append(weakref.ref(made))
            return made

    loss = loss + Marks.apply(older).sum()
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            loss.backward(retain_graph=True)
    gc.collect()
    assert len(waiting) == 2
    assert all(each() is None for each in waiting)
    failing.grad_fn.failing = False
    loss.backward()
    assert x.grad.tolist() == [9.0] * 3


@pytest.mark.parametrize("seed", range(20))
def test_the_newest_ready_node_comes_next_whenever_the_others_came(seed):
    choose = random.Random(seed)
    x = wg.ones((), requires_grad=True)
    nodes = [(x * 1).grad_fn for _ in range(60)]
    choose.shuffle(nodes)
    ready, waiting = new_ready(), []
    while nodes or waiting:
        if nodes and (not waiting or choose.random() < 0.6):
            waiting.append(nodes.pop())
            ready.push(waiting[-1])
        else:
            newest = max(waiting, key=lambda node: node._sequence_nr())
            assert ready.pop() is newest
            waiting.remove(newest)
    assert ready.newest is None
    assert ready.size == 0
    assert all(each is None for each in ready.heap)


SINGLE = {
    "the last of a stack": lambda total, size: wg.stack([wg.ones((), dtype=wg.float64)] * (size - 1) + [total])[-1],
    "a place of a buffer": lambda total, size: written(size, total).sin().sum(),
    "the real part": lambda total, size: (total * (1 + 2j)).real,
    "the imaginary part": lambda total, size: (total * (1 + 2j)).sin().imag,
    "a diagonal": lambda total, size: (total.expand(1, 1).diag_embed() * wg.ones(1, size, size).double())[0, 0, -1],
}
"""Numbers made from a sum so that its gradient, one number, lies in memory as large as what it is expanded to."""
OTHERS = {
    "all": lambda x: x * x,
    "one": lambda x: x[0] * x[0],
    "every second": lambda x: x[::2].sin(),
    "a column": lambda x: x.reshape(-1, 1)[:, 0].cos(),
}
"""Other uses of what is summed."""


def written(size, value):
    """Ones, with a value in the last place."""
    buffer = wg.ones(size, dtype=wg.float64)
    buffer[-1:] += value
    return buffer


@pytest.mark.parametrize("later", [False, True], ids=["sum first", "sum last"])
@pytest.mark.parametrize("inner", [False, True], ids=["leaf", "inner"])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("single", SINGLE)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_nothing_is_added_into_an_expanded_gradient(size, single, other, inner, later):
    def f(x):
        x = x * 1 if inner else x
        if later:
            again = OTHERS[other](x).sum()
            return SINGLE[single](x.sum(), size) + again
        return SINGLE[single](x.sum(), size) + OTHERS[other](x).sum()

    x = drawn((size,), wg.float64, 3)
    expected = [wg.func.jvp(f, (x,), (unit,))[1].item() for unit in wg.eye(size, dtype=wg.float64)]
    leaf = x.clone().requires_grad_()
    for passes in (1, 2):
        f(leaf).backward()
        np.testing.assert_allclose(leaf.grad.numpy(), np.multiply(expected, passes), rtol=1e-12)
    np.testing.assert_allclose(wg.autograd.grad(f(leaf), leaf)[0].numpy(), expected, rtol=1e-12)

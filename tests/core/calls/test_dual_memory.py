"""Tangents in memory: written to where their tensors are, on memory of their own unless their tensors are views."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.autograd.forward_ad import dual_level, make_dual, unpack_dual
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap

x = wg.tensor([1.0, 2.0], dtype=wg.float64)


# ---- buffers made inside, whose tangents come batched ----------------------------------------------------------------


def zeros_like_x():
    return wg.zeros(2, dtype=wg.float64)


FIRST_WRITES = {
    "add_": lambda h, x: h.add_(x),
    "copy_": lambda h, x: h.copy_(x),
    "whole": lambda h, x: h.__setitem__(slice(None), x),
    "fill_": lambda h, x: h.fill_(x[0]),
    "lerp_": lambda h, x: h.lerp_(x, 0.5),
    "addcmul_": lambda h, x: h.addcmul_(x, x),
    "index_add_": lambda h, x: h.index_add_(0, wg.tensor([1, 0]), x),
    "index_put_": lambda h, x: h.index_put_((wg.tensor([1, 0]),), x),
    "scatter_": lambda h, x: h.scatter_(0, wg.tensor([1, 0]), x),
    "masked_fill_": lambda h, x: h.masked_fill_(wg.tensor([True, False]), x[1]),
    "by element": lambda h, x: (h[0].add_(x[0]), h[1].add_(x[1])),
    "view first": lambda h, x: h.view(1, 2)[0].add_(x),
}
SECOND_WRITES = {
    "mul_": lambda h, x: h.mul_(3.0),
    "mul_ by x": lambda h, x: h.mul_(x),
    "add_": lambda h, x: h.add_(x),
    "sin_": lambda h, x: h.sin_(),
    "addcmul_": lambda h, x: h.addcmul_(x, x),
    "lerp_": lambda h, x: h.lerp_(x, 0.25),
    "element": lambda h, x: h[1].mul_(x[0]),
    "index_put_": lambda h, x: h.index_put_((wg.tensor([0]),), x[1:], accumulate=True),
    "masked_fill_": lambda h, x: h.masked_fill_(wg.tensor([True, False]), 2.0),
    "zero_": lambda h, x: h[:1].zero_(),
    "nothing": lambda h, x: None,
}


@pytest.mark.parametrize("second", SECOND_WRITES)
@pytest.mark.parametrize("first", FIRST_WRITES)
def test_a_buffer_keeps_its_tangents_over_several_writes(first, second):
    def f(x):
        h = zeros_like_x()
        view = h[1:]
        FIRST_WRITES[first](h, x)
        SECOND_WRITES[second](h, x)
        SECOND_WRITES[second](h, x)
        return (h * x).sum() + (view * view).sum()

    expected = jacrev(f)(x)
    assert wg.allclose(jacfwd(f)(x), expected)
    directions = wg.eye(2, dtype=wg.float64)
    assert wg.allclose(vmap(lambda way: jvp(f, (x,), (way,))[1])(directions), expected)
    found = wg.autograd.functional.jacobian(f, x, vectorize=True, strategy="forward-mode")
    assert wg.allclose(found, expected)
    second_order = jacrev(jacrev(f))(x)
    assert wg.allclose(hessian(f)(x), second_order)
    assert wg.allclose(jacfwd(jacfwd(f))(x), second_order)
    assert wg.allclose(jacrev(jacfwd(f))(x), second_order)


def test_the_first_batched_tangent_stays_after_the_next_write():
    def f(x):
        h = wg.zeros(2)
        h += x
        h *= 3
        return h.sum()

    assert jacfwd(f)(wg.tensor([1.0, 2.0])).tolist() == [3.0, 3.0]


def test_accumulators_and_euler_steps_have_the_right_jacobians():
    def accumulated(x):
        s = wg.zeros((), dtype=wg.float64)
        s += x[0]
        s += x[1]
        return s * s

    def euler(p):
        u = zeros_like_x()
        for _ in range(3):
            u += 0.1 * (p - u)
        return u

    assert jacfwd(accumulated)(x).tolist() == [6.0, 6.0]
    assert hessian(accumulated)(x).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert wg.allclose(jacfwd(euler)(x), wg.eye(2, dtype=wg.float64) * (1 - 0.9**3))


def test_views_taken_before_and_after_the_tangent_became_batched_agree():
    still = wg.tensor([5.0, 7.0], dtype=wg.float64)

    def f(x, y):
        h = zeros_like_x()
        h += y  # the same for all directions
        early = h[:1]
        doubled = early * 2  # it is dual now
        h += x  # different for each direction
        late = h[1:]
        early *= 2
        return wg.cat([early, late, h, doubled])

    def along(way):
        return jvp(f, (x, still), (way, still))[1]

    found = vmap(along)(wg.eye(2, dtype=wg.float64))
    expected = wg.stack([along(way) for way in wg.eye(2, dtype=wg.float64)])
    assert found.tolist() == expected.tolist()


def test_a_view_that_is_dual_at_one_level_knows_a_tangent_that_its_base_gets_at_another():
    def f(a, b):
        h = zeros_like_x()
        view = h[:]

        def inner(b):
            h.add_(a)
            assert view.sum() is not None  # the view is dual at the outer level
            h.mul_(b)
            return view.sum()

        return jvp(inner, (b,), (wg.ones_like(b),))[1]

    assert jvp(lambda a: f(a, x), (x,), (wg.ones_like(x),))[1].item() == 2.0


# ---- results do not share the tangents of their operands -------------------------------------------------------------

OPERATORS = {
    "x + 1": lambda x: x + 1,
    "1 + x": lambda x: 1 + x,
    "x - 1": lambda x: x - 1,
    "x + tensor": lambda x: x + wg.ones(2),
    "tensor + x": lambda x: wg.ones(2) + x,
    "x + 0-dim": lambda x: x + wg.tensor(1.0),
    "add alpha=0": lambda x: wg.add(x, x.detach(), alpha=0),
    "sub alpha=0": lambda x: wg.sub(x, x, alpha=0),
    "addcmul": lambda x: wg.addcmul(x, wg.ones(2), wg.ones(2)),
    "addcdiv": lambda x: wg.addcdiv(x, wg.ones(2), wg.ones(2)),
    "addmm": lambda x: wg.addmm(x.view(1, 2), wg.ones(1, 2), wg.ones(2, 2)).view(2),
    "addmv": lambda x: wg.addmv(x, wg.ones(2, 2), wg.ones(2)),
    "addr": lambda x: wg.addr(x.view(1, 2), wg.ones(1), wg.ones(2)).view(2),
    "baddbmm": lambda x: wg.baddbmm(x.view(1, 1, 2), wg.ones(1, 1, 2), wg.ones(1, 2, 2)).view(2),
    "frac": lambda x: (x + 0.5).frac(),
    "fmod": lambda x: x.fmod(7.0),
    "remainder": lambda x: x.remainder(7.0),
    "positive part": lambda x: wg.relu(x),
    "where": lambda x: wg.where(x > 0, x, 0.0),
    "clamp": lambda x: x.clamp(-9, 9),
    "max": lambda x: wg.maximum(x, wg.zeros(2)),
    "nan_to_num": lambda x: x.nan_to_num(),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_a_write_to_a_result_leaves_the_tangent_of_its_operand(name):
    operator = OPERATORS[name]

    def f(x):
        y = operator(x)
        y *= 3
        return y + x

    p, v = wg.tensor([1.0, 2.0]), wg.tensor([1.0, 10.0])
    ways = [jvp(f, (p,), (way,))[1] for way in wg.eye(2)]
    reverse = jacrev(lambda x: operator(x) * 3 + x)(p)
    assert wg.stack(ways, -1).tolist() == reverse.tolist()
    assert jacfwd(f)(p).tolist() == reverse.tolist()

    tangent = jvp(operator, (p,), (v,))[1]
    tangent.mul_(3)
    assert v.tolist() == [1.0, 10.0] and p.tolist() == [1.0, 2.0]


def test_the_examples_have_the_right_derivatives():
    def f(x):
        y = x + 1
        y *= 3
        return y + x

    one = wg.tensor(1.0)
    assert jvp(f, (one,), (one,))[1].item() == 4.0
    assert hessian(lambda x: f(x) ** 2)(one).item() == 32.0


def test_a_residual_block_with_relu_in_place():
    def block(x):
        y = x - 0.5
        wg.relu_(y)
        return y + x

    p = wg.tensor([0.0, 1.0])
    assert wg.func.jacfwd(block)(p).tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_a_tangent_that_jvp_hands_on_is_copied():
    class Same(wg.autograd.Function):
        @staticmethod
        def forward(x):
            return x.clone()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def jvp(ctx, tangent):
            return tangent

    def f(x):
        y = Same.apply(x)
        y *= 3
        return y + x

    assert jvp(f, (x,), (wg.ones_like(x),))[1].tolist() == [4.0, 4.0]


def test_results_of_one_call_do_not_share_a_tangent():
    def f(x):
        least, most = wg.aminmax(x[:1])
        least *= 3
        return least + most

    assert jacfwd(f)(x).tolist() == [4.0, 0.0]


def test_the_tangent_of_a_view_is_a_view_of_the_tangent():
    with dual_level():
        whole = make_dual(x.clone(), wg.tensor([1.0, 10.0], dtype=wg.float64)) + 0
        for view in (whole.view(1, 2), whole.unsqueeze(0), whole.expand(3, 2), whole[None], whole.reshape(2, 1)):
            own = unpack_dual(whole).tangent
            assert np.shares_memory(unpack_dual(view).tangent.numpy(), own.numpy())
        parts = whole.split(1)
        parts[0].detach()
        assert all(np.shares_memory(unpack_dual(part).tangent.numpy(), own.numpy()) for part in parts)


def test_gradients_of_dual_tensors_are_written_to_alone():
    def f(x):
        return (x**2).sum()

    def changed(x):
        g = grad(f)(x)
        h = g + 0
        h *= 2
        return g + h

    assert jvp(changed, (x,), (wg.ones_like(x),))[1].tolist() == [6.0, 6.0]


# ---- elements that share memory --------------------------------------------------------------------------------------

SHARED_WRITES = {
    "zero_": lambda h, x: h.zero_(),
    "fill_": lambda h, x: h.fill_(3.0),
    "masked_fill_": lambda h, x: h.masked_fill_(wg.tensor([[True, False], [False, False], [False, False]]), x[1]),
    "masked_fill_ with a number": lambda h, x: h.masked_fill_(wg.tensor([[False, True]] * 3), 2.0),
    "index_fill_": lambda h, x: h.index_fill_(1, wg.tensor([0]), x[1] * x[1]),
    "index_put_": lambda h, x: h.index_put_((wg.tensor([0]),), x.sin()),
    "threshold_": lambda h, x: wg.nn.functional.threshold_(h, 2.0, 1.0),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("name", SHARED_WRITES)
def test_a_write_to_an_expanded_tensor_writes_its_tangents(name):
    def f(x):
        h = (x * x).expand(3, 2)
        SHARED_WRITES[name](h, x)
        return h * x

    expected = jacfwd(lambda x: f_by_rows(name, x))(x)
    columns = [jvp(f, (x,), (unit,))[1] for unit in wg.eye(2, dtype=wg.float64)]
    np.testing.assert_allclose(wg.stack(columns, -1).numpy(), expected.numpy())
    np.testing.assert_allclose(jacfwd(f)(x).numpy(), expected.numpy())
    second = jacfwd(jacfwd(lambda x: f_by_rows(name, x).sum()))(x)
    np.testing.assert_allclose(jacfwd(jacfwd(lambda x: f(x).sum()))(x).numpy(), second.numpy())


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("name", SHARED_WRITES)
def test_a_write_to_an_expanded_tensor_of_a_batch_writes_each_member(name):
    def f(x):
        h = (x * x).expand(3, 2)
        SHARED_WRITES[name](h, x)
        return h * x

    members = [x, x * 0.7 + 0.4]
    found, along = vmap(lambda x: jvp(f, (x,), (x,)))(wg.stack(members))
    np.testing.assert_allclose(found.numpy(), wg.stack([f(each) for each in members]).numpy())
    np.testing.assert_allclose(along.numpy(), wg.stack([jvp(f, (each,), (each,))[1] for each in members]).numpy())


def f_by_rows(name, x):
    """What the rows become, of which each is written to wherever any is."""
    y = x * x
    zero = x.sum() * 0
    row = {
        "zero_": lambda: wg.stack([zero, zero]),
        "fill_": lambda: wg.stack([zero + 3, zero + 3]),
        "masked_fill_": lambda: wg.stack([x[1], y[1]]),
        "masked_fill_ with a number": lambda: wg.stack([y[0], zero + 2]),
        "index_fill_": lambda: wg.stack([x[1] * x[1], y[1]]),
        "index_put_": lambda: x.sin(),
        "threshold_": lambda: wg.stack([zero + 1, y[1]]),
    }[name]()
    return row.expand(3, 2) * x


# ---- batches whose members do not lie in rows ------------------------------------------------------------------------


@pytest.mark.parametrize("take", ["expand_as", "view_as", "slice", "select"])
@pytest.mark.parametrize("write", ["zero_", "mul_", "copy_"])
def test_views_of_batches_along_the_last_dimension_are_written_to(take, write):
    def f(x):
        h = x - 2.0
        view = {
            "expand_as": lambda: h.expand_as(h),
            "view_as": lambda: h.view_as(h),
            "slice": lambda: h[1:],
            "select": lambda: h[1],
        }
        part = view[take]()
        {"zero_": part.zero_, "mul_": lambda: part.mul_(x[1] * x[2]), "copy_": lambda: part.copy_(x[0] * x[1])}[write]()
        return (h * h * x).sum()

    members = [wg.tensor([0.7, -0.4, 1.1], dtype=wg.float64), wg.tensor([0.3, 0.8, -0.5], dtype=wg.float64)]
    batch = wg.stack(members, -1)
    for derivative in (jacfwd, grad, hessian, lambda f: jacrev(jacrev(f)), lambda f: jacrev(jacfwd(f))):
        found = vmap(derivative(f), in_dims=-1)(batch)
        np.testing.assert_allclose(
            found.numpy(), wg.stack([derivative(f)(each) for each in members]).numpy(), atol=1e-12
        )


# ---- histories of what is written to ---------------------------------------------------------------------------------

CONSTANT_VIEWS = {
    "select": lambda: wg.full((2, 2), 2.0, dtype=wg.float64)[0],
    "slice": lambda: wg.full((3,), 2.0, dtype=wg.float64)[1:],
    "view": lambda: wg.full((2,), 2.0, dtype=wg.float64).view(1, 2)[0],
    "squeeze": lambda: wg.full((1, 2), 2.0, dtype=wg.float64).squeeze(0),
    "t": lambda: wg.full((1, 2), 2.0, dtype=wg.float64).t()[:, 0],
    "no view": lambda: wg.full((2,), 2.0, dtype=wg.float64),
}
PAIRS_OF_WRITES = {
    "sub_, mul_": lambda h, x: h.sub_(x).mul_(x),
    "mul_, mul_": lambda h, x: h.mul_(x).mul_(x.sin()),
    "add_, sin_": lambda h, x: h.add_(x).sin_(),
    "copy_, pow_": lambda h, x: h.copy_(x).pow_(3),
    "add_, other": lambda h, x: (h.add_(x), x.clone().addcmul_(h, h)),
    "mul_, operand": lambda h, x: h.mul_(x).addcmul_(h.clone(), x),
}


@pytest.mark.parametrize("writes", PAIRS_OF_WRITES)
@pytest.mark.parametrize("take", CONSTANT_VIEWS)
def test_two_writes_to_a_view_of_a_constant_are_differentiated_again(take, writes):
    def f(x):
        h = CONSTANT_VIEWS[take]()
        PAIRS_OF_WRITES[writes](h, x)
        return (h * h * wg.tensor([1.0, -0.7], dtype=wg.float64)).sum()

    expected = jacrev(jacrev(f))(x).numpy()
    for derivative in (lambda f: jacrev(jacfwd(f)), lambda f: jacfwd(jacrev(f)), lambda f: jacfwd(jacfwd(f))):
        np.testing.assert_allclose(derivative(f)(x).numpy(), expected, rtol=1e-12)
    rows = [grad(lambda x, unit=unit: jvp(f, (x,), (unit,))[1])(x) for unit in wg.eye(2, dtype=wg.float64)]
    np.testing.assert_allclose(wg.stack(rows).numpy(), expected, rtol=1e-12)


def test_the_operand_of_a_write_is_a_view_whose_base_was_written_to():
    def f(x):
        base = wg.full((2, 2), 2.0, dtype=wg.float64)
        view = base[0]
        base.mul_(x)
        return wg.ones(2, dtype=wg.float64).mul_(view).mul_(x).sum()

    expected = jacrev(jacrev(f))(x).numpy()
    np.testing.assert_allclose(jacrev(jacfwd(f))(x).numpy(), expected)

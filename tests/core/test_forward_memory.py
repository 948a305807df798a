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

"""Planted mistakes of each kind: `gradcheck` finds them in both modes, and says so in torch's words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd import Function, gradcheck
from wengert.autograd.gradcheck import GradcheckError

BOTH = pytest.mark.parametrize("fast", [False, True])


def rule(backward, forward=lambda x: x * x, materialize=True):
    class Rule(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(materialize)
            return forward(x)

        @staticmethod
        def backward(ctx, *grads):
            return backward(ctx.saved_tensors[0], *grads)

    return Rule.apply


def three():
    return wg.tensor([0.5, -1.2, 2.0], dtype=wg.float64, requires_grad=True)


def pair():
    return wg.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=wg.complex128, requires_grad=True)


def refused(function, x, says, fast, **options):
    with pytest.raises(GradcheckError, match=says):
        gradcheck(function, x, fast_mode=fast, **options)
    assert gradcheck(function, x, fast_mode=fast, raise_exception=False, **options) is False


def two(x):
    return x * x, x * 3


VALUES = {
    "a factor": lambda x, g: g * 3 * x,
    "the sign": lambda x, g: -g * 2 * x,
    "one element": lambda x, g: g * 2 * x * wg.tensor([1.0, 1.1, 1.0], dtype=wg.float64),
    "zero": lambda x, g: g * 0,
    "none": lambda x, g: None,
    "the place": lambda x, g: (g * 2 * x).flip(0),
    "nan": lambda x, g: g * float("nan"),
    "infinity": lambda x, g: g * float("inf"),
}


@BOTH
@pytest.mark.parametrize("name", VALUES)
def test_wrong_values_are_found(name, fast):
    refused(rule(VALUES[name]), three(), "Jacobian mismatch for output 0 with respect to input 0,", fast)


@BOTH
def test_fast_mode_shows_the_whole_jacobians(fast):
    with pytest.raises(GradcheckError) as caught:
        gradcheck(rule(VALUES["one element"]), three(), fast_mode=fast)
    text = str(caught.value)
    assert "The worst element is (1, 1)" in text
    assert ("The max per-element difference (slow mode) is: 0.2" in text) == fast


def test_fast_mode_says_where_slow_mode_would_pass():
    # Each derivative is allowed to be off in proportion to itself, and they cancel in the product with the vector that
    # is drawn for two elements, (0.293, 0.956).
    turn = wg.tensor([100.0, -30.6], dtype=wg.float64)
    off = wg.tensor([100.05, -30.58], dtype=wg.float64)

    class Tilted(Function):
        @staticmethod
        def forward(ctx, x):
            return (x * turn).sum()

        @staticmethod
        def backward(ctx, grad):
            return grad * off

    x = wg.zeros(2, dtype=wg.float64, requires_grad=True)
    assert gradcheck(Tilted.apply, x)
    with pytest.raises(GradcheckError, match="Fast gradcheck failed but element-wise differences are small"):
        gradcheck(Tilted.apply, x, fast_mode=True)


@BOTH
def test_a_backward_that_does_not_multiply_is_found(fast):
    refused(rule(lambda x, g: 2 * x * (g * 0 + 1)), three(), "Jacobian mismatch", fast)
    refused(rule(lambda x, g: g * 2 * x + 1e-9), three(), "^backward not multiplied by grad_output$", fast)
    assert gradcheck(rule(lambda x, g: g * 2 * x + 1e-9), three(), masked=True, check_undefined_grad=False)


@BOTH
def test_gradients_that_differ_from_pass_to_pass_are_found(fast):
    passes = []

    def restless(x, g):
        passes.append(1)
        return g * 2 * x * (1 + 1e-9 * len(passes))

    refused(rule(restless), three(), "^Backward is not reentrant, i.e., running backward with same input", fast)
    assert gradcheck(rule(restless), three(), fast_mode=fast, nondet_tol=1e-5)


@BOTH
def test_gradients_of_the_wrong_shape_or_kind_are_refused_by_the_engine(fast):
    for wrong in (lambda x, g: (g * x)[:2], lambda x, g: (g, g), lambda x, g: "text"):
        with pytest.raises((RuntimeError, TypeError), match="RuleBackward"):
            gradcheck(rule(wrong), three(), fast_mode=fast)


@BOTH
def test_missing_gradients_that_are_not_handled_are_found(fast):
    made_up = rule(lambda x, g: (g if g is not None else 1) * 2 * x, materialize=False)
    assert gradcheck(made_up, three(), fast_mode=fast, check_undefined_grad=False)
    with pytest.warns(UserWarning, match="undefined"):
        refused(made_up, three(), "^Expected all input grads to be undefined or zero", fast)
    with pytest.raises(TypeError, match="NoneType"):  # as in torch: only a RuntimeError is a GradcheckError
        gradcheck(rule(lambda x, g: g * 2 * x, materialize=False), three(), fast_mode=fast)


@BOTH
def test_errors_at_missing_gradients_are_told_with_torchs_warning(fast):
    def fails(x, g):
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2 * x

    with (
        pytest.warns(UserWarning, match="New undefined gradient support checking feature") as caught,
        pytest.raises(GradcheckError, match=r"^Expected backward function to handle undefined output grads"),
    ):
        gradcheck(rule(fails, materialize=False), three(), fast_mode=fast)
    assert caught[0].filename == __file__


@BOTH
def test_all_gradients_and_each_of_several_are_tried_as_missing(fast):
    seen = set()

    def noting(x, g, h):
        if not any(each is not None and each.any() for each in (g, h)):  # no pass for a derivative
            seen.add((g is None, h is None))
        return (0 if g is None else g * 2 * x) + (0 if h is None else h * 3) + x * 0

    assert gradcheck(rule(noting, two, False), three(), fast_mode=fast)
    assert seen == {(False, False), (True, True), (True, False), (False, True)}


@BOTH
def test_the_wrong_one_of_several_outputs_is_named(fast):
    function = rule(lambda x, g, h: g * 2 * x + h * 2, two)
    refused(function, three(), "Jacobian mismatch for output 1 with respect to input 0", fast)


@BOTH
def test_the_wrong_one_of_several_inputs_is_named(fast):
    wrong = rule(VALUES["a factor"])
    refused(lambda x, k, y: x * x + wrong(y), (three(), 2, three()), "output 0 with respect to input 1,", fast)


COMPLEX = {
    "a conjugate forgotten": (lambda z, g: g * 2 * z, lambda z: z * z, "imaginary part of complex outputs"),
    "a conjugate of the cotangent forgotten": (lambda z, g: g, lambda z: z.conj() + 0, "imaginary part"),
    "half a derivative": (lambda z, g: g * z, lambda z: (z * z.conj()).real, "^Jacobian mismatch for output 0"),
    "a conjugate too many": (lambda z, g: g * 2 * z.conj(), lambda z: (z * z.conj()).real, "^Jacobian mismatch"),
    "the sign of i": (lambda z, g: g * -1j, lambda z: z.imag * 1, "^Jacobian mismatch"),
    "the real part only": (lambda z, g: (g * 2 * z.conj()).real, lambda z: z * z, "imaginary part"),
}


@BOTH
@pytest.mark.parametrize("name", COMPLEX)
def test_wrong_complex_derivatives_are_found(name, fast):
    backward, forward, says = COMPLEX[name]
    refused(rule(backward, forward), pair(), says, fast)


@BOTH
def test_right_complex_derivatives_pass(fast):
    assert gradcheck(rule(lambda z, g: g * 2 * z.conj()), pair(), fast_mode=fast)
    assert gradcheck(rule(lambda z, g: g.conj(), lambda z: z.conj() + 0), pair(), fast_mode=fast)
    assert gradcheck(rule(lambda z, g: g * 2 * z, lambda z: (z * z.conj()).real), pair(), fast_mode=fast)


@BOTH
def test_outputs_without_history_that_depend_on_an_input_are_found(fast):
    refused(lambda x: x.detach() * 2, three(), "^Numerical gradient for function expected to be zero$", fast)
    refused(lambda x: x * x.detach(), three(), "Jacobian mismatch", fast)


def test_fast_mode_allows_differences_that_slow_mode_allows():
    small = rule(lambda x, g: g * 2 * x + g * 9e-6)
    assert gradcheck(small, three(), fast_mode=True, rtol=0.0) and gradcheck(small, three(), rtol=0.0)


@given(
    place=st.tuples(st.integers(0, 2), st.integers(0, 3)),
    amount=st.floats(0.01, 10) | st.floats(-10, -0.01),
    values=st.lists(st.floats(-3, 3), min_size=12, max_size=12),
)
def test_a_mistake_in_any_element_of_a_jacobian_is_found_and_named(place, amount, values):
    turn = wg.tensor(np.reshape(values, (3, 4)), dtype=wg.float64)
    wrong = turn.clone()
    wrong[place] += amount * max(1.0, abs(float(turn[place])))

    class Linear(Function):
        @staticmethod
        def forward(ctx, x):
            return turn @ x

        @staticmethod
        def backward(ctx, grad):
            return wrong.t() @ grad

    x = wg.ones(4, dtype=wg.float64, requires_grad=True)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(Linear.apply, x)
    row, column = place
    assert f"The worst element is ({column}, {row})" in str(caught.value)
    assert gradcheck(lambda x: turn @ x, x) and gradcheck(lambda x: turn @ x, x, fast_mode=True)
    assert not gradcheck(Linear.apply, x, fast_mode=True, raise_exception=False)


NUMBERS = st.complex_numbers(min_magnitude=0.1, max_magnitude=3)


@given(a=NUMBERS, b=NUMBERS, fast=st.booleans())
def test_maps_that_are_linear_over_the_reals_only(a, b, fast):
    """z -> a z + b conj(z), whose gradient is conj(a) g + b conj(g)."""

    def mapped(z):
        return z * a + z.conj() * b

    right = rule(lambda z, g: g * a.conjugate() + g.conj() * b, mapped)
    assert gradcheck(right, pair(), fast_mode=fast)
    wrong = rule(lambda z, g: g * a.conjugate() + g.conj() * b.conjugate(), mapped)
    assert gradcheck(wrong, pair(), raise_exception=False, rtol=0.0) == (abs(b.imag) * 2 <= 1e-5)


PROGRAMS = st.lists(
    st.sampled_from([wg.sin, wg.tanh, wg.exp, lambda x: x * x, lambda x: x.flip(0) + x, lambda x: x.cumsum(0)]),
    min_size=1,
    max_size=4,
)


@given(program=PROGRAMS, values=st.lists(st.floats(-1, 1), min_size=3, max_size=3), fast=st.booleans())
def test_random_programs_pass_and_do_not_after_a_planted_factor(program, values, fast):
    def function(x):
        for step in program:
            x = step(x * 0.5)
        return x

    x = wg.tensor(values, dtype=wg.float64, requires_grad=True)
    assert gradcheck(function, x, fast_mode=fast)
    wrong = rule(lambda x, g: g * 1.5, lambda x: x * 1)
    largest = max(each.abs().max().item() for each in wg.autograd.grad(function(x).sum(), x))
    if largest > 0.01:
        assert not gradcheck(lambda x: function(wrong(x)), x, raise_exception=False)

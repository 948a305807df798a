"""Random programs give the same with custom Functions in the place of operators: values, gradients, and theirs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd import Function


class Sine(Function):
    """Saves its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos()


class Tanh(Function):
    """Saves its output, in the split form."""

    @staticmethod
    def forward(x):
        return x.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * (1 - result * result)


class SineAndCosine(Function):
    """Several outputs, of which any may go unused; saves both."""

    @staticmethod
    def forward(ctx, x):
        sine, cosine = x.sin(), x.cos()
        ctx.save_for_backward(sine, cosine)
        return sine, "no tensor", cosine

    @staticmethod
    def backward(ctx, grad_sine, _, grad_cosine):
        sine, cosine = ctx.saved_tensors
        return grad_sine * cosine - grad_cosine * sine


class Product(Function):
    """Two inputs that broadcast; computes only what is needed."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y if ctx.needs_input_grad[0] else None, grad * x if ctx.needs_input_grad[1] else None


class Scaled(Function):
    """Writes to its input."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.mark_dirty(x)
        ctx.factor = factor
        return x.mul_(factor)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Same(Function):
    """Returns its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


STEPS = {
    "sine": (lambda x, y: x.sin(), lambda x, y: Sine.apply(x)),
    "tanh": (lambda x, y: x.tanh(), lambda x, y: Tanh.apply(x)),
    "sine of both": (lambda x, y: x.sin() + x.cos(), lambda x, y: sum(SineAndCosine.apply(x)[::2])),
    "cosine only": (lambda x, y: x.cos(), lambda x, y: SineAndCosine.apply(x)[2]),
    "product": (lambda x, y: x * y, Product.apply),
    "product with a part": (lambda x, y: x * y[:1], lambda x, y: Product.apply(x, y[:1])),
    "square": (lambda x, y: x * x, lambda x, y: Product.apply(x, x)),
    "scaled": (lambda x, y: x.clone().mul_(3), lambda x, y: Scaled.apply(x.clone(), 3)),
    "scaled in part": (lambda x, y: part_scaled(x, False), lambda x, y: part_scaled(x, True)),
    "same": (lambda x, y: x * 1, lambda x, y: Same.apply(x)),
}


def part_scaled(x, custom):
    whole = x.clone()
    if custom:
        Scaled.apply(whole[1:], 0.5)
    else:
        whole[1:].mul_(0.5)
    return whole


def run(program, leaves, customs):
    values = list(leaves)
    for (name, first, second), custom in zip(program, customs):
        x, y = values[first % len(values)], values[second % len(values)]
        values.append(STEPS[name][custom](x, y))
    return sum(value.sum() for value in values[-3:])


def derivatives(program, numbers, customs):
    """The value, the gradient, and the gradient of the gradient's norm."""
    leaves = [wg.tensor(row, dtype=wg.float64, requires_grad=True) for row in numbers]
    total = run(program, leaves, customs)
    first = wg.autograd.grad(total, leaves, create_graph=True, allow_unused=True, materialize_grads=True)
    norm = sum((each * each).sum() for each in first)
    if not norm.requires_grad:
        return [total, *first]
    second = wg.autograd.grad(norm, leaves, allow_unused=True, materialize_grads=True)
    return [total, *first, *second]


@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
    st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_custom_functions_may_stand_where_operators_do(program, seed, customs):
    numbers = np.random.default_rng(seed).normal(size=(2, 3))
    wanted = derivatives(program, numbers, [False] * len(program))
    got = derivatives(program, numbers, customs)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-9, atol=1e-9)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_both_kinds_agree_where_backward_fills_the_gradients_of_leaves(program, seed):
    numbers = np.random.default_rng(seed).normal(size=(2, 3))
    grads = []
    for custom in (False, True):
        leaves = [wg.tensor(row, dtype=wg.float64, requires_grad=True) for row in numbers]
        run(program, leaves, [custom] * len(program)).backward()
        grads.append([np.zeros(3) if each.grad is None else each.grad.numpy() for each in leaves])
    np.testing.assert_allclose(grads[0], grads[1], rtol=1e-9, atol=1e-9)

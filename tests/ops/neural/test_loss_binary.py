"""Binary cross-entropies: targets, weights, dtypes, and logits that are certain."""

from __future__ import annotations

import functools
import math

import mpmath as mp
import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert.nn import functional

HALF = wg.tensor([0.5, 0.5])


@pytest.mark.parametrize("target", [math.nan, math.inf, -0.5])
def test_targets_that_are_no_probabilities_are_refused_before_anything_is_recorded(target):
    x = HALF.clone().requires_grad_()
    for targets in ([0.5, target], [target, 0.5]):
        with pytest.raises(RuntimeError, match="all elements of target"):
            F.binary_cross_entropy(x, wg.tensor(targets))


FLOATS = [wg.float16, wg.bfloat16, wg.float32, wg.float64]


ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


@pytest.mark.parametrize("given", FLOATS)
@pytest.mark.parametrize("wanted", FLOATS)
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_the_loss_of_logits_has_the_dtype_of_their_target(given, wanted, reduction):
    x = wg.tensor([0.5, -2.0], dtype=given, requires_grad=True)
    target = wg.tensor([0.25, 1.0], dtype=wanted, requires_grad=True)
    made = F.binary_cross_entropy_with_logits(x, target, reduction=reduction, pos_weight=wg.tensor([2.0, 1.0]))
    wide = F.binary_cross_entropy_with_logits(
        x.double(), target.double(), reduction=reduction, pos_weight=wg.tensor([2.0, 1.0])
    )
    assert made.dtype is wanted and made.grad_fn.name() == "BinaryCrossEntropyWithLogitsBackward0"
    assert wg.allclose(made.double(), wide, rtol=1e-2)
    grads = wg.autograd.grad(made.sum(), [x, target])
    assert [each.dtype for each in grads] == [given, wanted]
    for each, exact in zip(grads, wg.autograd.grad(wide.sum(), [x, target])):
        assert wg.allclose(each.double(), exact.double(), rtol=1e-2, atol=1e-2)


def test_a_truth_value_is_no_target_of_logits():
    with pytest.raises(RuntimeError, match=r"Subtraction, the `-` operator, with two bool tensors"):
        F.binary_cross_entropy_with_logits(ROW, MASK)


def test_what_is_complex_weighs_and_labels_no_real_scores():
    z = ROW + 0j
    refused = {
        "target": lambda: F.soft_margin_loss(ROW, z),
        "weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, weight=z),
        "pos_weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, pos_weight=z),
    }
    for call in refused.values():
        with pytest.raises(RuntimeError, match="type ComplexFloat can't be cast to the desired output type Float"):
            call()


@pytest.mark.parametrize("dtype", [wg.float64, wg.float16, wg.int64])
def test_the_weight_of_a_binary_cross_entropy_may_be_of_another_dtype(dtype):
    x = wg.full((2,), 0.5, requires_grad=True)
    made = F.binary_cross_entropy(x, wg.ones(2), weight=wg.tensor([2, 4]).to(dtype), reduction="sum")
    assert made.dtype is wg.float32 and made.item() == pytest.approx(6 * math.log(2))
    assert wg.autograd.grad(made, x)[0].tolist() == [-4, -8]
    with pytest.raises(RuntimeError, match="can't be cast"):
        F.binary_cross_entropy(x, wg.ones(2), weight=wg.ones(2, dtype=wg.complex64))


@pytest.mark.parametrize("loss", [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
def test_weights_of_a_mean_are_not_rounded_to_their_own_dtype_in_its_gradient(loss):
    weight = wg.tensor([1.3, 0.7], dtype=wg.bfloat16)
    x, target = wg.tensor([0.3, 0.7], dtype=wg.float64, requires_grad=True), wg.tensor([0.2, 0.9], dtype=wg.float64)
    (grad,) = wg.autograd.grad(loss(x, target, weight), x, wg.tensor(0.77, dtype=wg.float64))
    (wanted,) = wg.autograd.grad(loss(x, target, weight.double()), x, wg.tensor(0.77, dtype=wg.float64))
    wg.testing.assert_close(grad, wanted, rtol=1e-12, atol=0)


PLACES = [-700.0, -88.0, -40.0, -20.0, -9.0, -3.0, 0.4, 3.0, 9.0, 20.0, 40.0, 88.0, 700.0]


DIGITS = {"float64": 1e-6, "float32": 1e-3, "float16": 0.06, "bfloat16": 0.08, "complex128": 1e-6, "complex64": 1e-3}


def logistic(x):
    return 1 / (1 + mp.exp(-x))


# What is computed, and its formula; those of one operand.
LEVEL = {
    "sigmoid": (wg.sigmoid, logistic),
    "tanh": (wg.tanh, mp.tanh),
    "expm1": (wg.expm1, mp.expm1),
    "logsigmoid": (functional.logsigmoid, lambda x: -mp.log1p(mp.exp(-x))),
    "silu": (functional.silu, lambda x: x * logistic(x)),
    "mish": (functional.mish, lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    "softsign": (functional.softsign, lambda x: x / (1 + abs(x))),
    "gelu": (functional.gelu, lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2),
    "ndtr": (wg.special.ndtr, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2),
}


SQUARED = [LEVEL[name][1] for name in ("gelu", "ndtr")]


@functools.cache
def derivatives(formula, x, order):
    """The derivatives up to an order, in as many digits as e^-2x has zeros, and more."""
    with mp.workdps(60 + int(x * x if formula in SQUARED else 1.8 * abs(x))):
        terms = mp.taylor(formula, mp.mpf(x), order)
        return [term * mp.factorial(at) for at, term in enumerate(terms)]


def check(found, wanted, kind, digits=None):
    """Relatively near, wherever what is wanted is a normal number of the dtype."""
    part = {"bfloat16": "float32", "complex64": "float32", "complex128": "float64"}.get(kind, kind)
    least, most = float(np.finfo(part).tiny), float(np.finfo(part).max)
    if kind == "float16":
        least = 2.0**-14
    for value, exact in zip(found, wanted):
        if least < abs(exact) < most:
            assert abs(complex(value) - complex(exact)) <= (digits or DIGITS[kind]) * abs(complex(exact)), (
                value,
                exact,
            )


def places(name, kind):
    wide = PLACES if kind in ("float64", "complex128") else [x for x in PLACES if abs(x) < 100]
    if name in ("gelu", "ndtr"):  # the argument x / sqrt(2) is rounded: of halves that counts x^2 times
        wide = [x for x in wide if abs(x) < (4 if "16" in kind else 30)]
    return [x for x in wide if name != "expm1" or x < 100]


def along(function, times):
    """Forward derivatives of forward derivatives."""
    for _ in range(times):
        function = (lambda inner: lambda x: wg.func.jvp(inner, (x,), (wg.ones_like(x),))[1])(function)
    return function


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("target", [0.0, 1.0, 0.3])
def test_binary_cross_entropy_of_certain_logits_keeps_its_digits(kind, target):
    x = wg.tensor(places("sigmoid", kind), dtype=getattr(wg, kind), requires_grad=True)
    goal = wg.full_like(x, target).detach()
    rest = 1 - mp.mpf(goal[0].item())
    formula = lambda x: rest * x + mp.log1p(mp.exp(-x))  # noqa: E731
    exact = [derivatives(formula, each, 2) for each in x.tolist()]
    for weight in (None, wg.ones_like(goal)):
        loss = lambda x: functional.binary_cross_entropy_with_logits(x, goal, pos_weight=weight, reduction="none")  # noqa: E731, B023
        (plain,) = wg.autograd.grad(loss(x).sum(), x)
        (first,) = wg.autograd.grad(loss(x).sum(), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        for found, order in ((loss(x), 0), (plain, 1), (first, 1), (second, 2)):
            check(found.detach().tolist(), [each[order] for each in exact], kind)
        check(along(loss, 2)(x.detach()).tolist(), [each[2] for each in exact], kind)

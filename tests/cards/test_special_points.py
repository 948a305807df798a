"""Pointwise operators at special points: reverse and forward mode have the same first and second derivatives there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert.func import jvp
from wengert.testing import Case, cases
from wengert.testing.calls import names_of

POINTS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 30.0, -30.0)
POLES = {
    "special_bessel_y1",
    "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1",
    "igamma",
    "igammac",
}
"""Operators with a pole or an end at 0, where the two modes meet infinities in another order."""


def is_checked(operator, dtype) -> bool:
    is_pointwise = isinstance(operator, Card) and operator.promotion is not None and not operator.random
    return dtype is wg.float64 and is_pointwise


def samples_of(name: str) -> list[Case]:
    """The samples of an operator that hold ordinary numbers."""
    return [
        case
        for case in cases(is_checked, names=[name])
        if all(each.numel() and np.isfinite(each._array_).all() for each in case.call().tensors())
    ]


NAMES = [name for name in names_of(is_checked) if name not in POLES]


def derivatives(case: Case, at: int, point: float) -> tuple[list[float], list[float]] | None:
    """The first and second derivative by one element, backwards and forwards; None where there is no element."""
    call = case.call()
    inputs = [each for each in call.tensors() if each.requires_grad]
    if at >= len(inputs) or not inputs[at].numel():
        return None
    x, way = inputs[at].detach().clone(), wg.zeros_like(inputs[at])
    x._array_.reshape(-1)[0], way._array_.reshape(-1)[0] = point, 1.0

    def f(value):
        return call.exchanged(lambda each: value if each is inputs[at] else each).outputs()[0].sum()

    leaf = x.clone().requires_grad_()
    total = f(leaf)
    if not total.requires_grad:
        return None
    (grad,) = wg.autograd.grad(total, leaf, create_graph=True)
    twice = 0.0
    if grad.requires_grad:
        (found,) = wg.autograd.grad(grad, leaf, way, allow_unused=True)
        twice = 0.0 if found is None else (found * way).sum().item()

    def once(value):
        return jvp(f, (value,), (way,))[1]

    return [(grad * way).sum().item(), twice], [once(x).item(), jvp(once, (x,), (way,))[1].item()]


@pytest.mark.parametrize("name", NAMES)
def test_both_modes_agree(name):
    for case in samples_of(name):
        for at in range(3):
            for point in POINTS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = derivatives(case, at, point)
                if found is None:
                    break
                for one, other in zip(*found, strict=True):
                    same = np.isclose(one, other, rtol=1e-6, atol=1e-9) or not (np.isfinite(one) or np.isfinite(other))
                    assert same, (case, at, point, found)

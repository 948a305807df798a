"""Derivatives of the elements of a vector with respect to numbers: `wg.scipy.unsummed` beside `jacrev`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.scipy import unsummed as rules
from wengert.scipy.unsummed import Scaled, unsummed

X = wg.tensor(np.linspace(-1.5, 2, 7))
COUNT = wg.arange(7)


def rows(f: Any, values: Any, start: int = 0) -> Any:
    """The derivatives of a model by one backward pass, a row for each parameter; None if that does not serve."""
    variables = [wg.tensor(value, dtype=wg.float64, requires_grad=True) for value in values]
    output = f(*variables)
    grads = unsummed(output, variables, start)
    if grads is None:
        return None
    result = np.zeros((len(values), output.numel()))
    for row, grad in zip(result, grads):
        if grad is not None:
            grad.write(row)
    return result


def expected(f: Any, values: Any) -> Any:
    jacobian = wg.func.jacrev(lambda p: f(*p.unbind()).double())(wg.tensor(values, dtype=wg.float64))
    return jacobian.numpy().T


UNARY: list[Any] = [
    lambda u: -u,
    lambda u: u.exp(),
    lambda u: u.square(),
    lambda u: u**2,
    lambda u: u**3,
    lambda u: (u**2 + 1) ** 1.5,
    lambda u: u.sin(),
    lambda u: 2 - u,
    lambda u: 3 * u,
    lambda u: u / 2,
    lambda u: 1 / (u * u + 1),
    lambda u: u.tanh(),
    lambda u: u.abs(),
    lambda u: u * COUNT,
    lambda u: (u * (0.3 + 1j)).exp().abs(),
    lambda u: wg.where(X > 0, u, 2 * u),
    lambda u: 2.0**u,
    lambda u: (u + X * 0).mul_(X).exp_(),
    lambda u: (u + X).div_(2).pow_(2),
    lambda u: (X - u).sub_(u * 0.5, alpha=2).neg_().square_(),
]
BINARY: list[Any] = [
    lambda u, v: u + v,
    lambda u, v: u - v,
    lambda u, v: u * v,
    lambda u, v: u / (v * v + 1),
    lambda u, v: wg.add(u, v, alpha=3),
    lambda u, v: wg.sub(u, v, alpha=0.5),
    lambda u, v: wg.rsub(u, v, alpha=2),
    lambda u, v: (u * u + 0.5) ** v,
    lambda u, v: wg.atan2(u, v * v + 1),
    lambda u, v: wg.maximum(u, v),
]


@st.composite
def programs(draw: Any) -> Any:
    """A list of instructions on a stack that starts with three parameters and the data."""
    return draw(
        st.lists(
            st.tuples(st.integers(0, len(UNARY) + len(BINARY) - 1), st.integers(0, 9), st.integers(0, 9)),
            min_size=1,
            max_size=9,
        )
    )


def run(program: Any, parameters: Any) -> Any:
    values = [*parameters, X]
    for which, left, right in program:
        u, v = values[left % len(values)], values[right % len(values)]
        value = UNARY[which](u) if which < len(UNARY) else BINARY[which - len(UNARY)](u, v)
        values.append(wg.tanh(value) if len(values) % 3 else value)  # so that numbers stay of moderate size
    return values[-1] + X + parameters[0]


@settings(max_examples=150, deadline=None)
@given(program=programs(), values=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.7]), min_size=3, max_size=3))
def test_random_models_have_the_derivatives_of_reverse_mode(program: Any, values: Any) -> None:
    with np.errstate(all="ignore"):
        wanted = expected(lambda *p: run(program, p), values)
        result = rows(lambda *p: run(program, p), values)
    if not np.isfinite(wanted).all():
        return
    np.testing.assert_allclose(result, wanted, rtol=1e-11, atol=1e-10)


POSITIVE, SIGNED = X.abs() + 0.25, X
POWERS: dict[str, Any] = {
    "positive bases": lambda a, b: POSITIVE**a * b,
    "a base of zero": lambda a, b: wg.relu(SIGNED + a - a) ** (b + 1),
    "an exponent of zero": lambda a, b: (POSITIVE * a) ** (b - b.detach()),
    "negative bases": lambda a, b: (SIGNED * a) ** 3.0 * b,
    "an exponent for each element": lambda a, b: (POSITIVE * a) ** (b * POSITIVE),
    "results that underflow": lambda a, b: (POSITIVE * 1e-200 * a) ** (b + 1.5),
    "numbers to powers": lambda a, b: (2.0 ** (a * X)) * 0**b,
}


@pytest.mark.parametrize("name", POWERS)
def test_powers_have_the_derivatives_of_reverse_mode(name: str) -> None:
    values = [1.2, 0.7]
    np.testing.assert_allclose(rows(POWERS[name], values), expected(POWERS[name], values), rtol=1e-11)


def test_factors_that_are_numbers_need_no_pass_over_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scaled, "plus", None)
    variables = [wg.tensor(value, dtype=wg.float64, requires_grad=True) for value in (2.0, 3.0)]
    grads = unsummed(-(variables[0] / 4 * X - 1) * 3, variables)
    assert grads is not None and grads[1] is None
    assert grads[0] is not None and grads[0].tensor._array_ is X._array_ and grads[0].factor == -0.75


def test_each_rule_belongs_to_an_operator_of_the_models() -> None:
    u = wg.tensor(1.5, dtype=wg.float64, requires_grad=True) * X
    nodes = [f(u).grad_fn for f in UNARY] + [f(u, u).grad_fn for f in BINARY]
    names = set()
    while nodes:
        node = nodes.pop()
        names.add(node.op.name if hasattr(node, "op") else "")
        nodes += [end for end, _ in node.next_functions if end is not None]
    assert set(rules.RULES) <= names


def test_one_observation() -> None:
    x = wg.tensor([0.5], dtype=wg.float64)
    model = lambda a, b: a * (-b * x).exp() / b  # noqa: E731
    np.testing.assert_allclose(rows(model, [2.0, 0.3]), expected(model, [2.0, 0.3]), rtol=1e-12)


def test_nodes_from_before_the_model_are_not_entered() -> None:
    outer = wg.tensor(np.eye(7), requires_grad=True)
    offset = (outer @ wg.ones(7, dtype=wg.float64)).cumsum(0)
    variable = wg.tensor(2.0, dtype=wg.float64, requires_grad=True)
    output = variable * X + offset
    assert unsummed(output, [variable]) is None
    grads = unsummed(output, [variable], output.grad_fn._sequence_nr() - 1)
    assert grads is not None and grads[0] is not None and grads[0].tensor._array_ is X._array_


def test_a_saved_tensor_that_was_written_to_is_refused() -> None:
    variable = wg.tensor(2.0, dtype=wg.float64, requires_grad=True)
    x = X.clone()
    output = (variable * x).exp() * x
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        unsummed(output, [variable])

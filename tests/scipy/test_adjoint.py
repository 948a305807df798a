"""`wg.scipy.solve_ivp` differentiated by the adjoint equation: all methods, ends, events, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.autograd import gradcheck
from wengert.scipy import solve_ivp

METHODS = ("RK45", "DOP853", "Radau", "BDF", "LSODA")
TIGHT = {"rtol": 1e-8, "atol": 1e-9, "gradient": "adjoint"}


def swing(t: Any, y: Any, k: Any) -> Any:
    return wg.stack([y[1], -k * y[0] * (1 + 0.1 * t) - 0.1 * y[1] ** 2])


def number(value: float) -> Any:
    return wg.tensor(value, dtype=wg.float64, requires_grad=True)


def state() -> Any:
    return wg.tensor([1.0, 0.5], dtype=wg.float64, requires_grad=True)


@pytest.mark.parametrize("method", ["DOP853", "LSODA"])
def test_derivatives_by_state_parameters_and_ends(method: str) -> None:
    def last(y: Any, k: Any, start: Any, end: Any) -> Any:
        return solve_ivp(swing, (start, end), y, method, args=(k,), **{**TIGHT, "rtol": 1e-7, "atol": 1e-8}).y[:, -1]

    inputs = (state(), number(1.3), number(0.1), number(1.5))
    assert gradcheck(last, inputs, eps=1e-3, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_gradients_are_those_through_the_steps(method: str) -> None:
    """Of all outputs at once, by every argument, backwards in time, too."""
    weights = wg.tensor(np.random.default_rng(0).standard_normal((2, 6)))
    for span in ((0.0, 2.0), (1.0, -0.5)):
        results = []
        for name, options in ((method, {**TIGHT, "rtol": 1e-7}), ("DOP853", {"rtol": 1e-10, "atol": 1e-10})):
            inputs = (state(), number(1.3), wg.tensor(np.linspace(*span, 6), requires_grad=True))
            y, k, times = inputs
            solution = solve_ivp(swing, span, y, name, times, args=(k,), **options)
            results.append(wg.autograd.grad((weights * solution.y**2).sum(), inputs))
        for grad, wanted in zip(*results):
            np.testing.assert_allclose(grad.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)


def test_tensors_that_depend_on_each_other_are_not_counted_twice() -> None:
    def last(k: Any) -> Any:
        square = k * k
        both = square + k
        return solve_ivp(lambda t, y: -square * y + both * t, (0, 1), [1.0], "DOP853", **TIGHT).y[:, -1]

    assert gradcheck(last, (number(1.3),), eps=1e-3, atol=1e-4)


def test_a_stiff_system_gets_its_gradients() -> None:
    """The rate of a fast reaction that has long been over has little influence; that of the slow one has."""
    fast, slow = number(1e4), number(0.7)

    def reaction(t: Any, y: Any) -> Any:
        return wg.stack([-fast * (y[0] - y[1]), -slow * y[1]])

    for method in ("Radau", "BDF", "LSODA"):
        solution = solve_ivp(reaction, (0, 3), [0.0, 1.0], method, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(solution.y[0, -1].item(), 1e4 / (1e4 - 0.7) * np.exp(-2.1), rtol=1e-3)
        grads = wg.autograd.grad(solution.y[0, -1], (fast, slow))
        np.testing.assert_allclose(grads[1].item(), -3 * np.exp(-2.1), rtol=3e-3)
        assert abs(grads[0].item()) < 1e-5


def test_all_outputs_dense_output_and_modules() -> None:
    layer = nn.Linear(2, 2).double()
    results = []
    for options in ({"gradient": "adjoint"}, {"gradient": "direct"}):
        layer.zero_grad()
        solution = solve_ivp(
            lambda t, s: {"x": layer(s["x"]).tanh()},
            (0, 1),
            {"x": wg.ones(3, 2)},
            dense_output=True,
            rtol=1e-9,
            atol=1e-9,
            **options,
        )
        (
            solution.y["x"][..., -1].sum() + (solution.sol(0.4) ** 2).sum() + solution.sol(np.array([0.1, 0.9])).sum()
        ).backward()
        results.append([parameter.grad.clone() for parameter in layer.parameters()])
    for grad, wanted in zip(*results):
        np.testing.assert_allclose(grad.numpy(), wanted.numpy(), rtol=1e-5)


def test_thresholds_of_events_get_gradients() -> None:
    threshold = number(0.5)
    event = lambda t, y: y[0] - threshold  # noqa: E731
    solution = solve_ivp(lambda t, y: -2 * y, (0, 5), [1.0], "LSODA", events=event, rtol=1e-9, atol=1e-9)
    (moment,) = solution.t_events[0]
    np.testing.assert_allclose(moment.item(), np.log(2) / 2, rtol=1e-6)
    (gradient,) = wg.autograd.grad(moment, threshold)
    np.testing.assert_allclose(gradient.item(), -1, rtol=1e-5)


def test_what_it_does_not_compute_is_refused() -> None:
    y, k = state(), number(1.3)
    solution = solve_ivp(swing, (0, 1), y, args=(k,), **TIGHT)
    message = r"solve_ivp: gradient='adjoint' computes first derivatives in reverse mode.*use gradient='direct'"
    with pytest.raises(RuntimeError, match=message):
        wg.autograd.grad(solution.y.sum(), k, create_graph=True)
    with pytest.raises(RuntimeError, match=message):
        wg.func.jacrev(lambda k: solve_ivp(swing, (0, 1), [1.0, 0.5], args=(k,), **TIGHT).y[:, -1])(k)
    with pytest.raises(RuntimeError, match=message):
        wg.func.jvp(
            lambda y: solve_ivp(swing, (0, 1), y, args=(1.0,), **TIGHT).y, (y.detach(),), (wg.ones(2).double(),)
        )
    with pytest.raises(RuntimeError, match=message):
        wg.func.jvp(lambda k: solve_ivp(swing, (0, 1), y.detach(), args=(k,), **TIGHT).y, (k.detach(),), (k.detach(),))


def test_parameters_that_change_before_the_backward_pass_are_noticed() -> None:
    k = number(1.3)
    solution = solve_ivp(swing, (0, 1), [1.0, 0.5], args=(k,), **TIGHT)
    with wg.no_grad():
        k.mul_(2)
    with pytest.raises(RuntimeError, match="the function now depends on other tensors than when it was solved"):
        solution.y.sum().backward()


def test_tensors_that_come_into_play_later_are_noticed() -> None:
    k, late = number(1.3), number(1.0)
    times = np.linspace(0, 1, 9)
    solution = solve_ivp(lambda t, y: -(k if t < 0.3 or t > 0.45 else late) * y, (0, 1), [1.0], t_eval=times, **TIGHT)
    with pytest.raises(RuntimeError, match="now depends on other tensors"):
        solution.y[0].sum().backward()


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "LSODA"])
def test_gradients_by_arguments_of_transforms(method: str) -> None:
    """The backward pass runs after the function to differentiate has ended."""

    def last(rate: Any, start: Any) -> Any:
        options: dict[str, Any] = {"gradient": "adjoint", "rtol": 1e-8, "atol": 1e-10}
        return solve_ivp(lambda t, y: -rate * y, (0, 2), start.reshape(1), method, **options).y[0, -1]

    rate, start = (wg.tensor(value, dtype=wg.float64) for value in (0.5, 3.0))
    expected = [-6 * np.exp(-1), np.exp(-1)]
    np.testing.assert_allclose([part.item() for part in wg.func.grad(last, (0, 1))(rate, start)], expected, rtol=1e-6)
    pull = wg.func.vjp(last, rate, start)[1]
    np.testing.assert_allclose([part.item() for part in pull(wg.ones_like(rate))], expected, rtol=1e-6)

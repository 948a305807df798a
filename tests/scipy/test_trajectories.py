"""`wg.scipy.solve_ivp` differentiated through its steps: outputs, ends, events, dense output, beside SciPy's."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import scipy.integrate as integrate
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import nn
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import solve_ivp

EXPLICIT = ("RK23", "RK45", "DOP853")
TIGHT = {"rtol": 1e-8, "atol": 1e-8}
BOTH = {"eps": 1e-4, "atol": 1e-4, "rtol": 1e-3}


def swing(t: Any, y: Any, k: Any) -> Any:
    return wg.stack([y[1], -k * y[0] * (1 + 0.1 * t) - 0.1 * y[1] ** 2])


def numpy_swing(t: Any, y: Any, k: Any) -> Any:
    return [y[1], -k * y[0] * (1 + 0.1 * t) - 0.1 * y[1] ** 2]


def number(value: float) -> Any:
    return wg.tensor(value, dtype=wg.float64, requires_grad=True)


def state() -> Any:
    return wg.tensor([1.0, 0.5], dtype=wg.float64, requires_grad=True)


@pytest.mark.parametrize("method", EXPLICIT)
@settings(max_examples=15, deadline=None)
@given(
    start=st.floats(-2, 2),
    length=st.floats(-3, 3),
    rtol=st.sampled_from([1e-3, 1e-6]),
    count=st.integers(0, 6),
    options=st.sampled_from([{}, {"max_step": 0.1}, {"first_step": 0.01}]),
)
def test_steps_and_outputs_are_those_of_scipy(
    method: str, start: float, length: float, rtol: float, count: int, options: dict[str, Any]
) -> None:
    if abs(length) < 0.05:
        length = 0.5
    times = np.linspace(start, start + length, count) if count else None
    keywords: dict[str, Any] = {"t_eval": times, "args": (1.3,), "rtol": rtol, "atol": 1e-6, **options}
    expected = integrate.solve_ivp(numpy_swing, (start, start + length), [1.0, 0.5], method, **keywords)
    solution = solve_ivp(swing, (start, start + length), state(), method, **keywords, dense_output=True)
    assert solution.success and solution.message == expected.message
    np.testing.assert_allclose(solution.t, expected.t, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(solution.y.detach().numpy(), expected.y, rtol=1e-6, atol=1e-8)
    inside = np.linspace(start, start + length, 5)
    dense = integrate.solve_ivp(
        numpy_swing, (start, start + length), [1.0, 0.5], method, **{**keywords, "t_eval": None}, dense_output=True
    )
    np.testing.assert_allclose(solution.sol(inside).detach().numpy(), dense.sol(inside), rtol=1e-5, atol=1e-7)
    assert solution.sol(float(inside[1])).shape == (2,) and solution.y.requires_grad


@pytest.mark.parametrize("method", EXPLICIT)
def test_derivatives_by_state_parameters_and_ends(method: str) -> None:
    options = TIGHT if method != "RK23" else {"rtol": 1e-5, "atol": 1e-5}

    def last(y: Any, k: Any, start: Any, end: Any) -> Any:
        return solve_ivp(swing, (start, end), y, method, args=(k,), **options).y[:, -1]

    inputs = (state(), number(1.3), number(0.1), number(1.5))
    assert gradcheck(last, inputs, check_forward_ad=True, **BOTH)


def test_second_derivatives() -> None:
    def last(y: Any, k: Any, end: Any) -> Any:
        return solve_ivp(swing, (0, end), y, "DOP853", args=(k,), rtol=1e-5).y[:, -1]

    assert gradgradcheck(last, (state(), number(1.3), number(1.0)), check_fwd_over_rev=True, **BOTH)
    hessian = wg.func.hessian(lambda k: solve_ivp(swing, (0, 1), state().detach(), args=(k,), **TIGHT).y[0, -1])
    step, k = 1e-3, number(1.3).detach()
    value = lambda k: solve_ivp(swing, (0, 1), [1.0, 0.5], args=(k,), **TIGHT).y[0, -1]  # noqa: E731
    difference = (value(1.3 + step) - 2 * value(1.3) + value(1.3 - step)) / step**2
    np.testing.assert_allclose(hessian(k).item(), float(difference), rtol=1e-3)


def test_derivatives_by_the_times_of_the_output() -> None:
    times = wg.tensor([0.1, 0.4, 1.0, 1.7, 2.0], dtype=wg.float64, requires_grad=True)
    outputs = lambda t, y: solve_ivp(swing, (0.1, 2.0), y, t_eval=t, args=(1.3,), **TIGHT).y  # noqa: E731
    assert outputs(times, state()).shape == (2, 5)
    inside = times.detach()[1:4].requires_grad_()
    assert gradcheck(outputs, (inside, state()), check_forward_ad=True, **BOTH)
    solution = solve_ivp(swing, (0.1, 2.0), [1.0, 0.5], t_eval=times, args=(1.3,), **TIGHT)
    (gradient,) = wg.autograd.grad(solution.y[0].sum(), times)
    np.testing.assert_allclose(gradient.numpy(), solution.y[1].detach().numpy(), rtol=1e-4)
    assert solution.t.requires_grad


def falling(t: Any, s: Any, g: Any) -> Any:
    return {"height": s["speed"], "speed": -g + 0 * s["speed"]}


def ground(t: Any, s: Any, g: Any) -> Any:
    return s["height"]


ground.terminal = True  # type: ignore[attr-defined]


@pytest.mark.parametrize("options", [{}, {"gradient": "adjoint"}, {"method": "Radau"}])
def test_the_time_of_an_event_has_derivatives(options: dict[str, Any]) -> None:
    """A thrown ball lands after 2v/g at -v."""
    speed, g = number(5.0), number(9.81)
    start = {"height": wg.tensor(1e-9, dtype=wg.float64), "speed": speed}
    solution = solve_ivp(falling, (0, 10), start, events=ground, args=(g,), **{"method": "RK45", **TIGHT, **options})
    assert solution.status == 1 and solution.message == "A termination event occurred."
    (landing,) = solution.t_events[0]
    np.testing.assert_allclose(landing.item(), 10 / 9.81, rtol=1e-6)
    grads = wg.autograd.grad(landing, (speed, g), retain_graph=True)
    np.testing.assert_allclose([grad.item() for grad in grads], [2 / 9.81, -10 / 9.81**2], rtol=1e-5)
    grads = wg.autograd.grad(solution.y_events[0][0, 1], (speed, g), retain_graph=True, materialize_grads=True)
    np.testing.assert_allclose([grad.item() for grad in grads], [-1, 0], atol=1e-5)
    grads = wg.autograd.grad(solution.y["speed"][-1], (speed, g), retain_graph=True, materialize_grads=True)
    np.testing.assert_allclose([grad.item() for grad in grads], [-1, 0], atol=1e-5)
    assert solution.t[-1].item() == landing.item()


def test_second_derivatives_of_the_time_of_an_event() -> None:
    def landing(speed: Any, g: Any) -> Any:
        start = {"height": 1e-9, "speed": speed}
        return solve_ivp(falling, (0, 10), start, events=ground, args=(g,), **TIGHT).t_events[0][0]

    assert gradcheck(landing, (number(5.0), number(9.81)), check_forward_ad=True, **BOTH)
    assert gradgradcheck(landing, (number(5.0), number(9.81)), **BOTH)


@pytest.mark.parametrize("method", EXPLICIT)
def test_events_before_dense_output_leave_its_derivatives_as_they_are(method: str) -> None:
    speed = wg.tensor(0.7, dtype=wg.float64, requires_grad=True)
    turning = lambda t, y: wg.stack([-speed * y[1], speed * y[0]])  # noqa: E731
    options: Any = {"rtol": [1e-7, 1e-8], "atol": 1e-9, "dense_output": True, "events": lambda t, y: y[0]}
    found = solve_ivp(turning, (0, 0.4), [0.2, 1.0], method, **options)
    when = np.arctan(0.2) / 0.7
    values = found.t_events[0][0], found.sol(0.3)[0]
    gradients = [wg.autograd.grad(value, speed, retain_graph=True)[0].item() for value in values]
    expected = [-when / 0.7, -0.3 * np.hypot(0.2, 1.0) * np.sin(np.arctan2(1.0, 0.2) + 0.21)]
    np.testing.assert_allclose(gradients, expected, rtol=1e-5)


def test_events_that_end_nothing_directions_and_thresholds() -> None:
    threshold = number(0.5)
    rising = lambda t, y, k: y[0] - threshold  # noqa: E731
    rising.direction = 1  # type: ignore[attr-defined]
    both = lambda t, y, k: y[0] - threshold  # noqa: E731
    solution = solve_ivp(
        lambda t, y, k: wg.stack([y[1], -k * y[0]]), (0, 12), [1.0, 0.0], events=[rising, both], args=(1.0,), **TIGHT
    )
    up, down, later = 2 * np.pi - np.pi / 3, np.pi / 3, 2 * np.pi
    np.testing.assert_allclose(solution.t_events[0].detach().numpy(), [up, up + later], rtol=1e-6)
    np.testing.assert_allclose(solution.t_events[1].detach().numpy(), [down, up, down + later, up + later], rtol=1e-6)
    (gradient,) = wg.autograd.grad(solution.t_events[1][0], threshold)
    np.testing.assert_allclose(gradient.item(), -1 / np.sin(np.pi / 3), rtol=1e-5)
    third = lambda t, y, k: y[0]  # noqa: E731
    third.terminal = 3  # type: ignore[attr-defined]
    start = wg.tensor([1.0, 0.0], dtype=wg.float64, requires_grad=True)
    solution = solve_ivp(lambda t, y, k: wg.stack([y[1], -k * y[0]]), (0, 12), start, events=third, args=(1.0,))
    assert len(solution.t_events[0]) == 3 and solution.status == 1
    np.testing.assert_allclose(solution.t_events[0][-1].item(), 2.5 * np.pi, rtol=1e-2)


def test_dense_output_has_derivatives() -> None:
    y, k = state(), number(1.3)

    def between(y: Any, k: Any) -> Any:
        return solve_ivp(swing, (0, 2), y, "DOP853", args=(k,), dense_output=True, **TIGHT).sol(np.array([0.3, 1.1]))

    assert gradcheck(between, (y, k), **BOTH)
    t = number(0.7)
    solution = solve_ivp(swing, (0, 2), y, args=(k,), dense_output=True, **TIGHT)
    (gradient,) = wg.autograd.grad(solution.sol(t)[0], t)
    np.testing.assert_allclose(gradient.item(), solution.sol(0.7)[1].item(), rtol=1e-4)


def test_parameters_of_a_module_learn_a_field() -> None:
    wg.manual_seed(0)
    network = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2)).double()
    times = np.linspace(0, 1.5, 8)
    truth = integrate.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1.5), [1.0, 0.0], t_eval=times, rtol=1e-8).y
    optimizer, losses = wg.optim.Adam(network.parameters(), lr=0.03), []
    for _ in range(60):
        optimizer.zero_grad()
        solution = solve_ivp(lambda t, y: network(y), (0, 1.5), wg.tensor([1.0, 0.0]), t_eval=times)
        loss = ((solution.y - wg.tensor(truth)) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.02 * losses[0]


def test_containers_keep_their_form_and_shape() -> None:
    start = {"x": wg.ones(2, 3, requires_grad=True), "v": [1.0, np.zeros(2)]}
    solution = solve_ivp(lambda t, s: {"x": -s["x"], "v": [s["v"][1][0], -s["v"][1]]}, (0, 1), start, t_eval=[0.5, 1.0])
    assert solution.y["x"].shape == (2, 3, 2) and solution.y["v"][1].shape == (2, 2)
    (gradient,) = wg.autograd.grad(solution.y["x"][..., -1].sum(), start["x"])
    assert gradient.dtype is wg.float32
    np.testing.assert_allclose(gradient.numpy(), np.exp(-1), rtol=1e-3)


def test_without_anything_to_differentiate_the_result_is_that_of_scipy() -> None:
    with wg.no_grad():
        assert isinstance(solve_ivp(swing, (0, 1), [1.0, 0.5], args=(number(1.3),)).y, np.ndarray)
        assert isinstance(solve_ivp(swing, (0, 1), [1.0, 0.5], args=(number(1.3),)).sol, type(None))
    assert not solve_ivp(swing, (0, 1), state().detach(), args=(1.3,)).y.requires_grad


def test_steps_that_vanish_end_the_solution() -> None:
    k = number(1.0)
    solution = solve_ivp(lambda t, y: k * y**2, (0, 2), [1.0])  # it goes to infinity at 1
    assert solution.status == -1 and not solution.success and abs(solution.t[-1] - 1) < 1e-3


def test_an_interval_of_no_length() -> None:
    y = state()
    solution = solve_ivp(swing, (1, 1), y, args=(1.3,), t_eval=[1.0])
    assert (solution.y[:, 0] == y).all()


def test_no_cycle_keeps_a_solution_alive() -> None:
    gc.collect()
    gc.disable()
    try:
        for options in ({}, {"gradient": "adjoint"}, {"dense_output": True}):
            k = number(1.3)
            alive = weakref.ref(k)
            solve_ivp(swing, (0, 1), [1.0, 0.5], args=(k,), **options).y.sum().backward()
            del k
            assert alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (ValueError, "expected gradient to be 'direct', 'adjoint' or None, but got 'both'", {"gradient": "both"}),
        (
            ValueError,
            "gradient='direct' is for RK23, RK45, DOP853, not for BDF",
            {"gradient": "direct", "method": "BDF"},
        ),
        (ValueError, "not within `t_span`", {"t_eval": [0.5, 1.5]}),
        (ValueError, "not properly sorted", {"t_eval": [0.5, 0.2]}),
    ],
)
def test_what_does_not_fit_is_refused(error: Any, message: str, options: dict[str, Any]) -> None:
    with pytest.raises(error, match=message):
        solve_ivp(swing, (0, 1), state(), args=(1.3,), **options)


def test_a_batch_is_refused() -> None:
    with pytest.raises(RuntimeError, match="solve_ivp: y0 holds a batch of vmap"):
        wg.func.vmap(lambda y: solve_ivp(lambda t, y: -y, (0, 1), y).y)(wg.ones(3, 2))

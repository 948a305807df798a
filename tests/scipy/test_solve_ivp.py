"""`wg.scipy.solve_ivp`: exact Jacobians for the implicit methods, containers, events, what is passed on and refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.integrate as integrate
import scipy.sparse

import wengert as wg
from wengert.scipy import solve_ivp
from wengert.scipy.vectors import scipy_module

IMPLICIT = ("Radau", "BDF", "LSODA")
EXPLICIT = ("RK45", "RK23", "DOP853")


def swing(t, state, damping=0.0):
    return {"position": state["speed"], "speed": -state["position"] - damping * state["speed"]}


START = {"position": wg.tensor([1.0, 2.0]), "speed": wg.zeros(2)}


def captured(monkeypatch):
    """What SciPy is given."""
    seen = {}
    original = integrate.solve_ivp

    def called(fun, t_span, y0, **keywords):
        seen.update(keywords, fun=fun, y0=y0)
        return original(fun, t_span, y0, **keywords)

    monkeypatch.setattr(integrate, "solve_ivp", called)
    return seen


@pytest.mark.parametrize("method", [*IMPLICIT, *EXPLICIT, integrate.BDF, integrate.RK45])
def test_states_are_containers(method):
    times = np.linspace(0, 2, 5)
    found = solve_ivp(swing, (0, 2), START, method, times, rtol=1e-8, atol=1e-8)
    assert found.success and found.y.keys() == START.keys() and found.y["speed"].dtype is wg.float64
    assert found.y["position"].shape == (2, 5) and (found.t == times).all()
    np.testing.assert_allclose(found.y["position"].numpy(), np.outer([1, 2], np.cos(times)), atol=1e-5)
    np.testing.assert_allclose(found.y["speed"].numpy(), np.outer([1, 2], -np.sin(times)), atol=1e-5)


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("sparsity", [None, "find", np.array([[0, 1], [1, 1]])])
def test_implicit_methods_get_the_exact_jacobian_at_each_time(monkeypatch, method, sparsity):
    seen = captured(monkeypatch)
    found = solve_ivp(
        lambda t, y: [y[1], -t * y[0] ** 2 - y[1]], (0, 1), [1.0, 0.0], method=method, jac_sparsity=sparsity
    )
    assert found.success and isinstance(found.y, np.ndarray) and found.y.shape[0] == 2
    for t, y in ((0.5, np.array([1.0, 2.0])), (0.75, np.array([1.0, 2.0])), (0.75, np.array([3.0, 2.0]))):
        jacobian = seen["jac"](t, y)
        assert scipy.sparse.issparse(jacobian) == (sparsity is not None and method != "LSODA")
        np.testing.assert_allclose(jacobian @ np.eye(2), [[0, 1], [-2 * t * y[0], -1]])


@pytest.mark.parametrize("method", EXPLICIT)
def test_explicit_methods_get_none(monkeypatch, method):
    seen = captured(monkeypatch)
    solve_ivp(swing, (0, 1), START, method)
    assert "jac" not in seen


def test_a_stiff_system_takes_no_runs_for_its_jacobians():
    calls = []

    def oscillator(t, y):
        calls.append(t)
        return wg.stack([y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]])

    found = solve_ivp(oscillator, (0, 100), [2.0, 0.0], "BDF")
    expected = integrate.solve_ivp(
        lambda t, y: [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 100), [2.0, 0.0], "BDF"
    )
    np.testing.assert_allclose(found.y[:, -1], expected.y[:, -1], rtol=1e-3)
    assert found.njev > 0 and len(calls) <= found.nfev + found.njev


def test_args_events_and_dense_output_are_passed_on():
    def crossing(t, state, damping):
        return state["position"][0]

    crossing.terminal = True
    crossing.direction = -1
    found = solve_ivp(swing, (0, 5), START, "Radau", args=(0.0,), events=crossing, dense_output=True, rtol=1e-8)
    assert found.status == 1
    np.testing.assert_allclose(found.t_events[0], np.pi / 2, rtol=1e-6)
    np.testing.assert_allclose(found.y_events[0], [[0, 0, -1, -2]], atol=1e-5)
    np.testing.assert_allclose(found.sol(1.0), [np.cos(1), 2 * np.cos(1), -np.sin(1), -2 * np.sin(1)], atol=1e-4)
    several = solve_ivp(swing, (0, 5), START, events=[lambda t, s: s["speed"][0] + 0.5, lambda t, s: t - 1.0])
    assert [len(each) for each in several.t_events] == [2, 1]


def test_jacobians_of_the_program_are_taken_as_they_are():
    seen = []

    def jacobian(t, y, k):
        seen.append(t)
        assert isinstance(y, wg.Tensor)
        return wg.eye(2, dtype=wg.float64) * -k

    found = solve_ivp(lambda t, y, k: -k * y, (0, 1), wg.ones(2), "Radau", args=(2.0,), jac=jacobian)
    np.testing.assert_allclose(found.y[:, -1].numpy(), np.exp(-2), rtol=1e-2)
    assert seen
    assert solve_ivp(lambda t, y: -y, (0, 1), [1.0], "BDF", jac=np.array([[-1.0]])).success


def test_constant_numbers_and_arrays_may_be_returned():
    found = solve_ivp(
        lambda t, s: [s[1], -9.81, np.ones(2)], (0, 1), [wg.tensor(0.0), wg.tensor(5.0), wg.zeros(2)], "BDF"
    )
    np.testing.assert_allclose(found.y[0][-1].item(), 5 - 9.81 / 2, rtol=1e-3)
    np.testing.assert_allclose(found.y[2][:, -1].numpy(), 1, rtol=1e-3)


def test_a_solution_that_gets_to_no_time_is_empty():
    start = {"a": wg.ones(2, 3)}
    found = solve_ivp(lambda t, s: {"a": -2 * s["a"]}, (-(2.0**63), 1), start, "BDF", [0.5])  # steps vanish in the time
    assert not found.success and found.y["a"].shape == (2, 3, 0)


def test_inside_the_package_scipy_is_scipy():
    assert scipy_module("solve_ivp", "integrate") is integrate
    assert wg.scipy.__name__ == "wengert.scipy"


REFUSED = {
    "vectorized": (
        ValueError,
        "solve_ivp: vectorized=True serves finite differences",
        lambda: solve_ivp(swing, (0, 1), START, vectorized=True),
    ),
    "method": (ValueError, "`method` must be one of", lambda: solve_ivp(swing, (0, 1), START, "Euler")),
    "times": (
        ValueError,
        "solve_ivp: expected t_span to be two numbers, but got 1",
        lambda: solve_ivp(swing, 1, START),
    ),
    "args": (TypeError, "Supplied 'args' cannot be unpacked", lambda: solve_ivp(swing, (0, 1), START, args=3.0)),
    "complex": (
        TypeError,
        "solve_ivp: expected fun to return real tensors or numbers, but got complex",
        lambda: solve_ivp(lambda t, y: 1j * y, (0, 1), [1.0]),
    ),
    "function": (
        TypeError,
        "solve_ivp: expected fun to be a function, but got str",
        lambda: solve_ivp("f", (0, 1), [1.0]),
    ),
    "pattern": (
        ValueError,
        r"solve_ivp: expected sparsity of shape \(2, 2\)",
        lambda: solve_ivp(lambda t, y: -y, (0, 1), [1.0, 2.0], "BDF", jac_sparsity=np.eye(3)),
    ),
    "event": (
        TypeError,
        "solve_ivp: expected an event to return real tensors or numbers, but got NoneType",
        lambda: solve_ivp(swing, (0, 1), START, events=lambda t, s: None),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    error, message, attempt = REFUSED[case]
    with pytest.raises(error, match=message):
        attempt()


def test_without_scipy_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(ImportError, match=r"solve_ivp needs SciPy: pip install 'wengert\[full\]'"):
        solve_ivp(swing, (0, 1), START)


def test_keys_of_results_may_come_in_another_order() -> None:
    start = {"position": 1.0, "rest": {"speed": 0.0, "time": 0.0}}

    def straight(t, s):
        return {"position": s["rest"]["speed"], "rest": {"speed": -s["position"], "time": 1.0}}

    def turned(t, s):
        return {"rest": {"time": 1.0, "speed": -s["position"]}, "position": s["rest"]["speed"]}

    for method in ("RK45", "Radau"):
        one, other = (solve_ivp(fun, (0, 1), start, method).y for fun in (straight, turned))
        np.testing.assert_array_equal(one["position"], other["position"])
        np.testing.assert_array_equal(one["rest"]["time"], other["rest"]["time"])
    with pytest.raises(
        TypeError, match=r"expected fun to return the keys \['position', 'rest'\], but got \['position'\]"
    ):
        solve_ivp(lambda t, s: {"position": 0.0}, (0, 1), start)

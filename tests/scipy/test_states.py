"""`wg.scipy.solve_ivp` of complex states beside SciPy's, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate as integrate
import scipy.sparse as sparse
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import solve_ivp
from wengert.scipy.states import States

METHODS = ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"]
START = np.array([1 + 0.5j, 2j])
TOLERANCES = {"rtol": 1e-8, "atol": 1e-10}


def turning(t: Any, y: Any) -> Any:
    """Not holomorphic: the absolute value damps."""
    return 1j * y - 0.1 * y * abs(y) ** 2


@pytest.mark.parametrize("method", METHODS)
def test_solutions_are_those_of_scipy(method: str) -> None:
    crossing = lambda t, y: y[0].real  # noqa: E731
    options = {**TOLERANCES, "dense_output": True, "events": crossing, "t_eval": [0.0, 1.0, 3.0]}
    ours = solve_ivp(turning, (0, 3), START, method=method, **options)
    theirs = integrate.solve_ivp(turning, (0, 3), START, method="DOP853", **options)
    assert ours.y.dtype == complex and ours.y.shape == (2, 3)
    np.testing.assert_allclose(ours.y, theirs.y, atol=1e-6)
    for t in (1.5, np.array([0.3, 2.9])):
        np.testing.assert_allclose(ours.sol(t), theirs.sol(t), atol=1e-6)
    assert ours.sol.t_max == 3.0
    np.testing.assert_allclose(ours.t_events[0], theirs.t_events[0], atol=1e-6)
    np.testing.assert_allclose(ours.y_events[0], theirs.y_events[0], atol=1e-6)


def schroedinger(t: Any, state: Any) -> Any:
    wave = state["wave"]
    bent = wg.roll(wave, 1) + wg.roll(wave, -1) - 2 * wave
    return {"wave": 0.5j * bent, "turns": (wave.abs() ** 2).sum()}


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF"])
def test_containers_of_complex_and_real_elements(method: str) -> None:
    wave = np.exp(1j * np.arange(8) * np.pi / 4).reshape(8)
    start = {"turns": 0.0, "wave": wg.tensor(wave)}
    found = solve_ivp(schroedinger, (0, 1), start, method=method, dense_output=True, **TOLERANCES)
    factor = np.exp(1j * (np.cos(np.pi / 4) - 1))
    assert found.y["wave"].dtype is wg.complex128 and found.y["wave"].shape == (8, len(found.t))
    np.testing.assert_allclose(found.y["wave"][:, -1].numpy(), wave * factor, atol=1e-6)
    np.testing.assert_allclose(found.y["turns"][-1], 8.0, atol=1e-6)
    np.testing.assert_allclose(found.sol(1.0), [8.0, *(wave * factor)], atol=1e-6)


def test_matrices_arrays_and_single_precision() -> None:
    start = {"a": np.eye(2) * 1j, "b": wg.tensor([1 + 1j], dtype=wg.complex64), "c": 2j}
    found = solve_ivp(lambda t, p: {"a": p["a"] @ p["a"], "b": 1j * p["b"], "c": 1.0}, (0, 1), start, **TOLERANCES)
    assert isinstance(found.y["a"], np.ndarray) and found.y["a"].shape[:2] == (2, 2)
    np.testing.assert_allclose(found.y["a"][..., -1], np.eye(2) * 1j / (1 - 1j), atol=1e-7)
    np.testing.assert_allclose(found.y["b"][0, -1].item(), (1 + 1j) * np.exp(1j), atol=1e-6)
    np.testing.assert_allclose(found.y["c"][-1], 1 + 2j)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_derivatives_by_complex_and_real_tensors(method: str) -> None:
    speed = wg.tensor(0.7 + 0.2j, dtype=wg.complex128, requires_grad=True)
    start = wg.tensor(START, requires_grad=True)
    damping = wg.tensor(0.1, dtype=wg.float64, requires_grad=True)
    tolerances = {"rtol": 1e-6, "atol": 1e-7} if method == "Radau" else TOLERANCES

    def last(speed: Any, start: Any, damping: Any) -> Any:
        fun = lambda t, p: {  # noqa: E731
            "z": 1j * speed * p["z"] - damping * p["z"] * p["z"].abs() ** 2,
            "r": p["z"].abs().sum() - p["r"],
        }
        found = solve_ivp(fun, (0, 0.2), {"z": start, "r": 1.0}, method=method, **tolerances)
        return found.y["z"][:, -1], found.y["r"][-1]

    assert gradcheck(last, (speed, start, damping), eps=1e-4, atol=1e-3, rtol=1e-3)


def test_second_derivatives_forward_mode_and_events() -> None:
    speed = wg.tensor(0.7 + 0.2j, dtype=wg.complex128, requires_grad=True)
    start = wg.tensor([0.2 + 1j], requires_grad=True, dtype=wg.complex128)
    options: dict[str, Any] = {"method": "DOP853", **TOLERANCES, "events": lambda t, y: y["z"][0].real}

    def events(speed: Any, start: Any) -> Any:
        turning = lambda t, y: {"z": 1j * speed * y["z"]}  # noqa: E731
        found = solve_ivp(turning, (0, 0.4), {"z": start}, dense_output=True, **options)
        return found.t_events[0][0], found.y_events[0][0], found.sol(0.3)

    assert gradcheck(events, (speed, start), atol=1e-4, rtol=1e-3, check_forward_ad=True)
    assert gradgradcheck(lambda speed: events(speed, start.detach())[2], (speed,), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_jacobians_of_the_program_are_complex(method: str) -> None:
    matrix = np.array([[1j, 0.5], [-0.5j, -0.2]])
    fun = lambda t, y: wg.tensor(matrix) @ y  # noqa: E731
    calls = []

    def jacobian(t: Any, y: Any) -> Any:
        calls.append(1)
        assert y.dtype is wg.complex128
        return wg.tensor(matrix)

    exact = solve_ivp(fun, (0, 1), START, method=method, **TOLERANCES).y[:, -1]
    constant = () if method == "LSODA" else (matrix, sparse.csr_array(matrix))  # SciPy's LSODA takes functions only
    for jac in (jacobian, *constant):
        own = solve_ivp(fun, (0, 1), START, method=method, jac=jac, **TOLERANCES).y[:, -1]
        np.testing.assert_allclose(own, exact, atol=1e-6)
    assert calls or method == "LSODA"  # which begins without a Jacobian
    states = States("solve_ivp", "y0", START)
    parts = states.jacobian(matrix) @ states.start
    np.testing.assert_allclose(states.numbers(parts), matrix @ START)


@settings(max_examples=25, deadline=None)
@given(kinds=st.lists(st.booleans(), min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_options_for_numbers_are_spread_to_their_parts(kinds: list[bool], seed: int) -> None:
    random = np.random.default_rng(seed)
    shapes = [tuple(random.integers(1, 4, random.integers(0, 3))) for _ in kinds]
    values = [
        random.standard_normal(shape) + (1j * random.standard_normal(shape) if kind else 0)
        for shape, kind in zip(shapes, kinds)
    ]
    if not any(kinds):
        return
    states = States("solve_ivp", "y0", values)
    numbers = np.concatenate([np.ravel(value) for value in values])
    np.testing.assert_allclose(states.numbers(states.start), numbers)
    np.testing.assert_allclose(
        states.numbers(wg.tensor(np.stack([states.start] * 2, 1))).numpy(), np.stack([numbers] * 2, 1)
    )
    option = random.uniform(size=len(numbers))
    spread = states.spread(option)
    assert spread.shape == states.start.shape and states.spread(1e-3) == 1e-3 and states.spread("find") == "find"
    np.testing.assert_array_equal(states.numbers(spread).real, option)
    pattern = random.integers(0, 2, (len(numbers), len(numbers)))
    np.testing.assert_array_equal(states.spread(sparse.csr_array(pattern)).toarray(), states.spread(pattern))


def test_tolerances_and_patterns_for_each_number() -> None:
    rates = np.array([-1 + 2j, -0.5j, 0.1])
    fun = lambda t, y: wg.tensor(rates) * y  # noqa: E731
    for method, options in (
        ("RK45", {"atol": [1e-9, 1e-10, 1e-11]}),
        ("BDF", {"atol": [1e-9, 1e-10, 1e-11], "jac_sparsity": np.eye(3)}),
        ("Radau", {"atol": 1e-10, "jac_sparsity": "find"}),
    ):
        found = solve_ivp(fun, (0, 1), np.ones(3) + 0j, method=method, rtol=1e-8, **options)
        np.testing.assert_allclose(found.y[:, -1], np.exp(rates), atol=1e-6)


@pytest.mark.parametrize(
    ("error", "message", "attempt"),
    [
        (ValueError, "`y0` must be 1-dimensional", lambda: solve_ivp(turning, (0, 1), [[1j]])),
        (TypeError, "expected fun to return real tensors", lambda: solve_ivp(lambda t, y: 1j * y, (0, 1), [1.0])),
        (
            TypeError,
            "element 1 of the state is real, but fun returns complex128 for it; pass a complex initial value",
            lambda: solve_ivp(lambda t, p: [p[0], 1j * p[1]], (0, 1), [wg.tensor([1j]), wg.tensor([1.0])]),
        ),
        (
            TypeError,
            "expected fun to return an element for each of the 2 elements of the state, .* but got 1",
            lambda: solve_ivp(lambda t, p: p[0], (0, 1), [wg.tensor([1j]), wg.tensor([1.0])]),
        ),
        (
            ValueError,
            "jac is for states that are complex only",
            lambda: solve_ivp(
                lambda t, p: p, (0, 1), [wg.tensor([1j]), wg.tensor([1.0])], method="BDF", jac=lambda t, p: wg.eye(2)
            ),
        ),
        (
            RuntimeError,
            "y0 holds a batch of vmap",
            lambda: wg.func.vmap(lambda y: solve_ivp(turning, (0, 1), {"z": y}).y["z"])(wg.tensor([[1j], [2j]])),
        ),
        (
            RuntimeError,
            "t_span holds a batch of vmap",
            lambda: wg.func.vmap(lambda t: solve_ivp(turning, (0, t), [1.0]).y)(wg.ones(2)),
        ),
    ],
)
def test_what_does_not_fit_is_refused(error: Any, message: str, attempt: Any) -> None:
    with pytest.raises(error, match=message):
        attempt()

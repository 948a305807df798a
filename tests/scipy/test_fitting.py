"""`wg.scipy.curve_fit` beside SciPy's: parameters, covariances, options, Jacobians, derivatives by the data."""

from __future__ import annotations

import gc
import inspect
from typing import Any

import numpy as np
import pytest
import scipy.optimize as optimize
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import curve_fit
from wengert.scipy.fitting import Model
from wengert.scipy.unsummed import unsummed

X = np.linspace(0, 4, 40)
RANDOM = np.random.default_rng(0)
NOISE = 0.05 * RANDOM.standard_normal(40)
Y = 2.5 * np.exp(-1.3 * X) + 0.5 + NOISE


def decay(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * (-b * x).exp() + c


def numpy_decay(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * x) + c


def covariance_matrix() -> Any:
    root = np.eye(40) + 0.2 * np.tri(40)
    return root @ root.T * 0.01


OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "start": {"p0": [2.0, 1.0, 0.0]},
    "lm": {"method": "lm"},
    "trf": {"method": "trf"},
    "dogbox": {"method": "dogbox"},
    "bounds": {"bounds": (0, [3.0, 1.0, 0.45])},
    "bounds object": {"bounds": optimize.Bounds([0, 0, 0], [3.0, 5.0, 5.0])},
    "sigma": {"sigma": 0.1 + 0.1 * X},
    "one sigma": {"sigma": 0.05, "absolute_sigma": True},
    "absolute sigma": {"sigma": 0.1 + 0.1 * X, "absolute_sigma": True},
    "sigma and trf": {"sigma": 0.1 + 0.1 * X, "method": "trf"},
    "covariance": {"sigma": covariance_matrix(), "absolute_sigma": True},
    "unchecked": {"check_finite": False},
    "options of leastsq": {"maxfev": 400, "ftol": 1e-12, "xtol": 1e-12},
    "options of least_squares": {"method": "trf", "x_scale": [1, 2, 3], "max_nfev": 50},
    "loss": {"method": "trf", "loss": "soft_l1"},
    "own differences": {"method": "trf", "jac": "3-point"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_parameters_and_covariance_are_those_of_scipy(name: str) -> None:
    result = curve_fit(decay, X, Y, **OPTIONS[name], full_output=True)
    expected = optimize.curve_fit(numpy_decay, X, Y, **OPTIONS[name], full_output=True)
    assert [type(part) for part in result] == [type(part) for part in expected]
    np.testing.assert_allclose(result[0], expected[0], rtol=1e-4)
    np.testing.assert_allclose(result[1], expected[1], rtol=1e-3, atol=1e-12)
    assert result[2]["fvec"].shape == expected[2]["fvec"].shape and result[4] in range(1, 5)


def test_missing_observations_are_left_out() -> None:
    x, y = X.copy(), Y.copy()
    x[3], y[7] = np.nan, np.nan
    sigma = 0.1 + 0.1 * X
    kept = np.isfinite(x) & np.isfinite(y)
    result = curve_fit(decay, x, y, sigma=sigma, nan_policy="omit")
    expected = curve_fit(decay, x[kept], y[kept], sigma=sigma[kept])
    for part, other in zip(result, expected):
        np.testing.assert_allclose(part, other, rtol=1e-10)
    data = wg.tensor(y, requires_grad=True)
    (gradient,) = wg.autograd.grad(curve_fit(decay, x, data, sigma=sigma, nan_policy="omit")[0].sum(), data)
    inside = wg.tensor(y[kept], requires_grad=True)
    (wanted,) = wg.autograd.grad(curve_fit(decay, x[kept], inside, sigma=sigma[kept])[0].sum(), inside)
    assert not gradient.numpy()[~kept].any()
    np.testing.assert_allclose(gradient.numpy()[kept], wanted.numpy(), rtol=1e-8)


def test_several_independent_variables_and_tensors_as_data() -> None:
    x = RANDOM.standard_normal((2, 60))
    y = 1.5 * x[0] - 0.5 * x[1] ** 2 + 0.1
    model = lambda x, a, b, c: a * x[0] + b * x[1] ** 2 + c  # noqa: E731
    for data in ((x, y), (wg.tensor(x), wg.tensor(y)), (x.tolist(), y.tolist())):
        np.testing.assert_allclose(curve_fit(model, *data)[0], [1.5, -0.5, 0.1], atol=1e-8)


def test_any_object_may_be_the_independent_variable() -> None:
    fields = {"t": wg.tensor(X)}
    popt, _ = curve_fit(lambda x, a, b, c: decay(x["t"], a, b, c), fields, Y)
    np.testing.assert_allclose(popt, curve_fit(decay, X, Y)[0], rtol=1e-6)


class Decay(wg.autograd.Function):
    """exp(-x), as a program would write it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return (-x).exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return -grad * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        return -tangent * ctx.saved_tensors[0]


def written(x: Any, a: Any, b: Any) -> Any:
    """A model that writes into its values."""
    result = a * x
    result[3:5] = b
    result *= 2
    return result.exp_()


def models() -> dict[str, tuple[Any, int]]:
    """Models, some of which do not work element by element, each with its number of parameters."""
    weights = wg.tensor(RANDOM.standard_normal((40, 3)))
    return {
        "pointwise": (decay, 3),
        "powers": (lambda x, a, b: (x + 1) ** a / (1 + b**2 * x).sqrt(), 2),
        "branches": (lambda x, a, b: wg.where(x > 1, a * x, b.tanh() - x) + wg.clamp(a, 0, 9) * x.abs(), 2),
        "a parameter without influence": (lambda x, a, b: a * x + 0 * b.detach(), 2),
        "parameters alone": (lambda x, a, b: (a * b).exp() * x + (a / b), 2),
        "a matrix": (lambda x, a, b, c: weights @ wg.stack([a, b * c, c]), 3),
        "sums over observations": (lambda x, a, b: a * x / (b * x).exp().sum() + b, 2),
        "cumulative": (lambda x, a, b: (a * x).cumsum(0) * b, 2),
        "indexing": (lambda x, a, b: (a * x + b).flip(0) * x, 2),
        "a softmax": (lambda x, a, b: (a * x).softmax(0) + b * x, 2),
        "columns": (lambda x, a, b: (wg.stack([a * x, b * x**2], 1)).sum(1), 2),
        "outer": (lambda x, a, b: ((a * x).unsqueeze(1) * x).mean(1) + b, 2),
        "numbers": (lambda x, a, b: a * x + b if a.item() > -100 else b * x, 2),
        "a custom function": (lambda x, a, b: a * Decay.apply(b * x), 2),
        "writes": (written, 2),
        "in place": (lambda x, a, b: (a * x + b).mul_(2).exp_(), 2),
        "float32": (lambda x, a, b: (a.float() * x.float()).exp() * b, 2),
    }


ELEMENTWISE = (
    "pointwise",
    "powers",
    "branches",
    "a parameter without influence",
    "parameters alone",
    "numbers",
    "in place",
)


@pytest.mark.parametrize("name", models())
@settings(max_examples=4, deadline=None)
@given(values=st.lists(st.floats(0.2, 2), min_size=3, max_size=3))
def test_jacobians_are_those_of_reverse_mode(name: str, values: list[float]) -> None:
    f, count = models()[name]
    parameters = np.array(values[:count])
    data = wg.tensor(X)
    expected = wg.func.jacrev(lambda p: f(data, *p.unbind()))(wg.tensor(parameters)).numpy()
    for by_rows in (False, True):
        model = Model(f, None, by_rows)
        model.value(X, *parameters)
        for _ in range(2):
            jacobian = model.jacobian(X, *parameters)
            np.testing.assert_allclose(jacobian.T if by_rows else jacobian, expected, rtol=1e-6, atol=1e-8)
    forward = model.by_parameter(data, tuple(parameters)).T
    np.testing.assert_allclose(forward, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", models())
def test_one_backward_pass_serves_models_that_work_element_by_element(name: str) -> None:
    f, count = models()[name]
    variables = [wg.tensor(0.5 + at, dtype=wg.float64, requires_grad=True) for at in range(count)]
    grads = unsummed(f(wg.tensor(X), *variables), variables)
    assert (grads is not None) == (name in ELEMENTWISE)


def test_a_jacobian_of_the_program_is_taken() -> None:
    calls = []

    def jacobian(x: Any, a: Any, b: Any, c: Any) -> Any:
        calls.append(1)
        decayed = (-b * x).exp()
        return wg.stack([decayed, -a * x * decayed, wg.ones_like(x)], 1)

    np.testing.assert_allclose(curve_fit(decay, X, Y, jac=jacobian)[0], curve_fit(decay, X, Y)[0], rtol=1e-6)
    assert calls


FITS: dict[str, Any] = {
    "lm": {},
    "trf": {"method": "trf", "ftol": 1e-14, "xtol": 1e-14, "gtol": 1e-14},
    "absolute": {"sigma": 0.1 + 0.1 * X[:9], "absolute_sigma": True},
}


@pytest.mark.parametrize("name", FITS)
def test_parameters_and_covariance_are_differentiable(name: str) -> None:
    x = wg.tensor(X[:9], requires_grad=True)
    y = wg.tensor(Y[:9], requires_grad=True)
    options = {"ftol": 1e-15, "xtol": 1e-15, **FITS[name]}

    def fit(x: Any, y: Any) -> Any:
        popt, pcov = curve_fit(lambda x, a, b: a * (-b * x).exp(), x, y, **options)
        return popt, pcov * 100

    assert gradcheck(fit, (x, y), eps=1e-4, atol=1e-3, rtol=1e-3, check_forward_ad=True)
    assert gradgradcheck(lambda y: fit(X[:9], y)[0], (y,), eps=1e-4, atol=1e-3, rtol=1e-3)


def test_weights_and_parameters_of_the_model_get_gradients() -> None:
    sigma = wg.tensor(0.1 + 0.1 * X, requires_grad=True)
    offset = wg.tensor(0.5, dtype=wg.float64, requires_grad=True)
    fit = lambda s, o: curve_fit(  # noqa: E731
        lambda x, a, b: a * (-b * x).exp() + o, X, Y, sigma=s, ftol=1e-15, xtol=1e-15
    )[0]
    assert gradcheck(fit, (sigma, offset), eps=1e-4, atol=1e-4)
    covariance = wg.tensor(covariance_matrix(), requires_grad=True)
    (gradient,) = wg.autograd.grad(fit(covariance, offset)[0], covariance)
    step = np.zeros((40, 40))
    step[3, 4] = step[4, 3] = 1e-5
    moved = [fit(wg.tensor(covariance_matrix() + side * step), 0.5)[0] for side in (1, -1)]
    np.testing.assert_allclose((gradient.numpy() * step).sum(), (moved[0] - moved[1]) / 2, rtol=1e-3)


def test_parameters_at_bounds_do_not_move() -> None:
    y = wg.tensor(Y, requires_grad=True)
    popt, _ = curve_fit(decay, X, y, bounds=(0, [3.0, 1.0, 5.0]))
    assert abs(popt[1].item() - 1) < 1e-6
    assert not wg.autograd.grad(popt[1], y, retain_graph=True)[0].any()
    assert wg.autograd.grad(popt[0], y)[0].any()


def test_without_recording_the_result_is_an_array() -> None:
    y = wg.tensor(Y, requires_grad=True)
    with wg.no_grad():
        popt, pcov = curve_fit(decay, X, y)
    assert isinstance(popt, np.ndarray) and isinstance(pcov, np.ndarray)


def test_the_signature_is_that_of_scipy() -> None:
    assert list(inspect.signature(curve_fit).parameters) == list(inspect.signature(optimize.curve_fit).parameters)


BATCH = wg.ones(2, 40)


@pytest.mark.parametrize(
    ("error", "message", "attempt"),
    [
        (TypeError, "curve_fit: expected f to be a function, but got int", lambda: curve_fit(3, X, Y)),
        (ValueError, "array must not contain infs or NaNs", lambda: curve_fit(decay, X, Y * np.nan)),
        (ValueError, "Unable to determine number of fit parameters", lambda: curve_fit(lambda *a: a[1] * a[0], X, Y)),
        (ValueError, "sigma.* has incorrect shape", lambda: curve_fit(decay, X, Y, sigma=np.ones(3))),
        (TypeError, "expected f to return real tensors", lambda: curve_fit(lambda x, a: wg.complex(x, a * x), X, Y)),
        (
            RuntimeError,
            "ydata holds a batch of vmap",
            lambda: wg.func.vmap(lambda y: curve_fit(decay, X, y)[0])(wg.ones(2, 40)),
        ),
    ],
)
def test_what_does_not_fit_is_refused(error: Any, message: str, attempt: Any) -> None:
    with pytest.raises(error, match=message):
        attempt()


def test_a_fit_keeps_no_memory():
    x = np.linspace(0, 2, 50_000)  # arrays from 128 KiB are counted
    y = 3 * np.exp(-0.7 * x)
    gc.disable()
    try:
        for sigma in (None, np.full(x.shape, 0.1)):
            before = wg.memory_stats()["allocated_bytes"]
            popt, _ = curve_fit(lambda x, a, b: a * (-b * x).exp(), x, y, p0=[1.0, 1.0], sigma=sigma)
            assert popt == pytest.approx([3, 0.7])
            kept = 0 if sigma is not None else 2 * x.nbytes + 65536  # SciPy remembers the first Jacobian
            assert wg.memory_stats()["allocated_bytes"] - before <= kept
    finally:
        gc.enable()

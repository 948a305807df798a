"""`wg.scipy.root` and `least_squares`: exact Jacobians, containers, patterns, what is passed on and refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.optimize as optimize
import scipy.sparse

import wengert as wg
from wengert.scipy import least_squares, root


def broyden(x):
    """The tridiagonal function of C. G. Broyden, 1965."""
    around = wg.nn.functional.pad(x, (1, 1))
    return (3 - x) * x + 1 - around[:-2] - 2 * around[2:]


def broyden_jacobian(x):
    count = len(x)
    return np.diag(3 - 2 * x) - np.eye(count, k=-1) - 2 * np.eye(count, k=1)


def captured(monkeypatch, name):
    """What SciPy is given."""
    seen = {}
    original = getattr(optimize, name)

    def called(fun, x0, **keywords):
        seen.update(keywords, fun=fun, x0=x0)
        return original(fun, x0, **keywords)

    monkeypatch.setattr(optimize, name, called)
    return seen


@pytest.mark.parametrize("method", ["hybr", "lm"])
@pytest.mark.parametrize("sparsity", [None, "find", np.tri(5, k=1) * np.tri(5, k=1).T])
def test_methods_that_take_a_jacobian_get_the_exact_one(monkeypatch, method, sparsity):
    seen = captured(monkeypatch, "root")
    found = root(broyden, -np.ones(5), method=method, sparsity=sparsity)
    assert found.success and isinstance(found.x, np.ndarray)
    np.testing.assert_allclose(found.fun, 0, atol=1e-8)
    x = np.linspace(-1, 1, 5)
    assert isinstance(seen["jac"](x), np.ndarray)
    np.testing.assert_allclose(seen["jac"](x), broyden_jacobian(x), rtol=1e-12)


@pytest.mark.parametrize("method", ["broyden1", "anderson", "krylov", "df-sane", "diagbroyden"])
def test_other_methods_run_without(method):
    seen = []
    with np.errstate(all="ignore"):
        found = root(
            lambda p: {"v": broyden(p["v"])},
            {"v": -wg.ones(5)},
            method=method,
            tol=1e-8,
            callback=lambda p, f: seen.append((p, f)),
        )
    np.testing.assert_allclose(broyden(found.x["v"]).numpy(), 0, atol=1e-5)
    assert seen and seen[-1][0]["v"].shape == (5,) and seen[-1][1].shape == (5,)


def test_args_and_jacobians_of_the_program():
    def f(p, a):
        return [p[0] ** 2 - a, p[1] - p[0]]

    start = [wg.tensor(1.0), wg.tensor(0.0)]
    own = lambda p, a: wg.tensor([[2 * p[0].item(), 0.0], [-1.0, 1.0]], dtype=wg.float64)  # noqa: E731
    for options in ({}, {"jac": own}, {"jac": False}):
        found = root(f, start, 2.0, **options)
        np.testing.assert_allclose([each.item() for each in found.x], np.sqrt(2), rtol=1e-7)
    both = root(lambda p, a: (f(p, a), own(p, a)), start, (2.0,), jac=True)
    np.testing.assert_allclose(both.x[0].item(), np.sqrt(2), rtol=1e-7)


T = wg.tensor(np.linspace(0, 3, 20))
TRUE = {"height": wg.tensor(2.0), "rates": wg.tensor([0.5, 3.0])}


def decay(p, t):
    slow, fast = p["rates"]
    return p["height"] * (-slow * t).exp() + (-fast * t).exp()


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
@pytest.mark.parametrize("loss", ["linear", "soft_l1"])
def test_curves_are_fitted(monkeypatch, method, loss):
    if method == "lm" and loss != "linear":
        with pytest.raises(ValueError, match="method='lm' supports only 'linear' loss function"):
            least_squares(decay, TRUE, method=method, loss=loss, args=(T,))
        return
    seen = captured(monkeypatch, "least_squares")
    data = decay(TRUE, T)
    start = {"height": wg.tensor(1.0), "rates": wg.tensor([0.1, 2.0])}
    found = least_squares(
        lambda p, t, data: decay(p, t) - data,
        start,
        method=method,
        loss=loss,
        args=(T,),
        kwargs={"data": data},
        xtol=1e-12,
    )
    np.testing.assert_allclose(found.x["rates"].numpy(), [0.5, 3.0], rtol=1e-4)
    assert found.jac.shape == (20, 3) and found.fun.shape == (20,)
    expected = np.stack(
        [np.exp(-0.5 * T.numpy()), -2 * T.numpy() * np.exp(-0.5 * T.numpy()), -T.numpy() * np.exp(-3 * T.numpy())], 1
    )
    np.testing.assert_allclose(seen["jac"](np.array([2, 0.5, 3.0])), expected, rtol=1e-12)


@pytest.mark.parametrize("count", [2, 20])
def test_curves_are_fitted_to_arrays(count):
    t = np.linspace(0, 3, count)
    data = 2 * np.exp(-0.5 * t)
    found = least_squares(lambda p: p[0] * np.exp(-p[1] * t) - data, np.array([1.0, 1.0]), xtol=1e-12)
    np.testing.assert_allclose(found.x, [2, 0.5], rtol=1e-6)
    np.testing.assert_allclose(found.jac, np.stack([data / 2, -t * data], 1), rtol=1e-6)


@pytest.mark.parametrize(
    "sparsity", ["find", scipy.sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(50, 50))]
)
@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_sparse_jacobians_are_given_as_such(sparsity, method):
    found = least_squares(broyden, -np.ones(50), jac_sparsity=sparsity, method=method)
    assert scipy.sparse.issparse(found.jac) and found.jac.nnz == 148 and found.cost < 1e-10
    np.testing.assert_allclose(found.jac.toarray(), broyden_jacobian(found.x), rtol=1e-9)
    assert found.nfev <= 10


def test_one_run_serves_value_and_jacobian():
    calls = []

    def f(x):
        calls.append(1)
        return broyden(x)

    found = least_squares(f, -np.ones(5))
    assert len(calls) == found.nfev


def test_bounds_callbacks_and_own_jacobians_are_passed_on():
    seen = []
    found = least_squares(
        lambda p: p["a"] - 3,
        {"a": wg.zeros(2) + 0.5},
        bounds=([0, 0], [1, 9]),
        callback=lambda p: seen.append(p["a"]),
        max_nfev=30,
    )
    np.testing.assert_allclose(found.x["a"].numpy(), [1, 3], atol=1e-4)
    assert seen and all(isinstance(each, wg.Tensor) for each in seen)
    own = least_squares(
        lambda p, k: p["a"] - k, {"a": wg.zeros(2)}, lambda p, k: wg.eye(2, dtype=wg.float64), args=(3,)
    )
    np.testing.assert_allclose(own.x["a"].numpy(), 3)
    numerical = least_squares(broyden, -np.ones(9), "3-point", jac_sparsity=np.tri(9, k=1) * np.tri(9, k=1).T)
    assert numerical.cost < 1e-10


REFUSED = {
    "unused pattern": (
        ValueError,
        "root: sparsity is the pattern of the exact Jacobian, which method 'krylov'",
        lambda: root(broyden, [1.0], method="krylov", sparsity="find"),
    ),
    "pattern's shape": (
        ValueError,
        r"root: expected sparsity of shape \(2, 2\) \(results of fun, variables\)",
        lambda: root(broyden, [1.0, 2.0], sparsity=np.eye(3)),
    ),
    "residuals' pattern": (
        ValueError,
        r"least_squares: expected sparsity of shape \(2, 2\)",
        lambda: least_squares(broyden, [1.0, 2.0], jac_sparsity=np.eye(3)),
    ),
    "another number of results": (
        TypeError,
        "mismatch between the input and output shape",
        lambda: root(lambda x: x.sum(), [1.0, 2.0]),
    ),
    "no function": (
        TypeError,
        "least_squares: expected fun to be a function, but got NoneType",
        lambda: least_squares(None, [1.0]),
    ),
    "method": (ValueError, "`method` must be 'trf'", lambda: least_squares(broyden, [1.0], method="best")),
    "no option": (TypeError, "unexpected keyword argument 'fun_tol'", lambda: least_squares(broyden, [1.0], fun_tol=1)),
    "text": (TypeError, "root: expected fun to return real tensors or numbers, but got", lambda: root(str, [1.0])),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    error, message, attempt = REFUSED[case]
    with pytest.raises(error, match=message):
        attempt()


@pytest.mark.parametrize("solver", [root, least_squares])
def test_without_scipy_the_message_says_what_to_install(monkeypatch, solver):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=rf"{solver.__name__} needs SciPy: pip install 'wengert\[full\]'"):
        solver(broyden, [1.0])

"""`wg.scipy.minimize`: exact derivatives for every method, containers, constraints, what is passed on and refused."""

from __future__ import annotations

import sys
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import scipy.optimize as optimize
import scipy.sparse
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd.containers import flatten, mapped
from wengert.scipy import minimize

Pair = namedtuple("Pair", "first second")
START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
FIRST = ("CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", None)
SECOND = ("Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr")
WITHOUT = ("Nelder-Mead", "Powell", "COBYLA", "COBYQA")


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum()


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


def captured(monkeypatch):
    """What SciPy is given."""
    seen = {}
    original = optimize.minimize

    def minimize_seen(fun, x0, **keywords):
        seen.update(keywords, fun=fun, x0=x0)
        return original(fun, x0, **keywords)

    monkeypatch.setattr(optimize, "minimize", minimize_seen)
    return seen


@pytest.mark.parametrize("method", FIRST + SECOND)
def test_every_method_finds_what_it_finds_with_derivatives_written_by_hand(method):
    by_hand = {"jac": optimize.rosen_der}
    if method in ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"):
        by_hand["hessp"] = optimize.rosen_hess_prod
    elif method in SECOND:
        by_hand["hess"] = optimize.rosen_hess
    expected = optimize.minimize(optimize.rosen, START, method=method, **by_hand)
    function = Counted(rosenbrock)
    found = minimize(function, START, method=method)
    np.testing.assert_allclose(found.x, expected.x, rtol=1e-4, atol=1e-4)
    assert abs(found.nfev - expected.nfev) <= 2 and abs(found.fun - expected.fun) < 1e-6
    assert found.x.dtype == np.float64 and isinstance(found.x, np.ndarray)
    assert function.calls <= found.nfev + 1  # value, gradient and Hessian come from one run


@pytest.mark.parametrize("method", WITHOUT)
def test_methods_without_derivatives_get_none(monkeypatch, method):
    seen = captured(monkeypatch)
    found = minimize(lambda x: ((x - 2) ** 2).sum(), [0.5, 1.0], method=method)
    np.testing.assert_allclose(found.x, 2, atol=1e-3)
    assert seen["jac"] is seen["hess"] is seen["hessp"] is None


containers = st.recursive(
    st.lists(st.integers(1, 2), max_size=2).map(tuple),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.tuples(inner, inner),
        st.builds(Pair, inner, inner),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3).map(OrderedDict),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3),
    ),
    max_leaves=5,
)


def is_shape(value):
    return type(value) is tuple and all(isinstance(each, int) for each in value)


def filled(value, made):
    """A structure of shapes with a tensor for each of them."""
    if is_shape(value):
        made.append(wg.tensor(np.arange(1.0, np.prod(value, dtype=int) + 1).reshape(value) * (len(made) + 1)))
        return made[-1]
    if isinstance(value, dict):
        return type(value)((key, filled(each, made)) for key, each in value.items())
    parts = [filled(each, made) for each in value]
    return Pair(*parts) if isinstance(value, Pair) else type(value)(parts)


@given(containers, st.sampled_from(["BFGS", "Newton-CG"]))
def test_results_come_in_the_container_of_the_start(shapes, method):
    target = filled(shapes, [])

    def distance(p):
        elements, structure = flatten(p)
        assert structure == flatten(target)[1]
        assert all(each.dtype is wg.float64 for each in elements)
        return sum(((one - other) ** 2).sum() for one, other in zip(elements, flatten(target)[0]))

    start = mapped(lambda each: wg.zeros(each.shape), target)
    found = minimize(distance, start, method=method)
    elements, structure = flatten(found.x)
    assert structure == flatten(target)[1]
    for one, other in zip(elements, flatten(target)[0]):
        assert one.dtype is wg.float64 and one.shape == other.shape and not one.requires_grad
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.jac, 0, atol=1e-4)  # the other fields stay flat
    assert found.jac.shape == (sum(each.numel() for each in elements),)


@pytest.mark.parametrize("x0", [2.0, 3, [1, 2], (0.5, 1.0), np.array([1, 2]), np.float32(2.0)])
def test_whatever_scipy_takes_becomes_one_tensor(x0):
    shapes = set()

    def f(x):
        shapes.add((tuple(x.shape), x.dtype))
        return ((x - 1) ** 2).sum()

    found = minimize(f, x0)
    assert isinstance(found.x, np.ndarray) and shapes == {((np.size(x0),), wg.float64)}
    np.testing.assert_allclose(found.x, 1, atol=1e-6)


def test_a_tensor_gives_a_tensor_and_is_not_written_to():
    start = wg.zeros(2, 2, requires_grad=True)
    found = minimize(lambda x: ((x - 1) ** 2).sum(), start)
    assert found.x.shape == (2, 2) and not start.grad and (start == 0).all()
    np.testing.assert_allclose(found.x.numpy(), 1, atol=1e-6)


def test_parameters_of_a_module_are_a_container():
    x = wg.tensor(np.linspace(-1, 1, 9)).unsqueeze(1)
    layer = wg.nn.Linear(1, 1, dtype=wg.float64)

    def loss(parameters):
        return ((wg.func.functional_call(layer, parameters, (x,)) - (2 * x - 1)) ** 2).mean()

    found = minimize(loss, dict(layer.named_parameters()), method="trust-exact")
    assert round(found.x["weight"].item(), 6) == 2 and round(found.x["bias"].item(), 6) == -1


def test_derivatives_are_exact(monkeypatch):
    seen = captured(monkeypatch)
    x, along = np.linspace(0.5, 1.5, 4), np.linspace(1, 2, 4)
    minimize(rosenbrock, x, method="trust-constr", options={"maxiter": 1})
    np.testing.assert_allclose(seen["jac"](x), optimize.rosen_der(x), rtol=1e-12)
    np.testing.assert_allclose(seen["hessp"](x, along), optimize.rosen_hess_prod(x, along), rtol=1e-12)
    minimize(rosenbrock, x, method="trust-exact", options={"maxiter": 1})
    np.testing.assert_allclose(seen["hess"](x), optimize.rosen_hess(x), rtol=1e-12)
    np.testing.assert_allclose(seen["hess"](x + 1), optimize.rosen_hess(x + 1), rtol=1e-12)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-constr", "trust-exact", "trust-ncg", "trust-krylov", "dogleg"])
@pytest.mark.parametrize("given", ["find", "array"])
def test_a_sparse_hessian_is_computed_from_its_pattern(monkeypatch, method, given):
    seen = captured(monkeypatch)
    x = np.linspace(0.5, 1.5, 6)
    convex = lambda x: rosenbrock(x) + 500 * (x**2).sum()  # noqa: E731
    sparsity = given if given == "find" else scipy.sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(6, 6))
    with_pattern = minimize(convex, x, method=method, sparsity=sparsity)
    expected = optimize.rosen_hess(x) + 1000 * np.eye(6)
    if seen["hess"] is not None:
        hessian = seen["hess"](x)
        assert scipy.sparse.issparse(hessian) == (method in ("Newton-CG", "trust-constr"))
        np.testing.assert_allclose(hessian @ np.eye(6), expected, rtol=1e-12)
    else:
        np.testing.assert_allclose(seen["hessp"](x, x), expected @ x, rtol=1e-12)
    np.testing.assert_allclose(with_pattern.x, minimize(convex, x, method=method).x, rtol=1e-3, atol=1e-5)


def test_args_options_bounds_and_tol_are_passed_on():
    def f(p, scale, offset):
        return scale * ((p["a"] - offset) ** 2).sum()

    bounds = [(None, 1.5), (0, None)]
    found = minimize(f, {"a": wg.zeros(2)}, (3.0, 2.0), bounds=bounds, tol=1e-9, options={"maxiter": 50})
    np.testing.assert_allclose(found.x["a"].numpy(), [1.5, 2.0], atol=1e-6)
    alone = minimize(lambda x, a: ((x - a) ** 2).sum(), wg.zeros(2), 5.0)
    np.testing.assert_allclose(alone.x.numpy(), 5, atol=1e-6)
    stopped = minimize(rosenbrock, START, method="CG", options={"maxiter": 1})
    assert stopped.nit == 1 and not stopped.success


def test_callbacks_of_each_form_are_given_containers():
    seen = []

    def with_result(intermediate_result):
        seen.append((intermediate_result.x, intermediate_result.fun))

    start = {"a": wg.tensor(2.0)}
    square = lambda p: (p["a"] - 1) ** 2  # noqa: E731
    minimize(square, start, callback=with_result)
    minimize(square, start, method="TNC", callback=lambda p: seen.append((p, 0)))
    minimize(square, start, method="trust-constr", callback=lambda p, state: seen.append((p, state.fun)) and None)
    assert len(seen) > 3
    assert all(p.keys() == {"a"} and isinstance(p["a"], wg.Tensor) for p, _ in seen)

    def stop(p):
        raise StopIteration

    assert minimize(square, start, method="BFGS", callback=stop).nit == 1


def test_derivatives_of_the_program_are_taken_as_they_are():
    start = {"a": wg.zeros(2), "b": wg.tensor(3.0)}
    calls = []

    def f(p):
        return ((p["a"] - 1) ** 2).sum() + p["b"] ** 2

    def jac(p):
        calls.append("jac")
        return {"a": 2 * (p["a"] - 1), "b": 2 * p["b"]}

    def hess(p):
        calls.append("hess")
        return 2 * wg.eye(3, dtype=wg.float64)

    def hessp(p, along):
        calls.append("hessp")
        return {"a": 2 * along["a"], "b": 2 * along["b"]}

    for options in (
        {"jac": jac, "hess": hess, "method": "trust-exact"},
        {"jac": jac, "hessp": hessp, "method": "Newton-CG"},
        {"jac": jac, "method": "trust-exact"},  # its own gradient, the exact Hessian
        {"hess": hess, "method": "dogleg"},
        {"hess": optimize.BFGS(), "method": "trust-constr"},
        {"jac": "2-point"},
        {"jac": False, "method": "CG"},
    ):
        found = minimize(f, start, **options)
        np.testing.assert_allclose(found.x["a"].numpy(), 1, atol=1e-4)
    both = minimize(lambda p: (f(p), jac(p)), start, jac=True)
    np.testing.assert_allclose(both.x["a"].numpy(), 1, atol=1e-4)
    assert {"jac", "hess", "hessp"} == set(calls)


def test_a_method_of_the_program_is_given_all_derivatives():
    def newton(fun, x0, args=(), jac=None, hess=None, hessp=None, **rest):
        matrix = np.stack([hessp(x0, row) for row in np.eye(x0.size)])
        x = x0 - np.linalg.solve(matrix, jac(x0))
        return optimize.OptimizeResult(x=x, fun=fun(x), success=True)

    found = minimize(lambda x: ((x - 3) ** 2).sum(), wg.zeros(2), method=newton)
    np.testing.assert_allclose(found.x.numpy(), 3)


def test_without_scipy_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"minimize needs SciPy: pip install 'wengert\[full\]'"):
        minimize(rosenbrock, START)


REFUSED = {
    "no function": (TypeError, "minimize: expected fun to be a function, but got int", lambda: minimize(3, [1.0])),
    "complex start": (
        TypeError,
        "expected x0 to be real numbers, but got complex128",
        lambda: minimize(rosenbrock, [1j, 2]),
    ),
    "complex tensor": (
        TypeError,
        "expected x0 to be real numbers, but got complex64",
        lambda: minimize(rosenbrock, wg.ones(2, dtype=wg.complex64)),
    ),
    "a mixture": (
        TypeError,
        "expected x0 to hold only tensors, arrays and numbers, but got str",
        lambda: minimize(rosenbrock, {"a": wg.ones(2), "b": "one"}),
    ),
    "nothing": (TypeError, "expected x0 to hold tensors, but it is empty", lambda: minimize(rosenbrock, {})),
    "text": (TypeError, "expected fun to return real tensors or numbers, but got", lambda: minimize(str, [1.0])),
    "None": (
        TypeError,
        "expected fun to return real tensors or numbers, but got NoneType",
        lambda: minimize(lambda x: None, [1.0]),
    ),
    "an empty list": (
        TypeError,
        "expected fun to return numbers, but it returned an empty container",
        lambda: minimize(lambda x: [], [1.0]),
    ),
    "complex value": (
        TypeError,
        "expected fun to return real tensors or numbers, but got complex128",
        lambda: minimize(lambda x: wg.complex(x, x).sum(), [1.0]),
    ),
    "a vector": (ValueError, "must return a scalar value", lambda: minimize(lambda x: x * 2, [1.0, 2.0])),
    "two dimensions": (ValueError, "'x0' must only have one dimension", lambda: minimize(rosenbrock, np.ones((2, 2)))),
    "no method": (ValueError, "Unknown solver nonsense", lambda: minimize(rosenbrock, START, method="nonsense")),
    "a number for a method": (
        TypeError,
        "minimize: expected method to be a name or a function, but got int",
        lambda: minimize(rosenbrock, START, method=3),
    ),
    "unused pattern": (
        ValueError,
        "sparsity is the pattern of the exact Hessian, which method 'bfgs' does not use",
        lambda: minimize(rosenbrock, START, sparsity="find"),
    ),
    "another word": (
        ValueError,
        "expected the sparsity to be an array, 'find' or None, but got 'look'",
        lambda: minimize(rosenbrock, START, method="Newton-CG", sparsity="look"),
    ),
    "pattern's shape": (
        ValueError,
        r"minimize: expected sparsity of shape \(5, 5\) \(variables, twice\)",
        lambda: minimize(rosenbrock, START, method="Newton-CG", sparsity=np.eye(4)),
    ),
    "pattern's form": (
        ValueError,
        "minimize: expected a symmetric sparsity",
        lambda: minimize(rosenbrock, START, method="Newton-CG", sparsity=np.tri(5)),
    ),
    "complex step": (
        TypeError,
        "minimize: fun takes real numbers; omit jac='cs'",
        lambda: minimize(rosenbrock, START, jac="cs", method="trust-constr"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    error, message, attempt = REFUSED[case]
    with pytest.raises(error, match=message):
        attempt()


def test_keys_of_derivatives_may_come_in_another_order():
    fun = lambda p: (p["a"] - 1) ** 2 + 3 * (p["b"] + 2) ** 2  # noqa: E731
    gradient = lambda p: {"b": 6 * (p["b"] + 2), "a": 2 * (p["a"] - 1)}  # noqa: E731
    start = {"a": 0.0, "b": 0.0}
    product = lambda p, along: {"b": 6 * along["b"], "a": 2 * along["a"]}  # noqa: E731
    for found in (
        minimize(fun, start, jac=gradient),
        minimize(lambda p: (fun(p), gradient(p)), start, jac=True),
        minimize(fun, start, method="Newton-CG", hessp=product),
    ):
        np.testing.assert_allclose([found.x["a"], found.x["b"]], [1, -2], atol=1e-4)
        assert found.nit <= 8

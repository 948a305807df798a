"""`root`, `minimize` and `least_squares` as layers: derivatives of their results by the implicit function theorem."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import nn
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy import least_squares, minimize, root

BOTH = {"eps": 1e-4, "atol": 1e-4}
A = wg.tensor([2.0, 0.7], dtype=wg.float64)
T = wg.tensor(np.linspace(0, 3, 15))


def cubic(x: Any, a: Any) -> Any:
    return wg.stack([x[0] ** 3 + x[0] * a[1] - a[0], x[1] - x[0] * a[0]])


def bowl(p: Any, a: Any) -> Any:
    return (p["u"] - a[0]) ** 2 * (1 + p["v"] ** 2) + (p["v"] * a[1] - 1).exp() - p["v"]


def decay(p: Any, a: Any) -> Any:
    return p["u"] * (-p["v"] * T).exp() - (a[0] * (-a[1] * T).exp() + 0.1 * (7 * T).sin() * a[0])


TIGHT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "f_scale": 0.1}
LAYERS = {
    "root": lambda a: root(cubic, [1.0, 1.0], (a,), tol=1e-14).x,
    "root by lm": lambda a: root(cubic, wg.ones(2), a, "lm", tol=1e-14).x,
    "root in a closure": lambda a: root(lambda x: cubic(x, a), [1.0, 1.0], method="df-sane", tol=1e-13).x,
    "minimize": lambda a: minimize(bowl, {"u": 0.0, "v": 0.5}, (a,), "trust-exact", tol=1e-12).x,
    "minimize by BFGS": lambda a: minimize(bowl, {"u": 0.0, "v": 0.5}, (a,), tol=1e-11).x,
    **{
        f"least_squares, {loss}": lambda a, loss=loss: (
            least_squares(decay, {"u": 1.0, "v": 0.5}, args=(a,), loss=loss, **TIGHT).x
        )
        for loss in ("linear", "soft_l1", "huber", "cauchy", "arctan")
    },
}


def tensors(x: Any) -> Any:
    return tuple(x.values()) if isinstance(x, dict) else x


@pytest.mark.parametrize("name", LAYERS)
def test_derivatives_by_the_parameters(name: str) -> None:
    a = A.clone().requires_grad_()
    assert gradcheck(lambda a: tensors(LAYERS[name](a)), (a,), check_forward_ad=True, **BOTH)


@pytest.mark.parametrize("name", ["root", "minimize", "least_squares, soft_l1", "least_squares, huber"])
def test_second_derivatives_by_the_parameters(name: str) -> None:
    a = A.clone().requires_grad_()
    assert gradgradcheck(lambda a: tensors(LAYERS[name](a)), (a,), check_fwd_over_rev=True, **BOTH)


@pytest.mark.parametrize("name", ["root", "minimize", "least_squares, linear"])
def test_third_derivatives_agree_in_all_modes(name: str) -> None:
    layer = LAYERS[name]
    last = lambda b: tensors(layer(wg.stack([b + 1, 0.5 * b * b])))[-1]  # noqa: E731
    grad, jacfwd, jacrev, b = wg.func.grad, wg.func.jacfwd, wg.func.jacrev, wg.tensor(1.2, dtype=wg.float64)
    second, h = grad(grad(last)), 1e-3
    expected = (second(b + h) - second(b - h)) / (2 * h)
    for third in (grad(second), jacfwd(second), jacfwd(jacfwd(jacfwd(last))), grad(jacfwd(grad(last))), jacrev(second)):
        np.testing.assert_allclose(third(b).item(), expected.item(), rtol=1e-4)


@pytest.mark.parametrize("name", ["root", "minimize", "least_squares, linear"])
def test_forward_mode_over_reverse_mode_where_the_parameters_are_the_arguments(name: str) -> None:
    """The backward pass runs after the function to differentiate has ended."""
    layer = lambda a: sum(part.sum() for part in tensors(LAYERS[name](a)))  # noqa: E731
    grad, jvp = wg.func.grad, wg.func.jvp
    expected = wg.func.jacrev(grad(layer))(A).numpy()
    np.testing.assert_allclose(wg.func.hessian(layer)(A).numpy(), expected, rtol=1e-6, atol=1e-8)
    along = wg.tensor([0.3, -1.0], dtype=wg.float64)
    np.testing.assert_allclose(
        jvp(grad(layer), (A,), (along,))[1].numpy(), expected @ along.numpy(), rtol=1e-6, atol=1e-8
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_a_linear_system_is_differentiated_as_solve_is(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = wg.tensor(random.standard_normal((n, n)) + 3 * np.eye(n), requires_grad=True)
    right = wg.tensor(random.standard_normal(n), requires_grad=True)
    weights = wg.tensor(random.standard_normal(n))
    x = root(lambda x: matrix @ x - right, np.zeros(n), tol=1e-13).x
    grads = wg.autograd.grad((x**2 * weights).sum(), (matrix, right))
    expected = wg.autograd.grad((wg.linalg.solve(matrix, right) ** 2 * weights).sum(), (matrix, right))
    for grad, wanted in zip(grads, expected):
        np.testing.assert_allclose(grad.numpy(), wanted.numpy(), rtol=1e-6, atol=1e-8)


def test_closed_over_tensors_of_all_kinds_get_their_gradients() -> None:
    """Leaves, results, parameters of modules, other dtypes."""
    layer = nn.Linear(2, 2)
    scale = wg.tensor([2.0], requires_grad=True)
    both = scale * 3
    x = root(lambda x: layer(x.float()).double() * 0.1 + x - both, [0.0, 0.0]).x
    assert isinstance(x, wg.Tensor) and x.dtype is wg.float64
    x.sum().backward()
    jacobian = 0.1 * layer.weight.detach().double() + wg.eye(2)
    weights = wg.linalg.solve(jacobian.mT, wg.ones(2, dtype=wg.float64))
    np.testing.assert_allclose(scale.grad.item(), 3 * weights.sum().item(), rtol=1e-5)
    np.testing.assert_allclose(layer.bias.grad.numpy(), -0.1 * weights.numpy(), rtol=1e-5)
    np.testing.assert_allclose(
        layer.weight.grad.numpy(), -0.1 * np.outer(weights.numpy(), x.detach().numpy()), rtol=1e-5, atol=1e-7
    )


def test_tensors_that_depend_on_each_other_are_not_counted_twice() -> None:
    def layer(a: Any) -> Any:
        b = a * a
        c = b + a.sin()
        return root(lambda x: x**3 + b * x - c * a, [1.0, 1.0], tol=1e-14).x

    assert gradcheck(layer, (A.clone().requires_grad_(),), check_forward_ad=True, **BOTH)
    assert gradgradcheck(layer, (A.clone().requires_grad_(),), check_fwd_over_rev=True, **BOTH)
    middle = A.clone().requires_grad_() * 2
    other = middle.exp()
    x = root(lambda x: x**3 + middle * x - other, [1.0, 1.0]).x
    assert all(grad.any() for grad in wg.autograd.grad(x.sum(), (middle, other)))


def test_the_result_is_an_array_where_nothing_requires_a_gradient() -> None:
    assert isinstance(root(cubic, [1.0, 1.0], (A,)).x, np.ndarray)
    with wg.no_grad():
        assert isinstance(root(cubic, [1.0, 1.0], (A.clone().requires_grad_(),)).x, np.ndarray)
    assert type(minimize(bowl, {"u": 0.0, "v": 0.5}, (A,)).x["u"]) is float
    x = minimize(bowl, {"u": wg.tensor(0.0), "v": wg.tensor(0.5)}, (A,)).x
    assert not x["u"].requires_grad


def test_elements_at_bounds_do_not_move() -> None:
    a = A.clone().requires_grad_()
    x = minimize(lambda p: ((p - a) ** 2).sum() + p[0] * p[1], [0.0, 0.0], bounds=[(None, 1.0), (None, None)]).x
    np.testing.assert_allclose(x.detach().numpy(), [1.0, 0.2], atol=1e-6)
    jacobian = wg.stack([wg.autograd.grad(part, a, retain_graph=True)[0] for part in x])
    np.testing.assert_allclose(jacobian.numpy(), [[0, 0], [0, 1]], atol=1e-10)
    x = least_squares(lambda p: p - a, [0.0, 0.0], bounds=([-1, -1], [1.5, 9])).x
    np.testing.assert_allclose(wg.autograd.grad(x.sum(), a)[0].numpy(), [0, 1], atol=1e-10)


def test_the_start_has_no_influence() -> None:
    start = wg.ones(2, dtype=wg.float64, requires_grad=True)
    x = root(cubic, start, (A.clone().requires_grad_(),)).x
    (grad,) = wg.autograd.grad(x.sum(), start, allow_unused=True)
    assert grad is None


def test_values_are_not_computed_more_often_for_it() -> None:
    calls = []

    def equation(x: Any) -> Any:
        calls.append(1)
        return cubic(x, A)

    solution = root(equation, [1.0, 1.0])
    assert len(calls) <= solution.nfev + 1


def test_what_has_no_derivative_is_refused() -> None:
    a = A.clone().requires_grad_()
    with pytest.raises(RuntimeError, match=r"least_squares: .*a loss that is a function is not differentiable"):
        least_squares(lambda p: p - a, [0.0, 0.0], loss=lambda z: np.array([z, np.ones_like(z), 0 * z]))
    x = minimize(lambda p: (p[0] + p[1] - a.sum()) ** 2, [0.0, 0.0]).x
    with pytest.raises(RuntimeError, match=r"minimize: cannot differentiate the solution: the Hessian .* is singular"):
        x.sum().backward()


def test_parameters_that_change_before_the_backward_pass_are_noticed() -> None:
    a = A.clone().requires_grad_()
    x = root(lambda x: x * a * a - 1, [1.0, 1.0]).x
    with wg.no_grad():
        a.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        x.sum().backward()


def test_a_layer_in_a_training_loop() -> None:
    """The parameters of a network that gives the coefficients of an equation are fitted through its root."""
    wg.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    inputs = wg.linspace(-1, 1, 6, dtype=wg.float64).unsqueeze(1)
    optimizer = wg.optim.Adam(network.parameters(), lr=0.1)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        x = root(lambda x: x**3 + x - network(inputs).squeeze(1), np.zeros(6)).x
        loss = ((x - inputs.squeeze(1) ** 2) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.05 * losses[0]


def test_no_cycle_keeps_a_solution_alive() -> None:
    gc.collect()
    gc.disable()
    try:
        a = A.clone().requires_grad_()
        x = root(cubic, [1.0, 1.0], (a,)).x
        alive = weakref.ref(a)
        x.sum().backward()
        del x, a
        assert alive() is None
    finally:
        gc.enable()

"""Steps of optimisers beside the formulas of their papers, written out in NumPy for one parameter."""

import numpy as np
import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

START = np.array([[1.0, -2.0, 3.0], [0.5, 0.0, -1.0]])


def slope(step):
    return np.array([[0.5 * step - 3, 1.0, -0.25 * step], [np.sin(step), 0.1, (-1.0) ** step]])


def stepped(kind, count=20, start=START, **options):
    parameter = Parameter(wg.tensor(start))
    optimiser = kind([parameter], **options)
    for step in range(count):
        parameter.grad = wg.tensor(slope(step).reshape(start.shape))
        optimiser.step()
    return parameter.detach().numpy(), optimiser.state[parameter]


def asgd(value, lr, lambd, alpha, t0):
    eta, average = lr, value
    for step in range(20):
        value = value - eta * (slope(step) + lambd * value)
        average = value if step <= t0 else average + (value - average) / (step - t0)
        eta = lr / (1 + lambd * lr * (step + 1)) ** alpha
    return value, average


def test_asgd_is_polyaks_average():
    options = {"lr": 0.1, "lambd": 0.05, "alpha": 0.6, "t0": 4}
    found, state = stepped(optim.ASGD, **options)
    value, average = asgd(START, **options)
    np.testing.assert_allclose(found, value, rtol=1e-6)  # step sizes are kept in single precision
    np.testing.assert_allclose(state["ax"].numpy(), average, rtol=1e-6)


def test_adadelta_is_zeilers_algorithm():
    value, squares, changes = START, 0, 0
    for step in range(20):
        squares = 0.8 * squares + 0.2 * slope(step) ** 2
        change = -np.sqrt(changes + 1e-3) / np.sqrt(squares + 1e-3) * slope(step)
        changes = 0.8 * changes + 0.2 * change**2
        value = value + 0.5 * change
    found, _ = stepped(optim.Adadelta, lr=0.5, rho=0.8, eps=1e-3)
    np.testing.assert_allclose(found, value)


def test_adamax_divides_by_the_largest_gradient():
    value, mean, largest = START, 0, 0
    for step in range(20):
        mean = 0.7 * mean + 0.3 * slope(step)
        largest = np.maximum(0.8 * largest, np.abs(slope(step)) + 1e-6)
        value = value - 0.1 / (1 - 0.7 ** (step + 1)) * mean / largest
    found, _ = stepped(optim.Adamax, lr=0.1, betas=(0.7, 0.8), eps=1e-6)
    np.testing.assert_allclose(found, value)


def test_nadam_is_dozats_algorithm():
    value, mean, squares, product = START, 0, 0, 1.0
    for step in range(1, 21):
        now, ahead = (0.8 * (1 - 0.5 * 0.96 ** (at * 0.1)) for at in (step, step + 1))
        product *= now
        mean = 0.8 * mean + 0.2 * slope(step - 1)
        squares = 0.9 * squares + 0.1 * slope(step - 1) ** 2
        hat = ahead * mean / (1 - product * ahead) + (1 - now) * slope(step - 1) / (1 - product)
        value = value - 0.1 * hat / (np.sqrt(squares / (1 - 0.9**step)) + 1e-8)
    found, _ = stepped(optim.NAdam, lr=0.1, betas=(0.8, 0.9), momentum_decay=0.1)
    np.testing.assert_allclose(found, value, rtol=1e-5)  # the product is kept in single precision


def test_radam_rectifies_the_variance():
    value, mean, squares, scaled = START, 0, 0, 0
    most = 2 / (1 - 0.9) - 1
    for step in range(1, 21):
        mean = 0.8 * mean + 0.2 * slope(step - 1)
        squares = 0.9 * squares + 0.1 * slope(step - 1) ** 2
        known = most - 2 * step * 0.9**step / (1 - 0.9**step)
        move = mean / (1 - 0.8**step)
        if known > 5:
            scaled += 1
            factor = ((known - 4) * (known - 2) * most) / ((most - 4) * (most - 2) * known)
            move = move * np.sqrt(factor) * np.sqrt(1 - 0.9**step) / (np.sqrt(squares) + 1e-8)
        value = value - 0.1 * move
    assert 0 < scaled < 20
    found, _ = stepped(optim.RAdam, lr=0.1, betas=(0.8, 0.9))
    np.testing.assert_allclose(found, value)


def test_rprop_goes_by_signs():
    value, before, size = START.copy(), np.zeros_like(START), np.full_like(START, 0.1)
    for step in range(20):
        grad = slope(step)
        for at in np.ndindex(grad.shape):
            agreed = grad[at] * before[at]
            size[at] = np.clip(size[at] * (1.5 if agreed > 0 else 0.4 if agreed < 0 else 1), 0.02, 0.3)
            if agreed < 0:
                grad[at] = 0
            value[at] -= np.sign(grad[at]) * size[at]
        before = grad
    found, _ = stepped(optim.Rprop, lr=0.1, etas=(0.4, 1.5), step_sizes=(0.02, 0.3))
    np.testing.assert_allclose(found, value)


@pytest.mark.parametrize("shape", [(2, 3), (6,), (1, 2, 3)])
def test_adafactor_keeps_rows_and_columns_of_matrices(shape):
    def rms(each):
        return np.sqrt(np.mean(each**2))

    value = START.reshape(shape)
    rows = columns = whole = 0
    for step in range(1, 21):
        grad = slope(step - 1).reshape(shape)
        kept = 1 - step**-0.7
        size = max(1e-3, rms(value)) * min(0.2, step**-0.5)
        value = value * (1 - 0.2 * 0.1)
        if len(shape) > 1:
            rows = kept * rows + (1 - kept) * np.mean(grad**2, -1, keepdims=True)
            columns = kept * columns + (1 - kept) * np.mean(grad**2, -2, keepdims=True)
            spread = rows * columns / np.mean(rows, -2, keepdims=True)
        else:
            spread = whole = kept * whole + (1 - kept) * grad**2
        update = grad / np.sqrt(np.maximum(spread, 1e-30))
        value = value - size * update / max(1, rms(update) / 1.2)
    found, state = stepped(
        optim.Adafactor, start=START.reshape(shape), lr=0.2, beta2_decay=-0.7, d=1.2, weight_decay=0.1
    )
    np.testing.assert_allclose(found, value)
    assert set(state) == ({"step", "row_var", "col_var"} if len(shape) > 1 else {"step", "variance"})


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (5, 5)])
def test_muons_steps_are_nearly_orthogonal(shape):
    grad = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    parameter = Parameter(wg.zeros(shape))
    parameter.grad = wg.tensor(grad)
    optim.Muon([parameter], lr=1.0, weight_decay=0).step()
    step = -parameter.detach().numpy() / np.sqrt(max(1, shape[0] / shape[1]))
    left, _, right = np.linalg.svd(grad, full_matrices=False)
    assert np.all((np.linalg.svd(step, compute_uv=False) > 0.6) & (np.linalg.svd(step, compute_uv=False) < 1.3))
    assert np.sum(step * (left @ right)) > 0.8 * min(shape)


def test_muon_decays_and_remembers():
    parameter = Parameter(wg.ones(2, 2))
    optimiser = optim.Muon([parameter], lr=0.1, weight_decay=0.5)
    parameter.grad = wg.zeros(2, 2)
    optimiser.step()
    np.testing.assert_allclose(parameter.detach().numpy(), 0.95, rtol=1e-6)
    parameter.grad = wg.eye(2)
    optimiser.step()
    np.testing.assert_allclose(optimiser.state[parameter]["momentum_buffer"].numpy(), 0.05 * np.eye(2), rtol=1e-6)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_minimum_of_a_quadratic_form(search):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    form, point = root @ root.T + np.eye(6), rng.normal(size=6)
    parameter = Parameter(wg.zeros(6, dtype=wg.float64))
    optimiser = optim.LBFGS([parameter], max_iter=100, max_eval=300, line_search_fn=search, tolerance_change=1e-14)

    def closure():
        optimiser.zero_grad()
        away = parameter - wg.tensor(point)
        loss = away @ wg.tensor(form) @ away / 2
        loss.backward()
        return loss

    assert optimiser.step(closure).item() == pytest.approx(point @ form @ point / 2)
    np.testing.assert_allclose(parameter.detach().numpy(), point, atol=1e-6)


def test_lbfgs_with_line_search_finds_the_minimum_of_rosenbrocks_function():
    parameter = Parameter(wg.tensor([-1.2, 1.0], dtype=wg.float64))
    optimiser = optim.LBFGS([parameter], max_iter=100, line_search_fn="strong_wolfe", tolerance_change=1e-14)

    def closure():
        optimiser.zero_grad()
        loss = (1 - parameter[0]) ** 2 + 100 * (parameter[1] - parameter[0] ** 2) ** 2
        loss.backward()
        return loss

    optimiser.step(closure)
    np.testing.assert_allclose(parameter.detach().numpy(), [1, 1], atol=1e-5)


def test_sparse_adam_refuses_dense_gradients_in_torchs_words():
    parameter = Parameter(wg.ones(2))
    parameter.grad = wg.ones(2)
    with pytest.raises(RuntimeError, match="does not support dense gradients, please consider Adam instead"):
        optim.SparseAdam([parameter]).step()
    assert parameter.tolist() == [1, 1]


KINDS = {
    "ASGD": {"t0": 2},
    "Adadelta": {},
    "Adafactor": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {"betas": (0.5, 0.6)},
    "Rprop": {},
    "Muon": {},
}


@pytest.mark.parametrize("name", KINDS)
def test_a_run_that_is_saved_and_restored_goes_on_as_before(name):
    kind, options = getattr(optim, name), KINDS[name]
    expected, _ = stepped(kind, **options)
    parameter = Parameter(wg.tensor(START))
    optimiser = kind([parameter], **options)
    for step in range(20):
        if step == 7:
            saved = optimiser.state_dict()
            optimiser = kind([parameter], lr=99.0)
            optimiser.load_state_dict(saved)
        parameter.grad = wg.tensor(slope(step))
        optimiser.step()
    np.testing.assert_allclose(parameter.detach().numpy(), expected, rtol=1e-6)


RECORDED = [name for name in KINDS if name not in ("Adafactor", "Muon")]  # those have no option `differentiable`


@pytest.mark.parametrize("name", [*RECORDED, "SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_a_recorded_step_is_the_same_step(name):
    options = KINDS.get(name, {}) | ({"momentum": 0.9} if name == "SGD" else {})
    kind = getattr(optim, name)
    plain, _ = stepped(kind, count=3, **options)
    start = wg.tensor(START, requires_grad=True)
    weight = start.clone()
    optimiser = kind([weight], differentiable=True, **options)
    for step in range(3):
        weight.grad = wg.tensor(slope(step))
        optimiser.step()
    np.testing.assert_allclose(weight.detach().numpy(), plain, rtol=1e-5)
    assert weight.requires_grad
    (grad,) = wg.autograd.grad(weight.sum(), start)
    assert bool((grad > 0).all())

"""Sparse Jacobians and Hessians: patterns, colourings, values, what is refused."""

from __future__ import annotations

import threading
from collections import namedtuple

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd import Function
from wengert.func import (
    grad,
    hessian,
    hessian_sparsity,
    jacobian_sparsity,
    jacrev,
    jvp,
    sparse_hessian,
    sparse_jacobian,
)
from wengert.func.sparse import derivatives, products
from wengert.func.sparse.colouring import column_colours

Pair = namedtuple("Pair", "first second")


def double(count, seed=0):
    return wg.tensor(np.random.default_rng(seed).uniform(0.5, 1.5, count))


def pattern_of(f, *args, **options):
    return jacobian_sparsity(f, *args, **options).toarray().astype(int).tolist()


def band(count, *offsets):
    return scipy.sparse.diags_array([1.0] * len(offsets), offsets=offsets, shape=(count, count)).toarray() != 0


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum()


# Programs: steps from vectors to vectors of the same length.
STEPS = {
    "sin": lambda x: x.sin(),
    "flip": lambda x: x.flip(0),
    "shifted product": lambda x: x * x.roll(1),
    "running sum": lambda x: x.cumsum(0) / 4,
    "softmax": lambda x: x.softmax(0),
    "part": lambda x: wg.cat([x[1:] * 2, x[:1]]),
    "zeros": lambda x: wg.nn.functional.pad(x[2:], (1, 1)),
    "by index": lambda x: x[wg.tensor([1, 1, 3, 0, 5, 4])],
    "in place": lambda x: x.clone().mul_(x.roll(2)),
    "written": lambda x: written(x),
    "chosen": lambda x: wg.where(x > 0.4, x * 2, x.flip(0)),
    "matrix": lambda x: (x.view(2, 3) @ x.view(3, 2)).reshape(-1)[:3].repeat(2),
    "convolution": lambda x: wg.nn.functional.conv1d(x.view(1, 1, 6), double(3).view(1, 1, 3), padding=1).view(-1),
    "largest": lambda x: x - x.view(2, 3).amax(0).repeat(2),
    "constant": lambda x: x.detach() * 2 + x,
    "own gradient": lambda x: grad(lambda y: (y**3 * y.roll(1)).sum())(x),
    "own tangent": lambda x: jvp(lambda y: y**2, (x,), (x.flip(0),))[1],
}


def written(x):
    made = wg.zeros(6, dtype=x.dtype)
    made[1:4] = x[:3] ** 2
    made[0] = x[5]
    made[3:].add_(x[:3])
    return made


@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4), st.integers(0, 3))
def test_values_of_random_programs_agree_with_dense_derivatives(names, seed):
    def program(x):
        for name in names:
            x = STEPS[name](x)
        return x

    x = double(6, seed)
    expected = jacrev(program)(x).numpy()
    pattern = jacobian_sparsity(program, x).toarray()
    assert not (~pattern & (expected != 0)).any()
    np.testing.assert_allclose(sparse_jacobian(program)(x).toarray(), expected, rtol=1e-9, atol=1e-12)

    def number(x):
        return (program(x) ** 2).sum()

    expected = jacrev(jacrev(number))(x).numpy()
    assert not (~hessian_sparsity(number, x).toarray() & (abs(expected) > 1e-12)).any()
    np.testing.assert_allclose(sparse_hessian(number)(x).toarray(), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", sorted(STEPS.keys() - {"running sum", "largest", "own tangent"}))
def test_the_pattern_of_each_step_is_exact(name):
    step = STEPS[name]
    seen = np.zeros((6, 6), bool)
    for seed in range(20):
        seen |= jacrev(step)(double(6, seed) - 0.3).numpy() != 0
    assert (jacobian_sparsity(step, double(6)).toarray() == seen).all()


def counted(monkeypatch, module, name):
    calls = []
    original = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: calls.append(name) or original(*args))
    return calls


@pytest.mark.parametrize("count", [10, 100, 10_000])
def test_the_passes_for_a_tridiagonal_hessian_do_not_grow_with_its_size(monkeypatch, count):
    x = double(count)
    sparsity = hessian_sparsity(rosenbrock, x)
    assert sparsity.nnz == 3 * count - 2
    passes = counted(monkeypatch, products, "gradients")
    assert derivatives.hessian_plan(sparsity).seeds.shape[1] == 3
    found = sparse_hessian(rosenbrock, sparsity=sparsity)(x)
    assert len(passes) == 1  # one, for a batch of three
    assert (
        abs(found - scipy.sparse.csr_array(scipy.optimize.rosen_hess(x.numpy()) if count < 200 else found)).max() < 1e-9
    )
    if count > 200:
        along = double(count, 1)
        expected = scipy.optimize.rosen_hess_prod(x.numpy(), along.numpy())
        np.testing.assert_allclose(found @ along.numpy(), expected, rtol=1e-9)


def test_an_arrow_takes_two_passes_where_columns_alone_would_take_them_all():
    def arrow(x):
        return (x[0] * x[1:] ** 2).sum() + x[0] ** 3

    sparsity = hessian_sparsity(arrow, double(50))
    assert derivatives.hessian_plan(sparsity).seeds.shape == (50, 2)
    assert column_colours(sparsity).max() == 49
    x = double(50)
    np.testing.assert_allclose(sparse_hessian(arrow)(x).toarray(), hessian(arrow)(x).numpy(), rtol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_mode_that_is_asked_for_is_taken(monkeypatch, mode):
    pushes, pulls = counted(monkeypatch, derivatives, "pushed"), counted(monkeypatch, derivatives, "pulled")
    x = double(5)
    found = sparse_jacobian(wg.sin, mode=mode)(x)
    np.testing.assert_allclose(found.toarray(), np.diag(np.cos(x.numpy())))
    assert (len(pushes), len(pulls)) == ((1, 0) if mode == "forward" else (0, 1))


@pytest.mark.parametrize("by_rows", [False, True])
def test_rows_or_columns_are_summed_whichever_takes_fewer_passes(by_rows):
    def forward(x):
        return wg.cat([x[:-1] * x[1:], x[:1] * x])

    def backward(x):
        return wg.cat([x[:-1] * x[1:], x.sum()[None]])

    f, x = backward if by_rows else forward, double(30)
    plan = derivatives.jacobian_plan(jacobian_sparsity(f, x))
    assert (plan.by_rows, plan.seeds.shape[1]) == (by_rows, 3)
    np.testing.assert_allclose(sparse_jacobian(f)(x).toarray(), jacrev(f)(x).numpy(), rtol=1e-12)


def test_containers_and_several_arguments_become_columns_one_after_the_other():
    def f(first, second, scale, factor=1.0):
        return {"a": first["x"] * second.first * scale * factor, "b": [second.second.sum()]}

    first, second = {"x": double(2)}, Pair(double(2, 1), double((2, 2), 2))
    found = sparse_jacobian(f, argnums=(0, 1))(first, second, wg.tensor(3.0), factor=2.0)
    assert isinstance(found, scipy.sparse.csr_array) and found.dtype == np.float64
    x, y = first["x"].numpy(), second.first.numpy()
    expected = np.zeros((3, 8))
    expected[:2, :2], expected[:2, 2:4], expected[2, 4:] = np.diag(6 * y), np.diag(6 * x), 1
    np.testing.assert_allclose(found.toarray(), expected)
    assert found.nnz == 8
    assert hessian_sparsity(lambda p: (p.first * p.second[0]).sum(), second).nnz == 4


@pytest.mark.parametrize("dtype, made", [(wg.float32, "f4"), (wg.float64, "f8"), (wg.float16, "f4")])
def test_the_dtype_is_that_of_the_derivatives(dtype, made):
    x = wg.tensor([1.0, 2.0], dtype=dtype)
    assert sparse_jacobian(lambda x: x * x)(x).dtype == np.dtype(made)
    assert sparse_jacobian(lambda x: x.sum())(x).dtype == np.dtype(made)
    assert sparse_hessian(lambda x: (x * x).sum())(x).dtype == np.dtype(made)


def test_a_given_pattern_may_be_of_any_kind_and_its_stored_zeros_count():
    x, dense = double(4), band(4, 0, 1)
    expected = jacrev(lambda x: x.clone())(x).numpy()
    held = scipy.sparse.csr_matrix(dense.astype(float))
    held.data[:] = 0
    for sparsity in (dense, dense.astype(float), scipy.sparse.coo_matrix(dense), scipy.sparse.csc_array(dense), held):
        found = sparse_jacobian(lambda x: x.clone(), sparsity=sparsity)(x)
        assert found.nnz == 7
        np.testing.assert_allclose(found.toarray(), expected)


def test_what_requires_a_gradient_outside_is_constant_and_nothing_is_left_behind():
    layer = wg.nn.Linear(3, 2, dtype=wg.float64)
    x = double(3).requires_grad_()
    assert pattern_of(lambda x: layer.weight[0] * x + layer.bias.sum() + layer.weight.t()[:, 1].clone(), x) == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ]
    assert pattern_of(layer, x) == [[1] * 3] * 2
    history = Squared.apply(layer.weight * 2)  # of another function, in a graph that was there before
    assert pattern_of(lambda x: history[0] * x + Squared.apply(layer.weight)[1], x) == np.eye(3, dtype=int).tolist()
    before = x.detach().clone()
    sparse_jacobian(lambda x: x.clone().mul_(2))(x)
    assert x.grad is None and layer.weight.grad is None and (x == before).all()


def test_zeros_of_a_matrix_that_stays_as_it_is_count_as_zeros():
    stencil = wg.tensor(np.diag([-2.0] * 4) + np.diag([1.0] * 3, k=1))
    expected = (stencil != 0).long().tolist()
    assert pattern_of(lambda x: stencil @ x, double(4)) == expected
    assert pattern_of(lambda x: x @ stencil.t(), double(4)) == expected
    assert pattern_of(lambda x: wg.nn.functional.linear(x[None], stencil, x), double(4)) == expected
    columns = jacobian_sparsity(lambda x: stencil @ x, double((4, 2))).toarray()
    assert (columns == np.kron(expected, np.eye(2))).all()
    rows = jacobian_sparsity(lambda x: x @ stencil, double((2, 4))).toarray()
    assert (rows == np.kron(np.eye(2), np.transpose(expected))).all()
    found = hessian_sparsity(lambda x: ((stencil @ x) ** 3).sum(), double(4)).toarray()
    assert (found == (np.transpose(expected) @ expected != 0)).all()
    assert pattern_of(lambda x: x.expand(3, 4) @ wg.tensor([1.0, 0, 0, 1], dtype=x.dtype), double(4)) == [[1] * 4] * 3


def test_zeros_of_a_kernel_that_stays_as_it_is_count_as_zeros():
    kernel = wg.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]).double()[None, None]
    weight = kernel.clone().requires_grad_()

    def laplacian(x, kernel=kernel):
        return wg.nn.functional.conv2d(x.view(1, 1, 4, 4), kernel, padding=1).view(-1)

    line = band(4, -1, 0, 1).astype(int)
    assert (
        jacobian_sparsity(laplacian, double(16)).toarray() == (np.kron(line, np.eye(4)) + np.kron(np.eye(4), line) > 0)
    ).all()
    assert (jacobian_sparsity(laplacian, double(16), weight).toarray() == np.kron(line, line)).all()
    found = hessian_sparsity(lambda x: (laplacian(x) ** 2).sum(), double(16))
    assert found.nnz == np.count_nonzero(hessian(lambda x: (laplacian(x) ** 2).sum())(double(16)).numpy())


def test_zeros_that_may_change_do_not_count():
    def masked(x):
        return ((x > 1).double() * wg.eye(4, dtype=x.dtype)) @ x

    def rewritten(x):
        kept.copy_((x > 1).double().diag_embed())
        return kept @ x

    kept, full = wg.zeros(4, 4, dtype=wg.float64), [[1] * 4] * 4
    weight = wg.zeros(4, 4, dtype=wg.float64, requires_grad=True)
    for f in (masked, rewritten, lambda x: weight @ x):
        assert pattern_of(f, double(4)) == full


class Squared(Function):
    @staticmethod
    def forward(x):
        return wg.tensor(x.numpy() ** 2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


class Turned(Function):
    """Writes to its argument what stood at the other end of it."""

    @staticmethod
    def forward(x):
        return x.copy_(x.flip(0))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad.flip(0)


def part_turned(x):
    made = x.clone()
    Turned.apply(made[:2])
    return made * 1


def in_another_thread(x):
    made = []
    thread = threading.Thread(target=lambda: made.append(x.flip(0) * 2))
    thread.start()
    thread.join()
    return made[0]


@pytest.mark.parametrize(
    "f",
    [
        in_another_thread,
        lambda x: Squared.apply(x),
        lambda x: Squared.apply(x)[1:] * 2,
        lambda x: Turned.apply(x * 1)[1:],
        part_turned,
    ],
)
def test_what_no_call_tells_is_taken_to_depend_on_everything(f):
    found = jacobian_sparsity(f, double(4))
    assert found.nnz == found.shape[0] * found.shape[1]
    values = sparse_jacobian(f, sparsity=found, mode="reverse")(double(4)).toarray()
    np.testing.assert_allclose(values, jacrev(f)(double(4)).numpy())


def test_tangents_that_are_written_to_are_taken_to_depend_on_everything():
    def inner(y):
        return y.clone().mul_(y.flip(0))

    assert pattern_of(lambda x: jvp(inner, (x,), (x,))[1], double(2)) == [[1, 1], [1, 1]]


def test_two_arguments_on_one_memory_are_two():
    x = double(2)
    assert pattern_of(lambda a, b: a * b.flip(0), x, x, argnums=(0, 1)) == [[1, 0, 0, 1], [0, 1, 1, 0]]


def test_values_that_are_not_recorded_do_not_count():
    def f(x):
        y = x * 1
        with wg.no_grad():
            y.mul_(2)
        return y * x.detach().flip(0) + (x > 1)

    assert pattern_of(f, double(3)) == np.eye(3, dtype=int).tolist()


def test_complex_numbers_in_between_depend_on_both_parts():
    def f(x):
        z = wg.complex(x, x.flip(0))
        parts = wg.view_as_real(z.clone())
        parts[1] = 1
        return wg.cat([z.real, wg.view_as_real(z)[:, 1], z.abs(), wg.view_as_complex(parts).abs()])

    both = np.eye(4, dtype=int) | np.eye(4, dtype=int)[::-1]
    expected = np.concatenate([both] * 4)
    expected[13] = 0
    assert pattern_of(f, double(4)) == expected.tolist()


def test_constants_and_empty_tensors_have_empty_patterns():
    assert pattern_of(lambda x: wg.ones(2, dtype=x.dtype), double(2)) == [[0, 0], [0, 0]]
    assert sparse_jacobian(lambda x: wg.ones(2, dtype=x.dtype))(double(2)).nnz == 0
    assert sparse_jacobian(lambda x: x * 2)(double(0)).shape == (0, 0)
    assert sparse_hessian(lambda x: x.sum())(double(2)).nnz == 0
    assert sparse_hessian(lambda x: x.sum())(double(0)).shape == (0, 0)


def test_observers_around_see_the_calls_too():
    seen = []
    with wg.autograd.graph.allow_mutation_on_saved_tensors():
        seen.append(pattern_of(lambda x: x * x, double(2)))
    assert seen == [[[1, 0], [0, 1]]]

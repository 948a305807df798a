"""`autograd.functional`: derivatives of functions against closed forms, each other and numerical differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

numbers = st.floats(-2, 2, width=32)
sizes = st.integers(1, 4)


def drawn(*shape, seed=0, complex_numbers=False):
    """Normal numbers in double precision."""
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape)
    return wg.tensor(values + 1j * generator.standard_normal(shape) if complex_numbers else values)


def close(found, expected, tolerance=1e-9):
    return np.allclose(found.detach().numpy(), np.asarray(expected), rtol=tolerance, atol=tolerance)


def numerical(function, x, step=1e-6):
    """The Jacobian of a function of one tensor by central differences."""
    columns = []
    for at in range(x.numel()):
        shift = np.zeros(x.numel())
        shift[at] = step
        shift = wg.tensor(shift.reshape(tuple(x.shape)))
        columns.append(((function(x + shift) - function(x - shift)) / (2 * step)).detach().numpy())
    return np.stack(columns, -1).reshape(*columns[0].shape, *x.shape)


def curved(x):
    """A function of a vector whose every derivative depends on all of it."""
    return (x.exp() * x.sum()).tanh()


@given(st.lists(numbers, min_size=1, max_size=6), st.lists(numbers, min_size=1, max_size=4))
def test_of_a_polynomial_of_each_element_both_matrices_are_diagonal(coefficients, point):
    x = wg.tensor(point, dtype=wg.float64)

    def polynomial(x):
        return sum(each * x**at for at, each in enumerate(coefficients)) + 0 * x

    rising = np.polynomial.Polynomial(coefficients)
    slopes, curvatures = rising.deriv()(np.array(point)), rising.deriv(2)(np.array(point))
    assert close(jacobian(polynomial, x), np.diag(slopes))
    assert close(hessian(lambda x: polynomial(x).sum(), x), np.diag(curvatures))


@given(sizes, sizes, st.integers(0, 99))
def test_the_jacobian_of_a_matrix_product_is_the_matrix(rows, columns, seed):
    matrix, x = drawn(rows, columns, seed=seed), drawn(columns, seed=seed + 1)
    by_matrix, by_x = jacobian(lambda matrix, x: matrix @ x, (matrix, x))
    assert close(by_x, matrix)
    assert close(by_matrix, np.einsum("ij,k->ijk", np.eye(rows), x.numpy()))


@given(sizes, st.integers(0, 99))
def test_the_hessian_of_a_quadratic_form_is_the_matrix_and_its_transpose(size, seed):
    matrix, x = drawn(size, size, seed=seed), drawn(size, seed=seed + 1)
    v = drawn(size, seed=seed + 2)

    def form(x):
        return x @ matrix @ x

    expected = matrix.numpy() + matrix.numpy().T
    assert close(hessian(form, x), expected)
    for product in (vhp, hvp):
        value, found = product(form, x, v)
        assert close(value, form(x)) and close(found, expected @ v.numpy())


@given(sizes, sizes, st.integers(0, 99), st.booleans())
def test_products_are_those_with_the_jacobian(inputs, outputs, seed, complex_numbers):
    matrix = drawn(outputs, inputs, seed=seed, complex_numbers=complex_numbers)
    x = drawn(inputs, seed=seed + 1, complex_numbers=complex_numbers)
    v, u = (drawn(size, seed=seed + 2, complex_numbers=complex_numbers) for size in (outputs, inputs))

    def function(x):
        return matrix @ (x * x)

    jacobian_matrix = matrix.numpy() @ np.diag(2 * x.numpy())
    value, product = vjp(function, x, v)
    assert close(value, function(x)) and close(product, jacobian_matrix.conj().T @ v.numpy())
    value, product = jvp(function, x, u)
    assert close(value, function(x))
    assert close(product, jacobian_matrix @ u.numpy())


@given(st.integers(1, 5), st.integers(0, 99))
def test_matrices_agree_with_numerical_differences(size, seed):
    x = drawn(size, seed=seed)
    assert close(jacobian(curved, x), numerical(curved, x), 1e-6)
    slope = lambda x: wg.autograd.grad(curved(x := x.detach().requires_grad_()).sum(), x)[0]  # noqa: E731
    assert close(hessian(lambda x: curved(x).sum(), x), numerical(slope, x), 1e-6)


@given(st.integers(1, 5), st.integers(0, 99))
def test_both_products_with_the_hessian_agree_with_it(size, seed):
    x, v = drawn(size, seed=seed), drawn(size, seed=seed + 1)
    function = lambda x: curved(x).sum()  # noqa: E731
    expected = hessian(function, x).numpy() @ v.numpy()
    assert close(vhp(function, x, v)[1], expected) and close(hvp(function, x, v)[1], expected)


def test_blocks_of_several_inputs_are_those_of_one_long_input():
    x, y = drawn(2, 2, seed=1), drawn(3, seed=2)
    together = wg.cat([x.reshape(-1), y])

    def parts(x, y):
        return (x.sum() * y.exp(), x @ x)

    def whole(both):
        first, second = parts(both[:4].reshape(2, 2), both[4:])
        return wg.cat([first, second.reshape(-1)])

    blocks = jacobian(parts, (x, y))
    joined = np.block([[block.numpy().reshape(-1, width) for block, width in zip(row, (4, 3))] for row in blocks])
    assert close(jacobian(whole, together), joined)
    blocks = hessian(lambda x, y: parts(x, y)[0].sum() * x.sum(), (x, y))
    joined = np.block([[each.numpy().reshape(height, -1) for each in row] for row, height in zip(blocks, (4, 3))])
    assert close(hessian(lambda both: whole(both)[:3].sum() * both[:4].sum(), together), joined)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("alone", [False, True])
def test_tuples_come_out_where_tuples_went_in(single, alone):
    x = wg.ones(2)
    inputs = x if single else (x,)
    found = jacobian(lambda x: x if alone else (x,), inputs)
    for _ in range((not alone) + (not single)):
        (found,) = found
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    value, product = vjp(lambda x: x if alone else (x,), inputs, x if alone else (x,))
    assert isinstance(value, tuple) == (not alone) and isinstance(product, tuple) == (not single)
    value, product = jvp(lambda x: x if alone else (x,), inputs, inputs)
    assert isinstance(value, tuple) == isinstance(product, tuple) == (not alone)
    for derivative in (vhp, hvp):
        value, product = derivative(lambda x: (x**3).sum(), inputs, inputs)
        assert not isinstance(value, tuple) and isinstance(product, tuple) == (not single)


def test_shapes_are_those_of_outputs_and_inputs():
    x = drawn(2, 3)
    assert jacobian(lambda x: x.sum(0), x).shape == (3, 2, 3)
    assert jacobian(lambda x: x.sum(), x).shape == (2, 3)
    assert hessian(lambda x: x.exp().sum().reshape(1, 1), x).shape == (2, 3, 2, 3)
    assert jacobian(lambda x: x * 2, wg.tensor(3.0)).shape == ()


def test_more_elements_than_one_block_of_cotangents(monkeypatch):
    from wengert.autograd.functional import rows

    whole = jacobian(curved, drawn(5))
    for block in (1, 9, 10, 11):
        monkeypatch.setattr(rows, "BLOCK", block)
        assert jacobian(curved, drawn(5)).tolist() == whole.tolist()


def test_each_row_has_the_dtype_of_the_input():
    x = wg.tensor([1.0, 2.0])
    found = jacobian(lambda x: x.double() * 3, x)
    assert found.dtype is wg.float32 and found.tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_inputs_that_are_not_used_have_a_derivative_of_zero():
    x, y = drawn(2), drawn(3).float()
    _, by_y = jacobian(lambda x, y: x * x, (x, y))
    assert by_y.shape == (2, 3) and by_y.dtype is wg.float32 and not by_y.any()
    (_, mixed), (_, second) = hessian(lambda x, y: (x**3).sum(), (x, y))
    assert mixed.shape == (2, 3) and second.shape == (3, 3) and not mixed.any() and not second.any()
    assert vjp(lambda x, y: x.sum(), (x, y))[1][1].tolist() == [0.0] * 3
    assert jvp(lambda x, y: (x, wg.ones(2)), (x, y), (x, y))[1][1].tolist() == [0.0] * 2
    assert not hvp(lambda x, y: x.sum(), (x, y), (x, y))[1][0].any()


def test_a_gradient_that_is_missing_for_some_rows_is_zero_there():
    class Second(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None if grad[0] == 1 else grad * 2

    assert jacobian(Second.apply, wg.ones(2)).tolist() == [[0.0, 0.0], [0.0, 2.0]]


def test_without_create_graph_nothing_leads_back():
    x = drawn(2).requires_grad_()
    results = [
        jacobian(curved, x),
        hessian(lambda x: curved(x).sum(), x),
        *vjp(curved, x, x),
        *jvp(curved, x, x),
        *vhp(lambda x: curved(x).sum(), x, x),
        *hvp(lambda x: curved(x).sum(), x, x),
    ]
    several = jacobian(lambda x, y: (x * y, y), (x, x)), vjp(lambda x, y: (x * y, y), (x, x), (x, x))
    results += [each for pairs in several for pair in pairs for each in pair]
    assert not any(each.requires_grad for each in results)
    assert x.grad is None


def test_under_create_graph_derivatives_have_derivatives():
    x, v = drawn(3, seed=1).requires_grad_(), drawn(3, seed=2).requires_grad_()

    def cubes(x):
        return (x**3).sum()

    matrix = hessian(cubes, x, create_graph=True)
    (third,) = wg.autograd.grad(matrix.sum(), x)
    assert close(third, [6.0] * 3)
    for product in (vhp, hvp):
        _, found = product(cubes, x, v, create_graph=True)
        by_x, by_v = wg.autograd.grad(found.sum(), [x, v])
        assert close(by_x, 6 * v.detach().numpy()) and close(by_v, 6 * x.detach().numpy())
    for product in (vjp, jvp):
        value, found = product(lambda x: x**3, x, v, create_graph=True)
        by_x, by_v = wg.autograd.grad((value + found).sum(), [x, v])
        assert close(by_x, 3 * x.detach().numpy() ** 2 + 6 * (x * v).detach().numpy())
        assert close(by_v, 3 * x.detach().numpy() ** 2)
    outer = jacobian(lambda x: hessian(cubes, x, create_graph=True), x)
    assert close(outer, 6 * np.einsum("ij,jk->ijk", np.eye(3), np.eye(3)))


def test_the_input_found_elsewhere_is_a_constant():
    x = drawn(2).requires_grad_()
    for graph in (False, True):
        assert close(jacobian(lambda y: y * x, x, create_graph=graph), np.diag(x.detach().numpy()))


def test_results_do_not_share_memory_with_what_the_function_keeps():
    kept = []

    def function(x):
        kept.append(x)
        return x.view(-1)

    x = wg.ones(2)
    found = jacobian(function, x)
    found.fill_(7.0)
    assert x.tolist() == kept[0].tolist() == [1.0, 1.0]


def test_a_hook_may_write_to_its_row_alone():
    def function(x):
        y = x * 1
        y.register_hook(lambda grad: grad.mul_(2))
        return y

    assert jacobian(function, wg.ones(2)).tolist() == [[2.0, 0.0], [0.0, 2.0]]

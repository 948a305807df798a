"""Derivatives of products where they are no normal numbers: NaN, infinities, overflow and underflow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap

SPECIAL = [0.0, 1.5, math.nan, math.inf, -2.0]


def others(values: tuple[float, ...], left_out: tuple[int, ...]) -> float:
    """The product of all values but some, in the order of `values`."""
    result = 1.0
    for at, value in enumerate(values):
        if at not in left_out:
            result *= value
    return result


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement(SPECIAL, 3)))
def test_the_gradient_of_a_product_is_the_product_of_the_others(values):
    tensor = wg.tensor(values, dtype=wg.float64)
    wanted = np.array([others(values, (at,)) for at in range(3)])
    leaf = tensor.clone().requires_grad_()
    plain = [wg.autograd.grad(leaf.prod(), leaf, create_graph=create)[0] for create in (False, True)]
    along = wg.autograd.grad(leaf[None].prod(1).sum(), leaf)[0]
    batched = vmap(grad(lambda x: x.prod()))(tensor[None])[0]
    for result in (*plain, along, batched, grad(lambda x: vmap(lambda y: y.prod())(x[None]).sum())(tensor)):
        np.testing.assert_array_equal(result.detach().numpy(), wanted)


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement(SPECIAL, 3)))
def test_gradients_of_running_products_do_not_depend_on_the_batch(values):
    tensor = wg.tensor(values, dtype=wg.float64)
    gradient = grad(lambda x: x.cumprod(0).sum())
    single, batched = gradient(tensor), vmap(gradient)(tensor[None])[0]
    np.testing.assert_array_equal(single.numpy(), batched.numpy())
    one, two, three = values
    np.testing.assert_allclose(single.numpy(), [1 + two * (1 + three), one * (1 + three), one * two])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_products_that_overflow_or_underflow_have_their_derivatives(dtype):
    kind = getattr(wg, dtype)
    large, small = wg.finfo(kind).max / 4, wg.finfo(kind).tiny * 4
    for values in ([large, 3.0, 8.0], [small, small, 2.0]):
        tensor = wg.tensor(values, dtype=kind)
        rounded = tuple(tensor.double().tolist())
        wanted = wg.tensor([others(rounded, (at,)) for at in range(3)], dtype=wg.float64).to(kind)
        assert wg.allclose(grad(lambda x: x.prod())(tensor), wanted, rtol=1e-2)
        assert wg.allclose(vmap(grad(lambda x: x.prod()))(tensor[None])[0], wanted, rtol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_second_derivatives_of_products_do_not_overflow_in_half_precision(dtype):
    values = (6e4, 3.0, 1e-3) if dtype == "float16" else (3e38, 3.0, 1e-3)
    tensor = wg.tensor(values, dtype=getattr(wg, dtype))
    rounded = tuple(tensor.double().tolist())
    wanted = np.array([[0.0 if i == j else others(rounded, (i, j)) for j in range(3)] for i in range(3)])
    for second in (hessian, lambda f: jacrev(jacrev(f)), lambda f: jacrev(jacfwd(f)), lambda f: jacfwd(jacfwd(f))):
        for function in (lambda x: x.prod(), lambda x: x.prod(0), lambda x: x.cumprod(0)[-1]):
            result = second(function)(tensor).double().numpy()
            np.testing.assert_allclose(result, wanted, rtol=2e-2)


def test_running_products_at_zeros_have_nested_tangents():
    values = wg.tensor([2.0, 0.0, 3.0, 0.0, 5.0], dtype=wg.float64)
    wanted = np.zeros((5, 5, 5))
    for last, i, j in itertools.product(range(5), repeat=3):
        if i != j and max(i, j) <= last:
            wanted[last, i, j] = others(tuple(values[: last + 1].tolist()), (i, j))

    def running(x):
        return x.cumprod(0)

    for second in (jacfwd(jacfwd(running)), jacrev(jacfwd(running)), jacfwd(jacrev(running)), jacrev(jacrev(running))):
        assert np.array_equal(second(values).numpy(), wanted)
    tangent = wg.tensor([1.0, -1.0, 0.5, 2.0, 3.0], dtype=wg.float64)
    twice = jvp(lambda x: jvp(running, (x,), (tangent,))[1], (values,), (tangent,))[1]
    assert np.allclose(twice.numpy(), np.einsum("lij,i,j->l", wanted, tangent.numpy(), tangent.numpy()))

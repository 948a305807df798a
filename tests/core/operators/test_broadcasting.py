"""Broadcasting follows NumPy's shapes, and gradients are summed over what was stretched: as properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import wengert as wg

PAIRS = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3, min_side=0)


def leaf(shape, start):
    values = np.arange(start, start + int(np.prod(shape)), dtype=np.float64).reshape(shape) / 7 + 0.3
    return wg.tensor(values, requires_grad=True)


def summed_to(array, shape):
    """The sum over what broadcasting from `shape` has added or stretched."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    return array.sum(axis=tuple(at for at, length in enumerate(shape) if length == 1), keepdims=True).reshape(shape)


@given(PAIRS)
def test_a_product_has_numpys_values_and_summed_gradients(shapes):
    one, other = (leaf(shape, start) for start, shape in enumerate(shapes.input_shapes))
    a, b = one.detach().numpy(), other.detach().numpy()
    product = one * other
    assert product.shape == shapes.result_shape
    np.testing.assert_array_equal(product.detach().numpy(), a * b)
    weights = np.asarray(np.random.default_rng(0).standard_normal(shapes.result_shape))
    product.backward(wg.tensor(weights))
    np.testing.assert_allclose(one.grad.numpy(), summed_to(weights * b, a.shape), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(other.grad.numpy(), summed_to(weights * a, b.shape), rtol=1e-12, atol=1e-12)


@given(PAIRS)
def test_an_expanded_operand_gives_the_same_as_a_stretched_one(shapes):
    one, other = (leaf(shape, start) for start, shape in enumerate(shapes.input_shapes))
    direct = one - other
    spelled = one.expand(shapes.result_shape) - other.expand(shapes.result_shape)
    assert direct.tolist() == spelled.tolist()
    weights = wg.ones(direct.shape, dtype=wg.float64)
    found = wg.autograd.grad(direct, [one, other], weights)
    wanted = wg.autograd.grad(spelled, [one, other], weights)
    for each, want in zip(found, wanted):
        assert each.shape == want.shape and each.tolist() == want.tolist()


@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4), hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
def test_shapes_are_refused_exactly_where_numpy_refuses_them(one, other):
    try:
        wanted = np.broadcast_shapes(one, other)
    except ValueError:
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            wg.ones(one) + wg.ones(other)
    else:
        assert (wg.ones(one) + wg.ones(other)).shape == wanted
        assert wg.broadcast_shapes(one, other) == wanted


@given(PAIRS, st.booleans())
def test_an_in_place_operation_never_changes_the_shape_of_its_target(shapes, swap):
    one, other = shapes.input_shapes[::-1] if swap else shapes.input_shapes
    target = wg.zeros(one)
    if shapes.result_shape == one:
        assert target.add_(wg.ones(other)).shape == one
    else:
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            target.add_(wg.ones(other))
        assert target._version == 0 and target.shape == one

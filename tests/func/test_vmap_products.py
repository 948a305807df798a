"""Products of matrices for all members of a batch at once: by one product each, as for one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._core.operators import batch_rules

SIZE = 3
SHAPES = {
    "mm": ((2, 4), (4, 3)),
    "bmm": ((2, 3, 4), (2, 4, 3)),
    "mv": ((2, 4), (4,)),
    "dot": ((4,), (4,)),
    "vdot": ((4,), (4,)),
    "addmm": ((3,), (2, 4), (4, 3)),
    "addmv": ((2,), (2, 4), (4,)),
    "addbmm": ((2, 3), (2, 2, 4), (2, 4, 3)),
    "baddbmm": ((3,), (2, 2, 4), (2, 4, 3)),
}
DTYPES = (wg.float64, wg.complex128, wg.int64, wg.float16)


@st.composite
def calls(draw):
    """A product with its factors: which differ, along which dimension, how each lies in memory."""
    name = draw(st.sampled_from(list(SHAPES)))
    dtype = draw(st.sampled_from(DTYPES))
    random = np.random.default_rng(draw(st.integers(0, 100)))
    factors, dims = [], []
    for shape in SHAPES[name]:
        dim = draw(st.sampled_from((None, 0, -1, len(shape) // 2)))
        whole = random.integers(-4, 5, (*shape, SIZE)) + (
            1j * random.integers(-4, 5, (*shape, SIZE)) if dtype.is_complex else 0
        )
        whole = wg.tensor(whole.astype(dtype.numpy) if dtype.numpy.kind != "i" else whole)
        if draw(st.booleans()):  # another order in memory
            whole = whole.mT.contiguous().mT
        whole = whole.movedim(-1, 0)
        dims.append(dim)
        if dim is None:
            whole = whole[0]
            if draw(st.booleans()):  # the same for all, but a batch all the same
                whole, dims[-1] = whole.expand(SIZE, *shape), 0
        factors.append(whole if dims[-1] in (None, 0) else whole.movedim(0, dims[-1]))
    if all(dim is None for dim in dims):
        factors[0], dims[0] = factors[0].expand(SIZE, *factors[0].shape), 0
    options = draw(st.sampled_from(({}, {"beta": 2, "alpha": 3}, {"beta": 0}))) if len(factors) == 3 else {}
    return name, factors, dims, options


def member(whole, dim, nr):
    return whole if dim is None else whole.select(dim, nr)


@given(calls())
def test_products_are_those_of_the_members(call):
    name, factors, dims, options = call
    batch_rules.LOOPED.clear()

    def product(*given):
        return getattr(given[0], name)(*given[1:], **options)

    found = wg.vmap(product, tuple(dims))(*factors)
    expected = wg.stack([product(*[member(*each, nr) for each in zip(factors, dims)]) for nr in range(SIZE)])
    assert found.shape == expected.shape and found.dtype is expected.dtype
    assert wg.equal(found, expected)  # of small integers: exact
    assert not batch_rules.LOOPED


SHAPED = [
    ((4,), (4,)),
    ((2, 4), (4,)),
    ((4,), (4, 3)),
    ((2, 4), (4, 3)),
    ((5, 2, 4), (4, 3)),
    ((2, 4), (5, 4, 3)),
    ((5, 1, 2, 4), (3, 4, 3)),
]


@pytest.mark.parametrize("shapes", SHAPED)
@pytest.mark.parametrize("dims", [(0, 0), (0, None), (None, 0)])
def test_matmul_and_its_gradients_are_those_of_the_members(shapes, dims):
    random = np.random.default_rng(0)
    factors = [
        wg.tensor(random.standard_normal(shape if dim is None else (SIZE, *shape)), requires_grad=True)
        for shape, dim in zip(shapes, dims)
    ]
    found = wg.vmap(wg.matmul, dims)(*factors)
    expected = wg.stack([wg.matmul(*[member(*each, nr) for each in zip(factors, dims)]) for nr in range(SIZE)])
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy())
    cotangent = wg.tensor(random.standard_normal(found.shape))
    for one, other in zip(wg.autograd.grad(found, factors, cotangent), wg.autograd.grad(expected, factors, cotangent)):
        np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-12)


def test_gradients_of_each_member_by_shared_weights():
    random = np.random.default_rng(0)
    weights = [wg.tensor(random.standard_normal(shape)) for shape in ((4, 5), (5,), (5, 3))]
    x = wg.tensor(random.standard_normal((SIZE, 4)))

    def loss(weights, x):
        first, bias, second = weights
        return ((bias.addmv(first.t(), x).tanh() @ second) ** 2).sum()

    found = wg.vmap(wg.func.grad(loss), (None, 0))(weights, x)
    for nr in range(SIZE):
        for one, other in zip(found, wg.func.grad(loss)(weights, x[nr])):
            np.testing.assert_allclose(one[nr].numpy(), other.numpy())


def test_products_that_do_not_fit_are_refused_in_the_words_of_a_member():
    for function, shapes, says in (
        (wg.mm, ((2, 3), (2, 2)), r"cannot be multiplied \(2x3 and 2x2\)"),
        (wg.mm, ((2, 3), (3,)), "mat2 must be a matrix"),
        (wg.bmm, ((2, 3, 4), (3, 4, 2)), r"to be: \[2, 4\] but got: \[3, 4\]"),
        (wg.mv, ((2, 3), (2,)), r"input \(2\), mat \(2x3\), vec \(2\)"),
        (wg.dot, ((3,), (2,)), "inconsistent tensor size"),
        (wg.addmm, ((3, 4), (2, 3), (3, 4)), r"must match the existing size \(3\)"),
        (wg.addbmm, ((2, 2), (2, 2, 6), (3, 4, 2)), "same number of batches, got 2 and 3"),
        (wg.baddbmm, ((3, 2, 2), (1, 2, 4), (1, 4, 2)), r"must match the existing size \(3\)"),
    ):
        for differs in (0, len(shapes) - 1, None):
            dims = tuple(0 if differs in (at, None) else None for at in range(len(shapes)))
            factors = [wg.ones(shape if dim is None else (SIZE, *shape)) for shape, dim in zip(shapes, dims)]
            with pytest.raises(RuntimeError, match=says):
                wg.vmap(function, dims)(*factors)


def test_a_sum_that_would_need_another_dtype_is_refused():
    with pytest.raises(RuntimeError, match="dtype"):
        wg.vmap(wg.addmm, (0, 0, None))(wg.ones(3, 2), wg.ones(3, 2, 2).double(), wg.ones(2, 2).double())


@pytest.mark.parametrize("dims", [(0, 0), (None, 0), (0, None)])
@pytest.mark.parametrize("first", [(3,), (2, 3)])
def test_a_vector_or_matrix_times_a_batch_of_matrices(first, dims):
    a = wg.randn(*first) if dims[0] is None else wg.randn(2, *first)
    b = wg.randn(5, 3, 4) if dims[1] is None else wg.randn(2, 5, 3, 4)
    made = wg.vmap(wg.matmul, in_dims=dims)(a, b)
    for at in range(2):
        one, two = (a if dims[0] is None else a[at]), (b if dims[1] is None else b[at])
        wg.testing.assert_close(made[at], wg.matmul(one, two))


@pytest.mark.parametrize("none", [(), []])
def test_squeezing_no_dimension(none):
    assert wg.vmap(lambda x: x.squeeze(none))(wg.ones(2, 1, 1)).shape == (2, 1, 1)

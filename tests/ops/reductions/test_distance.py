"""Slices that are shortened to a limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from tests.ops.tables import tables


@given(tables(), st.sampled_from([1, 2, 3, float("inf")]), st.integers(-2, 1))
def test_no_slice_is_longer_than_its_limit(x, p, dim):
    found = wg.renorm(x, p, dim, 2.0)
    lengths = np.linalg.norm(found.numpy(), p, axis=1 - dim % 2)
    assert (lengths <= 2 + 1e-9).all()
    before = np.linalg.norm(x.numpy(), p, axis=1 - dim % 2)
    np.testing.assert_allclose(lengths, np.minimum(before, 2), atol=1e-6)


def test_the_slope_of_renormalised_halves_does_not_run_over():
    x = wg.tensor([[8.5, 3.0], [8.0, 0.25]], dtype=wg.float16, requires_grad=True)
    grad = wg.autograd.grad(wg.renorm(x, 9, -1, 0.5).sum(), x)[0]
    assert grad.dtype is wg.float16 and grad.isfinite().all()
    wide = x.detach().float().requires_grad_()
    wg.testing.assert_close(
        grad.float(), wg.autograd.grad(wg.renorm(wide, 9, -1, 0.5).sum(), wide)[0], rtol=1e-2, atol=1e-3
    )


@pytest.mark.parametrize("rows", [3, 300])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_shortened_slices_scale(order, rows):
    values = wg.tensor([[3.0, 4.0]], dtype=wg.float64).expand(rows, 2) * 1e200
    shortened = wg.renorm(values, order, 0, 1.0)
    assert wg.allclose(wg.linalg.vector_norm(shortened, order, 1), wg.ones(rows, dtype=wg.float64))

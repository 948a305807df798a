"""Adaptive pools of no windows: a result without elements, whose gradient is refused as in torch."""

from __future__ import annotations

import itertools

import pytest

import wengert as wg
from wengert.nn import functional as F

POOLS = [(kind, dims) for kind in ("avg", "max") for dims in (1, 2, 3)]


@pytest.mark.parametrize(("kind", "dims"), POOLS)
def test_results_of_size_zero_have_no_gradient(kind, dims):
    pool = getattr(F, f"adaptive_{kind}_pool{dims}d")
    for sizes in itertools.product((0, 2), repeat=dims):
        for batch in ((2, 3), (0, 3), (3,)):
            x = wg.ones(*batch, *(4,) * dims, requires_grad=True)
            result = pool(x, sizes)
            assert result.shape == (*batch, *sizes)
            if all(sizes):
                result.sum().backward()
                continue
            named = rf"^adaptive_{kind}_pool{max(dims, 2)}d_backward\(\): Expected grad_output to have non-zero size"
            with pytest.raises(RuntimeError, match=named):
                result.sum().backward()
            assert x.grad is None


@pytest.mark.parametrize(("kind", "dims"), POOLS)
def test_an_empty_batch_has_a_gradient_without_elements(kind, dims):
    x = wg.ones(0, 3, *(4,) * dims, requires_grad=True)
    getattr(F, f"adaptive_{kind}_pool{dims}d")(x, 2).sum().backward()
    assert x.grad.shape == x.shape

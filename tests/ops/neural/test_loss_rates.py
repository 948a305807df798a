"""Losses of rates and variances: dtypes, least variances, and approximations."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F


@pytest.mark.parametrize("eps", [wg.tensor(1e-3), wg.tensor([1e-3]), wg.tensor(1e-3, dtype=wg.float64), 1, True])
def test_the_least_variance_does_not_decide_on_the_dtype(eps):
    x = wg.ones(3, dtype=wg.bfloat16)
    assert F.gaussian_nll_loss(x, x, x, eps=eps).dtype is wg.bfloat16
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Int"):
        F.gaussian_nll_loss(x, x, wg.ones(3, dtype=wg.int32))
    with pytest.raises(TypeError, match="argument 'var' must be Tensor or float, not int"):
        F.gaussian_nll_loss(x, x, 2)


def test_the_gradient_passes_the_least_variance():
    var = wg.tensor([0.25, 4.0], requires_grad=True)
    made = F.gaussian_nll_loss(wg.zeros(2), wg.zeros(2), var, eps=1.0, reduction="sum")
    assert made.item() == pytest.approx(0.5 * math.log(4))
    assert wg.autograd.grad(made, var)[0].tolist() == [0.5, 0.125]
    assert var.tolist() == [0.25, 4]


def test_a_small_number_in_a_tensor_with_dimensions_is_none():
    assert F.poisson_nll_loss(wg.ones(2), wg.ones(2), eps=wg.tensor(1e-3)) == F.poisson_nll_loss(wg.ones(2), wg.ones(2))
    with pytest.raises(TypeError, match=r"argument 'eps' \(position 5\) must be float, not Tensor"):
        F.poisson_nll_loss(wg.ones(2), wg.ones(2), eps=wg.tensor([1e-3]))


def test_stirlings_approximation_is_added_in_place():
    rate = wg.ones(3, dtype=wg.bfloat16, requires_grad=True)
    made = F.poisson_nll_loss(rate, wg.arange(3), full=True, reduction="none")
    assert made.dtype is wg.bfloat16 and type(made.grad_fn).__name__ == "AddBackward0"
    assert F.poisson_nll_loss(rate.detach(), wg.arange(3), full=True).item() == 1.9375


def test_the_full_poisson_loss_has_the_dtype_of_the_short_one():
    x = wg.ones(3, dtype=wg.float16, requires_grad=True)
    made = F.poisson_nll_loss(x, wg.tensor([0, 1, 5]), full=True, reduction="none")
    assert made.dtype is wg.float16
    assert made.tolist() == pytest.approx([math.e, math.e - 1, math.e - 5 + 4.770849], abs=4e-3)
    assert wg.autograd.grad(made.sum(), x)[0].tolist() == pytest.approx([math.e, math.e - 1, math.e - 5], abs=4e-3)

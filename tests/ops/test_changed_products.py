"""What fuzzing torch's samples of products, special functions and mixtures beside torch showed."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F

NOTHING = wg.ones(5, 0), wg.ones(0, 3)


@pytest.mark.parametrize("degree", [math.inf, math.nan, 1e30, -1e30])
@pytest.mark.parametrize("name", ["hermite_polynomial_h", "legendre_polynomial_p", "chebyshev_polynomial_u"])
def test_a_degree_that_no_integer_is_counts_as_negative(name, degree):
    assert getattr(wg.special, name)(wg.tensor([-8.0, 0.5]), degree).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("alpha", [math.nan, math.inf, 2.0])
def test_sums_of_no_products_are_zero_whatever_they_are_multiplied_by(alpha):
    bias, (first, second) = wg.ones(3), NOTHING
    made = [
        wg.addmm(bias, first, second, alpha=alpha),
        wg.addbmm(bias, first[None], second[None], alpha=alpha),
        wg.addbmm(bias, wg.ones(0, 5, 2), wg.ones(0, 2, 3), alpha=alpha),
        wg.baddbmm(bias, first[None], second[None], alpha=alpha)[0],
    ]
    assert all(each.equal(wg.ones(5, 3)) for each in made)
    assert wg.addmv(wg.ones(5), first, wg.ones(0), alpha=alpha).equal(wg.ones(5))


@pytest.mark.parametrize(
    ("self", "vec1", "vec2", "wanted"),
    [
        ((3,), wg.int64, wg.bfloat16, wg.bfloat16),
        ((), wg.float32, wg.float32, wg.float64),
        ((), wg.int64, wg.float16, wg.float64),
    ],
)
def test_dimensions_say_nothing_of_the_dtype_of_a_sum_of_outer_products(self, vec1, vec2, wanted):
    bias = wg.ones(self, dtype=wg.bfloat16 if self else wg.float64)
    made = wg.addr(bias, wg.ones(3, dtype=vec1), wg.ones(3, dtype=vec2), beta=0.5, alpha=1)
    assert made.dtype is wanted
    assert made.unique().tolist() == [1.5]


def test_real_tensors_have_no_complex_mixture():
    x = wg.ones(3)
    for call in (x.lerp, x.lerp_):
        with pytest.raises(RuntimeError, match="cannot be converted to type float without overflow"):
            call(x + 1, 0.5j)
    assert x.lerp(x + 1, 0.5 + 0j).tolist() == [1.5] * 3
    assert x.lerp(x + 1, wg.tensor(0.5, dtype=wg.bfloat16)).dtype is wg.float32


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: wg.cdist(x, x, 2.0, None), ValueError, "None is not a valid value for compute_mode"),
        (lambda x: wg.linalg.vecdot(x, x, dim=None), TypeError, "must be int, not NoneType"),
        (lambda x: wg.tensordot(x, x, (0, [0])), TypeError, "'dims_self' must be tuple of ints, not int"),
        (lambda x: wg.tensordot(x, x, ([0], 0)), TypeError, "'dims_other' must be tuple of ints, not int"),
        (lambda x: F.linear(x[0], x, x), RuntimeError, r"output with shape \[2\] doesn't match the broadcast shape"),
    ],
)
def test_what_products_refuse(call, error, text):
    with pytest.raises(error, match=text):
        call(wg.ones(2, 2))


def test_a_bias_of_more_than_a_row_is_added_to_the_product():
    x, weight = wg.ones(2, 3, 4, requires_grad=True), wg.ones(5, 4)
    for shape, node in (((5,), "View"), ((1, 5), "View"), ((), "Add"), ((3, 5), "Add"), ((2, 3, 5), "Add")):
        made = F.linear(x, weight, wg.ones(shape))
        assert made.equal(wg.full((2, 3, 5), 5.0))
        assert made.grad_fn.name() == f"{node}Backward0"


def test_counts_of_differences_have_no_slope_at_nan_either():
    x = wg.tensor([[math.nan, 1.0]], requires_grad=True)
    wg.cdist(x, wg.ones(2, 2), 0.0).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0]]


def test_the_first_power_of_matrices_lies_in_rows():
    x = wg.ones(3, 2, 2).transpose(1, 2)
    assert wg.linalg.matrix_power(x, 1).is_contiguous()
    assert wg.linalg.matrix_power(x, 0).is_contiguous()


@pytest.mark.parametrize("rate", [math.nan, -0.5, -math.inf])
def test_attention_drops_nothing_at_a_rate_that_is_not_positive(rate):
    x = wg.ones(2, 3, 4)
    assert F.scaled_dot_product_attention(x, x, x, dropout_p=rate).allclose(x)

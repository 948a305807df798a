"""What comes of zero, infinite and NaN arguments where torch's own steps decide."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert._kernels import margins

inf, nan = math.inf, math.nan


def shown(values):
    return [str(each) for each in values.tolist()]


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        (0.0, ["(nan+nanj)", "-0j", "-0j"]),
        (inf, ["(nan+nanj)", "(inf+nanj)", "(inf+nanj)"]),
        (nan, ["(nan+nanj)"] * 3),
    ],
)
def test_complex_powers_at_equal_distances_come_by_way_of_the_logarithm(base, wanted):
    assert shown(wg.logspace(0, 2, 3, base=base, dtype=wg.complex128)) == wanted


@pytest.mark.parametrize("dtype", [wg.complex64, wg.complex128])
@pytest.mark.parametrize("exponent", [wg.tensor([0, 1, 2]), wg.tensor([0.0, 1, 2]), wg.tensor([0j, 1, 2])])
def test_complex_zeros_to_the_power_0_are_1_and_have_derivatives(dtype, exponent):
    zeros = wg.zeros(3, dtype=dtype, requires_grad=True)
    raised = zeros.pow(exponent)
    assert raised.tolist() == [1, 0, 0]
    raised.real.sum().backward()
    assert zeros.grad.tolist() == [0, 1, 0]
    assert wg.func.jvp(lambda z: z.pow(exponent), (wg.zeros(3, dtype=dtype),), (wg.ones(3, dtype=dtype),))[
        1
    ].tolist() == [0, 1, 0]


def test_one_complex_power_is_made_of_length_and_angle():
    assert shown(wg.logspace(0, 3, 1, base=inf, dtype=wg.complex64)) == ["(nan+nanj)"]
    assert shown(wg.logspace(inf, 3, 1, base=1.0, dtype=wg.complex64)) == ["(1+0j)"]


def test_integers_that_powers_do_not_fit_are_the_lowest():
    assert wg.logspace(0, 40, 3, base=2, dtype=wg.int32).tolist() == [1, 1048576, -(2**31)]
    assert wg.logspace(0, 12, 2, dtype=wg.uint8).tolist() == [1, 0]
    assert wg.logspace(0, 70, 2, base=2, dtype=wg.int64).tolist() == [1, -(2**63)]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        wg.logspace(5, 20, 1, dtype=wg.uint8)


@pytest.mark.parametrize("shape", [(3, 4), (1, 3, 4)])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_query_that_is_opposed_to_all_keys_gets_zeros(shape, recorded):
    query, key = wg.ones(shape), wg.ones(shape)
    query[..., 0, 0] = -inf
    query.requires_grad_(recorded)
    made = wg.nn.functional.scaled_dot_product_attention(query, key, key)
    assert made[..., 0, :].eq(0).all() and made[..., 1:, :].eq(1).all()
    if recorded:
        assert any(each.name() == "SafeSoftmaxBackward0" for each in nodes(made.grad_fn))


def test_a_mask_does_not_hide_scores_that_are_no_numbers():
    query, key = wg.ones(3, 4), wg.ones(3, 4)
    key[2, 0] = nan
    mask = wg.tensor([[True, True, False]])
    assert wg.nn.functional.scaled_dot_product_attention(query, key, wg.ones(3, 2), mask).isnan().all()


def test_heads_are_shared_only_where_there_are_some():
    x = wg.ones(3, 4)
    with pytest.raises(IndexError, match="Dimension out of range"):
        wg.nn.functional.scaled_dot_product_attention(x, x, x, enable_gqa=True)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_nearest_element_does_not_change_with_the_place_whatever_it_is(padding, create_graph):
    image = wg.arange(16.0).reshape(1, 1, 4, 4)
    image[0, 0, 1, 1] = inf
    grid = wg.tensor([[[[-1 / 3, -1 / 3], [0.3, 0.4]]]], requires_grad=True)
    made = wg.nn.functional.grid_sample(image, grid, "nearest", padding, True)
    (slope,) = wg.autograd.grad(made.sum(), grid, create_graph=create_graph)
    assert made[0, 0, 0, 0] == inf and slope.tolist() == [[[[0, 0], [0, 0]]]]


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_lies_outside_an_image_is_zero_whatever_stands_at_its_edge(mode, create_graph):
    image = wg.zeros(1, 1, 4, 4)
    image[0, 0, 0, 0] = image[0, 0, 3, 3] = inf
    grid = wg.tensor([[[[-3.0, -3.0], [3.0, 3.0], [0.0, -3.0]]]], requires_grad=True)
    image.requires_grad_()
    made = wg.nn.functional.grid_sample(image, grid, mode, "zeros", False)
    assert made.flatten().tolist() == [0, 0, 0]
    slope, change = wg.autograd.grad(made.sum(), (image, grid), create_graph=create_graph)
    assert slope.eq(0).all() and change.eq(0).all()


def test_an_infinite_gradient_reaches_no_element_outside():
    image, grid = wg.ones(1, 1, 4, 4, requires_grad=True), wg.tensor([[[[-1.0, -1.0], [3.0, 3.0]]]])
    made = wg.nn.functional.grid_sample(image, grid, align_corners=False)
    (slope,) = wg.autograd.grad(made, image, wg.tensor([[[[1.0, inf]]]]))
    assert slope.sum() == 0.25


def test_boundaries_and_values_come_to_one_dtype_first():
    edges = wg.tensor([0.5, 1.5], dtype=wg.bfloat16)
    assert wg.bucketize(wg.tensor([False, True]), edges).tolist() == [0, 1]
    assert wg.bucketize(wg.tensor([1, 2]).to(wg.uint16), edges).tolist() == [1, 2]


def nodes(node):
    while node is not None:
        yield node
        node = node.next_functions[0][0] if node.next_functions else None


def test_complex_powers_of_zero_and_of_infinity_are_those_of_the_logarithm():
    base = wg.tensor([0, 0, complex(math.inf, 0), complex(math.inf, 0), 2 + 1j])
    found = base.pow(wg.tensor([1j, -1, 0, -1, 0]))
    assert found.isnan().tolist() == [True, True, True, False, False]
    assert found.real.isinf().tolist() == [False, True, False, False, False]
    assert found[3:].tolist() == [0, 1]


def test_every_power_of_the_number_one_is_one():
    assert wg.pow(1, wg.tensor([complex(math.inf, 0), complex(0, math.nan), 2j])).tolist() == [1, 1, 1]


def test_what_keeps_its_margin_loses_nothing_whatever_its_class_weighs():
    rows = np.array([[0.0, 5.0], [0.0, 0.5]])
    losses = margins.multi_margin(rows, np.array([1, 1]), 1, 1.0, np.array([1.0, math.nan]))
    assert losses[0] == 0 and math.isnan(losses[1])


def test_a_border_of_the_other_end_is_recorded_as_slices_that_are_copied():
    x = wg.ones(1, 1, 3, requires_grad=True)
    made = wg.nn.functional.pad(x, (1, 1), mode="circular")
    assert made.grad_fn.name() == "torch::autograd::CopySlices" and type(made.grad_fn).__name__ == "CopySlices"


def test_polynomials_beyond_all_numbers_are_differences_of_infinities():
    degrees = wg.tensor([246.0, 247.0, 248.0, 249.0, 500.0], dtype=wg.float64)
    found = wg.special.chebyshev_polynomial_t(wg.tensor(9.0, dtype=wg.float64), degrees)
    assert found.isinf().tolist() == [False, True, True, False, False]
    assert found.isnan().tolist() == [False, False, False, True, True]


def test_the_slope_of_i1e_is_one_half_where_it_is_no_number():
    x = wg.tensor([nan, 0.0], dtype=wg.float64, requires_grad=True)
    assert wg.autograd.grad(wg.special.i1e(x).sum(), x)[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
def test_distinct_slices_lie_in_the_order_in_which_they_were_compared(name):
    x = wg.tensor([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])
    function = getattr(wg, name)
    assert [function(x, dim=dim).stride() for dim in range(3)] == [(4, 2, 1), (2, 4, 1), (2, 1, 4)]

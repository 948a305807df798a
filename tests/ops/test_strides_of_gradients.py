"""Strides of gradients: those of torch's backward kernels, written down here (cotangents are row-major)."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.nn import functional as F

ROWS, COLUMNS = (4, 1), (1, 3)


def columns(*shape):
    """Numbers between 0.1 and 0.9 in column-major order."""
    count = 1
    for length in shape:
        count *= length
    return wg.linspace(0.1, 0.9, count, dtype=wg.float64).reshape(shape[::-1]).permute(*reversed(range(len(shape))))


def leaf(tensor):
    return tensor.detach().requires_grad_()


def gradient(function, *inputs):
    """The gradients' strides for row-major ones."""
    inputs = [leaf(each) for each in inputs]
    result = function(*inputs)
    grads = wg.autograd.grad(result, inputs, wg.ones(result.shape, dtype=result.dtype))
    return [each.stride() for each in grads]


GRADIENT_FIRST = {
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "hardtanh": F.hardtanh,
    "relu6": F.relu6,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "softplus": F.softplus,
    "elu": F.elu,
    "selu": F.selu,
    "celu": F.celu,
    "nan_to_num": wg.nan_to_num,
}


@pytest.mark.parametrize("name", GRADIENT_FIRST)
def test_slopes_take_the_gradient_first(name):
    assert gradient(GRADIENT_FIRST[name], columns(3, 4)) == [ROWS]


@pytest.mark.parametrize("name", ["erf", "erfc", "angle"])
def test_slopes_that_take_the_input_first(name):
    assert gradient(getattr(wg, name), columns(3, 4)) == [COLUMNS]


@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_both_gradients_of_fmax_and_fmin_are_filled_copies_of_the_gradient(name):
    rows = wg.ones(3, 4, dtype=wg.float64)
    assert gradient(getattr(wg, name), columns(3, 4), rows) == [ROWS, ROWS]
    assert gradient(getattr(wg, name), columns(3, 4), rows[0]) == [ROWS, (1,)]


@pytest.mark.parametrize("name", ["max", "min"])
def test_the_gradient_of_an_extreme_of_all_is_row_major(name):
    assert gradient(getattr(wg, name), columns(3, 4)) == [ROWS]


@pytest.mark.parametrize("loss", [F.mse_loss, F.smooth_l1_loss, F.huber_loss])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_gradients_of_losses_between_pairs_are_row_major(loss, reduction):
    found = gradient(lambda x, y: loss(x, y, reduction=reduction), columns(3, 4), columns(3, 4) + 1)
    assert found == [ROWS, ROWS]


def test_the_cross_entropy_of_logits_lies_like_its_target():
    x, y = columns(3, 4), wg.ones(3, 4, dtype=wg.float64)
    loss = F.binary_cross_entropy_with_logits
    assert loss(x, y, reduction="none").stride() == ROWS
    assert loss(y, x, reduction="none").stride() == COLUMNS
    weight = wg.ones(4, dtype=wg.float64)
    found = gradient(lambda x, y: loss(x, y, reduction="sum", pos_weight=weight), x, y)
    assert found == [ROWS, ROWS]
    assert gradient(lambda x, y: loss(x, y, reduction="sum"), x, y) == [COLUMNS, COLUMNS]


def test_the_gradient_of_a_cross_entropy_of_probabilities_keeps_even_idle_strides():
    x = wg.tensor([0.25], dtype=wg.float64).as_strided((1,), (7,))
    assert gradient(F.binary_cross_entropy, x, wg.ones(1, dtype=wg.float64) / 2)[0] == (7,)


@pytest.mark.parametrize("order", [2, 1, 3, 1.5])
def test_the_gradient_of_a_norm_lies_like_its_input(order):
    assert gradient(lambda x: x.norm(order), columns(3, 4)) == [COLUMNS]
    assert gradient(lambda x: x.norm(order, 1), columns(3, 4)) == [COLUMNS]


def test_the_gradient_of_take_lies_like_its_input():
    index = wg.tensor([0, 5, 5])
    assert gradient(lambda x: x.take(index), columns(3, 4)) == [COLUMNS]
    assert gradient(lambda x: x.take(index), columns(4, 4)[::2]) == [(1, 2)]


def test_the_gradient_of_nothing_taken_of_nothing_is_empty():
    x = wg.ones(0, requires_grad=True)
    (grad,) = wg.autograd.grad(x.take(wg.ones(0, dtype=wg.int64)), x, wg.ones(0))
    assert grad.shape == (0,)


def test_the_gradient_of_a_masked_selection_lies_like_its_input():
    mask = wg.tensor([True, False, True, True])
    assert gradient(lambda x: x.masked_select(mask), columns(3, 4)) == [COLUMNS]
    assert gradient(lambda x: x.masked_select(mask), columns(1, 4)) == [(1, 1)]


def test_gradients_of_a_product_into_places_lie_like_the_source():
    index = wg.tensor([[0, 1, 2, 0], [0, 1, 2, 0], [1, 1, 2, 2]])
    source, target = columns(3, 4), wg.ones(3, 4, dtype=wg.float64)
    assert gradient(lambda x, y: x.scatter_reduce(0, index, y, "prod"), target, source) == [ROWS, COLUMNS]
    assert gradient(lambda x, y: x.index_reduce(0, index[:, 1], y, "prod"), target, source) == [ROWS, COLUMNS]


def test_the_gradient_of_an_extreme_into_places_lies_like_its_target():
    index, source = wg.tensor([0, 1, 1]), wg.ones(3, 4, dtype=wg.float64)
    maximum = gradient(lambda x, y: x.index_reduce(0, index, y, "amax", include_self=False), columns(3, 4), source)
    minimum = gradient(lambda x, y: x.index_reduce(0, index, y, "amin", include_self=False), columns(3, 4), source)
    assert maximum == minimum == [COLUMNS, ROWS]


def test_the_gradient_of_an_absolute_value_in_polar_form_is_the_real_part_of_a_complex_tensor():
    one = wg.ones(3, dtype=wg.float64)
    assert gradient(wg.polar, one, one) == [(2,), (2,)]
    zero = wg.zeros(1, dtype=wg.float64, requires_grad=True)
    (grad,) = wg.autograd.grad(wg.polar(zero, one[:1] * 0), zero, wg.ones(1, dtype=wg.complex128))
    assert grad.tolist() == [1.0]


def test_the_gradient_of_a_bilinear_form_is_row_major_in_its_weight():
    shapes = (2, 3), (2, 4), (5, 3, 4)
    assert gradient(F.bilinear, *(wg.ones(shape) for shape in shapes)) == [(3, 1), (4, 1), (12, 4, 1)]


def test_a_sum_over_all_dimensions_by_name_gives_those_of_length_1_a_stride():
    assert gradient(lambda x: x.sum((0, 1, 2)), wg.ones(3, 1, 2)) == [(0, 1, 0)]
    assert gradient(lambda x: x.sum(), wg.ones(3, 1, 2)) == [(0, 0, 0)]


IMAGES = wg.arange(2.0 * 4 * 6 * 6, dtype=wg.float64).reshape(2, 6, 6, 4).permute(0, 3, 1, 2)
INSIDE, OUTSIDE = (144, 1, 24, 4), (144, 36, 6, 1)
IMAGE_OPERATORS = {
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 3),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 3),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 3),
    "reflect": lambda x: F.pad(x, (1, 2, 1, 0), "reflect"),
    "replicate": lambda x: F.pad(x, (1, 2, 1, 0), "replicate"),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "conv2d": lambda x: F.conv2d(x, wg.ones(3, 4, 2, 2, dtype=wg.float64)),
}


@pytest.mark.parametrize("name", IMAGE_OPERATORS)
def test_gradients_of_images_have_their_channels_where_the_images_have(name):
    function = IMAGE_OPERATORS[name]
    assert gradient(function, IMAGES) == [INSIDE]
    x = leaf(IMAGES.contiguous())
    result = function(x)
    inside = wg.ones(result.shape, dtype=wg.float64).contiguous(memory_format=wg.channels_last)
    assert wg.autograd.grad(result, x, inside)[0].stride() == OUTSIDE


def test_gradients_of_kernels_follow_the_images_too():
    kernels = wg.ones(3, 4, 2, 2, dtype=wg.float64)
    assert gradient(F.conv2d, IMAGES, kernels) == [INSIDE, (16, 1, 8, 4)]
    inside = kernels.contiguous(memory_format=wg.channels_last)
    assert gradient(F.conv2d, IMAGES.contiguous(), inside) == [INSIDE, (16, 1, 8, 4)]


def test_kernels_of_one_channel_in_groups_stay_row_major():
    kernels = wg.ones(4, 1, 2, 2, dtype=wg.float64)
    assert gradient(lambda x, w: F.conv2d(x, w, groups=4), IMAGES, kernels) == [INSIDE, (4, 4, 2, 1)]
    assert gradient(lambda x, w: F.conv2d(x, w, groups=4, dilation=2), IMAGES, kernels) == [INSIDE, (4, 1, 2, 1)]


def test_signals_follow_their_kernels_alone():
    kernels = wg.ones(2, 3, 4, dtype=wg.float64).permute(0, 2, 1)
    assert gradient(F.conv1d, wg.ones(1, 4, 5, dtype=wg.float64), kernels) == [(20, 1, 4), (12, 1, 4)]


def test_a_border_cut_off_leaves_a_copy_of_the_part():
    x = wg.ones(1, 3)
    assert gradient(lambda x: F.pad(x, (1, 2)), x) == [(6, 1)]
    assert F.pad(wg.ones(4, 3).t(), (-1, 0)).stride() == (1, 3)


@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_gradients_of_products_with_logarithms_are_filled_rows(name):
    function = getattr(wg, name, None) or wg.special.xlog1py
    other = wg.tensor(2.0, dtype=wg.float64)
    assert gradient(lambda x: function(x, other), columns(3, 4)) == [ROWS]


def test_the_gradient_of_prelu_lies_like_its_input():
    weight = wg.tensor([0.5, 0.25, 1, 2], dtype=wg.float64)
    assert gradient(lambda x: F.prelu(x, weight), columns(3, 4)) == [COLUMNS]
    assert gradient(lambda x: F.prelu(x, weight[:1]), columns(3, 4)) == [COLUMNS]


def test_gradients_of_determinants_lie_in_columns_and_those_of_systems_of_vectors_in_rows():
    matrices = wg.eye(3, dtype=wg.float64) + wg.arange(27, dtype=wg.float64).reshape(3, 3, 3).tril() / 9
    for function in (wg.det, wg.logdet, lambda x: wg.linalg.slogdet(x)[1]):
        assert gradient(function, matrices) == [(9, 1, 3)]
    vectors = wg.ones(3, 3, dtype=wg.float64)
    assert gradient(wg.linalg.solve, matrices, vectors) == [(9, 3, 1), (3, 1)]
    assert gradient(wg.det, wg.ones(2, 3, 3, dtype=wg.float64)) == [(9, 1, 3)]

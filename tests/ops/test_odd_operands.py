"""Changed samples beside torch: dimensions one by one, numbers that do not fit, operands of other dtypes."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F


def test_dimensions_may_be_given_one_by_one():
    x = wg.ones(1, 2, 1, requires_grad=True)
    assert x.squeeze(0, 2).grad_fn.name() == "SqueezeBackward2" and x.squeeze(0, 2).shape == (2,)
    assert x.squeeze(0).grad_fn.name() == "SqueezeBackward1" and x.squeeze(0).shape == (2, 1)
    assert wg.ones(1, 2, 1).squeeze_(2, 0).shape == (2,)
    assert wg.ones(2, 3).count_nonzero(0, 1).item() == 6
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        x.squeeze(0, 1.0)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        x.squeeze(0, 0)


@pytest.mark.parametrize(
    ("dtype", "number", "kind"),
    [("uint8", 70000, "uint8_t"), ("int8", 128, "int8_t"), ("int16", -40000, "int16_t"), ("float32", 1e39, "float")],
)
def test_where_refuses_a_number_that_the_dtype_has_not(dtype, number, kind):
    x = wg.tensor([1, 2]).to(getattr(wg, dtype))
    mask = x > 1
    for call in (lambda: wg.where(mask, x, number), lambda: wg.where(mask, number, x), lambda: x.where(mask, number)):
        with pytest.raises(RuntimeError, match=f"value cannot be converted to type {kind} without overflow"):
            call()
    assert wg.where(mask, x, wg.tensor(0).to(x.dtype)).tolist() == [0, 2]


def test_where_takes_numbers_that_wrap_around_or_have_no_end():
    x = wg.tensor([1, 2], dtype=wg.uint8)
    assert x.where(x > 1, -1).tolist() == [255, 2] and x.where(x > 1, 255).tolist() == [255, 2]
    assert wg.where(wg.tensor([True, False]), math.inf, wg.zeros(2)).tolist() == [math.inf, 0]


@pytest.mark.parametrize("dtype", [wg.uint8, wg.bool, wg.float16, wg.float32])
def test_the_bias_of_a_transposed_convolution_may_be_of_another_dtype(dtype):
    x, weight = wg.ones(1, 1, 2, dtype=wg.float64), wg.ones(1, 2, 1, dtype=wg.float64, requires_grad=True)
    bias = wg.ones(2, dtype=dtype, requires_grad=dtype.is_floating_point)
    made = F.conv_transpose1d(x, weight, bias)
    assert made.dtype is wg.float64 and made.tolist() == [[[2, 2], [2, 2]]]
    made.sum().backward()
    assert weight.grad.tolist() == [[[2], [2]]]
    assert not bias.requires_grad or (bias.grad.dtype is dtype and bias.grad.tolist() == [2, 2])
    with pytest.raises(RuntimeError, match="should be the same"):
        F.conv1d(x, weight.transpose(0, 1), bias)
    with pytest.raises(RuntimeError, match="should be the same"):
        F.conv_transpose1d(x.long(), weight.long(), wg.ones(2))


def test_places_are_drawn_from_no_rows():
    assert wg.multinomial(wg.ones(0, 4), 3, replacement=True).shape == (0, 3)


def test_parameters_of_a_norm_are_of_one_dtype():
    x = wg.ones(3, dtype=wg.bfloat16)
    with pytest.raises(RuntimeError, match="expect parameter to have scalar type of Float"):
        F.layer_norm(x, [3], wg.ones(3), wg.ones(3, dtype=wg.bfloat16))
    assert F.layer_norm(x, [3], wg.ones(3), wg.ones(3)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", [wg.float64, wg.bfloat16, wg.int64])
def test_instance_norm_keeps_statistics_of_any_dtype(dtype):
    mean, variance = wg.zeros(1, dtype=dtype), wg.ones(1, dtype=dtype)
    F.instance_norm(wg.tensor([[[0.0, 20.0]]]), mean, variance, momentum=0.5)
    assert mean.dtype is variance.dtype is dtype
    assert mean.tolist() == [5] and variance.tolist() == [pytest.approx(100.5, abs=0.5)]


@pytest.mark.parametrize("kind", ["max", "min"])
def test_what_is_no_number_reaches_the_largest_element_of_its_segment(kind):
    x = wg.tensor([1.0, math.nan, 2.0, 3.0], requires_grad=True)
    wg.segment_reduce(x, kind, lengths=wg.tensor([2, 2])).sum().backward()
    assert x.grad.tolist() == [0, 1, *((0, 1) if kind == "max" else (1, 0))]


def test_what_is_no_number_is_left_out_of_its_own_slope_in_a_product():
    x = wg.tensor([2.0, math.nan, 0.0, math.nan, 0.0, 3.0], requires_grad=True)
    wg.segment_reduce(x, "prod", lengths=wg.tensor([2, 2, 2])).sum().backward()
    assert [str(each) for each in x.grad.tolist()] == ["nan", "2.0", "nan", "0.0", "3.0", "0.0"]


@pytest.mark.parametrize("dtype", [wg.uint16, wg.uint32, wg.uint64])
def test_a_number_is_looked_for_among_wide_unsigned_integers(dtype):
    x = wg.tensor([1, 200], dtype=dtype)
    assert wg.isin(x, 200).tolist() == [False, True] and wg.isin(x, 200, invert=True).tolist() == [True, False]
    with pytest.raises(NotImplementedError, match="isin_default_cpu"):
        wg.isin(x, x)


def test_gradients_of_largest_elements_by_torchs_names():
    aten = wg.ops.aten
    x = wg.arange(16.0).reshape(1, 4, 4)
    made, places = F.max_pool2d(x, 2, return_indices=True)
    grad = wg.full_like(made, 2.0, requires_grad=True)
    found = aten.max_pool2d_with_indices_backward(grad, x, [2, 2], [2, 2], 0, 1, False, places)
    assert found.shape == x.shape and found.nonzero()[:, 1:].tolist() == [[1, 1], [1, 3], [3, 1], [3, 3]]
    found.sum().backward()
    assert grad.grad.tolist() == [[[1, 1], [1, 1]]]
    made, places = F.max_pool3d(x[None], (1, 2, 2), return_indices=True)
    deep = aten.max_pool3d_with_indices_backward.default(made, x[None], (1, 2, 2), (1, 2, 2), 0, 1, False, places)
    assert deep.sum().item() == made.sum().item()
    with pytest.raises(RuntimeError, match="Expected grad_output of the shape"):
        aten.max_pool2d_with_indices_backward(grad[:, :1], x, 2, 2, 0, 1, False, places[0])
    with pytest.raises(NotImplementedError, match="max_pool2d_backward"):
        aten.max_pool2d_with_indices_backward(grad.long(), x.long(), 2, 2, 0, 1, False, places[0])


@pytest.mark.parametrize("loss", [F.nll_loss, F.cross_entropy])
def test_weights_of_the_classes_of_places_may_be_of_any_shape(loss):
    x = wg.zeros(1, 2, 3, requires_grad=True)
    target, weight = wg.tensor([[0, 1, 1]]), wg.tensor([1.0, 3.0])
    for given in (weight[None], weight[:, None]):
        made = loss(x, target, weight=given, reduction="none")
        assert made.tolist() == loss(x, target, weight=weight, reduction="none").tolist()
        assert wg.autograd.grad(made.sum(), x)[0].shape == x.shape
    with pytest.raises(RuntimeError, match="weight tensor should be defined either for all"):
        loss(x, target, weight=wg.ones(3, 1))
    with pytest.raises(RuntimeError, match="weight tensor should be defined either for all"):
        loss(x[:, :, 0], target[:, 0], weight=weight[None])


def test_the_full_poisson_loss_has_the_dtype_of_the_short_one():
    x = wg.ones(3, dtype=wg.float16, requires_grad=True)
    made = F.poisson_nll_loss(x, wg.tensor([0, 1, 5]), full=True, reduction="none")
    assert made.dtype is wg.float16
    assert made.tolist() == pytest.approx([math.e, math.e - 1, math.e - 5 + 4.770849], abs=4e-3)
    assert wg.autograd.grad(made.sum(), x)[0].tolist() == pytest.approx([math.e, math.e - 1, math.e - 5], abs=4e-3)


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min", "prod"])
def test_segments_of_rows_without_elements_have_none(kind):
    assert wg.segment_reduce(wg.ones(3, 0, 2), kind, lengths=wg.tensor([1, 0, 2])).shape == (3, 0, 2)


def test_the_dimension_of_no_differences_is_an_integer_too():
    assert wg.diff(wg.ones(3), 0, 7).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="argument 'dim' must be int, not NoneType"):
        wg.diff(wg.ones(3), 0, None)


@pytest.mark.parametrize("name", ["addcmul_", "addcdiv_"])
@pytest.mark.parametrize("length", [3, 5000])
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32"), ("float16", "float32")])
def test_operands_of_another_dtype_are_added_in_place(name, length, dtypes):
    target, other = (wg.full((length,), 2.0, dtype=getattr(wg, each)) for each in dtypes)
    wanted = 2 + 3 * (4 if name == "addcmul_" else 1)
    for second in (other, target.clone()):
        x = target.clone()
        assert getattr(x, name)(other, second, value=3) is x
        assert x.dtype is target.dtype and (x == wanted).all()


def test_truth_values_have_places_among_numbers_and_numbers_among_them():
    truths, numbers = wg.tensor([False, True, True]), wg.tensor([0, 1, 2])
    assert wg.searchsorted(truths, numbers).tolist() == [0, 1, 3]
    assert wg.searchsorted(numbers, truths).tolist() == [0, 1, 1]
    assert wg.bucketize(numbers.float(), truths, right=True).tolist() == [1, 3, 3]
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        wg.searchsorted(truths, truths)


@pytest.mark.parametrize("dtype", [wg.float32, wg.bool, wg.int64])
def test_one_place_without_dimensions_gets_the_first_of_several_elements(dtype):
    source, index = wg.tensor([1, 0, 1]).to(dtype), wg.tensor(1)
    assert wg.zeros(2).to(dtype).scatter_add(0, index, source).tolist() == [0, 1]
    assert wg.zeros(2).to(dtype).scatter_add_(0, index, source).tolist() == [0, 1]


def test_a_negative_factor_of_unsigned_integers_wraps_around():
    x, y = wg.tensor([[1, 2], [3, 4]], dtype=wg.uint8), wg.tensor([5, 6], dtype=wg.uint8)
    assert x.addcmul(x, x, value=-1).tolist() == [[0, 254], [250, 244]]
    assert x.addmm(x, x, beta=-1).tolist() == [[6, 8], [12, 18]]
    assert y.addmv(x, x[0], alpha=-1).tolist() == [0, 251]
    assert x.addr(y, y, alpha=-1, beta=-1).tolist() == [[230, 224], [223, 216]]
    assert x[None].baddbmm(x[None], x[None], alpha=-2).tolist() == [[[243, 238], [229, 216]]]


@pytest.mark.parametrize("factor", [256, 1e20, math.nan, -2.5])
def test_a_factor_that_integers_have_not_is_refused(factor):
    x = wg.ones(2, 2, dtype=wg.uint8)
    for call in (
        lambda: x.addcmul(x, x, value=factor),
        lambda: x.addmm(x, x, alpha=factor),
        lambda: x.addbmm(x[None], x[None], beta=factor),
    ):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
            call()

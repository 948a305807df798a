"""What changed samples of further seeds showed beside torch: losses of two dtypes, fills, and NaN among points."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F

FLOATS = [wg.float16, wg.bfloat16, wg.float32, wg.float64]
ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


@pytest.mark.parametrize("given", FLOATS)
@pytest.mark.parametrize("wanted", FLOATS)
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_the_loss_of_logits_has_the_dtype_of_their_target(given, wanted, reduction):
    x = wg.tensor([0.5, -2.0], dtype=given, requires_grad=True)
    target = wg.tensor([0.25, 1.0], dtype=wanted, requires_grad=True)
    made = F.binary_cross_entropy_with_logits(x, target, reduction=reduction, pos_weight=wg.tensor([2.0, 1.0]))
    wide = F.binary_cross_entropy_with_logits(
        x.double(), target.double(), reduction=reduction, pos_weight=wg.tensor([2.0, 1.0])
    )
    assert made.dtype is wanted and made.grad_fn.name() == "BinaryCrossEntropyWithLogitsBackward0"
    assert wg.allclose(made.double(), wide, rtol=1e-2)
    grads = wg.autograd.grad(made.sum(), [x, target])
    assert [each.dtype for each in grads] == [given, wanted]
    for each, exact in zip(grads, wg.autograd.grad(wide.sum(), [x, target])):
        assert wg.allclose(each.double(), exact.double(), rtol=1e-2, atol=1e-2)


def test_a_truth_value_is_no_target_of_logits():
    with pytest.raises(RuntimeError, match=r"Subtraction, the `-` operator, with two bool tensors"):
        F.binary_cross_entropy_with_logits(ROW, MASK)


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int64, wg.float16, wg.float32])
def test_what_a_tensor_fills_with_is_cast_and_a_number_has_to_fit(dtype):
    x = ROW.to(dtype)
    assert x.clone().fill_(wg.tensor(3 + 2j)).tolist() == wg.fill(x, wg.tensor(3 + 2j)).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match=r"value cannot be converted to type .* without overflow"):
        x.fill_(3 + 2j)
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("dtype", "value", "name"),
    [
        (wg.uint8, wg.tensor(300), "uint8_t"),
        (wg.uint8, wg.tensor(-1.0), "uint8_t"),
        (wg.int32, wg.tensor(1 << 40), "int"),
        (wg.float16, wg.tensor(1e30), "c10::Half"),
        (wg.float32, wg.tensor(1e300, dtype=wg.float64), "float"),
        (wg.bfloat16, wg.tensor(1e300, dtype=wg.float64), "c10::BFloat16"),
    ],
)
def test_the_number_in_a_tensor_has_to_fit_where_it_fills_parts(dtype, value, name):
    x = ROW.to(dtype)
    writes = {
        "masked_fill": lambda: x.masked_fill(MASK, value),
        "masked_fill_": lambda: x.masked_fill_(MASK, value),
        "index_fill": lambda: x.index_fill(0, PLACE, value),
        "index_fill_": lambda: x.index_fill_(0, PLACE, value),
        "x[mask]": lambda: x.__setitem__(MASK, value),
    }
    for each, write in writes.items():
        with pytest.raises(RuntimeError, match=f"converted to type {name} without overflow"):
            write()
        assert x.tolist() == [1, 1], each


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_one_element_in_half_precision_becomes_infinite_and_several_refuse(dtype):
    one, two = wg.ones((), dtype=dtype), wg.ones(2, dtype=dtype)
    fills = [
        lambda x: wg.full(x.shape, 1e39, dtype=dtype),
        lambda x: wg.full_like(x, 1e39),
        lambda x: x.new_full(x.shape, 1e39),
        lambda x: x.clone().fill_(1e39),
    ]
    for fill in fills:
        assert fill(one).item() == fill(one[None]).item() == math.inf
        with pytest.raises(RuntimeError, match="without overflow"):
            fill(two)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [1, 5000])
def test_the_logarithm_of_gamma_is_infinite_at_both_ends(dtype, count):
    x = wg.tensor([-math.inf, math.inf, 1.0, -1.0], dtype=dtype).repeat(count)
    for call in (wg.lgamma, wg.special.gammaln):
        assert call(x).tolist() == [math.inf, math.inf, 0, math.inf] * count
    assert wg.mvlgamma(x[:1], 2).item() == math.inf


@pytest.mark.parametrize("size", [1, 300])
def test_a_number_of_differences_is_none_where_one_is_nan(size):
    x = wg.tensor([[1.0, math.nan], [1.0, 3.0], [2.0, 1e-30]], requires_grad=True)
    y = x.detach().repeat(size, 1)
    assert wg.cdist(x, y, p=0.0)[:, :3].isnan().tolist() == [[True] * 3, [True, False, False], [True, False, False]]
    assert wg.cdist(x, y, p=0.0)[1:, 1:3].tolist() == [[0, 2], [2, 0]]
    assert F.pdist(x, p=0.0).isnan().tolist() == [True, True, False]
    assert wg.dist(x[0], x[1], 0).item() == 1
    assert wg.autograd.grad(wg.cdist(x, y, p=0.0).sum(), x)[0].tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("p", [1.0, 1.5, 3.0, math.inf])
def test_the_slope_of_a_difference_that_is_nan_is_nan(p):
    x = wg.tensor([[1.0, math.nan], [2.0, 3.0]], requires_grad=True)
    y = wg.tensor([[0.0, 1.0]], requires_grad=True)
    first, second = wg.autograd.grad(wg.cdist(x, y, p=p).sum(), [x, y])
    assert first[0, 1].isnan() and first[1].isfinite().all() and second[0, 1].isnan()


def test_a_loss_of_several_dtypes_names_the_common_one_where_it_is_refused():
    x, y = wg.ones(2, dtype=wg.uint8), wg.ones(2, dtype=wg.int8)
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
        with pytest.raises(NotImplementedError if loss is not F.huber_loss else RuntimeError, match="Short"):
            loss(x, y)
    with pytest.raises(RuntimeError, match="result type ComplexFloat can't be cast to the desired output type Float"):
        F.huber_loss(ROW, ROW + 0j)


def test_what_is_complex_weighs_and_labels_no_real_scores():
    z = ROW + 0j
    refused = {
        "target": lambda: F.soft_margin_loss(ROW, z),
        "weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, weight=z),
        "pos_weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, pos_weight=z),
    }
    for call in refused.values():
        with pytest.raises(RuntimeError, match="type ComplexFloat can't be cast to the desired output type Float"):
            call()


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


def test_a_truth_value_is_a_momentum():
    for call in (F.batch_norm, F.instance_norm):
        for momentum, wanted in ((True, [3.0]), (False, [0.0])):
            mean = wg.zeros(1)
            call(
                wg.full((1, 1, 2), 3.0),
                mean,
                wg.ones(1),
                momentum=momentum,
                **({"training": True} if call is F.batch_norm else {}),
            )
            assert mean.tolist() == wanted


@pytest.mark.parametrize("call", [F.conv1d, F.conv2d, F.conv3d, F.conv_transpose2d])
def test_a_kernel_holds_something(call):
    count = 2 if call is F.conv_transpose2d else int(call.__name__[4])
    with pytest.raises(RuntimeError, match="kernel size should be greater than zero, but got"):
        call(wg.ones(1, 1, *(3,) * count), wg.ones(1, 1, *(1,) * (count - 1), 0))


def test_segments_have_a_number_to_begin_with_and_an_end():
    for initial in (wg.tensor([2.0]), "a"):
        with pytest.raises(TypeError, match=r"argument 'initial' .*must be Number"):
            wg.segment_reduce(ROW, "max", lengths=wg.tensor([2]), initial=initial)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        wg.segment_reduce(ROW, "max", offsets=wg.tensor([], dtype=wg.int64))


def test_distances_of_no_order_and_normalised_shapes_of_more_dimensions_are_refused():
    with pytest.raises(RuntimeError, match="pdist only supports non-negative p values"):
        F.pdist(wg.ones(3, 2), math.nan)
    with pytest.raises(ValueError, match="Input tensor must have at least 2 dimensions, but got 1"):
        F.rms_norm(wg.ones(12), (2, 3))


def test_a_negative_limit_of_logit_is_none():
    x = wg.tensor([-1.0, 0.5, 2.0])
    for eps in (-1e-30, -0.5):
        assert wg.logit(x, eps).isnan().tolist() == wg.logit(x).isnan().tolist() == [True, False, True]


def test_the_slope_of_the_multivariate_gamma_at_a_negative_zero_is_that_at_zero():
    x = wg.tensor([-0.0, 0.0], requires_grad=True)
    assert wg.autograd.grad(wg.mvlgamma(x, 2).sum(), x)[0].tolist() == [-math.inf, -math.inf]

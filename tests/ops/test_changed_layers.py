"""What fuzzing torch's samples of layers beside torch showed: sizes, switches and numbers that do not belong there."""

from __future__ import annotations

import math
import re

import pytest

import wengert as wg
import wengert.nn.functional as F

PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)
PLACES = wg.zeros(1, 1, 4, dtype=wg.int64)
HALF = wg.tensor([0.5, 0.5])

NO_SIZES = {
    "adaptive_avg_pool1d": lambda: F.adaptive_avg_pool1d(LINE, True),
    "adaptive_max_pool1d": lambda: F.adaptive_max_pool1d(LINE, True),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(PLANE, True),
    "adaptive_avg_pool2d of numbers": lambda: F.adaptive_avg_pool2d(PLANE, (1.0, 1.0)),
    "adaptive_max_pool2d": lambda: F.adaptive_max_pool2d(PLANE, None),
    "adaptive_avg_pool3d": lambda: F.adaptive_avg_pool3d(VOLUME, (True,) * 3),
    "adaptive_max_pool3d": lambda: F.adaptive_max_pool3d(VOLUME, 3.0),
    "max_pool1d": lambda: F.max_pool1d(LINE, 2, stride=True),
    "avg_pool2d": lambda: F.avg_pool2d(PLANE, 2, divisor_override=0.5),
    "avg_pool3d": lambda: F.avg_pool3d(VOLUME, 2, divisor_override=True),
    "fractional_max_pool2d": lambda: F.fractional_max_pool2d(PLANE, 2, output_size=True),
    "max_unpool3d": lambda: F.max_unpool3d(VOLUME, VOLUME.long(), 2, padding=0.0),
    "cosine_similarity": lambda: F.cosine_similarity(PLANE, PLANE, dim=None),
}


@pytest.mark.parametrize("name", NO_SIZES)
def test_what_is_no_integer_is_no_size(name):
    with pytest.raises(TypeError, match=rf"{name.split()[0]}\(\): argument '\w+'.* must be (tuple of ints|int), "):
        NO_SIZES[name]()


def test_adaptive_pooling_keeps_lengths_that_are_none():
    assert F.adaptive_avg_pool2d(PLANE, (None, 1)).shape == (1, 1, 4, 1)


@pytest.mark.parametrize("options", [{"stride": ()}, {"padding": ()}, {"kernel_size": (2, 1), "stride": 2}])
def test_unpooling_wants_a_number_for_each_dimension(options):
    with pytest.raises(IndexError):
        F.max_unpool1d(LINE, PLACES, **{"kernel_size": 2, **options}, output_size=(1, 1, 8))


@pytest.mark.parametrize("options", [((2,), 1, 0, 1), (2, (1,), 0, 1), (2, 1, (0,), 1), (2, 1, 0, (1,))])
def test_patches_have_two_sides(options):
    with pytest.raises(RuntimeError, match="equals to 2, but got size 1"):
        F.unfold(PLANE, *options)


REFUSED = {
    "all elements of target should be between 0 and 1": lambda: F.binary_cross_entropy(HALF, wg.tensor([0.5, 1.5])),
    "fractional_max_pool2d: kernel_size must either be": lambda: F.fractional_max_pool2d(PLANE, (2,), 2),
    "output with shape [2] doesn't match the broadcast shape [1, 2]": lambda: F.soft_margin_loss(HALF, HALF[None]),
    "output with shape [2] doesn't match the broadcast shape [3, 2]": lambda: F.binary_cross_entropy_with_logits(
        HALF, HALF, weight=wg.ones(3, 2)
    ),
    "rrelu: lower bound must be finite, got -inf": lambda: F.rrelu(HALF, -math.inf, 1.0, True),
    "eps must be non-negative, got: nan": lambda: F.cosine_similarity(HALF, HALF, dim=0, eps=math.nan),
    "must have the same dtype, got input1: float, input2: double, weight: float": lambda: F.bilinear(
        HALF, HALF.double(), wg.ones(1, 2, 2)
    ),
    "dropout probability has to be between 0 and 1, but got inf": lambda: F.scaled_dot_product_attention(
        PLANE, PLANE, PLANE, dropout_p=math.inf
    ),
    "value cannot be converted to type int64": lambda: F.hardtanh(wg.tensor([1]), 0.0, math.inf),
}


@pytest.mark.parametrize("text", REFUSED)
def test_numbers_out_of_range_are_refused(text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        REFUSED[text]()


@pytest.mark.parametrize("target", [math.nan, math.inf, -0.5])
def test_targets_that_are_no_probabilities_are_refused_before_anything_is_recorded(target):
    x = HALF.clone().requires_grad_()
    for targets in ([0.5, target], [target, 0.5]):
        with pytest.raises(RuntimeError, match="all elements of target"):
            F.binary_cross_entropy(x, wg.tensor(targets))


def test_an_unknown_way_to_pad_is_told_before_widths_that_do_not_fit():
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode sum"):
        F.pad(PLANE, (1, 2, 3), "sum", 1.0)


def test_a_size_of_no_number_is_told_for_recomputed_factors():
    for factor, error in ((math.inf, OverflowError), (math.nan, ValueError)):
        with pytest.raises(error):
            F.interpolate(PLANE, scale_factor=factor, recompute_scale_factor=True)


def test_the_rate_of_dropout_in_a_tensor_does_not_decide_on_the_dtype():
    x = wg.ones(3, dtype=wg.bfloat16)
    assert F.alpha_dropout(x, wg.tensor(0.5), training=True).dtype is wg.bfloat16
    with pytest.raises(TypeError, match=r"feature_alpha_dropout.*argument 'p' .*must be float, not Tensor"):
        F.feature_alpha_dropout(wg.ones(1, 2, 3), wg.tensor([1.0]), training=True)


def test_the_norm_of_no_order_is_that_of_order_2():
    assert wg.equal(F.normalize(wg.ones(2, 4), p=None), F.normalize(wg.ones(2, 4)))


def test_a_bool_is_a_margin():
    vectors, target = wg.ones(2, 3), wg.tensor([1, -1])
    losses = [F.cosine_embedding_loss(vectors, vectors, target, margin=each).item() for each in (True, 1.0)]
    assert losses[0] == losses[1]

"""Convolutions: refused sizes, biases of other dtypes, infinite weights, and the rules beside those recorded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
import wengert.nn.functional as F


@settings(deadline=None)
@given(st.data())
def test_native_rules_are_the_recorded_ones(data):
    """In one to three dimensions, transposed or not."""
    draw, integers = data.draw, st.integers
    count, groups, transposed = draw(integers(1, 3)), draw(integers(1, 2)), draw(st.booleans())
    stride, padding, dilation = (
        tuple(draw(integers(*each)) for _ in range(count)) for each in ((1, 3), (0, 1), (1, 2))
    )
    further = tuple(draw(integers(0, step - 1)) for step in stride) if transposed else (0,) * count
    random = np.random.default_rng(draw(integers(0, 99)))
    lengths, channels = random.integers(4, 7, count), (2 * groups, 3) if transposed else (3 * groups, 2)
    x, weight = (2, 2 * groups, *lengths), (*channels, *random.integers(1, 3, count))
    options = (None, stride, padding, dilation, transposed, further, groups)
    tensors = [wg.from_numpy(random.normal(size=shape)).requires_grad_() for shape in (x, weight)]
    out = wg.convolution(*tensors, *options)
    grad = wg.from_numpy(random.normal(size=tuple(out.shape)))
    found = wg.autograd.grad(out, tensors, grad)
    recorded = wg.autograd.grad(wg.convolution(*tensors, *options), tensors, grad, create_graph=True)
    for one, other in zip(found, recorded, strict=True):
        assert one.stride() == other.stride() and wg.allclose(one, other)


@pytest.mark.parametrize("call", [F.conv1d, F.conv2d, F.conv3d, F.conv_transpose2d])
def test_a_kernel_holds_something(call):
    count = 2 if call is F.conv_transpose2d else int(call.__name__[4])
    with pytest.raises(RuntimeError, match="kernel size should be greater than zero, but got"):
        call(wg.ones(1, 1, *(3,) * count), wg.ones(1, 1, *(1,) * (count - 1), 0))


@pytest.mark.parametrize("call", [F.conv1d, F.conv_transpose1d])
def test_a_convolution_refuses_items_of_no_places(call):
    with pytest.raises(RuntimeError, match=r"Only zero batch or zero channel inputs.*\[2, 2, 1, 0\]"):
        call(wg.ones(2, 2, 0), wg.ones(2, 2, 2), padding=1)
    assert call(wg.ones(0, 2, 4), wg.ones(2, 2, 2)).shape[0] == 0


def test_output_padding_does_not_meet_infinite_weights():
    weight = wg.ones(1, 1, 2, 2)
    weight[0, 0, 1, 0] = math.inf
    made = F.conv_transpose2d(wg.ones(1, 1, 2, 2), weight, stride=2, padding=1, output_padding=1, dilation=2)
    plain = F.conv_transpose2d(
        wg.ones(1, 1, 2, 2), wg.ones(1, 1, 2, 2), stride=2, padding=1, output_padding=1, dilation=2
    )
    assert not made.isnan().any()
    assert made.isinf().any() and made[made.isfinite()].equal(plain[made.isfinite()])


def test_transposed_convolutions_without_channels_to_make_are_refused():
    for function, shape, told in (
        (F.conv_transpose1d, (3, 0, 2), r"non-empty 2D or 4D weight tensor expected, but got: \[3, 0, 1, 2\]"),
        (F.conv_transpose2d, (3, 0, 2, 2), r"non-empty 2D or 4D weight tensor expected, but got: \[3, 0, 2, 2\]"),
        (F.conv_transpose3d, (3, 0, 2, 2, 2), "non-empty 5D .* tensor expected for weight"),
    ):
        with pytest.raises(RuntimeError, match=told):
            function(wg.rand(3, *(4,) * (len(shape) - 2)), wg.zeros(shape))


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


def test_a_signal_that_would_be_empty_is_refused_as_an_image_of_one_row():
    with pytest.raises(RuntimeError, match=r"per channel: \(1 x 2\). Calculated output size per channel: \(1 x 0\)"):
        wg.nn.functional.conv_transpose1d(wg.ones(1, 1, 2), wg.ones(1, 1, 1), padding=1)

"""Native functions and rules beside what they stand for, at random arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg


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


@settings(deadline=None)
@given(st.data())
def test_clamps_of_short_integers_are_those_of_long_ones(data):
    dtype = data.draw(st.sampled_from([wg.uint8, wg.int8, wg.int16, wg.int32]))
    low, high = wg.iinfo(dtype).min, wg.iinfo(dtype).max
    limits = [data.draw(st.none() | st.integers(low, high)) for _ in range(2)]
    if limits == [None, None]:
        limits[0] = 0
    values = data.draw(st.lists(st.integers(low, high), min_size=1, max_size=70))
    x, wanted = wg.tensor(values, dtype=dtype), wg.tensor(values).clamp(*limits).to(dtype)
    made = x.clamp(*limits)
    assert made.dtype is dtype and made.equal(wanted)
    assert x.clamp_(*limits) is x and x.equal(wanted)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("weight", [math.inf, math.nan])
def test_a_row_that_keeps_its_margin_loses_nothing_whatever_its_class_weighs(dtype, weight):
    x = wg.tensor([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=dtype, requires_grad=True)
    weights = wg.tensor([weight, 1.0, 1.0], dtype=dtype)
    losses = wg.nn.functional.multi_margin_loss(x, wg.tensor([0, 1]), weight=weights, reduction="none")
    losses.sum().backward()
    assert losses[0].item() == 0.0 and losses[1].item() > 0.6
    assert x.grad[0].tolist() == [0.0, 0.0, 0.0] and x.grad.isfinite().all()

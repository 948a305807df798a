"""Native functions of images, signals and their borders, of any shape and options, beside the bodies of their cards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import wengert as wg
from wengert.ops.images import conv, grid, pad, patches, pool, pool_adaptive, pool_functions, resize
from wengert.ops.indexing.embedding import unit_vectors
from wengert.ops.neural.batch_norm import batch_norm_forward
from wengert.ops.neural.gates import channel_shuffle, glu
from wengert.ops.neural.group_norm import native_group_norm
from wengert.ops.neural.loss_scores import multi_margin
from wengert.ops.neural.norm import native_layer_norm
from wengert.ops.pointwise.piecewise import prelu_kernel

pytestmark = pytest.mark.skipif(pool.avg_pool2d.native is None, reason="there is no extension")

LENGTHS = st.integers(1, 6)
SIZES = st.tuples(LENGTHS, LENGTHS)
DTYPES = st.sampled_from([np.float32, np.float64])


@st.composite
def images(draw: Any, least: int = 3, most: int = 4) -> Any:
    shape = draw(st.lists(LENGTHS, min_size=least, max_size=most))
    return np.random.default_rng(draw(st.integers(0, 99))).normal(size=shape).astype(draw(DTYPES))


def check(card: Any, *args: Any, answered: bool = True) -> None:
    """The native function gives what the body gives, or leaves to it what it refuses."""
    found = card.native(*args)
    try:
        wanted = card.body(*args)
    except (RuntimeError, IndexError, ValueError):
        assert found is NotImplemented
        return
    if found is NotImplemented:
        assert not answered, f"{card.name}{args[1:]} of {args[0].shape} is not answered"
        return
    for one, other in zip(as_tuple(found), as_tuple(wanted), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape and one.flags.c_contiguous
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


def as_tuple(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


@given(images(), SIZES, st.one_of(st.none(), SIZES), st.tuples(st.integers(0, 3), st.integers(0, 3)), st.booleans())
def test_windows_of_any_size(x: Any, kernel: Any, stride: Any, padding: Any, ceil: bool):
    check(pool.avg_pool2d, x, kernel, stride, padding, ceil, not ceil, None)
    check(pool.max_pool2d_with_indices, x, kernel, stride, padding, 1, ceil)


@given(images(2, 3), LENGTHS, st.one_of(st.none(), LENGTHS), st.integers(0, 3), LENGTHS, st.booleans())
def test_windows_of_signals(x: Any, kernel: int, stride: Any, padding: int, dilation: int, ceil: bool):
    found = pool_functions.largest_of_lines(x, kernel, stride, padding, dilation, ceil)
    signal = wg.from_numpy(x)
    try:
        wanted = wg.max_pool1d(signal.requires_grad_(), kernel, stride, padding, dilation, ceil).detach()
    except RuntimeError:
        assert found is NotImplemented
        return
    if found is NotImplemented:  # a window longer than the signal, which `ceil_mode` allows
        assert ceil and dilation * (kernel - 1) + 1 > x.shape[-1] + 2 * padding
    else:
        assert np.array_equal(found, wanted.numpy())
    made = wg.max_pool1d(signal.detach(), kernel, stride, padding, dilation, ceil)
    assert made.equal(wanted) and made.stride() == wanted.stride() and not made._is_view()


@given(images(), SIZES)
def test_windows_that_divide_planes(x: Any, sizes: Any):
    check(pool_adaptive.adaptive_average, x, sizes, answered=sizes != (1, 1))
    check(pool_adaptive.adaptive_maximum, x, sizes)
    check(pool_adaptive.adaptive_average_backward, x, (*x.shape[:-2], *sizes), None)


@given(images(), SIZES, SIZES, st.tuples(st.integers(0, 3), st.integers(0, 3)), SIZES)
def test_patches_and_back(x: Any, kernel: Any, dilation: Any, padding: Any, stride: Any):
    check(patches.im2col, x, kernel, dilation, padding, stride, answered=False)
    columns = patches.im2col.native(x, kernel, dilation, padding, stride)
    if columns is not NotImplemented:
        check(patches.col2im, columns, x.shape[-2:], kernel, dilation, padding, stride)


@given(images(3, 5), st.integers(1, 3), st.booleans())
def test_elements_in_other_places(x: Any, factor: int, turned: bool):
    x = np.repeat(np.repeat(x, factor, -1), factor * factor, -3).repeat(factor, -2)
    x = x.swapaxes(-1, -2) if turned else x
    few = x.size <= 1 << 15
    check(patches.pixel_shuffle, x, factor, answered=few and not turned)
    check(patches.pixel_unshuffle, x, factor, answered=few and not turned)
    check(channel_shuffle, x, factor, answered=few and not turned and x.flags.c_contiguous)


@given(images(2, 5), st.lists(st.integers(-3, 4), min_size=2, max_size=6), st.sampled_from(pad.MODES))
def test_borders(x: Any, widths: list[int], mode: str):
    sides = tuple(widths[: len(widths) // 2 * 2])
    check(pad.constant_pad_nd, x, sides, 0.5, answered=False)
    made = pad.edge_pad.native(x, sides, mode)
    if made is not NotImplemented:
        check(pad.edge_pad, x, sides, mode)
        check(pad.edge_pad_backward, made, sides, mode, x.shape)
        check(
            pad.edge_pad_backward, np.broadcast_to(made.reshape(-1)[:1].reshape(()), made.shape), sides, mode, x.shape
        )


@given(images(3, 5), st.data())
def test_other_sizes(x: Any, data: Any):
    count = x.ndim - 2
    size = tuple(data.draw(st.lists(st.integers(1, 13), min_size=count, max_size=count)))
    linear = ("linear", "bilinear", "trilinear")[count - 1]
    mode = data.draw(st.sampled_from(["nearest", "nearest-exact", linear, *["bicubic"] * (count == 2)]))
    align = mode not in ("nearest", "nearest-exact") and data.draw(st.booleans())
    scales = data.draw(st.one_of(st.none(), st.just(tuple(float(new / old) for new, old in zip(size, x.shape[2:])))))
    few = math.prod((*x.shape[:2], *size)) <= 1 << 15
    check(resize.resample, x, size, mode, align, scales, False, answered=few)
    check(resize.resample_backward, x, (*x.shape[:2], *size), mode, align, scales, False)


@given(images(4, 4), SIZES, st.sampled_from(grid.MODES), st.sampled_from(grid.PADDINGS), st.booleans(), st.data())
def test_places_between_elements(x: Any, size: Any, mode: str, padding: str, align: bool, data: Any):
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    places = random.uniform(-2, 2, (len(x), *size, 2)).astype(x.dtype)
    check(grid.sampled, x, places, mode, padding, align)


@given(images(3, 5), st.data())
def test_convolutions(x: Any, data: Any):
    count = x.ndim - 2
    small = st.integers(1, 3)
    each = st.tuples(*[small] * count)
    stride, dilation = data.draw(each), data.draw(each)
    padding, further = (tuple(n - 1 for n in data.draw(each)) for _ in range(2))
    transposed = data.draw(st.booleans())
    groups = data.draw(st.sampled_from([n for n in range(1, 7) if x.shape[1] % n == 0]))
    outputs = data.draw(small)
    lead = (x.shape[1], outputs) if transposed else (outputs * groups, x.shape[1] // groups)
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    weight = random.normal(size=(*lead, *data.draw(each))).astype(x.dtype)
    bias = random.normal(size=outputs * groups).astype(x.dtype) if data.draw(st.booleans()) else None
    further = further if transposed else (0,) * count
    check(conv.convolution, x, weight, bias, stride, padding, dilation, transposed, further, groups, answered=False)


@given(arrays.arrays(np.int64, arrays.array_shapes(max_dims=3, max_side=5), elements=st.integers(-1, 6)), LENGTHS)
def test_unit_vectors(numbers: Any, classes: int):
    check(unit_vectors, numbers, classes)
    check(unit_vectors, numbers, -1)


@given(images(2, 2), st.sampled_from(["none", "mean", "sum"]), st.sampled_from([1, 2]), st.booleans())
def test_margins(x: Any, reduction: str, power: int, weighed: bool):
    right = np.arange(len(x)) % x.shape[1]
    weight = np.linspace(0, 1, x.shape[1]).astype(x.dtype) if weighed else None
    check(multi_margin, x, right, power, 0.5, weight, reduction)


@given(images(1, 4), st.integers(-4, 3))
def test_gates(x: Any, dim: int):
    if -x.ndim <= dim < x.ndim:
        check(glu, np.repeat(x, 2, dim), dim)
    shape = (1, *x.shape[1:2], *(1,) * (x.ndim - 2)) if x.ndim > 1 else (1,)
    check(prelu_kernel, x, np.linspace(-1, 1, math.prod(shape)).astype(x.dtype).reshape(shape))


@given(images(2, 4), st.integers(1, 3), st.booleans())
def test_normalisation(x: Any, last: int, weighed: bool):
    def factors(*shape: int) -> list[Any]:
        values = np.linspace(0, 2, math.prod(shape)).astype(x.dtype).reshape(shape)
        return [values, values - 1] if weighed else [None, None]

    channels = factors(x.shape[1])
    check(native_group_norm, x, *channels, *x.shape[:2], math.prod(x.shape[2:]), 1, 1e-5)
    check(batch_norm_forward, x, *channels, None, None, True, 1e-5)
    check(batch_norm_forward, x, *channels, np.ones(x.shape[1], x.dtype), np.ones(x.shape[1], x.dtype), False, 1e-5)
    shape = x.shape[-min(last, x.ndim) :]
    check(native_layer_norm, x, shape, *factors(*shape), 1e-5)

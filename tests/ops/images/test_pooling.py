"""Pools: windows without elements, sizes, padding, NaN and infinities, and what is refused."""

from __future__ import annotations

import itertools
from itertools import product
from typing import Any

import pytest

import wengert as wg
from wengert.nn import functional as F


def empty_windows(length: int, kernel: int, stride: int, padding: int, dilation: int, count: int) -> bool:
    """Whether one of `count` windows has no element of an axis."""
    starts = range(-padding, -padding + count * stride, stride)
    return any(all(not 0 <= start + tap * dilation < length for tap in range(kernel)) for start in starts)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_a_window_without_elements_is_refused_and_every_index_is_one_of_the_input(
    dims: int, kernel: int, ceil_mode: bool
) -> None:
    pool: Any = getattr(F, f"max_pool{dims}d")
    refused = 0
    for length, stride, padding, dilation in product((1, 2, 3, 5), (1, 2), range(kernel // 2 + 1), (1, 2, 3, 4)):
        reach = length + 2 * padding - dilation * (kernel - 1) - 1
        count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
        if ceil_mode and (count - 1) * stride >= length + padding:
            count -= 1
        if count < 1:
            continue
        options = (kernel, stride, padding, dilation, ceil_mode)
        x = wg.arange(float(length**dims)).view(1, 1, *(length,) * dims).requires_grad_()
        if empty_windows(length, kernel, stride, padding, dilation, count):
            refused += 1
            for indices in (False, True):
                for each in (x, x.detach()):
                    with pytest.raises(RuntimeError, match="window is entirely in the padding"):
                        pool(each, *options, return_indices=indices)
            continue
        values, indices = pool(x, *options, return_indices=True)
        assert wg.equal(values.flatten(), x.flatten()[indices.flatten()])
        assert wg.equal(values, pool(x.detach(), *options))
        values.sum().backward()
        expected = wg.bincount(indices.flatten(), minlength=length**dims).to(x.dtype)
        assert x.grad is not None and wg.equal(x.grad.flatten(), expected)
    assert refused or kernel != 2  # larger windows would reach beyond the axis


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("name", ["max_pool", "avg_pool"])
def test_padding_beyond_half_of_a_window_is_refused(dims: int, name: str) -> None:
    pool: Any = getattr(F, f"{name}{dims}d")
    for kernel in (1, 2, 3):
        with pytest.raises(RuntimeError, match="pad"):
            pool(wg.ones(1, 1, *(6,) * dims), kernel, 1, kernel // 2 + 1)


POOLS = [(kind, dims) for kind in ("avg", "max") for dims in (1, 2, 3)]


@pytest.mark.parametrize(("kind", "dims"), POOLS)
def test_results_of_size_zero_have_no_gradient(kind, dims):
    pool = getattr(F, f"adaptive_{kind}_pool{dims}d")
    for sizes in itertools.product((0, 2), repeat=dims):
        for batch in ((2, 3), (0, 3), (3,)):
            x = wg.ones(*batch, *(4,) * dims, requires_grad=True)
            result = pool(x, sizes)
            assert result.shape == (*batch, *sizes)
            if all(sizes):
                result.sum().backward()
                continue
            named = rf"^adaptive_{kind}_pool{max(dims, 2)}d_backward\(\): Expected grad_output to have non-zero size"
            with pytest.raises(RuntimeError, match=named):
                result.sum().backward()
            assert x.grad is None


@pytest.mark.parametrize(("kind", "dims"), POOLS)
def test_an_empty_batch_has_a_gradient_without_elements(kind, dims):
    x = wg.ones(0, 3, *(4,) * dims, requires_grad=True)
    getattr(F, f"adaptive_{kind}_pool{dims}d")(x, 2).sum().backward()
    assert x.grad.shape == x.shape


PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)


def test_adaptive_pooling_keeps_lengths_that_are_none():
    assert F.adaptive_avg_pool2d(PLANE, (None, 1)).shape == (1, 1, 4, 1)


def test_windows_beyond_32_bits_are_refused():
    x = wg.ones(1, 1, 4, 4)
    for call in (
        lambda: F.avg_pool2d(x, 2**62, padding=2**61),
        lambda: F.max_pool2d(x, 2**40, padding=2**39),
        lambda: F.max_pool1d(x[0], 2**40, padding=2**39),
        lambda: F.avg_pool1d(x[0], 2**62, padding=2**61),
    ):
        with pytest.raises(RuntimeError, match="type int without overflow"):
            call()


def test_the_largest_windows_are_pooled_without_a_loop_over_what_lies_outside():
    x = wg.arange(16.0).view(1, 1, 4, 4)
    assert F.max_pool2d(x, 2**31 - 1, padding=2**30 - 1).item() == 15
    assert F.max_pool2d(x.long(), 2**31 - 1, padding=2**30 - 1).item() == 15
    assert F.avg_pool2d(x, 2**31 - 1, padding=2**30 - 1, count_include_pad=False).item() == 7.5


def test_adaptive_maxima_are_those_of_each_window_however_many_there_are():
    x = wg.tensor([[[3.0, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]]])
    values, places = F.adaptive_max_pool2d(x, 1000, return_indices=True)
    for row, column in [(0, 0), (333, 250), (334, 249), (500, 500), (999, 999), (666, 751)]:
        top, bottom = row * 3 // 1000, -(-(row + 1) * 3 // 1000)
        left, right = column * 4 // 1000, -(-(column + 1) * 4 // 1000)
        part = x[0, top:bottom, left:right]
        assert values[0, row, column] == part.max()
        assert x.flatten()[places[0, row, column]] == part.max()


def test_the_last_nan_wins_in_adaptive_maxima_as_in_all_pooling():
    nan = float("nan")
    x = wg.tensor([[[1.0, nan, 2], [nan, 3, 0], [0, 0, 0]]])
    assert F.adaptive_max_pool2d(x, 1, return_indices=True)[1].item() == 3
    assert F.max_pool2d(x, 3, return_indices=True)[1].item() == 3


def test_an_infinity_stays_in_its_window_of_adaptive_means():
    x = wg.ones(1, 4, 4)
    x[0, 0, 0] = float("inf")
    assert F.adaptive_avg_pool2d(x, 2).tolist() == [[[float("inf"), 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize("name", ["adaptive_avg_pool", "adaptive_max_pool"])
@pytest.mark.parametrize("count", [2, 3])
def test_adaptive_pools_take_their_sizes_in_a_tensor(name, count):
    x = wg.rand(2, *[4] * count)
    pool = getattr(F, f"{name}{count}d")
    assert pool(x, wg.tensor([2] * count)).equal(pool(x, 2))


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


@pytest.mark.parametrize("shape", [(1, 2, 0, 3), (2, 3, 1, 2, 2, 2), (0, 2, 2)])
def test_an_average_of_one_window_is_a_mean_of_whatever_there_is(shape):
    made = F.adaptive_avg_pool2d(wg.ones(shape, requires_grad=True), 1)
    assert made.shape == (*shape[:-2], 1, 1) and made.grad_fn.name() == "MeanBackward1"
    assert bool((made.isnan() if 0 in shape[-2:] else made == 1).all())


def test_a_size_that_is_kept_may_be_one_window():
    rows = wg.ones(2, 2, 1, 3, requires_grad=True)
    assert F.adaptive_avg_pool2d(rows, (None, 1)).grad_fn.name() == "MeanBackward1"
    assert F.adaptive_avg_pool2d(rows, (1, None)).grad_fn.name() == "AdaptiveAvgPool2DBackward0"

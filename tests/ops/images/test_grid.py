"""Samples of images at grids: places outside, infinities and NaN, and how results lie in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
import wengert.nn.functional as F

inf, nan = math.inf, math.nan


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


def channels_inside(*shape):
    return wg.arange(wg.Size(shape).numel(), dtype=wg.float64).reshape(shape).movedim(1, -1).contiguous().movedim(-1, 1)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample_gives_rows(mode):
    grid = wg.zeros(2, 4, 7, 2, dtype=wg.float64)
    assert F.grid_sample(channels_inside(2, 3, 5, 6), grid, mode, align_corners=True).stride() == (84, 28, 7, 1)


numbers = st.integers(0, 2**32 - 1)


@settings(max_examples=30, deadline=None)
@given(numbers, st.booleans(), st.sampled_from(("zeros", "border", "reflection")), st.sampled_from((2, 3)))
def test_the_grid_of_the_identity_gives_the_image(seed, corners, padding, dims):
    draws = np.random.default_rng(seed)
    image = wg.tensor(draws.standard_normal((2, 3, *draws.integers(2, 5, dims))))
    identity = wg.eye(dims, dims + 1, dtype=wg.float64).expand(2, dims, dims + 1)
    grid = F.affine_grid(identity, image.shape, corners)
    for mode in ("bilinear", "nearest", "bicubic")[: 5 - dims]:
        made = F.grid_sample(image, grid, mode, padding, corners)
        np.testing.assert_allclose(made.numpy(), image.numpy(), atol=1e-12)


def test_places_outside_are_zero_the_edge_or_the_mirrored_image():
    image = wg.tensor([[[[1.0, 2.0, 4.0]]]])
    grid = wg.tensor([[[[x, 0.0] for x in (-2.0, 1.5, 2.0)]]])  # middles at -1, 0 and 1
    for padding, wanted in (("zeros", [0, 2, 0]), ("border", [1, 4, 4]), ("reflection", [2, 3, 2])):
        assert F.grid_sample(image, grid, "bilinear", padding, True).flatten().tolist() == wanted


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_places_that_are_none_touch_no_other_memory(padding):
    grid = wg.tensor([[[[float("nan"), 0], [float("inf"), 1], [-1e38, -1e38], [3e9, 0]]]], requires_grad=True)
    image = wg.ones(1, 1, 3, 3, requires_grad=True)
    for mode in ("bilinear", "nearest", "bicubic"):
        F.grid_sample(image, grid, mode, padding, False).sum().backward()
        assert image.grad.shape == image.shape


@pytest.mark.parametrize("padding", ["zeros", "border"])
def test_a_place_that_is_none_has_no_part_in_gradients(padding):
    image, grid = wg.ones(1, 1, 2, 2, requires_grad=True), wg.zeros(1, 1, 2, 2)
    grid[0, 0, 0, 0] = float("nan")
    grid.requires_grad_()
    made = F.grid_sample(image, grid, "bilinear", padding, True)
    (of_grid, of_image) = wg.autograd.grad(made.sum(), (grid, image))
    assert of_grid[0, 0, 0, 0] == 0
    assert of_grid[0, 0, 0, 1].isnan() if padding == "zeros" else of_grid[0, 0, 0, 1] == 0
    assert bool(of_image.isfinite().all())


def sampled_at(first, **options):
    """The value of an image at (first, 0.2), the gradients of the image and of the grid."""
    image = wg.arange(1.0, 13.0).reshape(1, 1, 3, 4).requires_grad_()
    grid = wg.tensor([[[[first, 0.2]]]], requires_grad=True)
    value = F.grid_sample(image, grid, align_corners=False, **options)
    return value.item(), *wg.autograd.grad(value, (image, grid))


@pytest.mark.parametrize("first", [float("inf"), 2.0**31, 1e30, 3e38])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_places_beyond_all_numbers_lie_at_the_border(first, mode):
    for sign, near in ((1, 2.0), (-1, -2.0)):
        found, expected = (sampled_at(at, mode=mode, padding_mode="border") for at in (sign * first, near))
        assert found[0] == expected[0]
        assert found[1].equal(expected[1])
        assert found[2].equal(expected[2])


@pytest.mark.parametrize("first", [float("inf"), -float("inf"), float("nan")])
def test_places_that_are_none_have_no_value_and_leave_the_image_its_gradient(first):
    for mode in ("bilinear", "bicubic"):
        value, image, grid = sampled_at(first, mode=mode)
        assert value != value
        assert not image.any()
        assert grid[..., 1].isnan()
    assert sampled_at(first, mode="nearest")[0] == 0
    assert sampled_at(float("nan"), mode="nearest", padding_mode="border")[0] == 5
    assert sampled_at(first, mode="nearest", padding_mode="reflection")[0] == 5


def test_places_in_volumes_that_are_none_are_outside_or_the_last():
    volume = wg.arange(24.0).reshape(1, 1, 2, 3, 4)
    grid = wg.tensor([[[[[float("nan"), 0.0, -1.0]]]]])
    found = [
        F.grid_sample(volume, grid, "nearest", padding, False).item() for padding in ("zeros", "border", "reflection")
    ]
    assert found == [0, 7, 7]


@pytest.mark.parametrize(("padding", "align", "place"), [(1, True, -1.0), (1, False, 0.5), (2, True, 3.0)])
def test_slopes_that_are_cut_off_at_the_very_border_do_not_change_with_the_place(padding, align, place):
    volume = wg.arange(8.0, dtype=wg.float64).square().reshape(1, 1, 2, 2, 2)
    grid = wg.tensor([[[[[0.2, 0.3, place]]]]], dtype=wg.float64, requires_grad=True)
    value = wg.grid_sampler_3d(volume, grid, 0, padding, align)
    (slope,) = wg.autograd.grad(value.sum(), grid, create_graph=True)
    (second,) = wg.autograd.grad(slope[..., 0].sum(), grid)
    assert slope[..., 2].item() == 0 and second[..., 2].item() == 0
    assert align is False or second[..., 1].item() != 0

"""Samples of images at grids: elements outside, infinities, and how results lie in memory."""

from __future__ import annotations

import math

import pytest

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

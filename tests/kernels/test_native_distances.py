"""Distances of many rows, and their gradients, beside their definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

import wengert as wg


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 300), st.sampled_from([1.0, 2.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_distances_and_their_gradients_are_those_of_the_definition(rows, others, width, p, seed):
    random = np.random.default_rng(seed)
    a, b, weight = (random.normal(size=shape) for shape in ((2, rows, width), (2, others, width), (2, rows, others)))
    found = []
    for apart in (
        lambda x, y: wg.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"),
        lambda x, y: (x[:, :, None] - y[:, None]).norm(p, dim=-1),
    ):
        x, y = (wg.tensor(each, requires_grad=True) for each in (a, b))
        lengths = apart(x, y)
        (lengths * wg.tensor(weight)).sum().backward()
        found.append((lengths, x.grad, y.grad))
    for mine, formula in zip(*found, strict=True):
        wg.testing.assert_close(mine, formula)


@given(st.integers(1, 40), st.integers(1, 100), st.sampled_from([1.0, 2.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_distances_of_pairs_are_the_upper_triangle_of_all(rows, width, p, seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(rows, width))
    points[rows // 2 :] = points[: rows - rows // 2]  # some lie in one place
    above = np.triu_indices(rows, 1)
    found = []
    for apart in (
        lambda x: wg.pdist(x, p),
        lambda x: wg.cdist(x, x, p, compute_mode="donot_use_mm_for_euclid_dist")[
            wg.tensor(above[0]), wg.tensor(above[1])
        ],
    ):
        x = wg.tensor(points, requires_grad=True)
        lengths = apart(x)
        (lengths * wg.arange(len(above[0]), dtype=wg.float64)).sum().backward()
        found.append((lengths, x.grad))
    for mine, formula in zip(*found, strict=True):
        wg.testing.assert_close(mine, formula)

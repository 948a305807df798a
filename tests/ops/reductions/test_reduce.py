"""Reductions: dimensions that are kept, given one by one, or more than there are."""

from __future__ import annotations

import pytest

import wengert as wg

TABLE = wg.arange(6.0).reshape(2, 3)


def test_only_the_first_of_several_dimensions_may_be_no_bool():
    assert TABLE.sum([0, True]) == 15
    with pytest.raises(TypeError, match="must be int, not bool"):
        TABLE.sum([True, 0])


def test_a_kept_dimension_is_one_that_is_reduced():
    for call in (wg.prod, wg.max, wg.min):
        with pytest.raises(TypeError, match=r"dim"):
            call(TABLE, keepdim=True)


def test_only_the_first_of_several_dimensions_must_be_no_truth_value():
    x = wg.rand(2, 3, 4)
    for reduce in (wg.sum, wg.mean, wg.amax, wg.std, wg.linalg.vector_norm):
        given = {"dim": [1, False]}
        assert reduce(x, **given).tolist() == reduce(x, dim=[1, 0]).tolist()
        with pytest.raises(TypeError):
            reduce(x, dim=[False, 1])


def test_reductions_go_as_far_as_dimensions_and_say_how_many_there_are():
    x = wg.ones([1] * 64)
    for reduce in ("sum", "mean", "prod", "amax", "logsumexp", "all"):
        assert getattr(x, reduce)(0).ndim == 63
    assert x.sum(tuple(range(40))).ndim == 24
    for make in (wg.ones, wg.zeros, wg.empty, wg.randn):
        with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
            make([1] * 65)

"""Factors of low rank by random projections."""

from __future__ import annotations

import wengert as wg


def test_true_counts_as_one_where_a_rank_is_asked_for():
    for function in (wg.svd_lowrank, wg.pca_lowrank):
        assert function(wg.rand(4, 3), q=True)[1].shape == (1,)
        assert function(wg.rand(4, 3), 2, niter=True)[1].shape == (2,)

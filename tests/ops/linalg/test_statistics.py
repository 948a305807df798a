"""Covariances beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from tests.ops.tables import tables


@pytest.mark.filterwarnings("ignore:cov.. degrees of freedom", "ignore:Degrees of freedom", "ignore:invalid value")
@given(tables(3, 6), st.integers(0, 1), st.data())
def test_covariances_are_those_of_numpy(x, correction, data):
    count = x.shape[1]
    often = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    much = data.draw(st.lists(st.floats(0.5, 2), min_size=count, max_size=count))
    weights = {"fweights": np.array(often), "aweights": np.array(much)}
    if sum(often) > 2:
        found = wg.cov(x, correction=correction, **{name: wg.tensor(each) for name, each in weights.items()})
        np.testing.assert_allclose(found.numpy(), np.cov(x.numpy(), ddof=correction, **weights), atol=1e-8)
    if count > 2 and (x.numpy().std(1) > 0.1).all():
        np.testing.assert_allclose(wg.corrcoef(x).numpy(), np.corrcoef(x.numpy()), atol=1e-8)

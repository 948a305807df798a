"""What distributions are written with."""

from __future__ import annotations

import wengert as wg
from wengert.distributions.utils import lazy_property


def test_a_class_answers_a_property_for_a_lazy_one():
    described = wg.distributions.MultivariateNormal.scale_tril
    assert isinstance(described, property) and isinstance(described, lazy_property)

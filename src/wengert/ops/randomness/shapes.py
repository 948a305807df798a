"""The shapes of what is drawn."""

from __future__ import annotations

from typing import Any

from ..shape_rules import INT64, common_shape, like_first, shape_of
from .random_fill import bernoulli_fill
from .sampling import bernoulli, check_count, multinomial, normal_about, poisson

shape_of(bernoulli, poisson)(like_first)


@shape_of(bernoulli_fill, normal_about)
def drawn_shape(*args: Any) -> Any:
    return common_shape(*args)


@multinomial.shape
def multinomial_shape(self: Any, num_samples: int, replacement: bool, generator: Any) -> Any:
    check_count(self, num_samples, replacement)
    return (*self.shape[:-1], num_samples), INT64

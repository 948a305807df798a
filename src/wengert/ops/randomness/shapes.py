"""The shapes of what is drawn."""

from __future__ import annotations

from typing import Any

from ..shape_rules import INT64, common_shape, like_first, shape_of
from .gamma_draws import _dirichlet_grad, _sample_dirichlet, _standard_gamma, _standard_gamma_grad, binomial
from .random_fill import (
    bernoulli_fill,
    cauchy,
    exponential,
    geometric,
    log_normal,
    normal_fill,
    random,
    uniform,
)
from .sampling import bernoulli, check_count, multinomial, normal_about, poisson

shape_of(uniform, normal_fill, random, exponential, geometric, cauchy, log_normal)(like_first)
shape_of(bernoulli, poisson, _standard_gamma, _standard_gamma_grad, _sample_dirichlet, _dirichlet_grad)(like_first)


@shape_of(bernoulli_fill, normal_about, binomial)
def drawn_shape(*args: Any) -> Any:
    return common_shape(*args)


@multinomial.shape
def multinomial_shape(self: Any, num_samples: int, replacement: bool, generator: Any) -> Any:
    check_count(self, num_samples, replacement)
    return (*self.shape[:-1], num_samples), INT64

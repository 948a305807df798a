"""Probability distributions: samples, densities, moments, divergences, and transforms between sets of numbers.

Examples:
    >>> import wengert as wg
    >>> d = wg.distributions.Normal(wg.zeros(2), 1.0)
    >>> d.log_prob(wg.zeros(2))
    tensor([-0.9189, -0.9189])
"""

from __future__ import annotations

from . import constraints, kl_alike as kl_alike, kl_between as kl_between, transforms
from .categorical import Categorical, Multinomial, OneHotCategorical, OneHotCategoricalStraightThrough
from .constraint_registry import biject_to, transform_to
from .continuous import Cauchy, Exponential, HalfCauchy, Laplace, Uniform
from .continuous_bernoulli import ContinuousBernoulli
from .counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from .distribution import Distribution, ExponentialFamily
from .extremes import GeneralizedPareto, Gumbel, Kumaraswamy, Pareto, Weibull
from .gamma import Beta, Chi2, Dirichlet, Gamma, InverseGamma
from .independent import Independent
from .kl import kl_divergence, register_kl
from .matrices import LKJCholesky, Wishart
from .mixture import MixtureSameFamily
from .multivariate_normal import LowRankMultivariateNormal, MultivariateNormal
from .normal import HalfNormal, LogisticNormal, LogNormal, Normal
from .ratios import FisherSnedecor, StudentT
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed_distribution import TransformedDistribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from .von_mises import VonMises

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy",
    "Chi2", "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical",
    "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform",
    "VonMises", "Weibull", "Wishart", "biject_to", "constraints", "identity_transform", "kl_divergence",
    "register_kl", "transform_to", "transforms",
]  # fmt: skip

"""Probability distributions: samples, densities, moments, divergences, and transforms between supports.

Examples:
    >>> import wengert as wg
    >>> d = wg.distributions.Normal(wg.zeros(2), 1.0)
    >>> d.log_prob(wg.zeros(2))
    tensor([-0.9189, -0.9189])
"""

from __future__ import annotations

import sys

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
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]

# In torch each family has its own module, from which programs import it.
for _name, _family in {
    **{"bernoulli": Bernoulli, "beta": Beta, "binomial": Binomial, "cauchy": Cauchy, "chi2": Chi2},
    **{"dirichlet": Dirichlet, "exp_family": ExponentialFamily, "exponential": Exponential},
    **{"fishersnedecor": FisherSnedecor, "generalized_pareto": GeneralizedPareto, "geometric": Geometric},
    **{"gumbel": Gumbel, "half_cauchy": HalfCauchy, "half_normal": HalfNormal, "inverse_gamma": InverseGamma},
    **{"kumaraswamy": Kumaraswamy, "laplace": Laplace, "lkj_cholesky": LKJCholesky, "log_normal": LogNormal},
    **{"logistic_normal": LogisticNormal, "lowrank_multivariate_normal": LowRankMultivariateNormal},
    **{"mixture_same_family": MixtureSameFamily, "multinomial": Multinomial, "negative_binomial": NegativeBinomial},
    **{"one_hot_categorical": OneHotCategorical, "pareto": Pareto, "poisson": Poisson},
    **{"relaxed_bernoulli": RelaxedBernoulli, "relaxed_categorical": RelaxedOneHotCategorical},
    **{"studentT": StudentT, "uniform": Uniform, "weibull": Weibull, "wishart": Wishart},
}.items():
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = sys.modules[_family.__module__]

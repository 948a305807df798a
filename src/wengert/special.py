"""Special functions, as `torch.special` has them. Most are computed by SciPy: `pip install 'wengert[full]'`."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ._tensor import Tensor
from .ops import checked, functions_of
from .ops.pointwise.activation import sigmoid as expit
from .ops.pointwise.bessel import (
    airy_ai,
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    i0,
    i0e,
    i1,
    i1e,
    modified_bessel_i0,
    modified_bessel_i1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from .ops.pointwise.gamma import (
    digamma,
    digamma as psi,
    igamma as gammainc,
    igammac as gammaincc,
    lgamma as gammaln,
    mvlgamma as multigammaln,
    polygamma,
    zeta,
)
from .ops.pointwise.normal import entr, erfcx, erfinv, log_ndtr, ndtr, ndtri
from .ops.pointwise.pairs import xlog1py, xlogy
from .ops.pointwise.polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from .ops.pointwise.rounding import round
from .ops.pointwise.scales import logit, sinc
from .ops.pointwise.smooth import erf, erfc
from .ops.pointwise.unary import exp2, expm1, log1p
from .ops.reductions.reduce import logsumexp


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along a dimension.

    Args:
        input: floating-point tensor.
        dim: the dimension; a negative one counts from the end.
        dtype: dtype to which `input` is converted first.

    Returns:
        A new tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.special.softmax(wg.tensor([0.0, 1.0, 2.0]), 0)
        tensor([0.0900, 0.2447, 0.6652])
    """
    return input.softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Logarithm of `softmax`, computed without overflow.

    Args:
        input, dim, dtype: as for `softmax`.

    Returns:
        A new tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.special.log_softmax(wg.tensor([0.0, 1.0, 2.0]), 0)
        tensor([-2.4076, -1.4076, -0.4076])
    """
    return input.log_softmax(dim, dtype=dtype)


__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

functions = {
    name: function for name, function in globals().items() if name in __all__ and isinstance(function, FunctionType)
}
globals().update({name: checked(name, function, module=__name__) for name, function in functions.items()})
globals().update(functions_of({name: globals()[name] for name in __all__}, __name__))

"""Orthogonal polynomials, with derivatives, which torch does not have."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.cards.card import REALS, Array, Bad, Sample, pointwise
from ..._kernels import polynomials as kernels


def with_degrees(make: Any) -> Any:
    """Samples of a polynomial: degrees from below 0 to those with closed forms, inside of -1 to 1 and outside."""
    for degree in (-1, 0, 1, 2, 5):
        yield Sample(make(3, 4, low=-0.95, high=0.95), degree)
    yield Sample(make(3, low=1.1, high=1.5), 4)
    yield Sample(make(2, 3, low=-0.95, high=0.95), make(3, low=0, high=6))
    yield Sample(0.25, make(3, low=0, high=6))
    yield Sample(make(0, 2), 3)
    yield Bad(make(2), make(3), raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2), "a", raises=TypeError, says="must be Tensor, not str")


polynomial = partial(
    pointwise,
    promote="float",
    dtypes=REALS,
    public="neither",
    samples=with_degrees,
    describes="""
    Args:
        x: real tensor or number, the argument.
        n: real tensor that broadcasts with `x`, or number: the degree, rounded towards 0.

    Returns:
        A new tensor of the broadcast shape; integers become the default dtype. 0 for negative degrees.

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Derivative:
        That of the polynomial with respect to `x`; 0 with respect to `n`, whose fraction does not count.
    """,
)
"""Card decorator for a family of polynomials."""


def samples_of_derivatives(make: Any) -> Any:
    """Samples of derivatives of polynomials of each family."""
    for family in kernels.FAMILIES:
        yield Sample(make(2, 3, low=-0.95, high=0.95), make(3, low=0, high=6), family, False, 1)
    yield Sample(make(3, low=0.05, high=0.95), 4, "chebyshev_v", True, 2)
    yield Bad(make(2), 20_000, "legendre", False, 1, raises=NotImplementedError, says="of a degree above 10000")


@pointwise(
    promote="float", dtypes=REALS, public="neither", name="_polynomial_derivative", samples=samples_of_derivatives
)
def polynomial_derivative(x: Array, n: Array, family: str = "", shifted: bool = False, order: int = 1) -> Any:
    """Derivative of polynomials, of any order from 1; `shifted` polynomials are taken at 2 x - 1."""
    return kernels.derivative(x, n, family, shifted, order)


@polynomial_derivative.vjp("x")
def polynomial_derivative_vjp_x(grad: Any, x: Any, n: Any, family: str, shifted: bool, order: int) -> Any:
    return grad * polynomial_derivative.call((x, n, family, shifted, order + 1))


@polynomial_derivative.vjp("n")
def polynomial_derivative_vjp_n(grad: Any) -> Any:
    return grad.new_zeros(grad.shape)


def add_rules(card: Any, family: str, shifted: bool = False) -> None:
    """Add the rules of a family of polynomials."""

    def vjp_x(grad: Any, x: Any, n: Any) -> Any:
        return grad * polynomial_derivative.call((x, n, family, shifted, 1))

    vjp_x.__name__ = vjp_x.__qualname__ = f"{card.name}_vjp_x"
    card.vjp("x")(vjp_x)
    card.vjp("n")(polynomial_derivative_vjp_n)


@polynomial(name="special_chebyshev_polynomial_t")
def chebyshev_polynomial_t(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the first kind, element by element: cos(n t) with cos(t) = x.

    Examples:
        >>> import wengert as wg
        >>> wg.special.chebyshev_polynomial_t(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-0., -1.,  1.])
    """
    return kernels.chebyshev_t(x, n, out)


@polynomial(name="special_chebyshev_polynomial_u")
def chebyshev_polynomial_u(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the second kind, element by element: sin((n + 1) t) / sin(t) with cos(t) = x.

    Examples:
        >>> import wengert as wg
        >>> wg.special.chebyshev_polynomial_u(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-0., -1.,  4.])
    """
    return kernels.chebyshev_u(x, n, out)


@polynomial(name="special_chebyshev_polynomial_v")
def chebyshev_polynomial_v(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the third kind, element by element: cos((n + 1/2) t) / cos(t / 2) with cos(t) = x.

    Examples:
        >>> import wengert as wg
        >>> wg.special.chebyshev_polynomial_v(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([ 1., -1.,  1.])
    """
    return kernels.chebyshev_v(x, n, out)


@polynomial(name="special_chebyshev_polynomial_w")
def chebyshev_polynomial_w(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the fourth kind, element by element: sin((n + 1/2) t) / sin(t / 2) with cos(t) = x.

    Examples:
        >>> import wengert as wg
        >>> wg.special.chebyshev_polynomial_w(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-1., -1.,  7.])
    """
    return kernels.chebyshev_w(x, n, out)


@polynomial(name="special_shifted_chebyshev_polynomial_t")
def shifted_chebyshev_polynomial_t(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the first kind at 2 x - 1, element by element: orthogonal from 0 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.special.shifted_chebyshev_polynomial_t(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-1., -0.,  1.])
    """
    return kernels.chebyshev_t(x, n, out, shifted=True)


@polynomial(name="special_shifted_chebyshev_polynomial_u")
def shifted_chebyshev_polynomial_u(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the second kind at 2 x - 1, element by element: orthogonal from 0 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.special.shifted_chebyshev_polynomial_u(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-4., -0.,  4.])
    """
    return kernels.chebyshev_u(x, n, out, shifted=True)


@polynomial(name="special_shifted_chebyshev_polynomial_v")
def shifted_chebyshev_polynomial_v(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the third kind at 2 x - 1, element by element: orthogonal from 0 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.special.shifted_chebyshev_polynomial_v(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-7.,  1.,  1.])
    """
    return kernels.chebyshev_v(x, n, out, shifted=True)


@polynomial(name="special_shifted_chebyshev_polynomial_w")
def shifted_chebyshev_polynomial_w(x: Array, n: Array, *, out: Any = None) -> Any:
    """Chebyshev polynomials of the fourth kind at 2 x - 1, element by element: orthogonal from 0 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.special.shifted_chebyshev_polynomial_w(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-1., -1.,  7.])
    """
    return kernels.chebyshev_w(x, n, out, shifted=True)


@polynomial(name="special_hermite_polynomial_h")
def hermite_polynomial_h(x: Array, n: Array, *, out: Any = None) -> Any:
    """Physicists' Hermite polynomials, element by element: orthogonal with the weight exp(-x^2).

    Examples:
        >>> import wengert as wg
        >>> wg.special.hermite_polynomial_h(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-0., -5., -4.])
    """
    return kernels.hermite_h(x, n, out)


@polynomial(name="special_hermite_polynomial_he")
def hermite_polynomial_he(x: Array, n: Array, *, out: Any = None) -> Any:
    """Probabilists' Hermite polynomials, element by element: orthogonal with the weight exp(-x^2 / 2).

    Examples:
        >>> import wengert as wg
        >>> wg.special.hermite_polynomial_he(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-0.0000, -1.3750, -2.0000])
    """
    return kernels.hermite_he(x, n, out)


@polynomial(name="special_laguerre_polynomial_l")
def laguerre_polynomial_l(x: Array, n: Array, *, out: Any = None) -> Any:
    """Laguerre polynomials, element by element: orthogonal from 0 to infinity with the weight exp(-x).

    Examples:
        >>> import wengert as wg
        >>> wg.special.laguerre_polynomial_l(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([ 1.0000, -0.1458, -0.6667])
    """
    return kernels.laguerre(x, n, out)


@polynomial(name="special_legendre_polynomial_p")
def legendre_polynomial_p(x: Array, n: Array, *, out: Any = None) -> Any:
    """Legendre polynomials, element by element: orthogonal from -1 to 1.

    Examples:
        >>> import wengert as wg
        >>> wg.special.legendre_polynomial_p(wg.tensor([0.0, 0.5, 1.0]), 3)
        tensor([-0.0000, -0.4375,  1.0000])
    """
    return kernels.legendre(x, n, out)


for card, family in (
    (chebyshev_polynomial_t, "chebyshev_t"),
    (chebyshev_polynomial_u, "chebyshev_u"),
    (chebyshev_polynomial_v, "chebyshev_v"),
    (chebyshev_polynomial_w, "chebyshev_w"),
    (hermite_polynomial_h, "hermite_h"),
    (hermite_polynomial_he, "hermite_he"),
    (laguerre_polynomial_l, "laguerre"),
    (legendre_polynomial_p, "legendre"),
):
    add_rules(card, family)
for card, family in (
    (shifted_chebyshev_polynomial_t, "chebyshev_t"),
    (shifted_chebyshev_polynomial_u, "chebyshev_u"),
    (shifted_chebyshev_polynomial_v, "chebyshev_v"),
    (shifted_chebyshev_polynomial_w, "chebyshev_w"),
):
    add_rules(card, family, shifted=True)

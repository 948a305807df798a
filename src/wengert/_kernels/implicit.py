"""Derivatives of gamma and beta samples with respect to their parameters, at a fixed quantile.

A number x with distribution function F(x; a) moves by -(dF/da) / (dF/dx). Both are integrals of the density f, so

    -dF/da / f(x) = integral over t < x of (E[log t] - log t) f(t) / f(x) dt = the same over t > x, of the other sign,

and the tail that contains x is taken: there the sign of the integrand hardly changes and no digits are lost. The
integrals run over a half-line; they are sums of the double-exponential rule of Takahasi and Mori (1974),
u = s exp(pi/2 sinh(tau)).

Source: Figurnov, Mohamed and Mnih, Implicit reparameterization gradients (2018); Jankowiak and Obermeyer, Pathwise
derivatives beyond the reparameterization trick (2018), for the Dirichlet distribution.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from .results import Array
from .special import scipy_special

BLOCK = 1 << 14
"""Number of elements that are integrated at once: the rule takes a row of them for each of its points."""


@functools.cache
def rule() -> tuple[Array, Array]:
    """Points on the half-line (a column) and their weights (a row), for a function of scale 1."""
    step = 1 / 16
    tau = np.arange(-3.75, 3.0, step)
    points = np.exp(np.pi / 2 * np.sinh(tau))
    return points[:, None], step * np.pi / 2 * np.cosh(tau) * points


def integral(function: Callable[[Array], Array], scale: Array) -> Array:
    """Integrals of n functions over (0, infinity), which decay within about `scale` (n,)."""
    points, weights = rule()
    return weights @ function(points * scale) * scale


def in_blocks(function: Callable[..., Array], *operands: Array) -> Array:
    """Call a function of vectors with blocks of broadcast arrays; the result has their dtype."""
    shape = np.broadcast_shapes(*[operand.shape for operand in operands])
    flat = [np.broadcast_to(operand, shape).reshape(-1).astype(np.float64) for operand in operands]
    result = np.empty(flat[0].shape)
    for start in range(0, result.size, BLOCK):
        result[start : start + BLOCK] = function(*[operand[start : start + BLOCK] for operand in flat])
    return result.reshape(shape).astype(operands[0].dtype)


def standard_gamma_grad(concentration: Array, sample: Array) -> Array:
    """Derivative of a sample of the gamma distribution with rate 1 with respect to its concentration."""
    return in_blocks(gamma_motion, concentration, sample)


def gamma_motion(a: Array, x: Array) -> Array:
    """`standard_gamma_grad` of vectors in double precision."""
    centre = scipy_special().psi(a)
    above = x > a
    low, high = ~above, above
    motion = np.zeros_like(x)
    motion[low] = below_gamma(a[low], x[low], centre[low])
    motion[high] = above_gamma(a[high], x[high], centre[high])
    return np.where(x == 0, 0.0, motion)


def below_gamma(a: Array, x: Array, centre: Array) -> Array:
    """The integral over t = x exp(-u)."""
    offset = centre - np.log(x)
    return integral(
        lambda u: (offset + u) * np.exp(-a * u - x * np.expm1(-u)) * x, 1 / np.maximum(a - x + np.sqrt(x), a / 8)
    )


def above_gamma(a: Array, x: Array, centre: Array) -> Array:
    """The integral over t = x + u."""
    offset = np.log(x) - centre
    decay = 1 - (a - 1) / x + np.sqrt(np.abs(a - 1)) / x
    return integral(lambda u: (offset + np.log1p(u / x)) * np.exp((a - 1) * np.log1p(u / x) - u), 1 / decay)


def dirichlet_grad(sample: Array, concentration: Array, total: Array) -> Array:
    """Derivative of a beta sample x with respect to `concentration`, divided by 1 - x.

    The distribution is Beta(concentration, total - concentration), whose other parameter is constant. The result is the
    derivative's share for each other part of a Dirichlet sample.
    """
    return in_blocks(beta_motion, sample, concentration, total)


def beta_motion(x: Array, a: Array, total: Array) -> Array:
    """`dirichlet_grad` of vectors in double precision."""
    special = scipy_special()
    b, centre = total - a, special.psi(a) - special.psi(total)
    low = x * total <= a
    motion = np.empty_like(x)
    motion[low] = below_beta(*[operand[low] for operand in (x, a, b, centre)])
    motion[~low] = above_beta(*[operand[~low] for operand in (x, a, b, centre)])
    return np.where((x == 0) | (x == 1), 0.0, motion)


def below_beta(x: Array, a: Array, b: Array, centre: Array) -> Array:
    """The integral over t = x exp(-u), divided by 1 - x."""
    offset, odds = centre - np.log(x), x / (1 - x)
    decay = np.maximum(a - (b - 1) * odds, 0) + np.sqrt(np.maximum(b, 1) * odds * (1 + odds))
    return integral(
        lambda u: (offset + u) * np.exp(-a * u + (b - 1) * np.log1p(-odds * np.expm1(-u))) * odds,
        1 / np.maximum(decay, a / 8),
    )


def above_beta(x: Array, a: Array, b: Array, centre: Array) -> Array:
    """The integral over 1 - t = (1 - x) exp(-u), divided by 1 - x."""
    rest = 1 - x
    odds = rest / x
    start = np.log(x)
    decay = np.maximum(b - (a - 1) * odds, 0) + np.sqrt(np.maximum(a, 1) * odds * (1 + odds))

    def density(u: Array) -> Array:
        grown = np.log1p(-odds * np.expm1(-u))
        return (start + grown - centre) * np.exp(-b * u + (a - 1) * grown)

    return integral(density, 1 / np.maximum(decay, b / 8))

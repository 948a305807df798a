"""How numbers of the gamma and beta distributions move with their parameters while their rank stays.

A number x with distribution function F(x; a) moves by -(dF/da) / (dF/dx). Both are integrals of the density f, so

    -dF/da / f(x) = integral over t < x of (E[log t] - log t) f(t) / f(x) dt = the same over t > x, of the other sign,

and the tail that x lies in is taken: there the sign of the integrand hardly changes and no digits are lost. The
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
"""Elements that are integrated at once: the rule takes a row of them for each of its points."""


@functools.cache
def rule() -> tuple[Array, Array]:
    """Points on the half-line (a column) and their weights (a row), for a function of scale 1."""
    step = 1 / 16
    tau = np.arange(-3.75, 3.0, step)
    points = np.exp(np.pi / 2 * np.sinh(tau))
    return points[:, None], step * np.pi / 2 * np.cosh(tau) * points


def integral(function: Callable[[Array], Array], scale: Array) -> Array:
    """The integrals of n functions over (0, infinity), each of which falls within about `scale` (n,)."""
    points, weights = rule()
    return weights @ function(points * scale) * scale


def in_blocks(function: Callable[..., Array], *operands: Array) -> Array:
    """A function of vectors, called with pieces of broadcast arrays; the result in their dtype."""
    shape = np.broadcast_shapes(*[each.shape for each in operands])
    flat = [np.broadcast_to(each, shape).reshape(-1).astype(np.float64) for each in operands]
    found = np.empty(flat[0].shape)
    for start in range(0, found.size, BLOCK):
        found[start : start + BLOCK] = function(*[each[start : start + BLOCK] for each in flat])
    return found.reshape(shape).astype(operands[0].dtype)


def standard_gamma_grad(concentration: Array, sample: Array) -> Array:
    """How a number of the gamma distribution with rate 1 moves with its concentration."""
    return in_blocks(gamma_motion, concentration, sample)


def gamma_motion(a: Array, x: Array) -> Array:
    """The same of vectors in double precision."""
    centre = scipy_special().psi(a)
    above = x > a
    low, high = ~above, above
    found = np.zeros_like(x)
    found[low] = below_gamma(a[low], x[low], centre[low])
    found[high] = above_gamma(a[high], x[high], centre[high])
    return np.where(x == 0, 0.0, found)


def below_gamma(a: Array, x: Array, centre: Array) -> Array:
    """The integral over t = x exp(-u)."""
    offset = centre - np.log(x)
    return integral(
        lambda u: (offset + u) * np.exp(-a * u - x * np.expm1(-u)) * x, 1 / np.maximum(a - x + np.sqrt(x), a / 8)
    )


def above_gamma(a: Array, x: Array, centre: Array) -> Array:
    """The integral over t = x + u."""
    offset = np.log(x) - centre
    slope = 1 - (a - 1) / x + np.sqrt(np.abs(a - 1)) / x
    return integral(lambda u: (offset + np.log1p(u / x)) * np.exp((a - 1) * np.log1p(u / x) - u), 1 / slope)


def dirichlet_grad(sample: Array, concentration: Array, total: Array) -> Array:
    """How a number x of the distribution Beta(concentration, total - concentration) moves with `concentration` while
    the other stays, divided by 1 - x: the share of it that each other part of a Dirichlet sample gives."""
    return in_blocks(beta_motion, sample, concentration, total)


def beta_motion(x: Array, a: Array, total: Array) -> Array:
    """The same of vectors in double precision."""
    special = scipy_special()
    b, centre = total - a, special.psi(a) - special.psi(total)
    low = x * total <= a
    found = np.empty_like(x)
    found[low] = below_beta(*[each[low] for each in (x, a, b, centre)])
    found[~low] = above_beta(*[each[~low] for each in (x, a, b, centre)])
    return np.where((x == 0) | (x == 1), 0.0, found)


def below_beta(x: Array, a: Array, b: Array, centre: Array) -> Array:
    """The integral over t = x exp(-u), divided by 1 - x."""
    offset, odds = centre - np.log(x), x / (1 - x)
    slope = np.maximum(a - (b - 1) * odds, 0) + np.sqrt(np.maximum(b, 1) * odds * (1 + odds))
    return integral(
        lambda u: (offset + u) * np.exp(-a * u + (b - 1) * np.log1p(-odds * np.expm1(-u))) * odds,
        1 / np.maximum(slope, a / 8),
    )


def above_beta(x: Array, a: Array, b: Array, centre: Array) -> Array:
    """The integral over 1 - t = (1 - x) exp(-u), divided by 1 - x."""
    rest = 1 - x
    odds = rest / x
    start = np.log(x)
    slope = np.maximum(b - (a - 1) * odds, 0) + np.sqrt(np.maximum(a, 1) * odds * (1 + odds))

    def density(u: Array) -> Array:
        grown = np.log1p(-odds * np.expm1(-u))
        return (start + grown - centre) * np.exp(-b * u + (a - 1) * grown)

    return integral(density, 1 / np.maximum(slope, b / 8))

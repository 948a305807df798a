"""Logarithm of the gamma function and its derivatives, incomplete gamma functions, and Hurwitz' zeta function."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.arguments import asking, integer
from ..._core.cards.card import REALS, Array, Bad, Out, Sample, derive_in_place, nodes, pointwise
from ..._core.cards.late import bind
from ..._kernels.activation import narrowed, widened
from ..._kernels.special import digamma as kernel_digamma, gammaln, polygamma as kernel_polygamma, special
from .binary import as_number, native
from .pairs import number_among_pair, of_two_reals
from .unary import function


def off_the_poles(make: Any) -> Any:
    """Samples of a function with poles at 0 and the negative integers."""
    if make.dtype.category >= 2:
        yield Sample(make(3, 4, low=0.6, high=4))
        yield Sample(make(3, low=-2.9, high=-2.1))
        yield Sample(make(low=0.6, high=2))
    else:
        yield Sample(make(3, 4))
    yield Sample(make(0, 2))
    yield Sample(make(8, kind="special"))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


of_reals = partial(
    function,
    dtypes=REALS,
    describes="""
    Args:
        self: real tensor; integers become the default dtype.

    Returns:
        A new tensor of the same shape.

    Raises:
        NotImplementedError: if `self` is complex.
    """,
)
"""Card decorator for a special function of one real operand."""
of_gamma = partial(of_reals, samples=off_the_poles)
"""Card decorator for a function with the poles of the gamma function."""


@of_gamma(native=native("gammaln"), kernel="lgamma_vml_cpu")
def lgamma(self: Array, *, out: Any = None) -> Any:
    """Natural logarithm of the absolute value of the gamma function at `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.lgamma(wg.tensor([1.0, 5.0, 0.5]))
        tensor([0.0000, 3.1781, 0.5724])
    """
    return gammaln(self, out)


@lgamma.vjp("self")
def lgamma_vjp(grad: Any, self: Any) -> Any:
    return grad * self.digamma()


@of_gamma(native=native("digamma"), kernel="digamma")
def digamma(self: Array, *, out: Any = None) -> Any:
    """Derivative of the logarithm of the gamma function at `self`, element by element; NaN at negative integers.

    Examples:
        >>> import wengert as wg
        >>> wg.digamma(wg.tensor([1.0, 0.5]))
        tensor([-0.5772, -1.9635])
    """
    return kernel_digamma(self, out)


@digamma.vjp("self")
def digamma_vjp(grad: Any, self: Any) -> Any:
    return grad * polygamma(1, self)


@pointwise(
    promote="float", dtypes=REALS, numbers=False, public="function", native=native("polygamma"), kernel="polygamma"
)
def polygamma(n: int, self: Array, *, out: Any = None) -> Any:
    """The derivative of order `n` of digamma at `self`, element by element.

    Args:
        n: the order, an integer of 0 or more; 0 is digamma itself.
        self: real tensor; integers become the default dtype.

    Returns:
        A new tensor of the same shape.

    Raises:
        RuntimeError: if `n` is negative.

    Source:
        Abramowitz and Stegun, Handbook of mathematical functions, 6.4.10.

    Examples:
        >>> import wengert as wg
        >>> wg.polygamma(1, wg.tensor([1.0, 0.5]))
        tensor([1.6449, 4.9348])
    """
    order = integer("polygamma", "n", n)
    if order < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return narrowed(kernel_polygamma(order, self), self, out)


@polygamma.vjp("self")
def polygamma_vjp(grad: Any, self: Any, n: int) -> Any:
    return grad * polygamma(n + 1, self)


@polygamma.samples
def polygamma_samples(make: Any) -> Any:
    for order in (0, 1, 2, 5):
        yield Sample(order, make(3, 4, kind="positive"))
    yield Sample(1, make(kind="positive"))
    yield Sample(1, make(0, 2))
    yield Sample(2, make(8, kind="special"))
    yield Bad(-1, make(2), raises=RuntimeError, says="does not support negative n")
    yield Bad(1.5, make(2), raises=TypeError, says="argument 'n' (position 1) must be int, not float")


@pointwise(
    promote="float",
    dtypes=REALS,
    numbers=False,
    name="_polygamma",
    node="PolygammaBackward1",
    public="hidden",
    kernel="polygamma",
)
def polygamma_of(self: Array, n: int, *, out: Any = None) -> Any:
    """`polygamma` with its operands in the order of the method."""
    return polygamma.body(n, self, out=out)


polygamma_of.vjp("self")(polygamma_vjp)
derive_in_place(polygamma_of, "polygamma_")


def polygamma_method(self: Any, n: int) -> Any:
    """The derivative of order `n` of digamma: the method of the function `polygamma`.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 2.0]).polygamma(1)
        tensor([1.6449, 0.6449])
    """
    return polygamma(n, self)


bind("polygamma", asking(polygamma_method, "polygamma", method=True))


MOST_DIMENSIONS = 100_000
native_gammaln = native("gammaln")


def log_gamma(x: Array) -> Array:
    """Logarithm of the gamma function of float32 or float64, by the native loop if there is one."""
    result = NotImplemented if native_gammaln is None else native_gammaln(x)
    return gammaln(x) if result is NotImplemented else result


def above_half(make: Any) -> Any:
    """Samples of the multivariate gamma function."""
    for order in (1, 2, 3):
        yield Sample(make(3, 4, low=1.6, high=4), order)
    yield Sample(make(low=1.6, high=4), 2)
    yield Sample(make(0, 2), 2)
    yield Bad(make(2), 0, raises=RuntimeError, says="p has to be greater than or equal to 1")
    yield Bad(make(2), 2**62, raises=RuntimeError, says="p has to be at most")


@of_reals(
    layout="rows",
    samples=above_half,
    out=Out(apart=None, uncastable="mvlgamma: result type {wanted} can't be cast to the desired output type {found}"),
)
def mvlgamma(self: Array, p: int, *, out: Any = None) -> Any:
    """Natural logarithm of the multivariate gamma function of dimension `p` at `self`, element by element.

    Args:
        p: the dimension, 1 or more.

    Raises:
        RuntimeError: if `p` is smaller than 1, or larger than 100,000: each dimension takes a pass.

    Source:
        log Gamma_p(a) = p (p - 1) / 4 log(pi) + the sum of log Gamma(a - j / 2) for j from 0 to p - 1.

    Examples:
        >>> import wengert as wg
        >>> wg.mvlgamma(wg.tensor([2.0, 3.0]), 2)
        tensor([0.4516, 1.5502])
    """
    count = integer("mvlgamma", "p", p)
    if count < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if count > MOST_DIMENSIONS:
        raise RuntimeError(f"mvlgamma: p has to be at most {MOST_DIMENSIONS}, got {count}")
    if count == 1:
        return narrowed(log_gamma(widened(self)), self, out)
    wide = self.astype(np.float64)
    total = log_gamma(wide)
    for step in range(1, count):
        total = total + log_gamma(wide - step / 2)
    return narrowed(total + count * (count - 1) / 4 * math.log(math.pi), self, out)


@mvlgamma.vjp("self")
def mvlgamma_vjp(grad: Any, self: Any, p: int) -> Any:
    derivative = (self + 0).digamma()  # -0 is on the side of +0
    for step in range(1, p):
        derivative = derivative + (self - step / 2).digamma()
    return grad * derivative


def positive_pairs(make: Any) -> Any:
    """Samples of an incomplete gamma function: it has no derivative by the first operand, as in torch."""
    yield Sample(make(3, 4, kind="positive").detach(), make(3, 4, kind="positive"))
    yield Sample(make(3, 1, kind="positive").detach(), make(4, kind="positive"))
    yield Sample(make(kind="positive").detach(), make(2, kind="positive"))
    yield Sample(make(0, 3).detach(), make(3, kind="positive"))
    yield Sample(make(8, kind="special").detach(), make(8, kind="positive").detach())
    yield Sample(make(8, kind="positive").detach(), make(8, kind="special").detach())
    yield Bad(make(2, kind="positive"), make(3, kind="positive"), raises=RuntimeError, says="must match the size")
    yield Bad(make(2), 2, raises=TypeError, says="must be Tensor, not int")


def not_by_first(name: str, argument: str) -> Any:
    """Return the rule of a derivative that torch does not have."""

    def rule(grad: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{argument}' is not implemented.")

    rule.__name__ = rule.__qualname__ = f"{name}_vjp_self"
    return rule


def density(self: Any, other: Any) -> Any:
    """Derivative of the regularised lower incomplete gamma function with respect to its upper limit `other`."""
    return ((as_number(self) - 1) * other.log() - other - self.lgamma()).exp()


incomplete = partial(
    of_two_reals,
    inplace=True,
    samples=positive_pairs,
    describes="""
    Args:
        self: floating-point tensor of the shape parameter, not negative.
        other: floating-point tensor of the limit, not negative, that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.
        NotImplementedError: if the operands are not floating-point numbers.

    Derivative:
        With respect to `other` only, as in torch.
    """,
)
"""Card decorator for an incomplete gamma function."""


@incomplete(native=native("gammainc"))
def igamma(self: Array, other: Array, *, out: Any = None) -> Any:
    """Regularised lower incomplete gamma function: the probability that a gamma-distributed number is below `other`.

    Examples:
        >>> import wengert as wg
        >>> wg.igamma(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 1.0]))
        tensor([0.6321, 0.2642])
    """
    return special("gammainc", self, other, out=out)


@igamma.vjp("other")
def igamma_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * density(self, other)


@incomplete(native=native("gammaincc"))
def igammac(self: Array, other: Array, *, out: Any = None) -> Any:
    """Regularised upper incomplete gamma function: 1 - igamma(self, other).

    Examples:
        >>> import wengert as wg
        >>> wg.igammac(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 1.0]))
        tensor([0.3679, 0.7358])
    """
    return special("gammaincc", self, other, out=out)


@igammac.vjp("other")
def igammac_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return -grad * density(self, other)


for card, title in ((igamma, "igamma: input"), (igammac, "igammac: input")):
    card.vjp("self")(not_by_first(card.name, title))


@pointwise(
    promote="float",
    dtypes=REALS,
    name="special_zeta",
    public="neither",
    node=nodes("SpecialZetaBackward0", "SpecialZetaBackward1", "SpecialZetaBackward2", by=number_among_pair),
)
def zeta(self: Array, other: Array, *, out: Any = None) -> Any:
    """Hurwitz' zeta function: the sum of 1 / (k + other)^self over k from 0 on, element by element.

    Args:
        self: real tensor or number, above 1.
        other: real tensor that broadcasts with `self`, or number; 1 for Riemann's function.

    Returns:
        A new tensor of the broadcast shape, NaN where `other` is infinite; integers become the default dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Derivative:
        With respect to `other` only, as in torch.

    Examples:
        >>> import wengert as wg
        >>> wg.special.zeta(wg.tensor([2.0, 3.0]), 1)
        tensor([1.6449, 1.2021])
    """
    result = special("zeta", self, other, out=out)
    endless = np.equal(other, np.inf)  # torch takes their sum, of zeros alone, as NaN
    if endless.any():
        np.copyto(result, np.nan, where=endless & np.not_equal(self, 1))
    return result


zeta.vjp("self")(not_by_first("zeta", "zeta"))


@zeta.vjp("other")
def zeta_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * -as_number(self) * zeta(self + 1, other)


@zeta.samples
def zeta_samples(make: Any) -> Any:
    for shape, other in (((3, 4), (3, 4)), ((3, 1), (4,)), ((), (2,)), ((0, 3), (3,))):
        yield Sample(make(*shape, low=1.5, high=3).detach(), make(*other, kind="positive"))
    yield Sample(3, make(3, kind="positive"))
    yield Sample(make(3, low=1.5, high=3).detach(), 2)
    yield Bad(make(2), make(3, kind="positive"), raises=RuntimeError, says="must match the size of tensor b")

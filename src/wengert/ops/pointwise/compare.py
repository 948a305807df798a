"""Comparison of tensors: bool results, no derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core.cards.card import ALL, ORDERED, WIDE, Array, Bad, Sample, alias, pointwise
from ..._core.tensor.base import OPERATORS
from .binary import broadcast_pairs, native

WHY = "a truth value is constant almost everywhere"


def comparison_samples(make: Any) -> Any:
    """Samples of a comparison: pairs, with equal values, special values, numbers."""
    yield from broadcast_pairs(make)
    yield Sample(make(3, 4, kind="ties"), make(3, 4, kind="ties"))
    yield Sample(make(8, kind="special"), make(8, kind="special"))
    for other in (3, make(2)):
        yield Bad(2, other, raises=TypeError, says="argument 'input' (position 1) must be Tensor, not int")


COMPARED = """
    Args:
        self: tensor.
        other: tensor or number that broadcasts with `self`.

    Returns:
        A new bool tensor of the broadcast shape.

    Raises:
        RuntimeError: if the shapes do not broadcast{}.
    """
comparison = partial(
    pointwise, dtypes=ALL, numbers="other", why=WHY, samples=comparison_samples, describes=COMPARED.format("")
)
"""Card decorator for a comparison; the in-place forms are in `compared_in_place`."""
ordering = partial(comparison, dtypes=ORDERED, describes=COMPARED.format(", or the operands are complex"))
"""Card decorator for a comparison of ordered values."""


@comparison(dtypes=WIDE, native=native("eq"))
def eq(self: Array, other: Array) -> Any:
    """Return whether `self` equals `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.eq(wg.tensor([1, 2, 3]), wg.tensor([1, 0, 3]))
        tensor([ True, False,  True])
    """
    return kernels.equal(self, other)


@comparison(dtypes=WIDE, native=native("ne"))
def ne(self: Array, other: Array) -> Any:
    """Return whether `self` differs from `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.ne(wg.tensor([1, 2, 3]), wg.tensor([1, 0, 3]))
        tensor([False,  True, False])
    """
    return kernels.not_equal(self, other)


@ordering(native=native("lt"))
def lt(self: Array, other: Array) -> Any:
    """Return whether `self` is less than `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.lt(wg.tensor([1, 2, 3]), 2)
        tensor([ True, False, False])
    """
    return kernels.less(self, other)


@ordering(native=native("le"))
def le(self: Array, other: Array) -> Any:
    """Return whether `self` is at most `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.le(wg.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False])
    """
    return kernels.less_equal(self, other)


@ordering(native=native("gt"))
def gt(self: Array, other: Array) -> Any:
    """Return whether `self` is greater than `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.gt(wg.tensor([1, 2, 3]), 2)
        tensor([False, False,  True])
    """
    return kernels.greater(self, other)


@ordering(native=native("ge"))
def ge(self: Array, other: Array) -> Any:
    """Return whether `self` is at least `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.ge(wg.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True])
    """
    return kernels.greater_equal(self, other)


alias("not_equal", ne)
alias("less", lt)
alias("less_equal", le)
alias("greater", gt)
alias("greater_equal", ge)
OPERATORS.eq, OPERATORS.ne = eq, ne
OPERATORS.lt, OPERATORS.le, OPERATORS.gt, OPERATORS.ge = lt, le, gt, ge

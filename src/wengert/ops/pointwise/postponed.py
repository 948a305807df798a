"""What torch may postpone, and wengert does at once: is_conj, is_neg, resolve_neg."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import Sample, composite


@composite()
def is_conj(input: Any) -> bool:
    """Whether a tensor is still to be conjugated: never, conjugation is not postponed here.

    Args:
        input: tensor.

    Returns:
        False.
    """
    return False


@composite()
def is_neg(input: Any) -> bool:
    """Whether a tensor is still to be negated: never, negation is not postponed here.

    Args:
        input: tensor.

    Returns:
        False.
    """
    return False


@composite()
def resolve_neg(input: Any) -> Any:
    """`input` itself: negation is never postponed here.

    Args:
        input: tensor.

    Returns:
        `input`.
    """
    return input


@is_conj.samples
@is_neg.samples
@resolve_neg.samples
def any_tensor(make: Any) -> Any:
    """A tensor as sample."""
    yield Sample(make(2, 3))

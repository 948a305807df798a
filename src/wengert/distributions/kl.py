"""Kullback-Leibler divergence of two distributions: the expected log p(x) - log q(x), for x from p."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
REGISTRY: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Return a decorator that registers the divergence of a pair of families.

    Args:
        type_p: the family of the first distribution, including subclasses. It may be any class, since libraries have
            their own distributions.
        type_q: the family of the second distribution.

    Raises:
        TypeError: if these are not classes.

    Examples:
        >>> from wengert.distributions import Normal, register_kl
        >>> class Standard(Normal):
        ...     pass
        >>> @register_kl(Standard, Standard)
        ... def between_alike(p, q):
        ...     return p.loc * 0
    """
    for kind, name in ((type_p, "type_p"), (type_q, "type_q")):
        if not isinstance(kind, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(rule: Rule) -> Rule:
        REGISTRY[type_p, type_q] = rule
        return rule

    return register


def rule_for(type_p: type, type_q: type) -> Rule | None:
    """Return the rule of the nearest pair of families."""
    fitting = [pair for pair in REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not fitting:
        return None
    nearest = min(fitting, key=lambda pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])))
    return REGISTRY[nearest]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the Kullback-Leibler divergence KL(p || q).

    Args:
        p: the distribution of the expectation.
        q: the other distribution, whose batch broadcasts with that of `p`.

    Returns:
        A tensor of the shape of the batch; infinite where p has values outside of the support of q.

    Raises:
        NotImplementedError: if there is no rule for the two families.

    Examples:
        >>> import wengert as wg
        >>> from wengert.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))
        tensor(0.4431)
    """
    rule = rule_for(type(p), type(q))
    if rule is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return rule(p, q)

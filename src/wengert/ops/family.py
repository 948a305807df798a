"""Families of functions that differ in one thing alone, and are made from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.cards.card import composite


def named(body: Callable[..., Any], name: str, docstring: str | None, **options: Any) -> Any:
    """Declare a function of a family under its own name and docstring; `options` are those of `composite`."""
    body.__name__ = body.__qualname__ = name
    body.__doc__ = docstring
    return composite(**options)(body)


def described(body: Callable[..., Any], sections: str) -> str | None:
    """The summary of a family's member, with the sections of a docstring that the family shares."""
    return body.__doc__ and f"{body.__doc__}\n{sections}"

"""Operators that programs declare, by namespace: `torch.ops.mylib.sine`. `library` puts them here."""

from __future__ import annotations

from typing import Any


class Namespace:
    """The operators of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_OpNamespace' '{vars(self).get('_name')}' object has no attribute '{name}'")


NAMESPACES: dict[str, Namespace] = {}
"""Those in which operators were declared; written when one is declared only."""


def namespace(name: str) -> Namespace:
    """The namespace of that name, made on first use."""
    return NAMESPACES.setdefault(name, Namespace(name))

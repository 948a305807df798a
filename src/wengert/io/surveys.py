"""Opcodes run without effect, to learn what they name before anything is made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pickle import UnpicklingError
from typing import Any

from .allowed import Allowed
from .budget import Budget
from .opcodes import ENCODING, Machine


class Unknown:
    """What a call would give."""


class Inert(Allowed):
    """Gives names no meaning, but refuses those that are not allowed."""

    def call(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Unknown."""
        return Unknown()

    def create(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        """Unknown."""
        return Unknown()

    def set_state(self, value: Any, state: Any) -> None:
        """Nothing."""


class Quiet(Machine):
    """Runs opcodes without effect: containers stay empty, calls give what is unknown. Nothing is hashed.

    Args:
        storage: what a persistent name gives.
        encoding: see `Machine`.
    """

    def __init__(self, storage: Callable[[Any], Any], encoding: str) -> None:
        nothing = Budget(0)
        super().__init__(Inert(nothing, nothing), storage, nothing, encoding)

    def append(self, values: list[Any]) -> None:
        """Leave a list as it is."""
        self.check(1)

    set_items = add_items = append

    def push_frozenset(self, values: list[Any]) -> None:
        """Push an unknown value."""
        self.push(Unknown())


class NameSurvey(Quiet):
    """Runs opcodes without effect, and notes the names that are not allowed.

    Attributes:
        names: each once, in their order.
    """

    def __init__(self) -> None:
        super().__init__(lambda identity: Unknown(), ENCODING)
        self.names: dict[str, None] = {}

    def find_global(self, module: Any, name: Any) -> None:
        """Push what a name stands for, or an unknown value."""
        try:
            super().find_global(module, name)
        except UnpicklingError:
            self.names[f"{module}.{name}"] = None
            self.push(Unknown())

    def push_storage(self) -> None:
        """Push an unknown value for a storage."""
        self.pop()
        self.push(Unknown())

    def names_in(self, content: bytes) -> list[str]:
        """The names among opcodes, up to where they end or are not allowed themselves."""
        with suppress(ValueError, UnpicklingError):
            self.run(BytesIO(content))
        return list(self.names)

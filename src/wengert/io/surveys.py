"""Runs of opcodes without effect, to collect names before anything is built."""

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
    """Placeholder for the result of a call."""


class Inert(Allowed):
    """Builder that gives names no meaning, but refuses those that are not allowed."""

    def call(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Return an unknown value."""
        return Unknown()

    def create(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        """Return an unknown value."""
        return Unknown()

    def set_state(self, value: Any, state: Any) -> None:
        """Do nothing."""


class Quiet(Machine):
    """Interpreter without effect: containers stay empty, calls return unknown values. Nothing is hashed.

    Args:
        storage: function from a persistent name to its value.
        encoding: see `Machine`.
    """

    def __init__(self, storage: Callable[[Any], Any], encoding: str) -> None:
        nothing = Budget(0)
        super().__init__(Inert(nothing, nothing), storage, nothing, encoding)

    def append(self, values: list[Any]) -> None:
        """Leave a list unchanged."""
        self.check(1)

    set_items = add_items = append

    def push_frozenset(self, values: list[Any]) -> None:
        """Push an unknown value."""
        self.push(Unknown())


class NameSurvey(Quiet):
    """Interpreter without effect that collects the names that are not allowed.

    Attributes:
        names: the names, each once, in order of appearance.
    """

    def __init__(self) -> None:
        super().__init__(lambda identity: Unknown(), ENCODING)
        self.names: dict[str, None] = {}

    def find_global(self, module: Any, name: Any) -> None:
        """Push the meaning of a name, or an unknown value."""
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
        """Return the names among opcodes, up to the end or the first opcode that is not allowed."""
        with suppress(ValueError, UnpicklingError):
            self.run(BytesIO(content))
        return list(self.names)

"""Python's operators, methods and properties of plain tensors, as modes of the program intercept them.

Tensor itself has no interceptors. While a `TorchFunctionMode` is on in some thread, it has, and objects `OperatorEntry`
are in the table of Python's operators; both go on to what they replaced where the thread has no mode to ask.
"""

from __future__ import annotations

import _thread
from typing import Any

from ..forks import forks
from ..state.modes import current
from ..tensor.base import OPERATORS, Tensor, bind
from . import overriding
from .intercepting import Interceptor, interceptors, original
from .overriding import operator_methods

INDEXING, ASSIGNMENT = type(OPERATORS.getitem), type(OPERATORS.setitem)
"""The operators that do everything by a function of ours, for any operator of Python, see `writes.parts`."""
NAMED = frozenset(("__array__", "__deepcopy__", "__format__", "__reversed__"))
"""The protocols that Python looks up by name, so that an interceptor stands before them."""
FIRM = ("getitem", "setitem", "text")
"""Operators whose error stays an error: Python has no other operand to try."""


class Reciprocal:
    """The first half of `2 / x`, which is not a call of its own."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class OperatorEntry:
    """Entry of the table for an operator or protocol of Python, in front of the function behind it."""

    __slots__ = ("before", "slot")

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self.before: Any = getattr(OPERATORS, slot)

    def operator(self) -> Any:
        """The entry for the table: operators are called by more than one name in C, functions are not."""
        if self.slot in operator_methods.PROTOCOLS:
            return self
        if self.slot == "setitem":
            return ASSIGNMENT(self, None, None)  # type: ignore[call-arg]
        return INDEXING(self, None)  # type: ignore[call-arg]

    def proceed(self, *operands: Any) -> Any:
        """Do what would be done without modes."""
        if isinstance(operands[0], Reciprocal):
            operands = (ENTRIES[operator_methods.FIRST_HALF].proceed(operands[0].tensor), *operands[1:])
        return self.before(*operands) if self.slot in operator_methods.PROTOCOLS else self.before.applied(*operands)

    def described(self, operands: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        """Return the name and the arguments that a mode receives."""
        if isinstance(operands[0], Reciprocal):
            return "__rdiv__", (operands[0].tensor, *operands[1:])
        if self.slot in operator_methods.REFLECTED_SLOTS and not isinstance(operands[0], Tensor):
            return operator_methods.REFLECTED_SLOTS[self.slot], operands[::-1]
        return operator_methods.SLOTS.get(self.slot) or operator_methods.PROTOCOLS[self.slot], operands

    def __call__(self, *operands: Any) -> Any:
        modes = current()
        if not modes.functions or modes.overriding == 2 or modes.passing is not None:
            return self.proceed(*operands)
        if self.slot == operator_methods.FIRST_HALF:
            return Reciprocal(operands[0])
        name, arguments = self.described(operands)
        try:
            result = overriding.of_call(original(name), arguments, {}, tensors=name in operator_methods.UNPARSED)
        except TypeError:
            if len(operands) != 2 or self.slot in FIRM or self.slot in operator_methods.PROTOCOLS:
                raise
            return NotImplemented
        return self.proceed(*operands) if result is overriding.NOBODY else result


ENTRIES: dict[str, OperatorEntry] = {}
"""The `OperatorEntry` objects in the table, by their places."""


class Stage:
    """The modes that are on in all threads, and their lock.

    Attributes:
        opened: the number of modes.
        counted: the number of those that come and go by `count`.
        holders: the identities of the others.
    """

    def __init__(self) -> None:
        self.opened = self.counted = 0
        self.holders: set[int] = set()
        self.fork_count, self.lock = forks(), _thread.RLock()

    def count(self, change: int) -> None:
        """Note that a mode begins or ends: interceptors are installed with the first, and removed after the last."""
        self.counted += change
        self.settle()

    def hold(self, holder: int, is_on: bool) -> None:
        """Note that a mode that `holder` identifies begins or ends; it counts once, however often this is noted."""
        if is_on:
            self.holders.add(holder)
        else:
            self.holders.discard(holder)
        self.settle()

    def settle(self) -> None:
        """Install or remove the interceptors, also after an attempt that an interrupt has ended."""
        if self.fork_count != forks():
            self.fork_count, self.lock = forks(), _thread.RLock()
        with self.lock:
            self.opened = self.counted + len(self.holders)
            if self.opened and not overriding.STAGED:
                stand_before()
            elif not self.opened and overriding.STAGED:
                stand_back()


STAGE = Stage()


def stand_before() -> None:
    """Install the interceptors and `OperatorEntry` objects."""
    for name, interceptor in interceptors().items():
        if name[:1] != "_" or name in NAMED or name in ("_base", "_grad", "_version", "_backward_hooks"):
            overriding.STAGED[name] = vars(Tensor)[name]
            bind(name, interceptor)
    for slot in (*operator_methods.SLOTS, *operator_methods.PROTOCOLS):
        ENTRIES[slot] = OperatorEntry(slot)
        setattr(OPERATORS, slot, ENTRIES[slot].operator())


def stand_back() -> None:
    """Restore Tensor and the table; attributes that a family has bound meanwhile stay."""
    for name, value in overriding.STAGED.items():
        if isinstance(vars(Tensor)[name], Interceptor):
            bind(name, value)
    for slot, entry in ENTRIES.items():
        setattr(OPERATORS, slot, entry.before)
    overriding.STAGED.clear()

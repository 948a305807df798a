"""What modes of the program are told beside operators and functions: signs, methods and properties of plain tensors.

Tensor has nothing before these. While a `TorchFunctionMode` is on in some thread, interceptors stand there, and `Sign`
objects stand in the table of signs; both go on to what they found where the thread has no mode to ask.
"""

from __future__ import annotations

import _thread
from typing import Any

from ..forks import forks
from ..state.modes import current
from ..tensor.base import OPERATORS, Tensor, bind
from . import overriding
from .intercepting import Interceptor, interceptors, original
from .overriding import signs

INDEXING, ASSIGNMENT = type(OPERATORS.getitem), type(OPERATORS.setitem)
"""The operators that do everything by a function of ours, whatever sign they stand behind, see `writes.parts`."""
NAMED = frozenset(("__array__", "__deepcopy__", "__format__", "__reversed__"))
"""The protocols that Python looks up by name, so that an interceptor stands before them."""
FIRM = ("getitem", "setitem", "text")
"""Where an error stays an error: Python has no other operand to ask."""


class Reciprocal:
    """The first half of `2 / x`, which is no call of its own."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class Sign:
    """Stands in the table before what is behind a sign or protocol, of which it is the function."""

    __slots__ = ("before", "slot")

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self.before: Any = getattr(OPERATORS, slot)

    def operator(self) -> Any:
        """What stands in the table: operators are called by more than one name in C, functions are not."""
        if self.slot in signs.PROTOCOLS:
            return self
        if self.slot == "setitem":
            return ASSIGNMENT(self, None, None)  # type: ignore[call-arg]
        return INDEXING(self, None)  # type: ignore[call-arg]

    def proceed(self, *operands: Any) -> Any:
        """What would be done without modes."""
        if isinstance(operands[0], Reciprocal):
            operands = (SIGN[signs.FIRST_HALF].proceed(operands[0].tensor), *operands[1:])
        return self.before(*operands) if self.slot in signs.PROTOCOLS else self.before.applied(*operands)

    def told(self, operands: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        """Under which name, and with what arguments, a mode is told."""
        if isinstance(operands[0], Reciprocal):
            return "__rdiv__", (operands[0].tensor, *operands[1:])
        if self.slot in signs.REFLECTED_SLOTS and not isinstance(operands[0], Tensor):
            return signs.REFLECTED_SLOTS[self.slot], operands[::-1]
        return signs.SLOTS.get(self.slot) or signs.PROTOCOLS[self.slot], operands

    def __call__(self, *operands: Any) -> Any:
        modes = current()
        if not modes.functions or modes.overriding == 2 or modes.passing is not None:
            return self.proceed(*operands)
        if self.slot == signs.FIRST_HALF:
            return Reciprocal(operands[0])
        name, given = self.told(operands)
        try:
            made = overriding.of_call(original(name), given, {}, tensors=name in signs.UNPARSED)
        except TypeError:
            if len(operands) != 2 or self.slot in FIRM or self.slot in signs.PROTOCOLS:
                raise
            return NotImplemented
        return self.proceed(*operands) if made is overriding.NOBODY else made


SIGN: dict[str, Sign] = {}
"""Those that stand in the table, by their places."""


class Stage:
    """The modes that are on in all threads, and their lock.

    Attributes:
        opened: how many there are.
        counted: those of them that come and go by number.
        holders: what stands for each of the others.
    """

    def __init__(self) -> None:
        self.opened = self.counted = 0
        self.holders: set[int] = set()
        self.made_at, self.lock = forks(), _thread.RLock()

    def count(self, change: int) -> None:
        """Note that a mode begins or ends; with the first one all is put in its place, after the last taken away."""
        self.counted += change
        self.settle()

    def hold(self, holder: int, is_on: bool) -> None:
        """The same, of a mode that `holder` stands for: said twice it is noted once."""
        if is_on:
            self.holders.add(holder)
        else:
            self.holders.discard(holder)
        self.settle()

    def settle(self) -> None:
        """Put all in its place, or take it away, also after an attempt that an interrupt has ended."""
        if self.made_at != forks():
            self.made_at, self.lock = forks(), _thread.RLock()
        with self.lock:
            self.opened = self.counted + len(self.holders)
            if self.opened and not overriding.STAGED:
                stand_before()
            elif not self.opened and overriding.STAGED:
                stand_back()


STAGE = Stage()


def stand_before() -> None:
    """Put interceptors and signs in their places."""
    for name, interceptor in interceptors().items():
        if name[:1] != "_" or name in NAMED or name in ("_base", "_grad", "_version", "_backward_hooks"):
            overriding.STAGED[name] = vars(Tensor)[name]
            bind(name, interceptor)
    for slot in (*signs.SLOTS, *signs.PROTOCOLS):
        SIGN[slot] = Sign(slot)
        setattr(OPERATORS, slot, SIGN[slot].operator())


def stand_back() -> None:
    """Give Tensor and the table back what they had; what a family bound meanwhile stays."""
    for name, value in overriding.STAGED.items():
        if isinstance(vars(Tensor)[name], Interceptor):
            bind(name, value)
    for slot, sign in SIGN.items():
        setattr(OPERATORS, slot, sign.before)
    overriding.STAGED.clear()

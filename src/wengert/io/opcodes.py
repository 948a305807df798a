"""Interpreter of the opcodes of pickle that build plain containers; names in a file are never imported.

A global name becomes a `Name`; a table of the caller defines what may be done with it. Source of the opcodes: the
documentation in Python's `pickletools`, which also reads their arguments here.
"""

from __future__ import annotations

import pickletools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pickle import UnpicklingError
from typing import Any, Protocol

from .budget import STORAGE, Budget

LONGEST_NAME = 1_000
SHORT = 100
"""Length of keys that are hashed and compared at once."""
LARGEST_MEMO = 2**32
ENCODING = "utf-8"
"""Default encoding of texts that Python 2 wrote as bytes."""


@dataclass(frozen=True)
class Name:
    """A global name in a file: a function or class that a pickle would call."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Builder(Protocol):
    """Meaning of names in a file."""

    def find(self, name: Name) -> Any:
        """Return the value of a global name, or the name itself; raise UnpicklingError if it is not allowed."""

    def call(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Return the result of calling a name with arguments."""

    def create(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        """Return a new object of a class."""

    def set_state(self, value: Any, state: Any) -> None:
        """Set the state of an object."""


class Machine:
    """Interpreter of the opcodes of a file.

    Args:
        builder: the meaning of names.
        storage: function from a persistent name to its value.
        budget: budget for keys.
        encoding: encoding of texts written by Python 2; "bytes" leaves them as bytes.
    """

    def __init__(
        self, builder: Builder, storage: Callable[[Any], Any], budget: Budget, encoding: str = ENCODING
    ) -> None:
        self.builder, self.storage, self.budget, self.encoding = builder, storage, budget, encoding
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, file: Any) -> Any:
        """Return the object that the opcodes build; the file is then positioned after the last of them.

        Raises:
            UnpicklingError: if an opcode, or its use, is not allowed.
            ValueError: if these are not opcodes.
        """
        read, steps = file.read, CODES
        while code := read(1):
            if code == b".":
                return self.pop()
            if code not in steps:
                raise refusal(code)
            step, argument = steps[code]
            step(self, argument(file) if argument else None)
        raise ValueError("the opcodes have no end")

    def push(self, value: Any) -> None:
        """Push a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Any:
        """Pop the value on top of the stack, above the last mark.

        Raises:
            ValueError: if there is none.
        """
        self.check(1)
        return self.stack.pop()

    def check(self, count: int) -> None:
        """Refuse access below the last mark, or the bottom of the stack."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise ValueError("the opcodes pop more values than there are")

    def top(self) -> Any:
        """Return the value on top of the stack without popping it."""
        self.check(1)
        return self.stack[-1]

    def take(self, count: int) -> list[Any]:
        """Pop `count` values from the stack."""
        self.check(count)
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values

    def marked(self) -> list[Any]:
        """Pop all values above the last mark, and the mark."""
        if not self.marks:
            raise ValueError("the opcodes pop a missing mark")
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def get(self, number: Any) -> None:
        """Push a value of the memo.

        Raises:
            ValueError: if there is no value under this number.
        """
        if int(number) not in self.memo:
            raise ValueError(f"nothing was remembered as number {number}")
        self.push(self.memo[int(number)])

    def put(self, number: Any) -> None:
        """Store the value on top of the stack in the memo.

        Raises:
            ValueError: if the number is not one that a pickler writes.
        """
        number = int(number)
        if not 0 <= number < LARGEST_MEMO:
            raise ValueError("a value is remembered under a number that is too large, or negative")
        self.memo[number] = self.top()

    def find_global(self, module: Any, name: Any) -> None:
        """Push the meaning of a global name."""
        if not isinstance(module, str) or not isinstance(name, str) or len(module) + len(name) > LONGEST_NAME:
            raise ValueError("a global name is not a text, or too long")
        self.push(self.builder.find(Name(module, name)))

    def append(self, values: list[Any]) -> None:
        """Append values to the list, or deque, on top of the stack."""
        self.of_type(list, deque).extend(values)

    def set_items(self, values: list[Any]) -> None:
        """Add alternating keys and values to the dictionary on top of the stack."""
        target = self.of_type(dict)
        for key, value in zip(values[::2], values[1::2], strict=True):
            if type(key) is not str or len(key) > SHORT:
                self.budget.check_key(target, key)
            target[key] = value

    def add_items(self, values: list[Any]) -> None:
        """Add values to the set on top of the stack."""
        target = self.of_type(set)
        for value in values:
            self.budget.add(target, value)

    def push_frozenset(self, values: list[Any]) -> None:
        """Push a frozenset of values."""
        members: set[Any] = set()
        for value in values:
            self.budget.add(members, value)
        self.push(frozenset(members))

    def push_storage(self) -> None:
        """Push the value of a persistent name."""
        self.budget.spend(STORAGE)
        self.push(self.storage(self.pop()))

    def push_text(self, text: str) -> None:
        """Push a text written by Python 2; `pickletools` returns its bytes as characters."""
        raw = text.encode("latin1")
        self.push(raw if self.encoding == "bytes" else raw.decode(self.encoding))

    def of_type(self, *kinds: type) -> Any:
        """Return the value on top of the stack, which must have one of some types."""
        value = self.top()
        if not isinstance(value, kinds):
            raise ValueError(f"the opcodes take a {type(value).__name__} for a {kinds[0].__name__}")
        return value

    def reduce(self) -> None:
        """Call a name with a tuple of arguments."""
        function, arguments = self.take(2)
        self.push(self.builder.call(function, checked_arguments(arguments)))

    def create(self) -> None:
        """Create an object of a class."""
        cls, arguments = self.take(2)
        self.push(self.builder.create(cls, checked_arguments(arguments)))

    def set_state(self) -> None:
        """Set the state of the object below the state on the stack."""
        value, state = self.take(2)
        self.builder.set_state(value, state)
        self.push(value)


def checked_arguments(arguments: Any) -> tuple[Any, ...]:
    """Return the arguments of a call.

    Raises:
        ValueError: if they are not a tuple.
    """
    if not isinstance(arguments, tuple):
        raise ValueError("the opcodes call a function with arguments that are not a tuple")
    return arguments


def refusal(code: bytes) -> Exception:
    """Return the error for an opcode that is not allowed, or a byte that is not an opcode."""
    for opcode in pickletools.opcodes:
        if opcode.code.encode("latin1") == code:
            return UnpicklingError(f"the opcode {opcode.name} is not allowed")
    return ValueError(f"{code!r} is not an opcode")


def constant(value: Any) -> Callable[[Machine, Any], None]:
    """Return the action that pushes a constant."""
    return lambda machine, argument: machine.push(value)


def tuple_of(count: int) -> Callable[[Machine, Any], None]:
    """Return the action that pushes a tuple of `count` values."""
    return lambda machine, argument: machine.push(tuple(machine.take(count)))


def pop_one(machine: Machine, argument: Any) -> None:
    """Pop a value, or a mark if it is on top."""
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


STEPS: dict[str, Callable[[Machine, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda machine, argument: None),
    **dict.fromkeys(
        (
            "BININT",
            "BININT1",
            "BININT2",
            "INT",
            "LONG",
            "LONG1",
            "LONG4",
            "BINFLOAT",
            "FLOAT",
            "BINUNICODE",
            "SHORT_BINUNICODE",
            "BINUNICODE8",
            "UNICODE",
            "BINBYTES",
            "SHORT_BINBYTES",
            "BINBYTES8",
            "BYTEARRAY8",
        ),
        Machine.push,
    ),
    **dict.fromkeys(("SHORT_BINSTRING", "BINSTRING"), Machine.push_text),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT", "PUT"), Machine.put),
    **dict.fromkeys(("BINGET", "LONG_BINGET", "GET"), Machine.get),
    "MEMOIZE": lambda machine, argument: machine.put(len(machine.memo)),
    "NONE": constant(None),
    "NEWTRUE": constant(True),
    "NEWFALSE": constant(False),
    "EMPTY_TUPLE": constant(()),
    "EMPTY_LIST": lambda machine, argument: machine.push([]),
    "EMPTY_DICT": lambda machine, argument: machine.push({}),
    "EMPTY_SET": lambda machine, argument: machine.push(set()),
    "MARK": lambda machine, argument: machine.marks.append(len(machine.stack)),
    "POP": pop_one,
    "POP_MARK": lambda machine, argument: machine.marked().clear(),
    "DUP": lambda machine, argument: machine.push(machine.top()),
    "TUPLE": lambda machine, argument: machine.push(tuple(machine.marked())),
    "TUPLE1": tuple_of(1),
    "TUPLE2": tuple_of(2),
    "TUPLE3": tuple_of(3),
    "LIST": lambda machine, argument: machine.push(machine.marked()),
    "FROZENSET": lambda machine, argument: machine.push_frozenset(machine.marked()),
    "APPEND": lambda machine, argument: machine.append(machine.take(1)),
    "APPENDS": lambda machine, argument: machine.append(machine.marked()),
    "SETITEM": lambda machine, argument: machine.set_items(machine.take(2)),
    "SETITEMS": lambda machine, argument: machine.set_items(machine.marked()),
    "ADDITEMS": lambda machine, argument: machine.add_items(machine.marked()),
    "GLOBAL": lambda machine, names: machine.find_global(*names),
    "STACK_GLOBAL": lambda machine, argument: machine.find_global(*machine.take(2)),
    "REDUCE": lambda machine, argument: machine.reduce(),
    "NEWOBJ": lambda machine, argument: machine.create(),
    "BUILD": lambda machine, argument: machine.set_state(),
    "BINPERSID": lambda machine, argument: machine.push_storage(),
}
"""Actions of opcodes. Opcodes that import, call or create objects in other ways are missing, and so refused."""


def read_names(file: Any) -> list[str]:
    """Read a module and a name, each on a line; unlike in `pickletools`, there are no escape sequences."""
    lines = [file.readline() for _ in range(2)]
    if not all(line.endswith(b"\n") for line in lines):
        raise ValueError("the opcodes end within a global name")
    return [line[:-1].decode("utf-8") for line in lines]


CODES: dict[bytes, tuple[Callable[[Machine, Any], None], Callable[[Any], Any] | None]] = {
    opcode.code.encode("latin1"): (STEPS[opcode.name], opcode.arg.reader if opcode.arg else None)
    for opcode in pickletools.opcodes
    if opcode.name in STEPS
}
"""Actions by the byte of the opcode, with the functions that read the arguments."""
CODES[b"c"] = (STEPS["GLOBAL"], read_names)

"""An interpreter of those of pickle's opcodes that build plain containers; what a file names is never imported.

A global name becomes a `Name`, which is only a name: what may be done with one stands in a table of the caller's.
Source of the opcodes: the documentation in Python's `pickletools`, which also takes them apart here.
"""

from __future__ import annotations

import pickletools
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pickle import UnpicklingError
from typing import Any

LARGEST_KEY = 10_000
"""How many values a tuple may hold, at any depth, that is a key: to hash one, Python looks through all of it."""


@dataclass(frozen=True)
class Name:
    """A global name in a file: a function or a class that would be called there."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Machine:
    """Runs the opcodes of a file.

    Args:
        find: the value of a global name, or the name itself; raises for what is not allowed.
        call: what such a name, called with a tuple, gives.
        storage: what a persistent name gives.
        build: puts a state on an object.
    """

    def __init__(
        self,
        find: Callable[[Name], Any],
        call: Callable[[Any, Any], Any],
        storage: Callable[[Any], Any],
        build: Callable[[Any, Any], None],
    ) -> None:
        self.find, self.call, self.storage, self.build = find, call, storage, build
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, content: bytes) -> Any:
        """The object that the opcodes build.

        Raises:
            UnpicklingError: an opcode, or a use of one, that is not allowed.
            ValueError: these are no opcodes.
        """
        steps = STEPS
        for opcode, argument, _ in pickletools.genops(BytesIO(content)):
            if opcode.name == "STOP":
                return self.pop()
            step = steps.get(opcode.name)
            if step is None:
                raise UnpicklingError(f"the opcode {opcode.name} is not allowed")
            step(self, argument)
        raise ValueError("the opcodes have no end")

    def push(self, value: Any) -> None:
        """Put a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Any:
        """Take the value on top of the stack, which lies above the last mark.

        Raises:
            ValueError: there is none.
        """
        self.check(1)
        return self.stack.pop()

    def check(self, count: int) -> None:
        """Refuse to look below the last mark, or the stack's end."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise ValueError("the opcodes take more values than there are")

    def top(self) -> Any:
        """The value on top of the stack, which stays."""
        self.check(1)
        return self.stack[-1]

    def take(self, count: int) -> list[Any]:
        """Take some values from the stack."""
        self.check(count)
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values

    def marked(self) -> list[Any]:
        """Take all values above the last mark, and the mark."""
        if not self.marks:
            raise ValueError("the opcodes take a mark that is not there")
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def get(self, number: Any) -> None:
        """Push what was remembered.

        Raises:
            ValueError: nothing was, under that number.
        """
        if int(number) not in self.memo:
            raise ValueError(f"nothing was remembered as number {number}")
        self.push(self.memo[int(number)])

    def put(self, number: Any) -> None:
        """Remember the value on top of the stack."""
        self.memo[int(number)] = self.top()

    def find_global(self, module: Any, name: Any) -> None:
        """Push what a global name stands for."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise ValueError("a global name is no text")
        self.push(self.find(Name(module, name)))

    def split_global(self, argument: str) -> None:
        """Push what a global name stands for that is written in one."""
        module, _, name = argument.partition(" ")
        self.find_global(module, name)

    def append(self, values: list[Any]) -> None:
        """Append to the list on top of the stack."""
        self.of_type(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        """Put keys and values, in turn, into the dictionary on top of the stack."""
        made = self.of_type(dict)
        put_items(made, zip(values[::2], values[1::2], strict=True))

    def add_items(self, values: list[Any]) -> None:
        """Put values into the set on top of the stack."""
        self.of_type(set).update(map(checked_key, values))

    def of_type(self, kind: type) -> Any:
        """What lies on top of the stack, which must be of a type."""
        made = self.top()
        if not isinstance(made, kind):
            raise ValueError(f"the opcodes take a {reprlib.repr(type(made).__name__)} for a {kind.__name__}")
        return made

    def reduce(self) -> None:
        """Call a name with a tuple."""
        function, arguments = self.take(2)
        if not isinstance(arguments, tuple):
            raise ValueError("the opcodes call something with what is no tuple")
        self.push(self.call(function, arguments))

    def set_state(self) -> None:
        """Put a state on the object below it."""
        made, state = self.take(2)
        self.build(made, state)
        self.push(made)


def put_items(made: dict[Any, Any], items: Any) -> None:
    """Put pairs into a dictionary."""
    for key, value in items:
        made[checked_key(key)] = value


def checked_key(key: Any) -> Any:
    """A key that Python can hash without end or harm: few values, not nested deeply.

    Raises:
        ValueError: it is no such key.
    """
    waiting, left = [(key, 0)], LARGEST_KEY
    while waiting:
        value, depth = waiting.pop()
        left -= 1
        if isinstance(value, (tuple, frozenset)):
            if depth > 8 or len(value) > left:
                raise ValueError("a key is a tuple of too many values, or nested too deeply")
            waiting += [(each, depth + 1) for each in value]
            left -= len(value)
        elif type(value).__hash__ is None:
            raise ValueError(f"a {type(value).__name__} cannot be a key")
    return key


def constant(value: Any) -> Callable[[Machine, Any], None]:
    """Push a value that the opcode says."""
    return lambda machine, argument: machine.push(value)


def tuple_of(count: int) -> Callable[[Machine, Any], None]:
    """Push a tuple of so many values."""
    return lambda machine, argument: machine.push(tuple(machine.take(count)))


def pop_one(machine: Machine, argument: Any) -> None:
    """Take a value away, or a mark if it lies on top."""
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


STEPS: dict[str, Callable[[Machine, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda machine, argument: None),
    **dict.fromkeys(
        ("BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "BINFLOAT", "FLOAT", "BINUNICODE",
         "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8",
         "SHORT_BINSTRING", "BINSTRING"),
        Machine.push,
    ),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT", "PUT"), Machine.put),
    **dict.fromkeys(("BINGET", "LONG_BINGET", "GET"), Machine.get),
    "MEMOIZE": lambda machine, argument: machine.put(len(machine.memo)),
    "NONE": constant(None), "NEWTRUE": constant(True), "NEWFALSE": constant(False), "EMPTY_TUPLE": constant(()),
    "EMPTY_LIST": lambda machine, argument: machine.push([]),
    "EMPTY_DICT": lambda machine, argument: machine.push({}),
    "EMPTY_SET": lambda machine, argument: machine.push(set()),
    "MARK": lambda machine, argument: machine.marks.append(len(machine.stack)),
    "POP": pop_one,
    "POP_MARK": lambda machine, argument: machine.marked().clear(),
    "DUP": lambda machine, argument: machine.push(machine.top()),
    "TUPLE": lambda machine, argument: machine.push(tuple(machine.marked())),
    "TUPLE1": tuple_of(1), "TUPLE2": tuple_of(2), "TUPLE3": tuple_of(3),
    "LIST": lambda machine, argument: machine.push(machine.marked()),
    "FROZENSET": lambda machine, argument: machine.push(frozenset(map(checked_key, machine.marked()))),
    "APPEND": lambda machine, argument: machine.append(machine.take(1)),
    "APPENDS": lambda machine, argument: machine.append(machine.marked()),
    "SETITEM": lambda machine, argument: machine.set_items(machine.take(2)),
    "SETITEMS": lambda machine, argument: machine.set_items(machine.marked()),
    "ADDITEMS": lambda machine, argument: machine.add_items(machine.marked()),
    "GLOBAL": Machine.split_global,
    "STACK_GLOBAL": lambda machine, argument: machine.find_global(*machine.take(2)),
    "REDUCE": lambda machine, argument: machine.reduce(),
    "BUILD": lambda machine, argument: machine.set_state(),
    "BINPERSID": lambda machine, argument: machine.push(machine.storage(machine.pop())),
}  # fmt: skip
"""What each opcode does. Those that import, call or make objects in other ways are not there, and so refused."""

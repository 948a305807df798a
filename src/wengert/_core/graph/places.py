"""Places in a program: file, line, function and the text of the line."""

from __future__ import annotations

from typing import Any


class Place:
    """A line of a program.

    Attributes:
        filename, lineno, function: position of the line.
        line: its text; empty if that cannot be read.
    """

    __slots__ = ("filename", "function", "line", "lineno")

    def __init__(self, filename: str, lineno: int, function: str, line: str) -> None:
        self.filename = filename
        self.lineno = lineno
        self.function = function
        self.line = line

    def __str__(self) -> str:
        text = f": {self.line}" if self.line else ""
        return f'File "{self.filename}", line {self.lineno}, in {self.function}{text}'

    def __repr__(self) -> str:
        return f"<{self}>"


def place_of(origin: Any) -> Place | None:
    """The line that an `origins.Origin` was noted at; None if it was not."""
    code = None if origin is None else origin.code
    if code is None:
        return None
    import linecache  # at the top it would slow down every import of the package
    from itertools import islice

    position = next(islice(code.co_positions(), origin.offset // 2, None), None)
    number = code.co_firstlineno if position is None or position[0] is None else position[0]
    return Place(code.co_filename, number, code.co_name, linecache.getline(code.co_filename, number).strip())

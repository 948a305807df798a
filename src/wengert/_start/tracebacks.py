"""Tracebacks as the program sees them: its own lines, and for each call into the package one frame that names it.

An error passes boundaries on its way out (`boundary.py`): the call of an operator, of a function made of operators, of
a module, a backward pass, a transform. Each of them shortens what the traceback holds of the package: of frames that
follow one another one is kept, the outermost that names the call; between two frames of the program none, unless it
names one.

Frames from files outside of the package all stay: hooks, custom Functions and functions under `vmap` are seen as they
called each other.

This module is loaded with the first error: a boundary is an `except`, which costs nothing until then. In the compiled
build the same is done in C (`_core/prelude.h`, `_core/vectorcall.pxd`), where an error leaves a compiled function or
operator. `WENGERT_TRACEBACK=full` in the environment keeps all frames.

Only errors are shortened, not KeyboardInterrupt and its like: whoever interrupts a program wants to know where it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

import numpy as np

SETTING = "WENGERT_TRACEBACK"
HERE = sys._getframe().f_code.co_filename
ROOT = os.path.dirname(os.path.dirname(HERE))
SEPARATORS = ("/", os.sep)
MACHINERY = ("_start/boundary.py", "_core/", "_kernels/", "nn/modules/hooking.py", "optim/step_hooks.py")
"""Files of functions that a program does not call by name; Tensor's operators, in `OPERATORS`, are named."""
OPERATORS = "_core/tensor/base.py"
LIBRARIES = tuple(f"{os.path.dirname(str(module.__file__))}{os.sep}" for module in (np, os))
"""Libraries that the package calls and that have Python frames: NumPy and Python's own library."""
INSTALLED = f"{os.sep}site-packages{os.sep}"
"""Folder below Python's own library that does not belong to it."""

Entry = TracebackType


def keeps_all() -> bool:
    """Return whether the environment asks for all frames; read for each error, so that a session may change it."""
    return os.environ.get(SETTING) == "full"


def inside(path: str) -> str:
    """Path of a file relative to the package, with slashes; "" if it is outside of it."""
    if not path.startswith(ROOT) or path[len(ROOT) : len(ROOT) + 1] not in SEPARATORS:
        return ""
    return path[len(ROOT) + 1 :].replace(os.sep, "/")


def is_own(entry: Entry) -> bool:
    """Return whether a frame belongs to the package."""
    return inside(entry.tb_frame.f_code.co_filename) != ""


def is_naming(entry: Entry) -> bool:
    """Return whether a frame is that of a function of the package which programs call by its name."""
    place = inside(entry.tb_frame.f_code.co_filename)
    return place != "" and (not place.startswith(MACHINERY) or place == OPERATORS)


def shorten(error: BaseException, name: str = "", body: Any = None) -> None:
    """Shorten the traceback of an error that leaves the package, and of those that led to it.

    Args:
        name, body: as in `boundary.shorten`.
    """
    if keeps_all():
        return
    try:
        body = undecorated(body)
        code = getattr(body, "__code__", None)
        trace = shortened(error.__traceback__, lambda *run: [named(run[0], name, body)] if code else chosen(*run))
        error.__traceback__ = trace
        clear_context(error)
    except Exception:  # for want of memory or depth: the error itself must come through
        return


def undecorated(body: Any) -> Any:
    """The function of the package below decorators such as `no_grad`, which have no name of their own."""
    inner = getattr(body, "__wrapped__", None)
    while isinstance(inner, FunctionType) and inside(inner.__code__.co_filename):
        body, inner = inner, getattr(inner, "__wrapped__", None)
    return body


def shorten_call(error: BaseException, op: Any) -> None:
    """`shorten` for the call of an operator."""
    shorten(error, op.name, op.body)


# ---- which frames are kept -------------------------------------------------------------------------------------------


def shortened(
    trace: TracebackType | None, outermost: Callable[[list[Entry], bool], list[Entry]]
) -> TracebackType | None:
    """Return a traceback without the frames of the package that do not concern the program.

    Args:
        outermost: selects the frames that stand for the first ones of the package, as `chosen` does for the others.
    """
    entries: list[Entry] = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    at = end_of_run(entries, 0)
    remaining = outermost(entries[:at], at == len(entries))
    while at < len(entries):
        end = end_of_run(entries, at)
        remaining += chosen(entries[at:end], end == len(entries)) if end > at else [entries[at]]
        at = max(end, at + 1)
    return linked(remaining)


def end_of_run(entries: list[Entry], at: int) -> int:
    """End of the run of frames of the package from a place on, with those of libraries that it calls.

    Frames that lead from a library to the program belong to neither.
    """
    end = start = at
    while at < len(entries) and (is_own(entries[at]) or (end > start and is_of_library(entries[at]))):
        at += 1
        if at == len(entries) or is_own(entries[at - 1]):
            end = at
    return end


def is_of_library(entry: Entry) -> bool:
    """Return whether a frame belongs to a library that the package calls."""
    path = entry.tb_frame.f_code.co_filename
    return path.startswith(LIBRARIES) and (INSTALLED not in path or path.startswith(LIBRARIES[0]))


def chosen(run: list[Entry], innermost: bool) -> list[Entry]:
    """Select the frame that stands for a run of frames of the package: the first that names a call.

    If there is none, it is the first frame of an innermost run; there is no frame if one of the program follows.
    """
    return next(([entry] for entry in run if is_naming(entry)), run[:1] if innermost else [])


def named(run: list[Entry], name: str, body: Any) -> Entry:
    """Frame that stands for the frames of a call of a function, under the name by which programs call it."""
    first = None
    for entry in run:
        code = entry.tb_frame.f_code
        if code.co_name == name and is_naming(entry):
            return entry
        if code is body.__code__ and first is None:
            first = entry
    line = line_of_definition(body.__code__) if first is None else first.tb_lineno
    frame = stand_in(body, name, line)
    return TracebackType(None, frame, frame.f_lasti, line)


def linked(entries: list[Entry]) -> TracebackType | None:
    """Traceback of these entries; entries that are linked already are reused."""
    trace: TracebackType | None = None
    for entry in reversed(entries):
        if entry.tb_next is not trace:
            entry = TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        trace = entry
    return trace


def line_of_definition(code: CodeType) -> int:
    """Line with the `def` of a function, after its decorators."""
    import linecache

    lines = linecache.getlines(code.co_filename)
    for number in range(code.co_firstlineno, len(lines) + 1):
        if lines[number - 1].lstrip().startswith("def "):
            return number
    return code.co_firstlineno


def frame_here(frame_of: Callable[[int], FrameType]) -> FrameType:
    """The frame of this call."""
    return frame_of(0)


def stand_in(body: Any, name: str, line: int) -> FrameType:
    """Create a frame at a line of the file of a function, for calls that were refused before they reached it."""
    template = frame_here.__code__
    units = len(template.co_code) // 2
    # "This line, no columns" for each eight units of the code, as the interpreter's `PyCode_NewEmpty` writes it.
    table = b"".join(bytes((0x80 | 13 << 3 | min(units - at, 8) - 1, 0)) for at in range(0, units, 8))
    code = template.replace(
        co_filename=body.__code__.co_filename, co_name=name, co_qualname=name, co_firstlineno=line, co_linetable=table
    )
    return FunctionType(code, body.__globals__)(sys._getframe)


# ---- errors that led to this one -------------------------------------------------------------------------------------


def clear_context(error: BaseException) -> None:
    """Remove errors that the package has caught and rephrased from the context; shorten the others' tracebacks."""
    known = {id(error)}
    while True:
        before = error.__context__
        while before is not None and before is not error.__cause__ and is_of_package(before.__traceback__):
            before = before.__context__
        if before is not error.__context__:
            error.__context__ = before
        before = before if error.__cause__ is None else error.__cause__
        if before is None or id(before) in known:
            return
        before.__traceback__ = shortened(before.__traceback__, chosen)
        known.add(id(before))
        error = before


def is_of_package(trace: TracebackType | None) -> bool:
    """Return whether a traceback has only frames of the package, and of libraries that it calls."""
    while trace is not None:
        if not is_own(trace) and not is_of_library(trace):
            return False
        trace = trace.tb_next
    return True

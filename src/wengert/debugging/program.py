"""A program that a command of the package runs: as Python does, to its end, whatever that is."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from typing import Any

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 + the number of the signal."""


def is_missing(script: str, module: bool) -> bool:
    """Whether there is no such file; a module is looked for when it is run."""
    return not module and not os.path.isfile(script)


def run(script: str, arguments: Sequence[str], module: bool) -> tuple[int, dict[str, Any]]:
    """Run a program under the name `__main__`, with its arguments, from its folder; an error is shown as Python does.

    Args:
        script: its path, or the name of a module.
        arguments: what it finds in `sys.argv` after its name.
        module: `script` is a module.

    Returns:
        Its exit status, and its global names as far as it got.
    """
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.getcwd() if module else os.path.dirname(os.path.abspath(script)))
    try:
        if module:
            return 0, runpy.run_module(script, run_name="__main__", alter_sys=True)
        return 0, runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return status_of(end), names_of(end)
    except KeyboardInterrupt as end:
        return INTERRUPTED, names_of(end)
    except Exception as error:
        traceback.print_exception(error.with_traceback(within(error)))
        return 1, names_of(error)


def status_of(end: SystemExit) -> int:
    """The exit status that a program asked for; what is no number is printed, as Python does."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def within(error: BaseException) -> Any:
    """The traceback from the program on; None if it had not begun."""
    trace = error.__traceback__
    while trace is not None and is_before(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def is_before(path: str) -> bool:
    """Whether the frames of a file lead to the program."""
    return "runpy" in path or path == __file__


def names_of(error: BaseException) -> dict[str, Any]:
    """The global names of a program that an error has ended."""
    trace = within(error)
    return {} if trace is None else dict(trace.tb_frame.f_globals)

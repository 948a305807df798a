"""Run a program for a command of the package, as Python does, also if it ends with an error."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from typing import Any

INTERRUPTED = 130
"""Exit status after Ctrl-C, as in shells: 128 + the number of the signal."""


def parser(command: str, description: str) -> argparse.ArgumentParser:
    """Return the parser of a command that runs a program; further options may be added."""
    result = argparse.ArgumentParser(
        prog=command, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("-m", "--module", action="store_true", help="SCRIPT is the name of a module, as for python -m")
    result.add_argument("script", help="the program")
    result.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return result


def is_missing(script: str, module: bool) -> bool:
    """Return whether the file is missing; a module is looked up when it is run."""
    return not module and not os.path.isfile(script)


def run(script: str, arguments: Sequence[str], module: bool) -> tuple[int, dict[str, Any]]:
    """Run a program as `__main__`, with its arguments, from its folder; an error is printed as by Python.

    Args:
        script: the path of the program, or the name of a module.
        arguments: its arguments, in `sys.argv` after its name.
        module: whether `script` is a module.

    Returns:
        The exit status, and the global names at its end.
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
    """Return the exit status of a program; a value that is not a number is printed, as by Python."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def within(error: BaseException) -> Any:
    """Return the traceback from the program on; None if it had not started."""
    trace = error.__traceback__
    while trace is not None and is_before(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def is_before(path: str) -> bool:
    """Return whether the frames of a file are those that start the program."""
    return "runpy" in path or path == __file__


def names_of(error: BaseException) -> dict[str, Any]:
    """Return the global names of a program that ended with an error."""
    trace = within(error)
    return {} if trace is None else dict(trace.tb_frame.f_globals)

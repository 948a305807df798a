"""What `python -m wengert.explain` does."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from wengert._core.tensor import tracing
from wengert._core.tensor.base import Tensor

from .explanation import explain
from .mode import set_debug

USAGE = """usage: python -m wengert.explain script.py [arguments of the script]

Runs the script, and then says of each of its tensors and modules why what has no gradient has none, with lines."""


def main(args: list[str]) -> int:
    """Run a script as if it had been started itself, then explain what its names stand for.

    Args:
        args: the path of the script and its own arguments.

    Returns:
        The exit status: that of the script, 1 if it raised an error, 2 where there is no script.
    """
    if not args or args[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if args else 2
    before, sys.argv = sys.argv, args
    status, names = 0, {}
    with set_debug(lines=True):
        try:
            names = runpy.run_path(args[0], run_name="__main__")
        except SystemExit as end:
            names = names_of(end, args[0])
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception as error:
            traceback.print_exception(without_us(error))
            names, status = names_of(error, args[0]), 1
        finally:
            sys.argv = before
        told = list(explanations(names))
    print("\n\n".join(f"== {name}\n{text}" for name, text in told) or "== Nothing to explain: no gradient is missing.")
    return status


def without_us(error: Exception) -> Exception:
    """An error whose traceback begins in the script."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_globals.get("__name__") != "__main__":
        trace = trace.tb_next
    while trace is not None and trace.tb_next is not None and "runpy" in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    return error.with_traceback(trace)


def names_of(error: BaseException, path: str) -> dict[str, Any]:
    """The global names of a script that has ended by an error."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            return dict(trace.tb_frame.f_globals)
        trace = trace.tb_next
    return {}


def explanations(names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and text of all that misses a gradient among what names stand for, and in the modules among it."""
    told: set[int] = set()
    for name, value in names.items():
        for path, tensor in tensors_of(name, value):
            if id(tensor) not in told and is_missing(tensor):
                told.add(id(tensor))
                yield path, str(explain(tensor))


def tensors_of(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    """A tensor, or the parameters of a module, with their names."""
    if isinstance(value, Tensor):
        yield name, value
    elif not isinstance(value, type) and hasattr(value, "named_parameters"):
        for path, parameter in value.named_parameters():
            yield f"{name}.{path}", parameter


def is_missing(tensor: Tensor) -> bool:
    """Whether a tensor is a leaf that wants a gradient and has none, or was cut off from a graph."""
    if tensor.requires_grad:
        return tensor.is_leaf and tensor.grad is None
    return tracing.cut_behind(tensor) is not None

"""The command `python -m wengert.explain`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from wengert._core.tensor import tracing
from wengert._core.tensor.base import Tensor
from wengert.debugging import program as _program

from .explanation import explain
from .mode import set_debug

DESCRIPTION = """\
Run a program as `python script.py [arguments]` does, then explain each missing gradient of its tensors and modules,
with lines; also after an error or Ctrl-C. The exit status is that of the program."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    return _program.parser("python -m wengert.explain", DESCRIPTION)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit status: that of the program, 1 if it raised an error, 2 if there is no such file.
    """
    options = parser().parse_args(arguments)
    if _program.is_missing(options.script, options.module):
        print(f"python -m wengert.explain: there is no file {options.script!r}", file=sys.stderr)
        return 2
    with set_debug(lines=True):
        status, names = _program.run(options.script, options.arguments, options.module)
        texts = list(explanations(names))
    print("\n\n".join(f"== {name}\n{text}" for name, text in texts) or "== Nothing to explain: no gradient is missing.")
    return status


def explanations(names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield name and text for each tensor without a gradient among named values, and in modules among them."""
    explained: set[int] = set()
    for name, value in names.items():
        for path, tensor in tensors_of(name, value):
            if id(tensor) not in explained and is_missing(tensor):
                explained.add(id(tensor))
                yield path, str(explain(tensor))


def tensors_of(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield a tensor, or the parameters of a module, with their names."""
    if isinstance(value, Tensor):
        yield name, value
    elif not isinstance(value, type) and hasattr(value, "named_parameters"):
        for path, parameter in value.named_parameters():
            yield f"{name}.{path}", parameter


def is_missing(tensor: Tensor) -> bool:
    """Return whether a tensor is a leaf that requires a gradient and has none, or was cut off from a graph."""
    if tensor.requires_grad:
        return tensor.is_leaf and tensor.grad is None
    return tracing.cut_behind(tensor) is not None

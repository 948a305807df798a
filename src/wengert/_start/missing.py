"""Errors for names that torch has and this package does not have: loaded at the first such name."""

from __future__ import annotations

import functools
import pkgutil
from opcode import opmap
from types import FrameType
from typing import NoReturn

PACKAGE = str(__package__).partition(".")[0]
ASKS = opmap["IMPORT_FROM"]

Table = dict[str, dict[str, list[str]]]
"""Names by namespace (`""` is the package itself, `nn.functional` a module of it) and reason."""

REASONS = {
    "sparse": "nested tensors, and older names for sparse ones",
    "quantised": "tensors of quantised numbers, and layers and tools for them",
    "device": "another device, its memory, its libraries (CUDA, cuDNN, MIOpen, MKL-DNN, MPS)",
    "compiler": "TorchScript, graphs of programs, compilers and what is exported for them",
    "distributed": "for several processes or machines",
    "dispatcher": "torch's dispatcher and its C++ interface",
    "pipes": "data pipes, which torch has deprecated",
    "internal": "parts of torch's own modules that are not public",
    "other": "to be written",
}
"""Why names are missing, by the word in `missing.txt`."""


@functools.cache
def table() -> Table:
    """Missing names, from `missing.txt`, which `tools/make_missing.py` generates beside torch."""
    names_by_space: Table = {}
    for line in (pkgutil.get_data(PACKAGE, "_start/missing.txt") or b"").decode().splitlines():
        if line.startswith("["):
            space = names_by_space[line.strip("[]").removeprefix("torch").removeprefix(".")] = {}
        elif not line.startswith("#") and line:
            reason, _, names = line.partition(": ")
            space[reason] = names.split()
    return names_by_space


def torch_has(module: str, name: str) -> tuple[str, str] | None:
    """The full name, as `nn.Foo`, of a name of torch that is not here, and why; None if torch has no such name."""
    space = module.removeprefix(PACKAGE).removeprefix("torch").removeprefix(".")
    for word, names in table().get(space, {}).items():
        if name in names:
            return f"{space}.{name}".removeprefix("."), REASONS[word]
    return None


def refuse(module: str, name: str, asker: FrameType) -> NoReturn:
    """Raise the error for a name that a module does not have; it says whether torch has it.

    Args:
        module: its name.
        name: the attribute.
        asker: frame of the program that asks for it. Python drops the text of an AttributeError in
            `from module import name`, hence an ImportError with the reason is raised there.

    Raises:
        ImportError: if the program imports the name, and torch has it.
        AttributeError: if torch does not have the name, or the program does not import it.
    """
    known = torch_has(module, name)
    if known is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    full, reason = known
    why = f"torch has {full}, {PACKAGE} does not yet ({reason})"
    if asker.f_lasti >= 0 and asker.f_code.co_code[asker.f_lasti] == ASKS:
        raise ImportError(f"cannot import name {name!r} from {module!r}: {why}", name=module)
    raise AttributeError(f"module {module!r} has no attribute {name!r}: {why}")

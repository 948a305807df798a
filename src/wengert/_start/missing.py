"""What is said of a name that torch has and this package has not: loaded when one is asked for."""

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
    "internal": "parts of torch's own modules that are no interface",
    "other": "to be written",
}
"""Why names are missing, by the word in `missing.txt`."""


@functools.cache
def table() -> Table:
    """The names that are missing, from `missing.txt`, which `tools/make_missing.py` makes beside torch."""
    found: Table = {}
    for line in (pkgutil.get_data(PACKAGE, "_start/missing.txt") or b"").decode().splitlines():
        if line.startswith("["):
            space = found[line.strip("[]").removeprefix("torch").removeprefix(".")] = {}
        elif not line.startswith("#") and line:
            reason, _, names = line.partition(": ")
            space[reason] = names.split()
    return found


def torch_has(module: str, name: str) -> tuple[str, str] | None:
    """The full name, as `nn.Foo`, of a name of torch that is not here, and why; None if torch has no such name."""
    space = module.removeprefix(PACKAGE).removeprefix("torch").removeprefix(".")
    for word, names in table().get(space, {}).items():
        if name in names:
            return f"{space}.{name}".removeprefix("."), REASONS[word]
    return None


def refuse(module: str, name: str, asker: FrameType) -> NoReturn:
    """Say that a module has no such name, and whether torch has it.

    Args:
        module: its name.
        name: the attribute that was asked for.
        asker: where the program asks. Of an AttributeError in `from module import name` Python says nothing but
            that the import failed, hence there it is the ImportError itself that says why.

    Raises:
        ImportError: the program imports the name, which torch has.
        AttributeError: otherwise.
    """
    known = torch_has(module, name)
    if known is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    full, reason = known
    why = f"torch has {full}, {PACKAGE} does not yet ({reason})"
    if asker.f_lasti >= 0 and asker.f_code.co_code[asker.f_lasti] == ASKS:
        raise ImportError(f"cannot import name {name!r} from {module!r}: {why}", name=module)
    raise AttributeError(f"module {module!r} has no attribute {name!r}: {why}")

"""What is said of a name that torch has and this package has not: loaded when one is asked for."""

from __future__ import annotations

import functools
import pkgutil
from opcode import opmap
from types import FrameType
from typing import NoReturn

PACKAGE = str(__package__).partition(".")[0]
PAGE = "docs/missing_names.md"
ASKS = opmap["IMPORT_FROM"]


@functools.cache
def table() -> dict[str, dict[str, list[str]]]:
    """The names, by namespace (`""` is the package itself, `nn.functional` a module of it) and reason.

    They stand in `missing.txt`, which `tools/make_missing.py` makes beside torch.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for line in (pkgutil.get_data(PACKAGE, "_start/missing.txt") or b"").decode().splitlines():
        if line.startswith("["):
            space = found[line.strip("[]").removeprefix("torch").removeprefix(".")] = {}
        elif not line.startswith("#") and line:
            reason, _, names = line.partition(": ")
            space[reason] = names.split()
    return found


def torch_has(module: str, name: str) -> str | None:
    """What a programmer calls a name of torch that is not here, as `nn.Foo`; None where torch has no such name."""
    space = module.removeprefix(PACKAGE).removeprefix("torch").removeprefix(".")
    for names in table().get(space, {}).values():
        if name in names:
            return f"{space}.{name}".removeprefix(".")
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
    why = f"torch has {known}, {PACKAGE} does not yet ({PAGE})"
    if asker.f_lasti >= 0 and asker.f_code.co_code[asker.f_lasti] == ASKS:
        raise ImportError(f"cannot import name {name!r} from {module!r}: {why}", name=module)
    raise AttributeError(f"module {module!r} has no attribute {name!r}: {why}")

"""How the package is loaded: what few programs use, when it is first asked for; the rest without collections between.

Every import of the package pays for this module, hence it imports next to nothing.
"""

from __future__ import annotations

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def on_demand(module: dict[str, Any], homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a module some of whose names are loaded when they are first asked for.

    Args:
        module: its `globals()`.
        homes: for each of these names the module below it that has it; one that is its own home is that module.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        from importlib import import_module

        found: Any = import_module(f"{module['__name__']}.{homes[name]}")
        if homes[name] != name:
            found = module[name] = getattr(found, name)
        return found

    def names() -> list[str]:
        return sorted({*module, *homes})

    return get, names


class Uncollected:
    """While modules are loaded: next to nothing becomes garbage, and looking for it takes a tenth of the time.

    The collector is as it was afterwards, whatever happens in between.
    """

    def __enter__(self) -> None:
        self.before = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self.before:
            gc.enable()

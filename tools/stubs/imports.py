"""The imports of a stub, sorted as `ruff` sorts them: only what the text below them uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

WIDTH = 120
Import = tuple[str, str, str]
"""Module, name, and the name under which it is used."""

COMMON: tuple[Import, ...] = (
    ("builtins", "bool", "_bool"),
    ("builtins", "float", "_float"),
    ("builtins", "int", "_int"),
    ("collections.abc", "Callable", "Callable"),
    ("collections.abc", "Iterator", "Iterator"),
    ("collections.abc", "Sequence", "Sequence"),
    ("typing", "Any", "Any"),
    ("typing", "NoReturn", "NoReturn"),
    ("typing", "Literal", "Literal"),
    ("typing", "Self", "Self"),
    ("typing", "TypeAlias", "TypeAlias"),
    ("typing", "TypeGuard", "TypeGuard"),
    ("typing", "overload", "overload"),
    ("numpy", "generic", "generic"),
    ("numpy", "ndarray", "ndarray"),
)


def used(known: Iterable[Import], text: str) -> list[Import]:
    """Those of `known` whose names stand in a text."""
    words = set(re.findall(r"\w+", text))
    return [entry for entry in known if entry[2] in words]


def written(imports: Iterable[Import], exported: Iterable[Import] = ()) -> list[str]:
    """Import statements, in sections. What is `exported` gets the `as` by which type checkers know it as public."""
    modules: dict[str, set[tuple[str, str]]] = {}
    for module, name, alias in imports:
        modules.setdefault(module, set()).add((name, name if alias == name else f"{name} as {alias}"))
    for module, name, alias in exported:
        modules.setdefault(module, set()).discard((name, name))
        modules[module].add((name, f"{name} as {alias}"))
    lines: list[str] = []
    section = -1
    for module in sorted(modules, key=lambda module_name: (section_of(module_name), module_name)):
        if lines and section_of(module) != section:
            lines.append("")
        section = section_of(module)
        lines += statement(module, [text for _, text in sorted(modules[module], key=place)])
    return lines


def section_of(module: str) -> int:
    """The standard library, then other packages, then this one."""
    return 2 if module.startswith("wengert") else 1 if module.startswith("numpy") else 0


def place(member: tuple[str, str]) -> tuple[int, list[tuple[int, str]], str]:
    """The place of a name among its like: constants, classes, the rest; numbers in names as numbers."""
    name, text = member
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", name)]
    return kind, parts, text


def statement(module: str, members: list[str]) -> list[str]:
    """One import statement, folded where it is too long."""
    whole = f"from {module} import {', '.join(members)}"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"from {module} import (", *(f"    {member}," for member in members), ")"]

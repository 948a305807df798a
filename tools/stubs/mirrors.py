"""Stubs of the modules that lie in `_torch`, by the names under which programs import them.

Type checkers and editors do not see that the folder is a part of the package's path. For them `stubs/wengert` holds a
file per module that names what the module has; a wheel installs these into the folder of the package.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MIRRORS = ROOT / "src" / "wengert" / "_torch"
STUBS = ROOT / "stubs" / "wengert"


def sources() -> dict[Path, Path]:
    """Return the source of each stub."""
    files = sorted(path for path in MIRRORS.rglob("*.py") if path.parent != MIRRORS or path.name != "__init__.py")
    return {(STUBS / path.relative_to(MIRRORS)).with_suffix(".pyi"): path for path in files}


def stub(source: Path) -> str:
    """Return the text of the stub of a module in `_torch`."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    module = ".".join(source.relative_to(MIRRORS.parent.parent).with_suffix("").parts).removesuffix(".__init__")
    names = sorted(
        name
        for name in {*bound_names(tree.body), *listed_names(tree.body)}
        if name[:2] != "__" and name not in ("TYPE_CHECKING", "_IN_PACKAGE")
    )
    lines = [f"{ast.unparse(statement)}\n" for statement in tree.body if takes_all(statement)]
    if names:
        lines += [f"from {module} import (\n", *(f"    {name} as {name},\n" for name in names), ")\n"]
    if "__getattr__" in bound_names(tree.body):
        lines += ["import typing\n\n", "def __getattr__(name: str) -> typing.Any: ...\n"]
    return "".join(lines)


def listed_names(body: list[ast.stmt]) -> list[str]:
    """Return the names in `__all__`, if it is a list of texts."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=elements)):
                return [element.value for element in elements if isinstance(element, ast.Constant)]  # type: ignore[misc]
    return []


def takes_all(statement: ast.stmt) -> bool:
    """Return whether a statement imports all names of a module."""
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def bound_names(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements of a module bind for others: of imports, those with an alias of the same name."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.name for alias in names if alias.asname == alias.name)
            case ast.Assign(targets=targets):
                yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.If(body=then, orelse=otherwise):
                yield from bound_names([*then, *otherwise])
            case ast.Try(body=then, handlers=handlers):
                yield from bound_names([*then, *(inner for handler in handlers for inner in handler.body)])


def stray() -> list[Path]:
    """Return the stubs whose module is gone."""
    known = sources()
    return [path for path in sorted(STUBS.rglob("*.pyi")) if path not in known]

"""The import rule: layers that point one way, read from the source by its syntax tree.

`python tools/check_layers.py [FOLDER]` checks the package in FOLDER (default: `src/wengert`), prints each breach as
`file:line: message`, and exits with 1 if there is one. `ALLOWED` below is the rule, whole.

Only imports that run are counted: what stands under `if TYPE_CHECKING:` serves annotations. The standard library is
free to all. An optional third-party package may be imported inside functions only, so that the package imports
without it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "wengert"
SOURCE = Path(__file__).resolve().parent.parent / "src" / PACKAGE

_ENGINE = ("_kernels", "_core", "ops", "printing", "conversions", "pickling", "indexing", "gradients", "tensor")
_USERS = ("func", "nn", "optim", "utils", "vision", "io", "viz", "demo")  # each stands on those before it

# Layer -> the layers that it may import, apart from itself. A module of the package that is not listed is a breach.
ALLOWED: dict[str, tuple[str, ...]] = {
    "_build": (),
    "_kernels": (),
    "_core": (),
    "ops": ("_core", "_kernels"),
    "printing": ("_core",),
    "conversions": ("_core",),
    "pickling": ("_core", "ops"),
    "indexing": ("_core", "ops"),
    "gradients": ("_core",),
    "tensor": ("_core", "ops", "printing", "conversions", "pickling", "indexing", "gradients"),
    "questions": ("_core",),
    "autograd": ("_core", "tensor"),
    **{name: ("tensor", "ops", "autograd", *_USERS[:rank]) for rank, name in enumerate(_USERS)},
    "demo": ("__init__", "_build", "tensor", "ops", "autograd", *_USERS[:-1]),  # a user's program, in the package
    "testing": (*_ENGINE, "autograd", *_USERS[:-1]),
    "info": ("__init__", "_build", "_kernels"),
    "__init__": ("_build", *_ENGINE, "questions", "autograd", *_USERS[:-1]),
}
# Third-party packages that layers may import as soon as they are imported themselves.
ALWAYS_THERE = {"numpy"}
# `import cython` is what the compiler of the core reads; `_core/plain.py` stands in for it at run time.
DIRECTIVES = {"_core": {"cython"}}
# Packages that are there only with an extra: inside functions.
OPTIONAL = {"scipy", "safetensors", "tqdm", "matplotlib", "ml_dtypes", "graphviz", "opt_einsum", "hypothesis", "pytest"}


def layer_of(path: Path, root: Path) -> str:
    """The layer to which a file of the package belongs: the first part of its path."""
    return path.relative_to(root).with_suffix("").parts[0]


def running_imports(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The import statements below `node` that run, each with whether it stands inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from running_imports(ast.Module([other], []), inside=inside)
        else:
            deeper = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from running_imports(child, inside=deeper)


def imported_modules(statement: ast.Import | ast.ImportFrom, package: list[str]) -> list[str]:
    """The absolute names of what a statement in a module of `package` imports."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = package[: len(package) - statement.level + 1] if statement.level else []
    parts = base + (statement.module.split(".") if statement.module else [])
    if parts == [PACKAGE]:  # `from wengert import nn` names the layer in its second half
        return [f"{PACKAGE}.{alias.name}" for alias in statement.names]
    return [".".join(parts)]


def breach(layer: str, imported: str, *, inside: bool) -> str | None:
    """What is wrong with a module of `layer` importing `imported`; `None` if nothing is."""
    top, _, rest = imported.partition(".")
    if top == PACKAGE:
        target = rest.split(".")[0] or "__init__"
        if target.startswith("__"):  # `__version__` and the like: names in the package's own file
            target = "__init__"
        if target == layer or target in ALLOWED[layer]:
            return None
        return f"{layer} may not import {target} (allowed: {', '.join(ALLOWED[layer]) or 'nothing'})"
    if top in sys.stdlib_module_names or top in ALWAYS_THERE or top in DIRECTIVES.get(layer, ()):
        return None
    if top in OPTIONAL:
        return None if inside else f"{top} is optional: import it inside the function that needs it"
    return f"{layer} may not import {top}"


def check_file(path: Path, root: Path) -> list[str]:
    """The breaches in one file."""
    layer = layer_of(path, root)
    if layer not in ALLOWED:
        return [f"{path}:1: {layer} is no layer of the package: give it a line in ALLOWED of tools/check_layers.py"]
    package = [PACKAGE, *path.relative_to(root).parts[:-1]]
    found = []
    for statement, inside in running_imports(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        for imported in imported_modules(statement, package):
            message = breach(layer, imported, inside=inside)
            if message:
                found.append(f"{path}:{statement.lineno}: {message}")
    return found


def check_tree(root: Path) -> list[str]:
    """The breaches in all files of the package in `root`."""
    return [message for path in sorted(root.rglob("*.py")) for message in check_file(path, root)]


def main() -> int:
    """Check the package, print what is wrong."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    found = check_tree(root)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"layer rule: {len(found)} breaches" if found else "layer rule: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

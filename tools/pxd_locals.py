"""The C types of local variables in the compiled core, taken from the annotations of its source.

The functions of `src/wengert/_core` annotate local variables in plain Python (`at: int = 0`, `node: Node`); Cython
reads the types of locals from `@cython.locals(...)` lines of the `.pxd` beside the file. `python tools/pxd_locals.py`
rewrites those lines; `--check` names every `.pxd` whose lines differ from the annotations, and exits with 1 if there is
one. A variable of a loop over `range` counts as annotated with `int`; parameters have their types in the `.pxd` itself.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "src" / "wengert" / "_core"
NUMBERS = {"int": "long", "bool": "bint"}
CONTAINERS = re.compile(r"(list|dict|tuple|set)\b")
EXTENSION_CLASS = re.compile(r"^cdef class (\w+)", re.M)
FUNCTION = re.compile(r"(\s*)cpdef .*?(\w+)\(.*\)")
PARAMETER = re.compile(r"(\w+)(?=[,)])")


def extension_classes(core: Path) -> set[str]:
    """The names of the compiled classes of the core: the types that a local variable may have besides built-in ones."""
    return {name for path in core.rglob("*.pxd") for name in EXTENSION_CLASS.findall(path.read_text(encoding="utf-8"))}


def c_type(annotation: str, classes: set[str]) -> str | None:
    """The C type for an annotation; `None` if the variable stays a Python object."""
    name = annotation.strip("'").replace(" | None", "")
    if name in classes:
        return name
    container = CONTAINERS.match(name)
    return NUMBERS.get(name, container[1] if container else None)


def annotated(node: ast.AST) -> tuple[str, str] | None:
    """The name and the annotation of the local variable that a statement declares, if it declares one."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, ast.unparse(node.annotation)
    counts = isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
    if counts and isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        return node.target.id, "int"
    return None


def local_types(source: str, classes: set[str]) -> dict[str, dict[str, str]]:
    """For each function in Python source (`name` or `Class.name`) the C types of its local variables."""
    found: dict[str, dict[str, str]] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                declared = [pair for pair in map(annotated, ast.walk(node)) if pair is not None]
                types = {name: c_type(annotation, classes) for name, annotation in declared}
                found[prefix + node.name] = {name: kind for name, kind in types.items() if kind is not None}

    visit(ast.parse(source).body, "")
    return found


def rewritten(declarations: str, types: dict[str, dict[str, str]]) -> str:
    """The text of a `.pxd` with its `@cython.locals` lines made anew."""
    lines: list[str] = []
    inside = ""
    for line in declarations.splitlines(keepends=True):
        if "@cython.locals" in line:
            continue
        opening, function = EXTENSION_CLASS.match(line), FUNCTION.match(line)
        if opening:
            inside = f"{opening[1]}."
        if function:
            name = (inside if function[1] else "") + function[2]
            parameters = set(PARAMETER.findall(line))
            pairs = [f"{each}={kind}" for each, kind in types.get(name, {}).items() if each not in parameters]
            if pairs:
                lines.append(f"{function[1]}@cython.locals({', '.join(pairs)})\n")
        lines.append(line)
    text = "".join(lines)
    return f"cimport cython\n{text}" if "@cython.locals" in text and "cimport cython\n" not in text else text


def outdated(core: Path) -> dict[Path, str]:
    """The `.pxd` files in the folder `core` that differ from what their source asks for, each with the text wanted."""
    classes = extension_classes(core)
    wanted = {}
    for path in sorted(core.rglob("*.pxd")):
        source = path.with_suffix(".py")
        if source.exists():
            text = path.read_text(encoding="utf-8")
            made = rewritten(text, local_types(source.read_text(encoding="utf-8"), classes))
            if made != text:
                wanted[path] = made
    return wanted


def main(arguments: list[str], core: Path = CORE) -> int:
    """Rewrite what is out of date, or with `--check` name it."""
    wanted = outdated(core)
    if "--check" in arguments:
        for path in wanted:
            print(f"{path}: its @cython.locals are not those of {path.stem}.py; run tools/pxd_locals.py")
        print(f"types of locals: {len(wanted)} files out of date" if wanted else "types of locals: up to date")
        return 1 if wanted else 0
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
        print(f"rewrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

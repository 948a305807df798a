"""Types of the compiled core (`.pxd`), made from the annotations of its source.

Each file of `src/wengert/_core` is plain Python; the `.pxd` beside it says for Cython which functions are compiled
(`cpdef`), which attributes an extension class has, and the C types of both. The types follow from the annotations of
the source, so this tool writes them:

- the types of parameters and results, `cpdef bint is_leaf(Tensor tensor) except -1`. A new function needs only
  `cpdef is_leaf(...)`;
- the types of attributes, `cdef public int64_t word, version`. A new attribute needs only its name after `cdef public`;
- the lines `@cython.locals(...)` with the types of annotated local variables. A variable of a loop over `range` counts
  as annotated with `int`.

`int` is `int64_t`, which has 64 bits on all platforms (`long` has 32 on Windows), `bool` is `bint`; built-in containers
and extension classes of the core keep their names; the rest is `object`. A parameter, a result or an attribute that is
written as `object` stays so: it may be an integer of any size, or an instance of another class. So do types whose
annotation is `Any`, the result `void` and the value after `except`.

`python tools/make_pxd.py` rewrites the files; `--check` names each file that differs, and exits with 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

CORE = Path(__file__).resolve().parent.parent / "src" / "wengert" / "_core"
NUMBERS = {"int": "int64_t", "bool": "bint", "str": "str"}
CONTAINERS = re.compile(r"(list|dict|tuple|set|frozenset)\b")
WIDE = ("object", "void")
EXTENSION_CLASS = re.compile(r"^cdef class (\w+)", re.M)
FUNCTION = re.compile(
    r"(?P<indent> *)(?P<kind>cpdef|cdef) (?:(?P<result>\w+) )?(?P<name>\w+)\((?P<parameters>.*)\)(?P<rest>.*)\n"
)
ATTRIBUTES = re.compile(r"    cdef (?P<access>public |readonly )?(?:(?P<type>\w+) )?(?P<names>\w+(?:, \w+)*)\n")
EXCEPTIONS = {"bint": " except -1", "int64_t": " except? -1"}
WIDTH = "from libc.stdint cimport int64_t\n"


class Signature(NamedTuple):
    """Annotations of a function: of its parameters, its local variables and its result."""

    parameters: dict[str, str | None]
    local_types: dict[str, str]
    result: str | None


class Source(NamedTuple):
    """Annotations of a file: signatures by `name` or `Class.name`, attributes by class."""

    functions: dict[str, Signature]
    attributes: dict[str, dict[str, str]]


def extension_classes(core: Path) -> set[str]:
    """Return the names of the extension classes of the core."""
    return {name for path in core.rglob("*.pxd") for name in EXTENSION_CLASS.findall(path.read_text(encoding="utf-8"))}


def c_type(annotation: str | None, classes: set[str]) -> str:
    """Return the C type for an annotation, `object` if there is none."""
    name = (annotation or "object").strip("'").replace(" | None", "")
    if name in classes:
        return name
    container = CONTAINERS.match(name)
    return container[1] if container else NUMBERS.get(name, "object")


def declared_local(node: ast.AST) -> tuple[str, str] | None:
    """Return the name and the annotation of the local variable that a statement declares, or None."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, ast.unparse(node.annotation)
    counts = isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
    if counts and isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        return node.target.id, "int"
    return None


def signature(function: ast.FunctionDef) -> Signature:
    """Return the annotations of a function."""
    arguments = function.args
    parameters = {
        parameter.arg: ast.unparse(parameter.annotation) if parameter.annotation else None
        for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    }
    local_types = dict(pair for pair in map(declared_local, ast.walk(function)) if pair is not None)
    return Signature(parameters, local_types, ast.unparse(function.returns) if function.returns else None)


def read_source(text: str) -> Source:
    """Return the annotations of a file of the core."""
    source = Source({}, {})

    def visit(body: list[ast.stmt], owner: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                source.attributes[node.name] = {}
                visit(node.body, node.name)
            elif isinstance(node, ast.FunctionDef):
                source.functions[f"{owner}.{node.name}" if owner else node.name] = signature(node)
            elif owner and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                source.attributes[owner][node.target.id] = ast.unparse(node.annotation)

    visit(ast.parse(text).body, "")
    return source


class Declarations:
    """The text of one `.pxd` with its types made anew."""

    def __init__(self, source: Source, classes: set[str]) -> None:
        self.source = source
        self.classes = classes
        self.owner = ""
        self.lines: list[str] = []

    def rewrite(self, text: str) -> str:
        """Return `text` with the types that its source asks for."""
        for line in text.splitlines(keepends=True):
            opening, function, attributes = EXTENSION_CLASS.match(line), FUNCTION.match(line), ATTRIBUTES.match(line)
            if "@cython.locals" in line:
                continue
            if opening:
                self.owner = opening[1]
            if function and self.signature_of(function):
                self.add_function(function, self.signature_of(function))
            elif attributes and self.owner in self.source.attributes:
                self.add_attributes(attributes)
            else:
                self.lines.append(line)
        result = "".join(self.lines)
        if "@cython.locals" in result and "cimport cython\n" not in result:
            result = f"cimport cython\n{result}"
        if "int64_t" not in result or WIDTH in result:
            return result
        head = "cimport cython\n" if result.startswith("cimport cython\n") else ""
        return f"{head}{WIDTH}{result.removeprefix(head)}"

    def signature_of(self, line: re.Match[str]) -> Signature | None:
        """Return the annotations of the function that a line declares, or None if the source has no such function."""
        return self.source.functions.get(f"{self.owner}.{line['name']}" if line["indent"] else line["name"])

    def type_of(self, written: str | None, annotation: str | None) -> str:
        """Return the type of an annotation, or `written` where that is wide on purpose, or the annotation `Any`."""
        if written and (written in WIDE or annotation == "Any"):
            return written
        return c_type(annotation, self.classes)

    def add_function(self, line: re.Match[str], wanted: Signature | None) -> None:
        """Add the declaration of a function, after the line of its local variables."""
        assert wanted is not None
        types = {name: c_type(annotation, self.classes) for name, annotation in wanted.local_types.items()}
        pairs = [
            f"{name}={kind}"
            for name, kind in types.items()
            if kind not in ("object", "str") and name not in wanted.parameters
        ]
        if pairs:
            self.lines.append(f"{line['indent']}@cython.locals({', '.join(pairs)})\n")
        result = self.type_of(line["result"], wanted.result)
        rest = line["rest"] or ("" if line["result"] else EXCEPTIONS.get(result, ""))
        parameters = ", ".join(self.parameters(line["parameters"], wanted))
        self.lines.append(f"{line['indent']}{line['kind']} {result} {line['name']}({parameters}){rest}\n")

    def parameters(self, written: str, wanted: Signature) -> list[str]:
        """Return the declarations of a function's parameters; which of them have a default is `written`."""
        declared = {}
        for parameter in filter(None, map(str.strip, written.split(","))):
            kind, _, name = parameter.rpartition(" ")
            declared[name.removesuffix("=*")] = (kind, name)
        result = []
        for name, annotation in wanted.parameters.items():
            kind, text = declared.get(name, ("", name))
            if name == "self":
                result.append(f"{kind} self".lstrip())
            else:
                result.append(f"{self.type_of(kind, annotation)} {text}")
        return result

    def add_attributes(self, line: re.Match[str]) -> None:
        """Add the declarations of attributes, one line for each type."""
        by_type: dict[str, list[str]] = {}
        for name in line["names"].split(", "):
            annotation = self.source.attributes[self.owner].get(name)
            kind = self.type_of(line["type"], annotation) if annotation else (line["type"] or "object")
            by_type.setdefault(kind, []).append(name)
        for kind, names in by_type.items():
            self.lines.append(f"    cdef {line['access'] or ''}{kind} {', '.join(names)}\n")


def outdated(core: Path) -> dict[Path, str]:
    """Return the text wanted of each `.pxd` below the folder `core` that differs from what its source asks for."""
    classes = extension_classes(core)
    wanted = {}
    for path in sorted(core.rglob("*.pxd")):
        source = path.with_suffix(".py")
        if source.exists():
            text = path.read_text(encoding="utf-8")
            result = Declarations(read_source(source.read_text(encoding="utf-8")), classes).rewrite(text)
            if result != text:
                wanted[path] = result
    return wanted


def main(arguments: list[str], core: Path = CORE) -> int:
    """Rewrite what is out of date, or with `--check` name it."""
    wanted = outdated(core)
    if "--check" in arguments:
        for path in wanted:
            print(f"{path}: its types are not those of {path.stem}.py; run tools/make_pxd.py")
        print(f"types of the core: {len(wanted)} files out of date" if wanted else "types of the core: up to date")
        return 1 if wanted else 0
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
        print(f"rewrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The stub of the module in which the class Tensor stands: what its source says, and what is bound to it at import."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from tools.stubs.imports import COMMON, Import, used, written
from tools.stubs.signatures import definition, definitions, forms_of, parsed, quoted, result_of, spelled
from tools.stubs.words import FIELDS
from wengert._core.cards.card import REGISTRY, Composite
from wengert._core.graph import hooks
from wengert._core.graph.hooks import HookDict, RemovableHandle
from wengert._core.graph.node import Node
from wengert._core.tensor import base
from wengert._core.tensor.base import Tensor
from wengert._core.types import devices, dtypes, sizes
from wengert._core.types.sizes import Size
from wengert._core.writes.inplace import InPlaceOp
from wengert.ops import return_types
from wengert.ops.memory.storages import TypedStorage, UntypedStorage
from wengert.ops.randomness import generator
from wengert.ops.randomness.generator import Generator
from wengert._tensor.attributes import METHODS

INDENT = "    "
ALIASES = """
_Number: TypeAlias = _bool | _int | _float | complex
_Operand: TypeAlias = Tensor | _Number | generic | ndarray[Any, Any]
_Ints: TypeAlias = _int | Sequence[_int]
"""
SIGNS = ("add", "and", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow", "rshift", "sub", "truediv", "xor")
OPERATORS = {f"__{side}{sign}__": "(self, other: Operand) -> Tensor" for sign in SIGNS for side in ("", "r")} | {
    f"__i{sign}__": "(self, other: Operand) -> Self" for sign in SIGNS
}
OPERATORS |= dict.fromkeys(("__pow__", "__rpow__"), "(self, other: Operand, modulo: None = None) -> Tensor")
OPERATORS |= {f"__{name}__": "(self) -> Tensor" for name in ("abs", "invert", "neg", "pos")}
OPERATORS |= {f"__{name}__": "(self, other: Operand) -> Tensor" for name in ("lt", "le", "gt", "ge")}
OPERATORS |= {f"__{name}__": "(self, other: Any) -> Tensor" for name in ("eq", "ne")}
OPERATORS |= {"__getitem__": "(self, index: Any) -> Tensor", "__iter__": "(self) -> Iterator[Tensor]"}
"""What Python's signs give, where the source says Any."""

REMARKS = {
    "__eq__": "  # type: ignore[override]",
    "__ne__": "  # type: ignore[override]",
    "__ipow__": "  # type: ignore[misc]",
}
"""Where Python's own classes promise something else, or two signs differ as they do in Python."""

HOMES = {
    **{Tensor: base, Size: sizes, Generator: generator, RemovableHandle: hooks},
    **dict.fromkeys((dtypes.dtype, dtypes.finfo, dtypes.iinfo), dtypes),
    **dict.fromkeys((devices.device, devices.layout, devices.memory_format), devices),
}
"""Where classes are made that name another module, that where programs find them, as theirs."""


def own_import(cls: Any, alias: str = "") -> Import:
    """The import of a class or function of the package. (Some say that they stand where programs find them.)"""
    home = HOMES[cls].__name__ if cls in HOMES else cls.__module__
    return home, cls.__name__, alias or cls.__name__


CLASSES = (
    own_import(dtypes.dtype, "_dtype"), own_import(devices.device, "_device"), own_import(devices.layout, "_layout"),
    own_import(devices.memory_format, "_memory_format"), own_import(HookDict), own_import(RemovableHandle),
    own_import(Node), own_import(Size), own_import(Generator), own_import(TypedStorage), own_import(UntypedStorage),
    ("wengert.ops", "return_types", "return_types"),
)


def source() -> ast.Module:
    """The module in which Tensor stands."""
    return ast.parse(path_of(base).read_text(encoding="utf-8"))


def path_of(module: Any) -> Path:
    """The source of a module, compiled or not."""
    folder = Path(sys.modules[module.__package__].__path__[0])
    return folder / ("__init__.py" if hasattr(module, "__path__") else module.__name__.rpartition(".")[2] + ".py")


def stub() -> str:
    """The whole text."""
    tree = source()
    body: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            members = tensor_members(statement) if statement.name == "Tensor" else fields(statement)
            body += [f"class {statement.name}:", *members, ""]
    body += [line for node in tree.body if isinstance(node, ast.FunctionDef) for line in function(node, "")]
    text = "\n".join(body) + "\n"
    known = [*COMMON, *CLASSES, *source_imports(tree)]
    exported = [imported for imported in source_imports(tree) if reexported(tree, imported)]
    head = written([imported for imported in dict.fromkeys(used(known, ALIASES + text)) if imported not in exported], exported)
    return "\n".join([*head, ALIASES, text])


def source_imports(tree: ast.Module) -> list[Import]:
    """What the source imports from modules of the core."""
    package = base.__name__.split(".")
    return [
        (".".join([*package[: -statement.level], statement.module]), name.name, name.asname or name.name)
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.level and statement.module
        for name in statement.names
        if name.name != "dtype"
    ]


def reexported(tree: ast.Module, imported: Import) -> bool:
    """Whether the source imports a name for others (`X as X`)."""
    names = [name for statement in tree.body if isinstance(statement, ast.ImportFrom) for name in statement.names]
    return any(name.asname == name.name == imported[1] for name in names)


def fields(cls: ast.ClassDef) -> list[str]:
    """The annotated fields of a class."""
    return [
        f"{INDENT}{spelled(ast.unparse(statement))}"
        for statement in cls.body
        if isinstance(statement, ast.AnnAssign) and statement.value is None
    ]


def function(node: ast.FunctionDef, indent: str) -> list[str]:
    """A function of the source, decorators of properties included."""
    form = OPERATORS.get(node.name, f"({ast.unparse(node.args)}) -> {ast.unparse(node.returns or ast.Name('Any'))}")
    signature = parsed(form)
    decorators = [f"{indent}@{ast.unparse(decorator)}" for decorator in node.decorator_list]
    if decorators and signature.return_annotation == "Any":
        signature = signature.replace(return_annotation=result_of(node.name, signature, None))
    if node.name == "grad" and "value" in signature.parameters:
        value = signature.parameters["value"].replace(annotation="Tensor | None")
        signature = signature.replace(parameters=[signature.parameters["self"], value])
    return [*decorators, *definition(node.name, signature, indent, REMARKS.get(node.name, ""))]


def tensor_members(cls: ast.ClassDef) -> list[str]:
    """The fields of Tensor, what its source defines, what is bound to it: in this order, the last by name."""
    lines = [f"{INDENT}__slots__: tuple[str, ...]", *fields(cls)]
    defined = [method for method in cls.body if isinstance(method, ast.FunctionDef)]
    for method in defined:
        lines += function(method, INDENT)
    written_there = {method.name for method in defined}
    on_class = {
        "__new__",
        "_make_subclass",
        "_make_wrapper_subclass",
    }  # called on the class; `__init__` says what the constructor takes
    for name in sorted(vars(Tensor).keys() - written_there - on_class):
        lines += bound(name, vars(Tensor)[name])
    return lines


def bound(name: str, value: Any) -> list[str]:
    """What is bound to Tensor under a name: a method of a card, an in-place form, a function, a property."""
    operator = REGISTRY.get(name)
    if isinstance(value, InPlaceOp):
        forms = forms_of(name, value, method=True)
        return definitions(name, in_place(forms), INDENT)
    if operator is not None and operator.method:
        function = operator.body if isinstance(operator, Composite) else operator
        return definitions(name, forms_of(name, function, method=True), INDENT)
    if isinstance(value, property):
        return list(property_lines(name, value))
    if not hasattr(value, "__code__"):  # a mark for NumPy, or what the interpreter gives to every class
        mark = "None" if value is None else spelled(type(value).__name__)
        return [f"{INDENT}{name}: {mark}"] if name in METHODS else []
    forms = forms_of(name, value, method=True, listed=operator is None)
    changes = name.endswith("_") and not name.startswith("__")
    return definitions(name, in_place(forms) if changes else forms, INDENT)


def in_place(forms: list[Signature]) -> list[Signature]:
    """The forms of a method that returns the tensor on which it is called."""
    return [form.replace(return_annotation="Self") for form in forms]


def property_lines(name: str, value: property) -> Iterator[str]:
    """A property, with its setter and deleter if it has them."""
    assert value.fget is not None
    kind = result_of(name, inspect.signature(value.fget), None)
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    yield f"{INDENT}@property"
    yield from definition(name, Signature([own], return_annotation=kind), INDENT)
    if value.fset is not None:
        new = Parameter("value", Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)
        yield f"{INDENT}@{name}.setter"
        yield from definition(name, Signature([own, new], return_annotation="None"), INDENT)


def return_types_stub() -> str:
    """The stub of `return_types`: the classes that its source makes."""
    body = [
        "def return_type(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]: ...",
        "def named(cls: Any, results: Any, out: Any) -> Any: ...",
    ]
    for name, cls in vars(return_types).items():
        if isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "__match_args__"):
            fields: tuple[str, ...] = getattr(cls, "__match_args__", ())
            kinds = [FIELDS.get((name, field), "Tensor") for field in fields]
            body += ["", f"class {name}(tuple[{', '.join(kinds)}]):"]
            body.append(f"{INDENT}__match_args__ = ({', '.join(map(quoted, fields))})")
            for field, kind in zip(fields, kinds):
                body += [f"{INDENT}@property", f"{INDENT}def {field}(self) -> {kind}: ..."]
    return "\n".join(["from typing import Any", "", f"from {base.__name__} import Tensor", "", *body]) + "\n"

"""For every public function there is a `def` of its name in the sources: grep finds it.

Another name of a function stands in the sources, too: `psi = digamma`, `import digamma as psi`,
`alias("absolute", abs)`, or for methods an entry of a table, `"type": type_`. Functions in place (`exp_`) are derived
from the operators' cards.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest

import wengert as wg
from wengert._core.calls.op import Op
from wengert._core.cards.card import REGISTRY
from wengert._core.cards.composed import Factory, PlainCase

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "wengert"
MODULES = """
    wengert amp autograd autograd.forward_ad autograd.functional autograd.graph compat.array_api compat.hips cuda
    distributed distributions fft func functional library linalg masked nn.functional nn.grad nn.init nn.utils
    nn.utils.parametrize nn.utils.rnn optim overrides profiler quasirandom random scipy serialization signal.windows
    sparse special testing utils utils.data viz
""".split()  # noqa: SIM905 - so that it can be read
OTHERWISE = {"embedding"}
"""The operator is `embedding_table` in the file where `embedding` is the function of `nn.functional`."""
NO_DEFS = {"is_pinned"}
"""Methods that are False for all tensors are one function, `no`."""
KINDS = (FunctionType, MethodType, Op, PlainCase, Factory)


@functools.cache
def tree_of(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


@functools.cache
def defs_of(path: str) -> dict[int, str]:
    """The functions of a file, nested ones included, by the line where they begin."""
    found = [node for node in ast.walk(tree_of(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return {min([node.lineno, *(line.lineno for line in node.decorator_list)]): node.name for node in found}


@functools.cache
def aliases() -> set[tuple[str, str]]:
    """All pairs of another name and a name that the sources give."""
    found: set[tuple[str, str]] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(tree_of(str(path))):
            found |= set(pairs_of(node))
    return found


def pairs_of(node: ast.AST) -> list[tuple[str, str]]:
    """The other names that a statement or call gives."""
    match node:
        case ast.ImportFrom(names=names):
            return [(alias.asname, alias.name) for alias in names if alias.asname]
        case ast.Assign(targets=targets, value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return [(target.id, name) for target in targets if isinstance(target, ast.Name)]
        case ast.Call(func=ast.Name(id="alias" | "bind"), args=[ast.Constant(value=other), ast.Name(id=name)]):
            return [(str(other), name)]
        case ast.Tuple(elts=[ast.Constant(value=str(other)), ast.Name(id=name)]):
            return [(other, name)]
        case ast.Dict(keys=keys, values=values):
            pairs = [(key, name_of(value)) for key, value in zip(keys, values)]
            return [(key.value, name) for key, name in pairs if name and isinstance(key, ast.Constant)]
    return []


def name_of(node: ast.expr) -> str:
    """The name, or the attribute's, that an expression consists of; empty for others."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def code_of(value: Any) -> CodeType | None:
    """The code of what is called in the end."""
    while not hasattr(value, "__code__") or hasattr(value, "__wrapped__"):
        for inner in ("__func__", "__wrapped__", "body"):
            if getattr(value, inner, None) is not None:
                value = getattr(value, inner)
                break
        else:
            return None
    return value.__code__


def has_def(name: str, value: Any) -> bool:
    """Whether a function, or that of which it is another name, is a `def` of its name."""
    if hasattr(value, "functional"):  # in place
        return True
    code = code_of(value)
    if code is None:
        return False
    compiled = not Path(code.co_filename).is_absolute()  # by Cython, which keeps the name of the function
    found = code.co_name if compiled else defs_of(code.co_filename).get(code.co_firstlineno, "")
    return name == found or (name, found) in aliases() or is_decorated(name, value)


def is_decorated(name: str, value: Any) -> bool:
    """Whether the module that a function says it is of has a decorated `def` of that name."""
    module = sys.modules.get(getattr(value, "__module__", ""))
    body = tree_of(str(module.__file__)).body if module is not None and module.__file__ else []
    return any(isinstance(node, ast.FunctionDef) and node.name == name and node.decorator_list for node in body)


def lacking(module: ModuleType) -> list[str]:
    """The public functions of a module that have no `def`."""
    listed = getattr(module, "__all__", None) or [name for name in dir(module) if name[0] != "_"]
    functions = {name: getattr(module, name) for name in listed}
    if module.__name__ == "wengert":  # where functions differ from their methods, one of both has the name
        functions.update({name: REGISTRY[name].body for name in functions if name in REGISTRY})
    return [name for name, value in functions.items() if isinstance(value, KINDS) and not has_def(name, value)]


def lacking_methods(cls: type) -> list[str]:
    """The public methods of a class that have no `def`; in-place forms apart."""
    names = [name for name in dir(cls) if name[0] != "_" and name[-1] != "_"]
    members = {name: getattr(cls, name) for name in names}
    return [name for name, value in members.items() if isinstance(value, KINDS) and not has_def(name, value)]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_is_a_def_of_its_name(name):
    module = importlib.import_module(name if name == "wengert" else f"wengert.{name}")
    assert set(lacking(module)) <= OTHERWISE


@pytest.mark.parametrize("cls", [wg.Tensor, wg.UntypedStorage, wg.TypedStorage, wg.nn.Module, wg.Generator, wg.Size])
def test_every_public_method_is_a_def_of_its_name(cls):
    assert set(lacking_methods(cls)) <= NO_DEFS


def test_a_method_that_a_function_makes_is_noticed():
    def make():
        def function(self):
            return self

        return function

    assert lacking_methods(type("Made", (), {"half": make(), "has_def": has_def, "make": make})) == ["half"]


def test_a_function_that_another_one_makes_is_noticed():
    def make(name):
        def function(x):
            return x

        function.__name__ = function.__qualname__ = name
        return function

    module = ModuleType("made")
    vars(module).update(conv9d=make("conv9d"), is_def=is_decorated, other=inspect.cleandoc)
    assert lacking(module) == ["conv9d", "is_def", "other"]
    vars(module).update(function=make("function"), is_decorated=is_decorated)
    assert lacking(module) == ["conv9d", "is_def", "other"]


def test_other_names_are_found_in_the_sources():
    assert {("psi", "digamma"), ("absolute", "abs"), ("hessian_vector_product", "hessian_tensor_product")} <= aliases()

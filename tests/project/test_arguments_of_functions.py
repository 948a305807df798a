"""Functions of the core take at most five arguments; those that take more are listed, and the list only shrinks."""

from __future__ import annotations

import ast
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "src" / "wengert" / "_core"
MOST = 5

FIXED = {"backward/passes.py::grad": 7, "cards/options.py::__init__": 6, "cards/plain_case.py::plain_case": 16}
"""The arguments of these are torch's, or the keywords of a declaration."""

MORE = {
    "aliasing/views.py::attach": 6,
    "calls/attempts.py::attempt_plain": 7,
    "calls/dispatch.py::new_node": 6,
    "calls/noted.py::function_results": 6,
    "calls/out.py::copied": 6,
    "calls/out.py::put": 10,
    "calls/unusual.py::tell": 6,
    "cards/arguments.py::check_typed": 6,
    "cards/arguments.py::overridden": 6,
    "cards/plain_case.py::with_plain_case": 7,
    "errors.py::modified_in_place": 7,
    "functions/function_call.py::finish": 6,
    "functions/function_call.py::place": 7,
    "functions/function_forward.py::attach": 6,
    "tensor/wrappers.py::wrapper": 6,
}
"""How many others take. Numbers may only go down."""


def count(function: ast.FunctionDef) -> int:
    """The arguments of a function without `self`; those that are gathered in a tuple or a dictionary count as one."""
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    own = names[:1] in (["self"], ["cls"])
    return len(names) - own + (arguments.vararg is not None) + (arguments.kwarg is not None)


def too_many(root: Path) -> dict[str, int]:
    """The functions below a folder that take more than `MOST` arguments."""
    numbers: dict[str, int] = {}
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and count(node) > MOST:
                numbers[f"{path.relative_to(root).as_posix()}::{node.name}"] = count(node)
    return numbers


def test_functions_of_the_core_take_at_most_five_arguments():
    assert {name: number for name, number in too_many(CORE).items() if number > {**FIXED, **MORE}.get(name, MOST)} == {}


def test_no_entry_of_the_list_is_larger_than_it_has_to_be():
    numbers = too_many(CORE)
    assert {name: number for name, number in {**FIXED, **MORE}.items() if numbers.get(name, 0) < number} == {}


def test_the_engine_keeps_the_limit():
    rooms = {"backward", "leaves", "recording", "writes"}
    assert {name for name in MORE if name.partition("/")[0] in rooms} == set()


def test_a_function_with_more_is_found(tmp_path):
    (tmp_path / "room").mkdir()
    text = "class A:\n    def f(self, a, b, c, *, d, e): pass\n    def g(self, a, b, c, d, *e, **f): pass\n"
    (tmp_path / "room" / "a.py").write_text(text, encoding="utf-8")
    assert too_many(tmp_path) == {"room/a.py::g": 6}

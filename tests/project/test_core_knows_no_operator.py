"""The core names no operator: what holds for one of them alone stands on its card."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

import wengert
from wengert._core.cards.card import load_all
from wengert._core.cards.options import DEFAULTS
from wengert.testing.calls import operators

CORE = Path(wengert.__file__).parent / "_core"

OTHERWISE: dict[str, tuple[Collection[str], str]] = {
    "cards/filling.py": (DEFAULTS, "options of cards"),
    "cards/options.py": (DEFAULTS, "options of cards"),
    "tensor/standins.py": (dir(np.ndarray), "methods of NumPy's arrays, which those that stand in refuse"),
    "tensor/postponed.py": (dir(np.ndarray), "methods of NumPy's arrays, which give views or read"),
}
"""Files whose words are names of something else: which words, and of what."""
MODES, PARAMETER = "how a loss is reduced", "a parameter of torch's functions"
ALLOWED = {
    ("cards/saved_fields.py", "diagonal"): PARAMETER,
    ("cards/saved_fields.py", "index"): PARAMETER,
    ("cards/saved_fields.py", "mean"): MODES,
    ("cards/saved_fields.py", "pad"): PARAMETER,
    ("cards/saved_fields.py", "sum"): MODES,
    ("leaves/accumulate.py", "add_"): "what profiles call the addition of gradients, as torch's do",
    ("types/dtypes.py", "complex"): "a kind of numbers",
    ("types/dtypes.py", "to"): PARAMETER,
}
"""Single words, each with what it is instead."""


def words_of(name: str) -> set[str]:
    """The words that name an operator: its own name, that of its in-place form, both without what is in front."""
    bare = name.strip("_")
    return {name, bare, f"{bare}_", f"{name}_"}


def named_operators() -> set[str]:
    """The words that name operators of any family."""
    return set().union(*(words_of(name) for name in {*load_all(), *operators()}))


def is_excluded(statement: ast.AST) -> bool:
    """Whether a statement holds no words of a program: a docstring, or the fields of a class."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(each, ast.Name) and each.id == "__slots__" for each in targets)


def constants(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The string constants of a file with their lines; of a list that is written as one text its words."""
    for child in ast.iter_child_nodes(tree):
        if is_excluded(child):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        if isinstance(child, ast.Attribute) and child.attr == "split" and isinstance(child.value, ast.Constant):
            yield from ((child.lineno, word) for word in str(child.value.value).split())
        yield from constants(child)


def found(source: str, named: set[str]) -> list[tuple[int, str]]:
    """The lines of a file that name an operator, each with the name."""
    return [(line, word) for line, word in constants(ast.parse(source)) if word in named]


@pytest.fixture(scope="module")
def named() -> set[str]:
    return named_operators()


def test_no_file_of_the_core_names_an_operator(named: set[str]):
    wrong = []
    for path in sorted(CORE.rglob("*.py")):
        file = path.relative_to(CORE).as_posix()
        for line, word in found(path.read_text(encoding="utf-8"), named):
            if word not in OTHERWISE.get(file, ((), ""))[0] and (file, word) not in ALLOWED:
                wrong.append(f"_core/{file}:{line}: {word!r}")
    print(f"{len(wrong)} names of operators in the core")
    assert not wrong, "say on the card what holds for an operator:\n" + "\n".join(wrong)


def test_what_is_listed_as_something_else_is_still_there(named: set[str]):
    for file in OTHERWISE:
        assert found((CORE / file).read_text(encoding="utf-8"), named), file
    for file, word in ALLOWED:
        assert word in {each for _, each in found((CORE / file).read_text(encoding="utf-8"), named)}, (file, word)


@pytest.mark.parametrize(
    "source",
    [
        'if op.name == "index_put":\n    pass',
        'ONES = ("squeeze", "nothing")',
        'ONES = """nothing squeeze""".split()',
        'ONES = {"nothing": 1, "add_": 2}',
    ],
)
def test_a_planted_name_is_found(source: str, named: set[str]):
    assert len(found(source, named)) == 1


@pytest.mark.parametrize(
    "source", ['"""squeeze"""', 'x = "squeeze it"', '__slots__ = ("view", "log")', 'def add():\n    """add"""']
)
def test_other_words_are_not_taken_for_names(source: str, named: set[str]):
    assert not found(source, named)

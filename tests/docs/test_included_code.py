"""The code that documents show is that of the source, and the tool that keeps it so notices what differs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
import functools

@functools.cache
def first(x):
    """One line.

    And more.
    """
    return x


class Box:
    def fill(self) -> int:
        """Fill it."""
        return 1  # comment

    def empty(self) -> None:
        pass


first.register(
    lambda x: x,
)
'''


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("tool_include_code", ROOT / "tools" / "include_code.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    """A tree with one source file; a function writes a page that shows something of it."""
    (tmp_path / "source.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "docs").mkdir()

    def write(names, text=""):
        page = tmp_path / "docs" / "page.md"
        page.write_text(
            f"Before.\n\n<!-- code: source.py: {names} -->\n```python\n{text}```\n\nAfter.\n", encoding="utf-8"
        )
        return page

    return write


def block(text):
    return text.partition("```python\n")[2].partition("```")[0]


def test_documents_show_the_code_of_the_source(tool):
    assert {path.relative_to(ROOT).as_posix() for path in tool.stale(ROOT)} == set()


def test_the_design_shows_the_loop_and_a_card(tool):
    shown = {match["names"] for match in tool.BLOCK.finditer((ROOT / "docs" / "design.md").read_text(encoding="utf-8"))}
    assert any("Sweep.run" in names for names in shown)
    assert any("mul.partials" in names for names in shown)


def test_a_function_is_shown_with_its_decorator_and_the_first_line_of_its_docstring(tool, tree):
    page = tree("first")
    assert block(tool.stale(page.parents[1])[page]) == (
        '@functools.cache\ndef first(x):\n    """One line. ..."""\n    return x\n'
    )


def test_methods_are_shown_in_their_class(tool, tree):
    page = tree("Box.empty, Box.fill")
    assert block(tool.stale(page.parents[1])[page]) == (
        "class Box:\n    def empty(self) -> None:\n        pass\n\n"
        '    def fill(self) -> int:\n        """Fill it."""\n        return 1  # comment\n'
    )


def test_a_statement_is_found_by_what_it_calls(tool, tree):
    page = tree("first.register")
    assert block(tool.stale(page.parents[1])[page]) == "first.register(\n    lambda x: x,\n)\n"


def test_what_differs_is_noticed_and_what_is_equal_is_not(tool, tree):
    page = tree("Box.empty", "class Box:\n    def empty(self) -> None:\n        pass\n")
    assert tool.stale(page.parents[1]) == {}
    page = tree("Box.empty", "class Box:\n    def empty(self) -> None:\n        return\n")
    assert list(tool.stale(page.parents[1])) == [page]


def test_the_text_around_a_block_stays(tool, tree):
    text = tool.stale(tree("Box.fill").parents[1]).popitem()[1]
    assert text.startswith("Before.\n\n<!-- code: source.py: Box.fill -->\n```python\n")
    assert text.endswith("```\n\nAfter.\n")


def test_code_that_is_not_there_is_an_error(tool, tree):
    with pytest.raises(tool.MissingError, match=r"Box\.lost"):
        tool.stale(tree("Box.lost").parents[1])

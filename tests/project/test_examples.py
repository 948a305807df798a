"""The examples of the documentation are found and run, and a wrong one is noticed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name: str):
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = load_tool("check_examples")


def test_the_page_that_everybody_reads_first_has_examples():
    assert any(name == "README.md" and ">>>" in text for name, _, _, text, _ in examples.collect(ROOT))


def test_a_right_and_a_wrong_example_of_a_page_are_told_apart(tmp_path, capsys):
    (tmp_path / "README.md").write_text(
        "```python\n>>> 1 + 1\n2\n```\nand\n```python\n>>> 1 + 2\n4\n```\n", encoding="utf-8"
    )
    assert examples.run(tmp_path) == (1, 2)
    assert "Expected" in capsys.readouterr().out


def test_an_example_in_the_docstring_of_a_method_is_found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        'class A:\n    def f(self):\n        """Do.\n\n        >>> 1\n        1\n        """\n', encoding="utf-8"
    )
    assert [(name, line) for name, line, _ in examples.docstrings(path)] == [("f", 3)]

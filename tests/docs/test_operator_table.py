"""The table of operators in the documentation is made from the cards as they are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("make_operator_docs", ROOT / "tools" / "make_operator_docs.py")
assert spec is not None and spec.loader is not None
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)


def test_the_table_is_fresh():
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "run tools/make_operator_docs.py"


def test_the_table_names_every_operator_once():
    page = docs.page()
    for name in docs.cards.REGISTRY:
        assert page.count(f"| `{name}` |") == 1


def test_an_operator_without_derivative_tells_why():
    assert "| `eq` | F M | none: " in docs.page()

"""The table of operators in the documentation is made from the cards as they are."""

from __future__ import annotations

from tools.pages import operators


def test_the_table_names_every_operator_once():
    page = operators.page()
    for name in operators.cards.REGISTRY:
        assert page.count(f"| `{name}` |") == 1


def test_an_operator_without_derivative_tells_why():
    assert "| `eq` | F M | none: " in operators.page()

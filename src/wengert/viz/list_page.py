"""The page that shows the lists of a compiled function: their entries, memory and times."""

from functools import cache
from typing import Any

from wengert.viz.page_text import fill_page, join_scripts

__all__ = ["write_lists_page"]

PARTS = ("words", "theme", "lists")


def write_lists_page(explained: dict[str, Any]) -> str:
    """Return the text of the page.

    Args:
        explained: What `wengert.compiler.explain(...).to_dict()` returns.
    """
    return fill_page("lists.html", script(), {**explained, "strings": []})


@cache
def script() -> str:
    """Return the script of the page."""
    return join_scripts((), PARTS)

"""The table of contents of the site, read from the tables of `docs/index.md`: no page is listed a second time."""

from __future__ import annotations

import posixpath
import re

INDEX = "docs/index"
"""The page with the tables, which is the root of the site."""

MADE = {
    "How-to": ("docs/made/gallery",),
    "Reference": ("docs/made/api/index", "docs/made/operators", "docs/made/coverage", "docs/made/missing_names"),
}
"""Pages that the build makes, after those of a section of the index."""


def sections(index: str) -> dict[str, list[str]]:
    """The pages that each section of the index lists, as Sphinx names them: paths from the root, without suffix.

    Args:
        index: the text of `docs/index.md`.
    """
    result: dict[str, list[str]] = {}
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        pages = re.findall(r"^\| \[[^\]]*\]\(([^)#]*)\.md\)", part, re.MULTILINE)
        if pages:
            result[part.partition("\n")[0]] = [posixpath.normpath(posixpath.join("docs", page)) for page in pages]
    return result


def with_contents(index: str) -> str:
    """The index with what Sphinx makes the table of contents of, after its text.

    Args:
        index: the text of `docs/index.md`.
    """
    parts = [index]
    for caption, pages in sections(index).items():
        listed = "\n".join(f"/{page}" for page in (*pages, *MADE.get(caption, ())))
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n")
    return "\n".join(parts)

"""How Sphinx makes the documentation site (`make docs`): from the pages as they lie in the repository, and from pages
of the API and pictures that are made when it begins (`tools/pages`), in `docs/made`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import wengert  # noqa: E402
from tools.pages import (  # noqa: E402
    contents,
    coverage,
    docstrings,
    missing_names,
    notebooks,
    operators,
    pictures,
    reference,
)
from wengert._start import missing  # noqa: E402
from wengert.testing import coverage as checks  # noqa: E402

MADE = ROOT / "docs" / "made"

project = "wengert"
author = "The wengert developers"
version = release = wengert.__version__
root_doc = contents.INDEX
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "docs/howto/*.md",
    "docs/made/**.rst",
    "docs/made/*.md",
    "src/wengert/**/README.md",
]
exclude_patterns = [".*", "build", "dist", "src/*.egg-info", "tests", "*-out"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]

# Links of Markdown pages to headings, named as Git forges name them.
myst_heading_anchors = 4

autodoc_preserve_defaults = True
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"wengert {release}"
html_extra_path = ["made/whole"]
html_copy_source = False


convert = docstrings.converter()
with_outputs: dict[str, str] = {}
"""The pages whose cells were run, by name."""


def make(app: Any, config: Any) -> None:
    """Make the pages and the pictures."""
    (MADE / "api").mkdir(parents=True, exist_ok=True)
    for name, text in reference.pages(convert).items():
        (MADE / "api" / f"{name}.rst").write_text(text, encoding="utf-8")
    tables = {
        "operators": operators.page(),
        "coverage": coverage.page(checks.table()),
        "missing_names": missing_names.page(missing.table()),
    }
    for name, text in tables.items():
        (MADE / f"{name}.md").write_text(text, encoding="utf-8")
    pages = notebooks.make(MADE)
    with_outputs.update((page.name, page.text) for page in pages)
    pictures.make(MADE, root_doc, pages)


def document(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Read a docstring."""
    lines[:] = convert("\n".join(lines)).splitlines()


def bases(app: Any, name: str, value: Any, options: Any, shown: list[Any]) -> None:
    """Name the bases of a class as programs know them."""
    shown[:] = reference.public_bases(value) or ["``object``"]


def resolve(app: Any, environment: Any, node: Any, content: Any) -> Any:
    """Leave as text what names something that no page describes; what names nothing is an error of the build."""
    known = node.get("refdomain") == "py" and docstrings.is_known(node["reftarget"], node.get("py:module"))
    return content if known else None


def read(app: Any, page: str, source: list[str]) -> None:
    """Give the index its table of contents, and pages of cells their outputs."""
    if page == contents.INDEX:
        source[0] = contents.with_contents(source[0])
    source[0] = with_outputs.get(page, source[0])


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.connect("config-inited", make)
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", document)
    app.connect("autodoc-process-bases", bases)
    app.connect("missing-reference", resolve)

"""Keep the code that documents show equal to the source: `tools/include_code.py [--check]`.

A block of Python in a Markdown file is taken from the source if a comment stands before it:

    <!-- code: src/wengert/_core/backward/engine.py: Sweep.run, Sweep.turn -->

It names a file and what of it is shown, in that order: functions, classes, methods (`Sweep.run`), or what a statement
calls (`mul.partials` for `mul.partials(...)`). Decorators belong to it; of a docstring the first line is shown. Without
an option the blocks are written anew; `--check` names the documents that differ from the source, and exits with 1 if
there is one.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "src/wengert/**/*.md")
BLOCK = re.compile(
    r"^(<!-- code: (?P<path>[^:\n]+): (?P<names>[^\n]+) -->\n```python\n)(?P<text>.*?)(?=^```$)", re.M | re.S
)
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


class MissingError(Exception):
    """A document names code that is not there."""


def pages(root: Path) -> list[Path]:
    """The documents that may show code."""
    return sorted(path for pattern in PAGES for path in root.glob(pattern))


def statement(body: list[ast.stmt], name: str) -> ast.stmt | None:
    """The definition of a name in a module or a class, or the statement that calls it; None if there is none."""
    first, _, rest = name.partition(".")
    for node in body:
        if isinstance(node, DEFINITIONS) and node.name == name:
            return node
        if isinstance(node, ast.ClassDef) and node.name == first and rest:
            return statement(node.body, rest)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == name:
            return node
    return None


def shown(source: str, node: ast.stmt) -> str:
    """The lines of a statement as a document shows them: not indented, of a docstring the first line."""
    start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    lines = source.splitlines()[: node.end_lineno]
    docstring = node.body[0] if isinstance(node, DEFINITIONS) and ast.get_docstring(node) else None
    if docstring is not None and docstring.end_lineno != docstring.lineno:
        lines[docstring.lineno - 1] += ' ..."""'
        del lines[docstring.lineno : docstring.end_lineno]
    return textwrap.dedent("\n".join(lines[start - 1 :]))


def code(path: Path, names: list[str]) -> str:
    """The text of a block: definitions of a file, with two empty lines between them as the formatter wants.

    Raises:
        MissingError: if the file has no such definition.
    """
    source = path.read_text(encoding="utf-8")
    nodes = []
    for name in names:
        node = statement(ast.parse(source).body, name)
        if node is None:
            raise MissingError(f"{path}: {name}")
        nodes.append(node)
    return "\n\n\n".join([shown(source, node) for node in nodes]) + "\n"


def rewritten(root: Path, text: str) -> str:
    """A document with its blocks made anew."""
    return BLOCK.sub(lambda block: block[1] + code(root / block["path"], block["names"].split(", ")), text)


def stale(root: Path) -> dict[Path, str]:
    """The documents that differ from the source, with the text that they should have."""
    before = {path: path.read_text(encoding="utf-8") for path in pages(root)}
    after = {path: rewritten(root, text) for path, text in before.items()}
    return {path: text for path, text in after.items() if text != before[path]}


def main(arguments: list[str]) -> int:
    """Write the blocks anew, or check them."""
    different = stale(ROOT)
    for path, text in different.items():
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} shows other code than the source; tools/include_code.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"rewrote {path.relative_to(ROOT)}")
    return 1 if different and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

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
from itertools import groupby
from operator import itemgetter
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
    for node in body:
        if isinstance(node, DEFINITIONS) and node.name == name:
            return node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == name:
            return node
    return None


def shown(source: str, node: ast.stmt) -> str:
    """The lines of a statement as a document shows them: of a docstring the first one."""
    start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    lines = source.splitlines()[: node.end_lineno]
    docstring = node.body[0] if isinstance(node, DEFINITIONS) and ast.get_docstring(node) else None
    if docstring is not None and docstring.end_lineno != docstring.lineno:
        lines[docstring.lineno - 1] += ' ..."""'
        del lines[docstring.lineno : docstring.end_lineno]
    return "\n".join(lines[start - 1 :])


def piece(source: str, name: str) -> tuple[str, str]:
    """The line that opens the class of a method, empty for all else, and the lines that a name stands for.

    Raises:
        MissingError: if there is no such definition.
    """
    module = ast.parse(source).body
    node = statement(module, name)
    if node is not None:
        return "", shown(source, node)
    outer, _, inner = name.partition(".")
    owner = statement(module, outer)
    node = statement(owner.body, inner) if isinstance(owner, ast.ClassDef) else None
    if owner is None or node is None:
        raise MissingError(name)
    return source.splitlines()[owner.lineno - 1] + "\n", shown(source, node)


def code(path: Path, names: list[str]) -> str:
    """What a block shows of a file: methods in their class, of which nothing else is shown."""
    source = path.read_text(encoding="utf-8")
    parts: list[str] = []
    for opening, pieces in groupby([piece(source, name) for name in names], key=itemgetter(0)):
        texts = [text for _, text in pieces]
        parts += [opening + "\n\n".join(texts)] if opening else texts
    return "\n\n\n".join(parts) + "\n"


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

"""Run the examples of the documentation: README, CONTRIBUTING, `docs/*.md` and every docstring of the package.

`python tools/check_examples.py [-v]` runs each as a doctest and exits with 1 if one fails. Docstrings are taken from
the source, not from the imported objects: the operators and the compiled modules would hide theirs from `doctest`.
Their examples see the names of their module, and `wg`, `np`.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def docstrings(path: Path) -> Iterator[tuple[str, int, str]]:
    """The docstrings in a file that hold an example: (name of the object, line, text)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node, clean=True)
        if text and ">>>" in text:
            yield getattr(node, "name", "module"), node.body[0].lineno, text


def module_name(path: Path, source: Path) -> str:
    """The name by which a file below the folder `source` is imported."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    return ".".join(part for part in parts if part not in ("__init__", "_torch"))  # `wengert.cuda` lies in `_torch`


def collect(root: Path) -> Iterator[tuple[str, str, int, str, str | None]]:
    """All texts with examples below `root`: (name, file, line, text, module whose names they see)."""
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            yield path.name, str(path), 0, path.read_text(encoding="utf-8"), None
    source = root / "src"
    for path in sorted(source.rglob("*.py")):
        for name, line, text in docstrings(path):
            module = module_name(path, source)
            yield f"{module}.{name}", str(path), line, text, module


def strip_fences(text: str) -> str:
    """The text with the closing fences of Markdown blanked: doctest would take them for output."""
    return "\n".join("" if line.strip().startswith("```") else line for line in text.split("\n"))


def run(root: Path, *, verbose: bool = False) -> tuple[int, int]:
    """Run every example below `root`; return how many failed and how many there were."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=verbose, optionflags=FLAGS)
    for name, file, line, text, module in collect(root):
        names = {"wg": importlib.import_module("wengert"), "np": importlib.import_module("numpy")}
        if module is not None:
            names = {**names, **vars(importlib.import_module(module))}
        runner.run(parser.get_doctest(strip_fences(text), names, name, file, line))
    return runner.failures, runner.tries


def main() -> int:
    """Run the examples of this tree."""
    failed, tried = run(ROOT, verbose="-v" in sys.argv[1:])
    print(f"examples: {failed} of {tried} failed" if failed else f"examples: {tried} run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

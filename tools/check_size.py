"""Files stay short enough to be read at one sitting, functions short enough to be seen at once.

`python tools/check_size.py` checks every source file below `src`, `tests`, `tools` and `benchmarks`: at most 800
lines a file, at most 40 lines a function (its decorators and signature included, its docstring not: nobody should
write less documentation to stay short), in Python and in C++. What is longer must stand in `tools/size_ratchet.txt`
with its length, which may only shrink: a thing that grew beyond its entry fails, and so does an entry that is larger
than the thing has become. `--update` lowers entries and drops those no longer needed; it never raises or adds one.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "benchmarks")
ENDINGS = (".py", ".pxd", ".cpp", ".hpp", ".inc")
FILE_LINES = 800
FUNCTION_LINES = 40
RATCHET = Path("tools", "size_ratchet.txt")
HEADING = "# Longer than the rule allows: `lines path` or `lines path::function`. Numbers may only go down.\n"

# The opening line of a C++ function: a name, a parameter list, a brace; no control flow, and no table of methods.
CPP_OPENING = re.compile(
    r"(?P<indent>\s*)(?!(?:\}\s*)?(?:else\s+)?(?:if|for|while|switch|Methods)\b).*?(?P<name>[\w~:]+)\s*\(.*\{\s*$", re.S
)


def python_functions(text: str) -> dict[str, int]:
    """The lengths of the functions in Python source without their docstrings, by qualified name."""
    lengths: dict[str, int] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}."
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                length = (child.end_lineno or first) - first + 1
                if ast.get_docstring(child) is not None:
                    length -= (child.body[0].end_lineno or 0) - child.body[0].lineno + 1
                lengths[name[:-1]] = max(length, lengths.get(name[:-1], 0))
            walk(child, name)

    walk(ast.parse(text), "")
    return lengths


def cpp_functions(text: str) -> dict[str, int]:
    """The lengths of the functions in C++ source, by name: from the opening to the brace of the same indentation."""
    lengths: dict[str, int] = {}
    lines = text.splitlines()
    for row, line in enumerate(lines):
        if not line.rstrip().endswith("{"):
            continue
        start, opening = row, line
        while start and opening.count(")") > opening.count("("):  # a parameter list of several lines
            start, opening = start - 1, lines[start - 1] + "\n" + opening
        match = CPP_OPENING.match(opening)
        if match:
            closing = match["indent"] + "}"
            end = next((later for later in range(row + 1, len(lines)) if lines[later].startswith(closing)), row)
            lengths[match["name"]] = max(end - start + 1, lengths.get(match["name"], 0))
    return lengths


def too_long(root: Path) -> dict[str, int]:
    """Everything below `root` that exceeds the rule: `path` or `path::function` to its number of lines."""
    sizes = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in ENDINGS or not path.is_file():
                continue
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
            lines = len(text.splitlines())
            if lines > FILE_LINES:
                sizes[name] = lines
            if path.suffix != ".pxd":
                functions = python_functions(text) if path.suffix == ".py" else cpp_functions(text)
                sizes.update({f"{name}::{key}": size for key, size in functions.items() if size > FUNCTION_LINES})
    return sizes


def read_ratchet(path: Path) -> dict[str, int]:
    """The exceptions in force; none where there is no such file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pairs = (line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: int(size) for size, name in pairs}


def compare(sizes: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """What is wrong: things too long without an entry or beyond it, and entries larger than they need to be."""
    messages = []
    for name, size in sizes.items():
        limit = FUNCTION_LINES if "::" in name else FILE_LINES
        if name not in allowed:
            messages.append(f"{name}: {size} lines; the limit is {limit}. Split it.")
        elif size > allowed[name]:
            messages.append(f"{name}: grew from {allowed[name]} to {size} lines; the limit is {limit}. Split it.")
        elif size < allowed[name]:
            messages.append(f"{name}: shrank from {allowed[name]} to {size} lines; run tools/check_size.py --update")
    messages += [
        f"{name}: needs no exception any more; run tools/check_size.py --update" for name in allowed.keys() - sizes
    ]
    return messages


def update(path: Path, sizes: dict[str, int], allowed: dict[str, int]) -> None:
    """Lower the entries to what the things have become, drop those that are not needed."""
    kept = {name: min(size, sizes[name]) for name, size in allowed.items() if name in sizes}
    path.write_text(HEADING + "".join(f"{size} {name}\n" for name, size in sorted(kept.items())), encoding="utf-8")


def main() -> int:
    """Check the tree, print what is wrong."""
    sizes, allowed = too_long(ROOT), read_ratchet(ROOT / RATCHET)
    if "--update" in sys.argv[1:]:
        update(ROOT / RATCHET, sizes, allowed)
        allowed = read_ratchet(ROOT / RATCHET)
    messages = compare(sizes, allowed)
    print(*messages, sep="\n", end="\n" if messages else "")
    print(f"sizes: {len(messages)} breaches" if messages else f"sizes: kept ({len(allowed)} exceptions)")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())

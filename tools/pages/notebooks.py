"""Pages whose blocks of code run one after the other: the tutorial and the how-tos, as Markdown and as notebooks.

A block of Python in such a page is a cell. A block of text that follows it is what the cell prints, written by
`tools/notebooks.py --record` and compared at each run, with `...` for what varies. Pictures are drawn when the site is
built; the Markdown in the repository holds none.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import doctest
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
"""A cell and what it prints."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOTEBOOK_LINK = """\
```{{raw}} html
<p><a href="{up}notebooks/{name}.ipynb" download>This page as a notebook</a></p>
```
"""


class PageError(Exception):
    """A cell failed, or printed something other than the page says."""


@dataclass
class Cell:
    """A part of a page.

    Attributes:
        source: the code, or the text between two blocks of code.
        is_code: whether it is code.
        line: the line of the page in which the code begins.
        expected: what the page says that the code prints; "" if nothing.
    """

    source: str
    is_code: bool = False
    line: int = 0
    expected: str = ""


@dataclass
class Output:
    """What a cell printed and drew.

    Attributes:
        text: standard output, and the value of the last expression.
        pictures: PNG files in base64.
        titles: the title of each picture.
    """

    text: str = ""
    pictures: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)


@dataclass
class Page:
    """A page whose cells were run.

    Attributes:
        name: the path from the root of the repository, without suffix.
        text: the page with outputs, pictures and a link to the notebook.
        pictures: the files of its pictures in the folder `notebooks`, and their titles.
    """

    name: str
    text: str
    pictures: list[tuple[str, str]]


def paths() -> list[Path]:
    """The pages, in the order of the site."""
    return [ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "howto").glob("*.md"))]


def cells_of(text: str) -> list[Cell]:
    """Split a page into text and code."""
    cells, end = [], 0
    for block in BLOCK.finditer(text):
        cells.append(Cell(text[end : block.start()]))
        line = text.count("\n", 0, block.start()) + 2
        cells.append(Cell(block[1], True, line, block[2] or ""))
        end = block.end()
    return [cell for cell in (*cells, Cell(text[end:])) if cell.source.strip()]


# ---- running ---------------------------------------------------------------------------------------------------------


def run(path: Path) -> tuple[list[Output], float]:
    """Run the cells of a page in a Python and a folder of their own.

    Returns:
        The output of each cell of code, and the seconds that they took together.

    Raises:
        PageError: if a cell raises.
    """
    search = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT), str(ROOT / "src")])
    environment = {**os.environ, "PYTHONPATH": search, "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "tools.pages.notebooks", str(path), str(result)]
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
        seconds = time.perf_counter() - begun
        if done.returncode:
            raise PageError(f"{path.relative_to(ROOT)}: {done.stderr.partition('in execute')[2] or done.stderr}")
        return [Output(**output) for output in json.loads(result.read_text(encoding="utf-8"))], seconds


def run_here(cells: Sequence[Cell]) -> Iterator[Output]:
    """Run the cells of code in this process, as a program of their own."""
    program = types.ModuleType("__main__")
    sys.modules["__main__"] = program
    code = (cell for cell in cells if cell.is_code)
    for number, cell in enumerate(code, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
            try:
                execute(cell.source, f"cell_{number}", vars(program))
            except Exception as error:
                error.add_note(f"cell_{number} begins in line {cell.line} of the page.")
                raise
        yield Output(printed.getvalue(), *pictures())


def execute(source: str, filename: str, names: dict[str, Any]) -> None:
    """Execute a cell; print the value of its last expression, as an interactive Python does."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    tree = ast.parse(source, filename)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, filename, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), filename, "eval"), names)
        if value is not None:
            print(repr(value))


def pictures() -> tuple[list[str], list[str]]:
    """Take the figures that are open: as PNG, and their titles."""
    if "matplotlib.pyplot" not in sys.modules:
        return [], []
    from matplotlib import pyplot

    files, titles = [], []
    for number in pyplot.get_fignums():
        figure, file = pyplot.figure(number), io.BytesIO()
        figure.savefig(file, format="png", dpi=90, bbox_inches="tight", metadata={"Software": None})
        files.append(base64.b64encode(file.getvalue()).decode())
        titles.append(figure.get_suptitle() or next((axes.get_title() for axes in figure.axes), ""))
    pyplot.close("all")
    return files, titles


def differences(path: Path, cells: Sequence[Cell], outputs: Sequence[Output]) -> list[str]:
    """Where cells printed something other than the page says."""
    checker, texts = doctest.OutputChecker(), []
    for cell, output in zip((cell for cell in cells if cell.is_code), outputs, strict=True):
        if not checker.check_output(cell.expected, output.text, FLAGS):
            place = f"{path.relative_to(ROOT)}, line {cell.line}"
            texts.append(f"{place}: the page says\n{cell.expected}\nthe cell printed\n{output.text}")
    return texts


# ---- writing ---------------------------------------------------------------------------------------------------------


def recorded(text: str, outputs: Sequence[Output]) -> str:
    """The page with what its cells printed; what agrees already, by its `...`, stays."""
    left = iter(outputs)

    def with_output(block: re.Match[str]) -> str:
        printed = next(left).text
        if doctest.OutputChecker().check_output(block[2] or "", printed, FLAGS):
            printed = block[2] or ""
        return f"```python\n{block[1]}```\n" + (f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else "")

    return BLOCK.sub(with_output, text)


def as_page(name: str, cells: Sequence[Cell], outputs: Sequence[Output], up: str) -> str:
    """The page as the site shows it: with pictures, and a link to the notebook.

    Args:
        name: the name of the notebook and of the pictures.
        cells: of the page.
        outputs: of the cells of code.
        up: the way from the page to the root of the site.
    """
    parts, left = [], iter(outputs)
    for cell in cells:
        if not cell.is_code:
            parts.append(cell.source)
            continue
        output = next(left)
        parts.append(f"```python\n{cell.source}```\n")
        if output.text.strip():
            parts.append(f"```text\n{output.text.rstrip()}\n```\n")
        for at, title in enumerate(output.titles):
            parts.append(f"![{title}](/docs/made/notebooks/{picture_name(name, cell, at)})\n")
    return "\n".join([*parts, NOTEBOOK_LINK.format(up=up, name=name)])


def picture_name(name: str, cell: Cell, at: int) -> str:
    """The file of a picture that a cell drew."""
    return f"{name}_{cell.line}_{at}.png"


def as_notebook(cells: Sequence[Cell], outputs: Sequence[Output]) -> dict[str, Any]:
    """The page as a Jupyter notebook (nbformat 4.5); links to other pages become plain text."""
    entries, left, count = [], iter(outputs), 0
    for at, cell in enumerate(cells):
        entry: dict[str, Any] = {"id": f"cell-{at}", "metadata": {}}
        if cell.is_code:
            count += 1
            entry |= {"cell_type": "code", "execution_count": count, "outputs": notebook_outputs(next(left))}
            source = cell.source
        else:
            entry["cell_type"] = "markdown"
            source = re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", cell.source)
        entries.append(entry | {"source": source.strip("\n").splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": entries}


def notebook_outputs(output: Output) -> list[dict[str, Any]]:
    """What a cell printed and drew, as a notebook keeps it."""
    shown: list[dict[str, Any]] = []
    if output.text:
        shown.append({"output_type": "stream", "name": "stdout", "text": output.text.splitlines(keepends=True)})
    for picture, title in zip(output.pictures, output.titles, strict=True):
        data = {"image/png": picture, "text/plain": [title]}
        shown.append({"output_type": "display_data", "data": data, "metadata": {}})
    return shown


def make(folder: Path) -> list[Page]:
    """Run all pages; write pictures and notebooks.

    Args:
        folder: for pictures (in `notebooks`) and notebooks (in `whole/notebooks`, which the site takes as it is).

    Raises:
        PageError: if a cell raises, or prints something other than the page says.
    """
    for subfolder in (folder / "notebooks", folder / "whole" / "notebooks"):
        subfolder.mkdir(parents=True, exist_ok=True)
    return [make_page(path, folder) for path in paths()]


def make_page(path: Path, folder: Path) -> Page:
    """The same for one page."""
    cells = cells_of(path.read_text(encoding="utf-8"))
    outputs, _ = run(path)
    if wrong := differences(path, cells, outputs):
        raise PageError("\n".join(wrong))
    titles = []
    for cell, output in zip((cell for cell in cells if cell.is_code), outputs, strict=True):
        for at, (picture, title) in enumerate(zip(output.pictures, output.titles, strict=True)):
            file = picture_name(path.stem, cell, at)
            (folder / "notebooks" / file).write_bytes(base64.b64decode(picture))
            titles.append((file, title))
    notebook = json.dumps(as_notebook(cells, outputs), ensure_ascii=False, indent=1)
    (folder / "whole" / "notebooks" / f"{path.stem}.ipynb").write_text(f"{notebook}\n", encoding="utf-8")
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    return Page(name, as_page(path.stem, cells, outputs, "../" * name.count("/")), titles)


def main() -> None:
    """Run one page here, and leave its outputs in a file."""
    page, result = map(Path, sys.argv[1:])
    outputs = [vars(output) for output in run_here(cells_of(page.read_text(encoding="utf-8")))]
    result.write_text(json.dumps(outputs), encoding="utf-8")


if __name__ == "__main__":
    main()

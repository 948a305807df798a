"""Tracebacks of mistakes in IPython and in notebooks: the lines of the program and one frame of the package."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import wengert as wg

pytest.importorskip("IPython", reason="IPython is not among the packages of the tests")

SCRIPT = """
import wengert as wg

def scaled(x):
    return x @ wg.ones({})

scaled(wg.ones(2, 2) + wg.ones({}))
"""
MISTAKES = {
    "operator": ("wg.ones(3) + wg.ones(4)", "__add__", "The size of tensor a (3)"),
    "missing argument": ("wg.add(wg.ones(3))", "add", "missing 1 required positional argument"),
    "layer": ("wg.nn.Linear(2, 3)(wg.ones(4))", "forward", "mat1 and mat2 shapes cannot be multiplied"),
    "constructor": ("wg.nn.Conv2d(4, 6, 3, groups=3)", "__init__", "divisible by groups"),
    "constructor without an argument": ("wg.nn.Conv2d(4, 6)", "__init__", "missing 1 required positional argument"),
    "optimiser": ("wg.optim.SGD([3], lr=0.1)", "__init__", "can only optimize Tensors"),
    "backward twice": (
        "y = (wg.ones(3, requires_grad=True) ** 2).sum(); y.backward(); y.backward()",
        "backward",
        "second",
    ),
    "transform": ("wg.func.vmap(lambda x: x + wg.ones(4))(wg.ones(2, 3))", "__add__", "The size of tensor a (3)"),
    "file": ("wg.load(3)", "load", "must be the name of a file"),
}
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FRAME = re.compile(r"^(?:File |  File |Cell In|  Cell In)", re.MULTILINE)


def environment(folder: os.PathLike[str]) -> dict[str, str]:
    """One in which nothing of the user's IPython is read."""
    place = os.path.dirname(os.path.dirname(wg.__file__))
    return {**os.environ, "HOME": str(folder), "IPYTHONDIR": str(folder), "NO_COLOR": "1", "PYTHONPATH": place}


def printed(cells: list[str], folder: os.PathLike[str]) -> list[str]:
    """What IPython prints for each of several cells."""
    program = f"""
import warnings
from IPython.core.interactiveshell import InteractiveShell
warnings.simplefilter("ignore")
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
for cell in {cells!r}:
    shell.run_cell(cell)
    print("END OF CELL")
"""
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment(folder), cwd=folder)
    return COLOURS.sub("", done.stdout).split("END OF CELL\n")[:-1]


def frames_of(line: str) -> int:
    """How many frames a mistake shows: its line and one of the package; with `vmap` the function under it, too."""
    return 4 if "vmap" in line else 2


def check(text: str, most: int, name: str, says: str) -> None:
    """At most so many frames are shown; the last is the package's and names what was called."""
    frames = [text[found.start() :].partition("\n")[0] for found in FRAME.finditer(text)]
    assert 2 <= len(frames) <= most, text
    assert name in frames[-1] and f"{os.sep}wengert{os.sep}" in frames[-1], text
    assert not [frame for frame in frames[:-1] if "_boundary" in frame or "_core" in frame], text
    assert says in text and "another exception" not in text and "direct cause" not in text, text


@pytest.mark.parametrize("mode", ["Context", "Plain", "Verbose"])
def test_cells_and_scripts_show_their_lines_and_one_frame(mode: str, tmp_path):
    (tmp_path / "wide.py").write_text(SCRIPT.format("2, 3", "2, 5"))
    (tmp_path / "deep.py").write_text(SCRIPT.format("3, 3", "2, 2"))
    cells = [f"%xmode {mode}", "import wengert as wg", *(line for line, _, _ in MISTAKES.values())]
    texts = printed([*cells, "%run wide.py", "%run deep.py"], tmp_path)
    for text, (line, name, says) in zip(texts[2:], MISTAKES.values(), strict=False):
        check(text, frames_of(line), name, says)
    check(texts[-2], 2, "__add__", "The size of tensor a (2)")
    check(texts[-1], 3, "__matmul__", "cannot be multiplied")


def test_a_command_shows_its_line_and_one_frame(tmp_path):
    line, name, says = MISTAKES["constructor"]
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "IPython",
        "--colors=NoColor",
        "-c",
        f"import wengert as wg; {line}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(tmp_path))
    check(COLOURS.sub("", done.stdout + done.stderr), 2, name, says)


def test_notebooks_show_their_line_and_one_frame(tmp_path, monkeypatch):
    client = pytest.importorskip("nbclient", reason="nbclient is not among the packages of the tests")
    nbformat = pytest.importorskip("nbformat")
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    lines = [line for line, _, _ in MISTAKES.values()]
    cells = [nbformat.v4.new_code_cell(line) for line in ["import wengert as wg", *lines]]
    book = nbformat.v4.new_notebook(cells=cells)
    client.NotebookClient(book, allow_errors=True, timeout=60, kernel_name="python3").execute()
    for cell, (line, name, says) in zip(book.cells[1:], MISTAKES.values(), strict=True):
        (output,) = [each for each in cell.outputs if each.output_type == "error"]
        check(COLOURS.sub("", "\n".join(output.traceback)), frames_of(line), name, says)

"""The page on adding an operator, followed to the letter: a copy of the tree is edited so, built and tested."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding_an_operator.md"
HEADING = "## A pointwise operator with a fast kernel, step by step\n"
STEP = re.compile(r"^\d\. (.*?)(?=^\d\. |^Then )", re.MULTILINE | re.DOTALL)
COPIED = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "Makefile", "src", "tests", "tools", "docs")
BUILT = ("temp.*", "cython")
"""What of `build` is copied, so that only what follows from the edits is compiled again."""
TRY = """
import numpy as np
import wengert as wg
from wengert import _kernels
from wengert._start.build import BUILD
x = wg.tensor([1.0, -2.0, 4.0], requires_grad=True)
y = wg.inverse_square(x)
print(BUILD, y.tolist(), y.grad_fn)
(grad,) = wg.autograd.grad(y.sum(), x)
print(grad.tolist(), x.detach().inverse_square_().tolist())
print(_kernels.native.direct_inverse_square(np.float32([0.5])))
"""


def edits() -> dict[str, tuple[str, str]]:
    """The files that the page has one edit: each with the text after which it adds another, and that text."""
    section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    found = {}
    for step in STEP.findall(section):
        path = re.findall(r"`([\w./]+\.\w+)`", step)[0]
        after = re.search(r"after\s+the\s+row\s+of\s+`([^`]+)`", step)
        code = re.search(r"^   ```\n(.*?)^   ```", step, re.MULTILINE | re.DOTALL)
        text = re.sub(r"^   ", "", code[1], flags=re.MULTILINE) if code else ""
        found[path] = (after[1] if after else "", text)
    return found


def edit(path: Path, after: str, text: str) -> None:
    """Add a text to a file: behind the line that has `after`, or at the end."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if not after:
        lines += ["\n\n", text]
    else:
        (number,) = [number for number, line in enumerate(lines) if re.search(rf"[( ]{re.escape(after)}[,:]", line)]
        lines.insert(number + 1, text)
    path.write_text("".join(lines), encoding="utf-8")


def copy_of_the_tree(target: Path) -> None:
    """Copy what is built and tested, with its times, and what was built of it."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "made")
            shutil.copytree(ROOT / name, target / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, target / name)
    for pattern in BUILT:
        for folder in (ROOT / "build").glob(pattern):
            shutil.copytree(folder, target / "build" / folder.name)


def test_the_page_edits_four_files() -> None:
    found = edits()
    assert [Path(path).name for path in found] == ["unary.py", "pointwise.inc", "formulas.py", "CHANGELOG.md"]
    for path, (after, text) in found.items():
        assert (ROOT / path).is_file() and bool(text) == (path != "CHANGELOG.md")
        assert after in (ROOT / path).read_text(encoding="utf-8")
        assert "inverse_square" in text or not text


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("c++") is None and "CXX" not in os.environ, reason="there is no C++ compiler")
def test_who_follows_the_page_has_an_operator_with_a_fast_kernel(tmp_path: Path) -> None:
    pytest.importorskip("Cython", reason="Cython is needed to build")
    copy_of_the_tree(tmp_path)
    for path, (after, text) in edits().items():
        if text:
            edit(tmp_path / path, after, text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WENGERT_")}
    environment |= {"PYTHONPATH": str(tmp_path / "src"), "OMP_NUM_THREADS": "1"}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    run("setup.py", "--quiet", "build_ext", "--inplace")
    for tool in ("make_names.py", "make_stub.py"):  # what is generated
        if (tmp_path / "tools" / tool).exists():
            run(f"tools/{tool}")
    first, second, third = run("-c", TRY).splitlines()
    assert first.startswith("compiled [1.0, 0.25, 0.0625] <InverseSquareBackward0")
    assert second == "[-2.0, 0.25, -0.03125] [1.0, 0.25, 0.0625]"
    assert third == "[4.]"
    chosen = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "inverse_square")
    assert "passed" in run(*chosen, "-o", "console_output_style=classic", "-v", "tests/cards", "tests/kernels")

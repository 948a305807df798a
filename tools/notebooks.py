"""Run the tutorial and the how-tos, and compare what they print with what they say.

`python tools/notebooks.py [--record] [NAME ...]` runs the pages named (all if none is) and prints how long each took.
With `--record` it writes into the pages what their cells printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.pages import notebooks


def check(path: Path, record: bool) -> list[str]:
    """Run one page; return what is wrong with it."""
    text = path.read_text(encoding="utf-8")
    try:
        outputs, seconds = notebooks.run(path)
    except notebooks.PageError as error:
        return [str(error)]
    print(f"{path.stem}: {seconds:.1f} s")
    if record:
        text = notebooks.recorded(text, outputs)
        path.write_text(text, encoding="utf-8")
    return notebooks.differences(path, notebooks.cells_of(text), outputs)


def main() -> int:
    """Run the pages that are named."""
    arguments = sys.argv[1:]
    record = "--record" in arguments
    wanted = {name for name in arguments if not name.startswith("-")}
    pages = {path.stem: path for path in notebooks.paths()}
    if unknown := wanted - pages.keys():
        print(f"no page is called {', '.join(sorted(unknown))}; there are {', '.join(pages)}")
        return 2
    wrong = [line for name, path in pages.items() if not wanted or name in wanted for line in check(path, record)]
    print(*wrong, sep="\n\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

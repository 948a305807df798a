"""Look at the wheel that was just built: its size, and that it holds what it must.

`python tools/check_wheel.py FOLDER` prints the size of each wheel in FOLDER and exits with 1 if one is larger than 5
MB, or lacks a file that the package needs.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

LIMIT = 5_000_000
NEEDED = (
    "wengert/__init__.py", "wengert/_build.py", "wengert/py.typed",
    "wengert/__init__.pyi", "wengert/_core/tensor/base.pyi", "wengert/nn/functional.pyi",
    "wengert/ops/return_types.pyi", "wengert/special.pyi",
    "wengert/viz/page/page.html", "wengert/viz/page/style.css", "wengert/viz/page/main.js",
    "wengert/viz/page/vendor/cytoscape.min.js", "wengert/viz/page/vendor/cytoscape.LICENSE",
    "wengert/viz/page/vendor/dagre.min.js", "wengert/viz/page/vendor/dagre.LICENSE",
    "wengert/viz/page/vendor/flame-chart.min.js", "wengert/viz/page/vendor/flame-chart.LICENSE",
    "wengert/viz/page/vendor/VERSIONS.toml",
)  # fmt: skip
UNWANTED = (".c", ".cpp", ".hpp", ".pyc")


def problems(wheel: Path) -> list[str]:
    """What is wrong with a wheel; empty if nothing is."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    found = [f"lacks {name}" for name in NEEDED if name not in names]
    found += [f"holds {name}" for name in names if name.endswith(UNWANTED)]
    compiled = any("/_core/" in name and name.endswith((".so", ".pyd")) for name in names)
    if compiled != any("/_core/_build-" in name for name in names):
        found.append("holds compiled modules without the record of their build, or the record without the modules")
    if compiled == wheel.name.endswith("-none-any.whl"):
        found.append("is named for a build that it does not hold")
    if wheel.stat().st_size > LIMIT:
        found.append(f"is larger than {LIMIT / 1e6:.0f} MB")
    return found


def main() -> int:
    """Report on the wheels in the folder given."""
    wheels = sorted(Path(sys.argv[1]).glob("*.whl"))
    bad = 0 if wheels else 1
    for wheel in wheels:
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
        for problem in problems(wheel):
            print(f"{wheel.name} {problem}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())

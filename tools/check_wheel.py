"""Look at the wheels that were just built: their sizes, and that they hold what they must.

`python tools/check_wheel.py FOLDER` prints the sizes of each wheel in FOLDER, packed and installed (without byte code),
and exits with 1 if one is more than `ALLOWED` larger than recorded, or lacks a file that the package needs. With
`--record` the sizes are written to `tools/wheel_sizes.toml` and into the README.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tools" / "wheel_sizes.toml"
README = ROOT / "README.md"
MARKED = re.compile(r"(<!-- sizes: written by make wheel ARGS=--record -->\n).*?(\n<!-- end of sizes -->)", re.S)
ALLOWED = 0.03
"""How much larger than recorded a wheel may be: another compiler or processor makes other code."""
NEEDED = (
    "wengert/__init__.py",
    "wengert/_start/build.py",
    "wengert/py.typed",
    "wengert/__init__.pyi",
    "wengert/_core/tensor/base.pyi",
    "wengert/nn/functional.pyi",
    "wengert/ops/return_types.pyi",
    "wengert/special.pyi",
    "wengert/types.pyi",
    "wengert/viz/page/foot.html",
    "wengert/viz/page/head.html",
    "wengert/viz/page/page.html",
    "wengert/viz/page/steps.html",
    "wengert/viz/page/style.css",
    "wengert/viz/page/main.js",
    "wengert/viz/page/vendor/cytoscape.min.js",
    "wengert/viz/page/vendor/cytoscape.LICENSE",
    "wengert/viz/page/vendor/dagre.min.js",
    "wengert/viz/page/vendor/dagre.LICENSE",
    "wengert/viz/page/vendor/flame-chart.min.js",
    "wengert/viz/page/vendor/flame-chart.LICENSE",
    "wengert/viz/page/vendor/VERSIONS.toml",
)
UNWANTED = (".c", ".cpp", ".hpp", ".pyc")


def problems(wheel: Path) -> list[str]:
    """What is wrong with a wheel; empty if nothing is."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    texts = [f"lacks {name}" for name in NEEDED if name not in names]
    texts += [f"holds {name}" for name in names if name.endswith(UNWANTED)]
    compiled = any("/_core/" in name and name.endswith((".so", ".pyd")) for name in names)
    if compiled != any("/_core/_build-" in name for name in names):
        texts.append("holds compiled modules without the record of their build, or the record without the modules")
    if compiled == wheel.name.endswith("-none-any.whl"):
        texts.append("is named for a build that it does not hold")
    return texts


def grown(wheel: Path) -> list[str]:
    """What of a wheel is larger than it was when sizes were last recorded."""
    known = recorded().get(kind(wheel), {})
    return [
        f"is larger than recorded ({part}): {size} bytes, before {known[part]}"
        for part, size in zip(("wheel", "installed"), sizes(wheel), strict=True)
        if part in known and size > known[part] * (1 + ALLOWED)
    ]


def sizes(wheel: Path) -> tuple[int, int]:
    """Bytes of a wheel, and of the files that it installs."""
    with zipfile.ZipFile(wheel) as archive:
        return wheel.stat().st_size, sum(entry.file_size for entry in archive.infolist())


def kind(wheel: Path) -> str:
    """Under which name the record holds a wheel."""
    return "interpreted" if wheel.name.endswith("-none-any.whl") else "compiled"


def recorded() -> dict[str, dict[str, int]]:
    """The sizes that were recorded last."""
    return tomllib.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def sentence(known: dict[str, dict[str, int]]) -> str:
    """What the README says about sizes."""
    said = {name: [f"{own[part] / 1e6:.1f} MB" for part in ("wheel", "installed")] for name, own in known.items()}
    text = "A wheel for Linux on x86-64 has {} and takes {} when installed".format(*said["compiled"])
    if "interpreted" in said:
        text += "; the one without compiled parts, for any machine, {} and {}".format(*said["interpreted"])
    return f"{text}."


def record(wheels: list[Path]) -> None:
    """Write sizes down; those of kinds that are not among the wheels stay."""
    known = recorded()
    known |= {kind(wheel): dict(zip(("wheel", "installed"), sizes(wheel))) for wheel in wheels}
    parts = [
        f"[{name}]\nwheel = {own['wheel']}\ninstalled = {own['installed']}\n" for name, own in sorted(known.items())
    ]
    RECORD.write_text(
        "# Bytes of wheels, written by `make wheel ARGS=--record`.\n\n" + "\n".join(parts), encoding="utf-8"
    )
    text = README.read_text(encoding="utf-8")
    README.write_text(MARKED.sub(lambda match: match[1] + sentence(known) + match[2], text), encoding="utf-8")


def main() -> int:
    """Report on the wheels in the folder given."""
    parser = argparse.ArgumentParser(description="sizes and contents of wheels")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", action="store_true", help="write the sizes down, also in the README")
    options = parser.parse_args()
    wheels = sorted(options.folder.glob("*.whl"))
    bad = 0 if wheels else 1
    for wheel in wheels:
        packed, unpacked = sizes(wheel)
        print(f"{wheel.name}: {packed / 1e6:.2f} MB, installed {unpacked / 1e6:.2f} MB")
        for problem in problems(wheel) + ([] if options.record else grown(wheel)):
            print(f"{wheel.name} {problem}")
            bad = 1
    if options.record:
        record(wheels)
    return bad


if __name__ == "__main__":
    sys.exit(main())

"""The JavaScript libraries of the explorer page: fetched from npm as published, never edited, checked.

`python tools/vendor_page.py` fetches the packages of `PARTS` with `npm pack` (which checks what the registry says of
them), copies the files named here into `src/wengert/viz/page/vendor/`, and writes `VERSIONS.toml` there: package,
version, and the SHA-256 of each file. `--check` fetches nothing: it compares the files with `VERSIONS.toml`.

No bundle is built: each library comes as one minified file that its makers publish.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "src" / "wengert" / "viz" / "page" / "vendor"
# Package and version, then: file in the package -> name here. What a library holds within itself brings its licence.
PARTS: dict[str, dict[str, str]] = {
    "cytoscape@3.34.4": {"dist/cytoscape.min.js": "cytoscape.min.js", "LICENSE": "cytoscape.LICENSE"},
    "lodash@4.17.21": {"LICENSE": "cytoscape.lodash.LICENSE"},
    "heap@0.2.7": {"package.json": "cytoscape.heap.package.json"},
    "@dagrejs/dagre@3.1.3": {
        "dist/dagre.min.js": "dagre.min.js",
        "dist/dagre.min.js.LEGAL.txt": "dagre.min.js.LEGAL.txt",
        "LICENSE": "dagre.LICENSE",
    },
    "@dagrejs/graphlib@4.0.6": {"LICENSE": "dagre.graphlib.LICENSE"},
    "flame-chart-js@3.3.0": {"dist/index.min.js": "flame-chart.min.js", "LICENSE": "flame-chart.LICENSE"},
    "color@3.2.1": {"LICENSE": "flame-chart.color.LICENSE"},
    "events@3.3.0": {"LICENSE": "flame-chart.events.LICENSE"},
}
HEADING = (
    "# Written by tools/vendor_page.py: what npm publishes, byte for byte. A new version: change PARTS there, run it,\n"
    "# then `make test-browser`.\n"
)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(package: str, folder: Path) -> Path:
    """Fetch a package; returns the folder into which it was unpacked."""
    done = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", str(folder), package],
        capture_output=True,
        text=True,
        check=True,
    )
    unpacked = folder / package.replace("/", "_")
    with tarfile.open(folder / done.stdout.split()[-1]) as archive:
        archive.extractall(unpacked, filter="data")
    return unpacked / "package"


def refresh() -> None:
    """Fetch everything anew and write `VERSIONS.toml`."""
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    lines = [HEADING]
    with tempfile.TemporaryDirectory() as folder:
        for package, files in PARTS.items():
            unpacked = fetch(package, Path(folder))
            name, _, version = package.rpartition("@")
            lines += [f'["{name}"]', f'version = "{version}"']
            for source, target in files.items():
                shutil.copyfile(unpacked / source, VENDOR / target)
                lines.append(f'"{target}" = "{digest(VENDOR / target)}"')
            lines.append("")
    (VENDOR / "VERSIONS.toml").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def problems(folder: Path = VENDOR) -> list[str]:
    """What is wrong with the files in `folder`; empty if nothing is."""
    record = tomllib.loads((folder / "VERSIONS.toml").read_text(encoding="utf-8"))
    texts = []
    known = {"VERSIONS.toml"}
    for package, entries in record.items():
        for name, wanted in entries.items():
            if name == "version":
                continue
            known.add(name)
            if not (folder / name).is_file():
                texts.append(f"{name} of {package} is missing")
            elif digest(folder / name) != wanted:
                texts.append(f"{name} is not what {package} {entries['version']} holds")
    texts += [f"{path.name} stands in no entry" for path in sorted(folder.iterdir()) if path.name not in known]
    wanted_packages = {package.rpartition("@")[0]: package.rpartition("@")[2] for package in PARTS}
    if {name: entries["version"] for name, entries in record.items()} != wanted_packages:
        texts.append("VERSIONS.toml names other versions than tools/vendor_page.py")
    return texts


def main() -> int:
    """Fetch, or check with `--check`."""
    if "--check" not in sys.argv[1:]:
        refresh()
    texts = problems()
    print(*texts, sep="\n", end="\n" if texts else "")
    return 1 if texts else 0


if __name__ == "__main__":
    sys.exit(main())

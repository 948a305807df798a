"""Run programs of other libraries, unchanged, in an environment without torch, beside what torch computed.

`make programs` makes the environment `.venv-programs` (this package's sources, and the libraries of
`programs/libraries.toml` without their dependencies on torch), runs each program of `programs/` there by
`python -m wengert.as_torch`, compares its results with those recorded from torch, prints a table and writes it into
`docs/running_torch_programs.md`. With `ARGS=--record` and `TORCH_PYTHON=...`, a Python with torch and the libraries,
what torch computes is recorded first. `ARGS="--only NAME"` runs one program.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "programs"
RECORDED = FOLDER / "recorded.json"
PAGE = ROOT / "docs" / "running_torch_programs.md"
ENVIRONMENT = ROOT / ".venv-programs"
MARKS = "<!-- programs: made by `make programs` -->\n", "<!-- programs: end -->\n"
LIMIT = 600  # seconds for a program


@dataclass(frozen=True)
class Program:
    """A program of `programs/`.

    Attributes:
        name: its file without the ending.
        libraries: what it needs, with versions.
        shows: what it does, for the table.
        tolerance: the largest relative difference from torch that counts as the same.
    """

    name: str
    libraries: tuple[str, ...]
    shows: str
    tolerance: float = 1e-4


def programs() -> list[Program]:
    """Return the programs in the order of the table."""
    table = tomllib.loads((FOLDER / "libraries.toml").read_text(encoding="utf-8"))
    return [
        Program(name, **{**entry, "libraries": tuple(entry["libraries"])}) for name, entry in table["program"].items()
    ]


def shared_packages() -> list[str]:
    """Return what is installed beside the libraries: none of it depends on torch."""
    table = tomllib.loads((FOLDER / "libraries.toml").read_text(encoding="utf-8"))
    return list(table["shared"]["packages"])


def make_environment(wanted: list[Program]) -> Path:
    """Make the environment, or add what is missing; return its Python."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *shared_packages()], check=True)
    libraries = sorted({library for program in wanted for library in program.libraries})
    print(f"-- installing {', '.join(libraries)} without dependencies", flush=True)
    subprocess.run([*pip, "--no-deps", *libraries], check=True)
    return python


def results_of(command: list[Any], name: str, environment: dict[str, str]) -> tuple[Any, float, str]:
    """Run a program; return its results (None if it failed), its seconds, and the last line of what it said."""
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [*command, FOLDER / f"{name}.py"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, LIMIT, f"still running after {LIMIT} s"
    seconds = time.monotonic() - begun
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
    if done.returncode or len(lines) != 1:
        return None, seconds, (done.stderr.strip().splitlines() or ["no results"])[-1]
    return json.loads(lines[0].removeprefix("RESULTS ")), seconds, ""


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and words in nested lists and dictionaries."""
    if isinstance(value, dict):
        for name in sorted(value):
            yield name
            yield from leaves(value[name])
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference, relative to the largest magnitude of a result; infinity for other shapes."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            return math.inf
        return max((difference(ours[name], theirs[name]) for name in ours), default=0.0)
    pairs = list(zip(leaves(ours), leaves(theirs)))
    if len(list(leaves(ours))) != len(list(leaves(theirs))):
        return math.inf
    scale = max(
        (abs(other) for _, other in pairs if isinstance(other, (int, float)) and math.isfinite(other)), default=0
    )
    worst = 0.0
    for own, other in pairs:
        if own == other or (own != own and other != other):
            continue
        if not isinstance(own, (int, float)) or not isinstance(other, (int, float)):
            return math.inf
        apart = abs(own - other) / max(scale, 1e-6)
        worst = max(worst, apart if apart == apart else math.inf)
    return worst


def outcome(program: Program, results: Any, recorded: Any, failure: str) -> str:
    """Return the words of the table for what a program has computed."""
    if results is None:
        return f"fails: {failure}"
    apart = difference(results, recorded)
    if apart <= program.tolerance:
        return "the same" if apart == 0 else f"the same to {max(apart, 1e-9):.0e}"
    return f"differs by {apart:.0e}"


def record(python: str, wanted: list[Program]) -> None:
    """Record what torch computes."""
    known = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    for program in wanted:
        results, seconds, failure = results_of([python], program.name, dict(os.environ))
        if results is None:
            raise SystemExit(f"{program.name} fails with torch: {failure}")
        known[program.name] = results
        print(f"recorded {program.name} ({seconds:.1f} s)", flush=True)
    RECORDED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def table_of(rows: list[tuple[Program, str]]) -> str:
    """Return the table of the page."""
    lines = ["| libraries | what runs | beside torch |", "|---|---|---|"]
    for program, words in rows:
        names = ", ".join(library.replace("==", " ") for library in program.libraries)
        lines.append(f"| {names} | {program.shows} | {words} |")
    return "\n".join(lines) + "\n"


def write_page(table: str) -> None:
    """Put the table between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}{table}{MARKS[1]}{after}", encoding="utf-8")


def main() -> int:
    """Run what the command line asks for; return 1 if a program fails or differs."""
    parser = argparse.ArgumentParser(description="Run programs of other libraries beside what torch computed.")
    parser.add_argument("--record", action="store_true", help="record what torch computes, by $TORCH_PYTHON")
    parser.add_argument("--only", action="append", help="run this program only")
    parser.add_argument(
        "--python", help="a Python with the libraries and without torch, in the place of the environment"
    )
    options = parser.parse_args()
    wanted = [program for program in programs() if not options.only or program.name in options.only]
    if options.record:
        record(os.environ["TORCH_PYTHON"], wanted)
    python = Path(options.python) if options.python else make_environment(wanted)
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    rows = []
    for number, program in enumerate(wanted, 1):
        command = [python, "-m", "wengert.as_torch"]
        results, seconds, failure = results_of(command, program.name, environment)
        words = outcome(program, results, recorded[program.name], failure)
        print(f"{number:2} of {len(wanted)}  {program.name:28} {words}  ({seconds:.1f} s)", flush=True)
        rows.append((program, words))
    if not options.only:
        write_page(table_of(rows))
    return int(any(not words.startswith("the same") for _, words in rows))


if __name__ == "__main__":
    sys.exit(main())

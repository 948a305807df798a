"""Instructions of hot calls and of the import, counted by callgrind and held to the record: `make instructions`.

    python benchmarks/instructions.py [--record] [--file FILE]

Times of single calls scatter by a tenth on a busy machine, counts of instructions by a thousandth. Each call runs FEW
and MANY times in one process; the difference, divided, is what a call takes, its turn of the loop included. The import
comes first, where NumPy is loaded and compiled files lie ready. A count
that is more than ALLOWED above the recorded one fails with the call's name. Where objects lie in memory moves a count
by up to a hundredth, rarely by more (attributes that meet in the interpreter's cache), so what is recorded, and what
would fail, is counted in two layouts, and the smaller count stands. Counts can be compared only where Python,
NumPy, compiler and processor are those of the record; elsewhere, and without valgrind, the program says so and ends
with status 0. `--record` writes the counts of this machine; `--file` names another record, to compare before and after
a change where the one of the repository does not fit.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "instructions.toml"
HEADING = "# Instructions per call, by callgrind; `make instructions ARGS=--record` writes them.\n"
ALLOWED = 0.05
WARM, FEW, MANY = 50, 20, 220
LAYOUTS = (0, 17)
"""How many small objects of each size are made before all others."""
KEPT = ("PATH", "HOME", "LD_LIBRARY_PATH")
"""What the counted process sees of the environment, which lies in its memory too."""

IMPORT = "import wengert"

# x and y require a gradient, a and b do not; all of them are of 2 x 2.
CALLS = (
    "x * y",
    "a * b",
    "a + 2.0",
    "x.exp()",
    "x**2",
    "x.view(4)",
    "x.t()",
    "x[0]",
    "x[0, 1]",
    "x.sum()",
    "x.sum(0)",
    "x.max(1)",
    "wg.cat([x, y])",
    "F.linear(x, y)",
    "x @ y",
    "wg.where(mask, x, y)",
    "a.add_(b)",
    "wg.tensor(1.0)",
    "wg.zeros(3)",
    "scalar.item()",
    "(x * y).sum().backward()",
)


# ---- in the process that is counted ----------------------------------------------------------------------------------


def names() -> dict[str, Any]:
    """What the calls stand on."""
    import wengert as wg

    return {
        "wg": wg,
        "F": wg.nn.functional,
        "x": wg.ones(2, 2, requires_grad=True),
        "y": wg.ones(2, 2, requires_grad=True),
        "a": wg.ones(2, 2),
        "b": wg.ones(2, 2),
        "mask": wg.tensor([[True, False], [False, True]]),
        "scalar": wg.tensor(1.0),
    }


def repeated(text: str, namespace: dict[str, Any]) -> Callable[[int], None]:
    """A function that makes a call as often as it is told."""
    functions: dict[str, Any] = {}
    exec(f"def run(count):\n    for _ in range(count):\n        {text}\n", namespace, functions)
    return functions["run"]


def run_calls(layout: int) -> None:
    """Make all calls; `getppid`, which nothing else calls, tells callgrind where one count ends and the next begins."""
    import numpy  # noqa: F401

    ballast = [bytes(size) for size in range(1, 480, 8) for _ in range(layout)]
    os.getppid()
    exec(IMPORT, {})
    os.getppid()
    gc.disable()
    for text in CALLS:
        run = repeated(text, names())
        run(WARM)
        os.getppid()
        run(FEW)
        os.getppid()
        run(MANY)
        os.getppid()
    del ballast


def setup() -> dict[str, str]:
    """What counts depend on beside the sources."""
    import platform

    from wengert import _kernels
    from wengert.info import info

    facts = info()
    kept = ("build", "kernels", "instruction set", "Python", "NumPy", "BLAS", "platform")
    native = getattr(_kernels.native, "__file__", None)
    return {
        **{name: facts[name] for name in kept},
        "compiler": compiler(Path(native).read_bytes()) if native else "none",
        "C library": " ".join(platform.libc_ver()).strip() or "unknown",
    }


def compiler(module: bytes) -> str:
    """The compiler that made an extension module, from the note that compilers leave."""
    for pattern in (rb"clang version [\d.]+", rb"GCC: \([^)\0]*\) [\d.]+"):
        match = re.search(pattern, module)
        if match:
            return match[0].decode()
    return "unknown"


# ---- in the process that counts --------------------------------------------------------------------------------------


def under_valgrind(part: str, *options: str, layout: int = 0) -> str:
    """What one of the functions above prints under valgrind."""
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT / "src")}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = ["valgrind", "--quiet", *options, sys.executable, str(Path(__file__).resolve())]
    command += ["--part", part, "--layout", str(layout)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{part} ended with status {done.returncode} under valgrind:\n{done.stderr[-2000:]}")
    return done.stdout


def count(layout: int) -> dict[str, int]:
    """Instructions of each call, in one layout of the memory."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "profile")
        options = ("--tool=callgrind", "--dump-before=getppid", f"--callgrind-out-file={out}")
        under_valgrind("calls", *options, layout=layout)
        return per_call([path.read_text(encoding="utf-8") for path in Path(folder).glob("profile.*")])


def smallest(recorded: dict[str, int] | None) -> dict[str, int]:
    """Instructions of each call, the smallest of all layouts; counts that keep a record are not counted again."""
    counted = count(LAYOUTS[0])
    for layout in LAYOUTS[1:]:
        if recorded is None or breaches(recorded, counted):
            again = count(layout)
            counted = {name: min(value, again[name]) for name, value in counted.items()}
    return counted


def per_call(profiles: list[str]) -> dict[str, int]:
    """The counts in callgrind's files: start, import, and three for each call: before, FEW turns, MANY turns."""
    totals = dict(map(total, profiles))
    expected = 2 + 3 * len(CALLS)
    if sorted(totals) != list(range(1, expected + 1)):
        raise RuntimeError(
            f"callgrind wrote {len(profiles)} profiles, not {expected}: getppid was not seen as it is called"
        )
    counted = {IMPORT: totals[2]}
    for at, text in enumerate(CALLS):
        counted[text] = round((totals[3 * at + 5] - totals[3 * at + 4]) / (MANY - FEW))
    return counted


def total(profile: str) -> tuple[int, int]:
    """Which part of a run a file of callgrind describes, and the instructions in it."""
    part = re.search(r"^part: (\d+)$", profile, re.M)
    instructions = re.search(r"^totals: (\d+)$", profile, re.M)
    if part is None or instructions is None:
        raise RuntimeError("callgrind wrote a profile without its part or its totals")
    return int(part[1]), int(instructions[1])


def differences(recorded: dict[str, str], here: dict[str, str]) -> list[str]:
    """In what two set-ups differ."""
    return [
        f"{name}: {here.get(name, 'unknown')} here, {recorded.get(name, 'unknown')} in the record"
        for name in {**recorded, **here}
        if here.get(name) != recorded.get(name)
    ]


def breaches(recorded: dict[str, int], counted: dict[str, int]) -> list[str]:
    """What is wrong: calls that rose by more than is allowed, and calls that only one side knows."""
    texts = []
    for name, value in counted.items():
        if name not in recorded:
            texts.append(f"{name}: not in the record; make instructions ARGS=--record")
        elif value > recorded[name] * (1 + ALLOWED):
            texts.append(
                f"{name}: {value:,} instructions, {recorded[name]:,} recorded: "
                f"{change(recorded[name], value)}, more than {100 * ALLOWED:.0f} %"
            )
    return texts + [f"{name}: recorded, but no longer counted" for name in recorded if name not in counted]


def change(before: int, after: int) -> str:
    """A change in percent."""
    return f"{100 * (after / before - 1):+.1f} %"


def table(recorded: dict[str, int], counted: dict[str, int]) -> list[str]:
    """A line for each call."""
    lines = [f"{'instructions':28s}{'here':>12s}{'recorded':>12s}"]
    for name, value in counted.items():
        before = recorded.get(name)
        beside = f"{before:>12,}{change(before, value):>10s}" if before else f"{'-':>12s}"
        lines.append(f"{name:28s}{value:>12,}{beside}")
    return lines


def read(path: Path) -> tuple[dict[str, str], dict[str, int]]:
    """A record: its set-up and its counts; empty where there is none."""
    if not path.exists():
        return {}, {}
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return content["setup"], content["instructions"]


def write(path: Path, here: dict[str, str], counted: dict[str, int]) -> None:
    """Write a record. (Strings and numbers of JSON are those of TOML.)"""
    lines = []
    for title, entries in (("setup", here), ("instructions", counted)):
        lines += ["", f"[{title}]", *(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in entries.items())]
    path.write_text(HEADING + "\n".join(lines) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the counts of this machine")
    parser.add_argument("--file", type=Path, default=RECORD, help="the record (default: %(default)s)")
    parser.add_argument("--part", choices=["setup", "calls"], help=argparse.SUPPRESS)
    parser.add_argument("--layout", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def hold(path: Path, record: bool) -> int:
    """Count, and compare with the record or write it; 1 if a call needs more than is allowed."""
    if shutil.which("valgrind") is None:
        print("instructions: not counted, valgrind is not installed (Debian, Ubuntu: apt install valgrind)")
        return int(record)
    if not record and not path.exists():
        print(f"instructions: there is no record {path}; --record writes one")
        return 1
    here = json.loads(under_valgrind("setup", "--tool=none"))
    known, recorded = read(path)
    different = differences(known, here)
    if different and not record:
        print("instructions: not compared, the set-up is not that of the record", *different, sep="\n  ")
        return 0
    counted = smallest(None if record else recorded)
    print(*table(recorded, counted), sep="\n")
    if record:
        write(path, here, counted)
        return 0
    wrong = breaches(recorded, counted)
    print("", *wrong, f"instructions: {f'{len(wrong)} breaches' if wrong else 'kept'}", sep="\n")
    return 1 if wrong else 0


def main() -> int:
    """Run what the command line asks for."""
    options = arguments()
    if options.part == "setup":
        print(json.dumps(setup()))
        return 0
    if options.part == "calls":
        run_calls(options.layout)
        return 0
    return hold(options.file, options.record)


if __name__ == "__main__":
    sys.exit(main())

"""Run clang-tidy over the C++ sources, with the checks of `.clang-tidy`.

`python tools/tidy.py [FILE ...]` checks the translation units that are named, or all below `_kernels/native`, and fails
if there is a finding. Where clang-tidy is not installed it says so and passes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "src" / "wengert" / "_kernels" / "native"
# Other people's headers are not checked; warnings are the compiler's business.
FLAGS = ("-std=c++17", "-Wno-everything", "-Wno-error", f"-I{NATIVE}")
FOREIGN = (sysconfig.get_path("include"), np.get_include())


def tidy(program: str, source: Path) -> tuple[Path, int, str]:
    """Check one translation unit; return it, clang-tidy's status and what it printed."""
    command = [program, "--quiet", str(source), "--", *FLAGS]
    for folder in FOREIGN:
        command += ["-isystem", folder]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return source, run.returncode, run.stdout


def main(names: list[str]) -> int:
    """Check the named sources, or all; return how many have findings."""
    program = shutil.which("clang-tidy")
    if program is None:
        print("tidy: clang-tidy is not installed; the C++ sources were not checked")
        return 0
    sources = [Path(name).resolve() for name in names] or sorted(NATIVE.glob("*/*.cpp"))
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, status, text in pool.map(lambda source: tidy(program, source), sources):
            if status:
                failed += 1
                print(f"{source.relative_to(ROOT)}:\n{text}")
    print(f"tidy: {len(sources)} translation units, {failed} with findings")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))

"""Build the native kernels and the compiled core with AddressSanitizer and UBSan, and run the kernel tests under them.

    python tools/sanitize.py [tests ...]

The sources are copied to `build/sanitize` and compiled there (`-g -O1`), so that the normal build and its record are
not touched; a second run compiles what changed. The tests of `tests/kernels`, among them the fuzz of the native
functions, here with many more tries, run four times: with the compiled core, with the interpreted core on the native
kernels, and with the compiled core on the loops for any processor, and on those for AVX-512, which are compiled here so
that a processor with AVX2 runs them. Tests named on the command line run beside them.
The process ends with status 0 only if all passed and no sanitizer reported anything; reports are printed and stay in
`build/sanitize/reports`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
TREE = HERE / "build" / "sanitize"
REPORTS = TREE / "reports"
COPIED = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "src", "tests", "examples", "tools")
COMPILED = (".so", ".pyd")
TESTS = ["tests/kernels"]
TRIES = "600"
# How exact a sum is depends on how many lanes it has; under the sanitizers loops have one.
NOT_HERE = "tests/kernels/test_native_reductions.py::test_the_error_of_a_long_sum_does_not_grow_with_its_length"
FINDINGS = ("ERROR: AddressSanitizer", "runtime error:")
RUNS = {
    "compiled core": {},
    "interpreted core on native kernels": {"WENGERT_PURE": "1", "WENGERT_KERNELS": "native"},
    "loops for any processor": {"WENGERT_INSTRUCTIONS": "baseline"},
    "loops for AVX-512": {"WENGERT_INSTRUCTIONS": "avx512"},
}


def synchronise() -> None:
    """Copy what is built and tested into the tree, with its times; take away what is no longer there."""
    for name in COPIED:
        source, target = HERE / name, TREE / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            continue
        for path in source.rglob("*"):
            if path.is_file() and path.suffix not in COMPILED and not left_alone(path):
                copy = target / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
        for path in target.rglob("*"):
            gone = path.is_file() and not (source / path.relative_to(target)).exists()
            if gone and path.suffix not in COMPILED and not left_alone(path):
                path.unlink()


def left_alone(path: Path) -> bool:
    """Whether a file belongs to one of the two builds alone: records of builds, Python's byte code."""
    return path.name.startswith("_build-") or "__pycache__" in path.parts or ".egg-info" in str(path)


def build() -> None:
    """Compile the tree with the sanitizers."""
    environment = {**os.environ, "WENGERT_SANITIZE": "1"}
    environment.pop("WENGERT_PURE", None)
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=TREE, env=environment, check=True
    )
    if not list((TREE / "src").rglob("*.so")):
        raise SystemExit("sanitize: nothing was compiled; a C++ compiler with sanitizers is needed")


def runtime_libraries() -> str:
    """What has to be loaded before Python: the address sanitizer, and the C++ library whose exceptions it watches.

    Raises:
        SystemExit: the compiler has no sanitizer.
    """
    compiler = os.environ.get("CXX", "g++").split()[0]
    paths = []
    for name in ("libasan.so", "libstdc++.so.6"):
        asked = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        path = asked.stdout.strip()
        if not os.path.isabs(path):
            raise SystemExit(f"sanitize: {compiler} has no {name}")
        paths.append(path)
    return " ".join(paths)


def run(settings: dict[str, str], tests: list[str]) -> int:
    """Run the tests in the tree; the status of pytest."""
    # Python and NumPy keep memory to the end: leaks are looked for elsewhere. Allocations beyond 8 GiB fail, as on a
    # small machine.
    address = f"detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=8192:log_path={REPORTS}/address"
    environment = {
        **os.environ,
        **settings,
        "LD_PRELOAD": runtime_libraries(),
        "ASAN_OPTIONS": address,
        "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:log_path={REPORTS}/undefined",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(TREE / "src"),
        "WENGERT_FUZZ_TRIES": TRIES,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--deselect", NOT_HERE]
    command += tests
    return subprocess.run(command, cwd=TREE, env=environment, check=False).returncode


def main() -> int:
    """Build, run, report; the exit status."""
    synchronise()
    build()
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    failed = []
    for what, settings in RUNS.items():
        print(f"-- sanitize: {what}", flush=True)
        if run(settings, TESTS + sys.argv[1:]):
            failed.append(what)
    reports = {path: path.read_text(errors="replace") for path in sorted(REPORTS.iterdir())}
    reports = {path: text for path, text in reports.items() if any(mark in text for mark in FINDINGS)}
    for path, text in reports.items():
        first = min(text.find(mark) for mark in FINDINGS if mark in text)
        print(f"-- {path}\n{text[max(first - 200, 0) : first + 8000]}")
    print(f"sanitize: {len(reports)} findings, failed: {', '.join(failed) or 'nothing'}")
    return 1 if reports or failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""wengert beside torch, JAX and HIPS autograd: `make bench`.

The same code runs on every library, all in one process, in turn (A B C A B C ...), with the same number of threads,
after the results were compared. A ratio is the other library's time over wengert's, the median over the rounds; above
1 wengert is faster.

    python benchmarks/run.py [--threads N] [--rounds N] [--operators] [--largest] [--json FILE] [--record] [--only TEXT]

The column "limit" is the share of what the machine allows (benchmarks/limits.py). `--record` keeps the figures by
commit; benchmarks/history.py shows what became of them. What misses its target is printed once more at the end,
with the reason (benchmarks/reasons.toml).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

BUSY = 1.0
"""Programs that already run, on the average of the last minute, from which on a warning is due."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2, help="threads of every library")
    parser.add_argument("--rounds", type=int, default=15, help="how often each library has its turn")
    parser.add_argument("--operators", action="store_true", help="also single operators and products in three sizes")
    parser.add_argument("--largest", action="store_true", help="with --operators: also arrays of 1e7 elements")
    parser.add_argument("--only", default="", help="only cases with this text in their name")
    parser.add_argument("--json", default="", help="write the figures to this file")
    parser.add_argument("--record", action="store_true", help="append the ratios to benchmarks/history.jsonl")
    return parser.parse_args()


def fix_threads(threads: int) -> None:
    """Start this program again with the number of threads in the environment, where the libraries read it at import."""
    wanted = {name: str(threads) for name in THREAD_VARIABLES}
    wanted["XLA_FLAGS"] = (
        f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'} intra_op_parallelism_threads={threads}"
    )
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable, *sys.argv])


def shown(seconds: float) -> str:
    """A time with a unit."""
    for unit, size in (("s ", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def heading(names: list[str]) -> str:
    """The first line of the table."""
    return f"{'':52s}{'wengert':>10s}" + "".join(f"{name:>10s}{'ratio':>8s}" for name in names) + "   limit  target"


def row(result: Any, names: list[str]) -> str:
    """One line of the table."""
    text = f"{result.name:52.52s}{shown(result.seconds['wengert']) if result.seconds else '-':>10s}"
    for name in names:
        if name in result.ratios:
            text += f"{shown(result.seconds[name]):>10s}{result.ratios[name]:8.2f}"
        else:
            text += f"{'-':>10s}{'':8s}"
    return f"{text}{f'{result.share:8.0%}' if result.share is not None else '        '}  {result.verdict}"


def run_cases(
    chosen: list[Any], adapters: list[Any], rounds: int, machine: Any, slice_seconds: float = 0.02
) -> list[Any]:
    """Measure and print."""
    from benchmarks.timing import Result, measure

    if not chosen:
        return []
    names = [adapter.name for adapter in adapters if adapter.name != "wengert"]
    if all(case.only for case in chosen):
        names = [name for name in names if any(name in case.only for case in chosen)]
    print(heading(names))
    results = []
    for case in chosen:
        try:
            result = measure(case, adapters, rounds=rounds, slice_seconds=slice_seconds, machine=machine)
        except Exception as error:
            result = Result(case.name, case.target, problem=f"{type(error).__name__}: {error}"[:120])
        results.append(result)
        print(row(result, names), flush=True)
    return results


def version_of(adapter: Any) -> str:
    """The version of a library, by its package or by its installation."""
    version = getattr(adapter.library, "__version__", None)
    return str(version) if version else metadata.version(adapter.name)


def others(adapters: list[Any], rounds: int) -> tuple[list[str], dict[str, float]]:
    """Lines and figures of what is no ratio of one call: growth, threads, modes, profiles, endurance, Hessians,
    import.
    """
    from benchmarks import compiled, mechanics, modes, profiles, sparse, startup

    lines, figures = mechanics.report(adapters, rounds)
    of_modes, ratios = modes.report(adapters, rounds)
    of_profiles, overheads = profiles.report(adapters, rounds)
    of_import, imports = startup.report()
    of_sparse, hessians = sparse.report()
    of_compiled, replays = compiled.report(adapters, rounds)
    lines = [
        *lines,
        *of_modes,
        *of_profiles,
        "",
        *of_compiled,
        "",
        *mechanics.endurance(),
        "",
        *of_sparse,
        "",
        *of_import,
    ]
    return lines, figures | ratios | overheads | hessians | replays | imports


def introduced(adapters: list[Any], threads: int) -> dict[str, Any]:
    """Print what is measured, and whether other programs keep the processors from it; the same for the file."""
    versions = ", ".join(f"{adapter.name} {version_of(adapter)}" for adapter in adapters if adapter.name != "jax.jit")
    build = getattr(adapters[0].library._build, "BUILD", "?")
    print(f"{versions}; {build} build, {threads} threads, Python {platform.python_version()}, {platform.machine()}\n")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > BUSY:
        print(f"the machine is busy (load {load:.1f}): the figures will be unreliable\n")
    return {"versions": versions, "build": build, "threads": threads, "load": load}


def missing(results: list[Any], lines: list[str]) -> int:
    """Print once more what misses its target, with the reasons; how many."""
    from benchmarks import reasons

    missed = [result for result in results if "MISS" in result.verdict or result.problem]
    behind = [line for line in lines if "MISS" in line]
    known = reasons.reasons()
    explained = [
        text
        for result in missed
        for text in reasons.explained(row(result, ["torch"]), known, result.name, result.share)
    ]
    explained += [text for line in behind for text in reasons.explained(line, known)]
    if explained:
        print("", f"missed: {len(missed) + len(behind)}", *explained, sep="\n")
    return len(missed) + len(behind)


def main() -> int:
    """Run what the command line asks for; 1 if a target is missed or results differ."""
    options = arguments()
    fix_threads(options.threads)
    sys.path.insert(0, str(ROOT))
    from benchmarks import history, large, moving, operators, small
    from benchmarks.libraries import installed
    from benchmarks.limits import Machine

    adapters = installed(options.threads)
    head = introduced(adapters, options.threads)
    machine = Machine(options.threads)

    def run(chosen: list[Any], slice_seconds: float = 0.02, rounds: int = options.rounds) -> list[Any]:
        chosen = [case for case in chosen if options.only in case.name]
        return run_cases(chosen, adapters, min(rounds, options.rounds), machine, slice_seconds)

    results = []
    for chosen, slice_seconds in with_targets():
        results += run(chosen, slice_seconds)
        print()
    results += run(large.cases(), large.SECONDS, large.ROUNDS)
    lines, figures = small.report(results)
    more, further = large.report(results)
    lines, figures = [*lines, "", *more], figures | further
    if not options.only:
        more, further = others(adapters, options.rounds)
        lines, figures = [*lines, "", *more], figures | further
    print(*lines, sep="\n")
    missed = missing(results, lines)
    if options.operators:
        print()
        of_operators = run(operators.cases(options.largest), operators.SECONDS)
        results += of_operators + run(moving.cases(options.largest))
        print("", *operators.report(of_operators), sep="\n")
    if options.json:
        written = {**head, "figures": figures, "cases": [asdict(result) for result in results]}
        Path(options.json).write_text(json.dumps(written, indent=1) + "\n")
    if options.record:
        history.record(head, results)
    return 1 if missed else 0


def with_targets() -> list[tuple[list[Any], float]]:
    """The cases that have targets, by how long a turn of theirs lasts."""
    from benchmarks import cases, functional, gradbench, images, mechanics, modes, programs, sequences, small

    short = [*cases.with_targets(), *programs.cases(), *functional.cases(), *mechanics.cases(), *modes.cases()]
    return [
        (short, 0.02),
        (gradbench.cases(), gradbench.SECONDS),
        (images.cases(), images.SECONDS),
        (sequences.cases(), sequences.SECONDS),
        (small.cases(), small.SECONDS),
    ]


if __name__ == "__main__":
    sys.exit(main())

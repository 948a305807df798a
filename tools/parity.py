"""The same programs on torch and on wengert, every difference reported: `make parity`.

    python tools/parity.py                      the programs of tests/parity/programs, the behaviour table of
                                                tests/mechanics, and generated programs
    python tools/parity.py --record             write torch's answers to tests/parity/expected.json
    python tools/parity.py --opinfo [--ops add,mul] [--dtypes bfloat16] [--report FILE]
                                                torch's own operator samples: values, gradients, errors
    python tools/parity.py --layouts [--ops add,mul] [--report FILE]
                                                the same samples with inputs in many orders: strides
    python tools/parity.py --modules [--ops Linear,GRU] [--report FILE]
                                                torch's own samples of modules: state, results, copies, errors
    python tools/parity.py --optimizers [--ops Adam] [--report FILE]
                                                torch's own samples of optimizers: steps, state, schedules, errors
    python tools/parity.py --fuzz 200 [--seed 0] [--ops add,mul] [--report FILE]
                                                the same samples with arguments changed at random, so many per operator

A difference that is wanted stands, with its reason, in `tools/parity_known.toml` (of operator samples in
`tools/opinfo_known.toml`, of strides under --layouts in `tools/layouts_known.toml`, of changed samples in
`tools/fuzz_known.toml`, of modules and of optimizers in files called likewise); any other makes the exit status 1.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.beside_torch import (  # noqa: E402
    fuzz,
    generate,
    layouts,
    mechanics,
    modules,
    opinfo,
    optimizers,
    programs,
    report,
)
from tools.beside_torch.describe import differences, observe  # noqa: E402


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opinfo", action="store_true", help="run torch's operator samples")
    parser.add_argument("--layouts", action="store_true", help="compare strides for inputs that lie in many orders")
    parser.add_argument("--modules", action="store_true", help="run torch's samples of modules")
    parser.add_argument("--optimizers", action="store_true", help="run torch's samples of optimizers")
    parser.add_argument("--fuzz", type=int, default=0, help="how many changed samples of each operator to run")
    parser.add_argument("--seed", type=int, default=0, help="of the changes of --fuzz")
    parser.add_argument("--ops", default="", help="only these operators, separated by commas")
    parser.add_argument("--report", default="", help="write the findings to this file")
    parser.add_argument("--dtypes", default="", help="only samples of these dtypes, separated by commas")
    parser.add_argument("--samples", type=int, default=40, help="samples per operator, dtype and form")
    parser.add_argument("--seconds", type=float, default=20.0, help="time per operator")
    parser.add_argument("--record", action="store_true", help="write torch's answers to tests/parity/expected.json")
    parser.add_argument("--generated", type=int, default=300, help="how many generated programs of each kind")
    parser.add_argument("--programs", default="", help="only programs with this text in their name")
    return parser.parse_args()


def run_opinfo(torch: Any, wengert: Any, options: argparse.Namespace) -> int:
    """Run torch's samples of operators, modules or optimizers; the exit status."""
    wanted = set(filter(None, options.ops.split(",")))
    runner, listed = runner_for(torch, wengert, options)
    chosen = [info for info in database(options) if selected(info, wanted)]
    started, outcomes = time.time(), []
    for info in chosen:
        outcomes.append(runner.run(info))
        if options.report and len(outcomes) % 25 == 0:
            Path(options.report).write_text(f"unfinished\n{report.table(outcomes)}", encoding="utf-8")
    unused = runner.known.unused if not wanted and not options.fuzz else []  # chance need not come by all of them
    head = [
        f"{time.strftime('%H:%M')}, {time.time() - started:.0f} s",
        *(f"entry of {listed} that explains nothing: {pattern}" for pattern in unused),
    ]
    emit("\n".join([*head, report.table(outcomes)]), options.report)
    return 1 if unused or any(outcome.failures for outcome in outcomes) else 0


def database(options: argparse.Namespace) -> list[Any]:
    """What torch has samples of."""
    place, name = (
        ("modules", "module_db")
        if options.modules
        else ("optimizers", "optim_db")
        if options.optimizers
        else ("methods_invocations", "op_db")
    )
    entries: list[Any] = getattr(importlib.import_module(f"torch.testing._internal.common_{place}"), name)
    return entries


def runner_for(torch: Any, wengert: Any, options: argparse.Namespace) -> tuple[Any, str]:
    """What runs the samples, and the name of the list of wanted differences."""
    module: Any = modules if options.modules else optimizers if options.optimizers else opinfo
    kinds = options.dtypes.split(",") if options.dtypes else module.DTYPES
    limits = {"most": options.samples, "seconds": options.seconds, "kinds": kinds}
    runner: Any
    if options.modules:
        runner = modules.ModuleRunner(torch, wengert, **limits)
        return runner, modules.KNOWN.name
    if options.optimizers:
        runner = optimizers.OptimizerRunner(torch, wengert, **limits)
        return runner, optimizers.KNOWN.name
    if options.fuzz:
        runner = fuzz.FuzzRunner(torch, wengert, tries=options.fuzz, seed=options.seed, **limits)
        return runner, fuzz.KNOWN.name
    if options.layouts:
        return layouts.LayoutRunner(torch, wengert, **limits), layouts.KNOWN.name
    return opinfo.Runner(torch, wengert, **limits), opinfo.KNOWN.name


def selected(info: Any, wanted: set[str]) -> bool:
    """Whether to run an operator: what was asked for, or all that work on dense tensors."""
    if wanted:
        return info.name in wanted or info.name.rpartition(".")[2] in wanted
    if info.name == "as_strided":  # its samples show memory around the tensor, which is not carried over
        return False
    return "sparse" not in info.name and not info.name.startswith(("jiterator", "torch.", "masked."))


def emit(text: str, path: str) -> None:
    """Print, or write to a file and print the beginning."""
    if path:
        Path(path).write_text(text, encoding="utf-8")
        text = "\n".join(text.splitlines()[:2])
    print(text)


def all_programs(options: argparse.Namespace) -> Iterator[tuple[str, Any, str]]:
    """Every program: name, function, text (of generated ones)."""
    for name, function in {**programs.collect(), **programs.behaviour()}.items():
        if options.programs in name:
            yield name, function, ""
    kinds = (("expression", generate.expression), ("writes", generate.writes), ("mechanics", mechanics.mechanics))
    for kind, make in kinds:
        for seed in range(options.generated):
            name = f"generated.{kind}_{seed}"
            if options.programs in name:
                text = make(seed)
                yield name, generate.compile_program(text), text


def run_programs(torch: Any, wengert: Any, options: argparse.Namespace) -> int:
    """Run all programs on both; the exit status."""
    known, lines = programs.Known(), []
    count = differing = wanted = 0
    for name, function, text in all_programs(options):
        count += 1
        texts = differences(observe(function, torch), observe(function, wengert), slack=100.0 if text else 1.0)
        unexplained = known.unexplained(name, texts, text)
        wanted += bool(texts) and not unexplained
        if unexplained:
            differing += 1
            lines += [f"\n{name}", *(f"    {line}" for line in unexplained[:6])]
            lines += [f"    | {row}" for row in text.splitlines()]
    unused = sorted(set(known.entries) - known.used) if not options.programs else []
    lines += [f"entry of {programs.KNOWN.name} that explains nothing: {pattern}" for pattern in unused]
    head = (
        f"{count} programs: {count - differing - wanted} agree, {wanted} differ as listed, {differing} differ otherwise"
    )
    emit("\n".join([head, *lines]), options.report)
    return 1 if differing or unused else 0


def record(torch: Any) -> int:
    """Write torch's answers to the hand-written programs; the exit status."""
    answers = {name: observe(function, torch) for name, function in programs.collect().items()}
    programs.write_expected(torch.__version__.partition("+")[0], answers)
    print(f"{len(answers)} answers of torch {torch.__version__} in {programs.EXPECTED}")
    return 0


def main() -> int:
    """Run what the command line asks for."""
    options = arguments()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    if options.record:
        return record(torch)
    wengert: Any = importlib.import_module("wengert")
    return (
        run_opinfo(torch, wengert, options)
        if options.opinfo or options.layouts or options.fuzz or options.modules or options.optimizers
        else run_programs(torch, wengert, options)
    )


if __name__ == "__main__":
    sys.exit(main())

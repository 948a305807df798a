"""All hunts, in both builds: `make hunt [MINUTES=10]`, `python -m tools.hunt [--minutes 10] [--seed 1] [--only files]`.

Each runs in a process of its own. What it finds comes with the program that shows it again. The table at the end gives
tries and findings of each; the exit status is 1 if anything was found. A finding that is somebody else's defect stands,
with its reason, in `tools/hunt_known.toml`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tools.beside_torch.programs import Known  # noqa: E402

KNOWN = ROOT / "tools" / "hunt_known.toml"
HUNTS = {
    "arguments": 3,
    "oracle": 4,
    "transforms": 3,
    "beside_torch": 2,
    "signals": 1,
    "forks": 1,
    "compiled": 2,
    "loads": 1,
    "allocations": 1,
    "files": 1,
}
"""The modules, each with its share of the time."""
BESIDE_TORCH = frozenset({"beside_torch"})
BUILDS = {"compiled": "", "interpreted": "1"}
"""Each with its value of WENGERT_PURE."""


@dataclass
class Outcome:
    """What a hunt gave in one build."""

    name: str
    build: str
    seconds: float = 0.0
    tries: int = 0
    findings: list[str] = field(default_factory=list)
    known: int = 0
    left_out: str = ""
    figures: str = ""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="in all; half of it in each build")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()) % 1_000_000, help="a new one each time unless given"
    )
    parser.add_argument("--only", default="", help="only these hunts, separated by commas")
    parser.add_argument(
        "--torch-python", default=sys.executable, help="a Python that has torch, for the hunt beside it"
    )
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_one(name: str, seconds: float, seed: int) -> int:
    """In a hunt's own process: hunt, and tell in JSON."""
    module = importlib.import_module(f"tools.hunt.{name}")
    tries, findings, *figures = module.hunt(seconds, seed)
    print(json.dumps({"tries": tries, "findings": findings, "figures": "\n".join(figures)}))
    return 0


def start(name: str, build: str, seconds: float, options: argparse.Namespace) -> Outcome:
    """Run one hunt in one build."""
    outcome = Outcome(name, build)
    if importlib.util.find_spec(f"tools.hunt.{name}") is None:
        outcome.left_out = f"there is no tools/hunt/{name}.py"
        return outcome
    python = options.torch_python if name in BESIDE_TORCH else sys.executable
    if name in BESIDE_TORCH and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
        outcome.left_out = "torch is not installed; TORCH_PYTHON=/path/to/python names a Python that has it"
        return outcome
    variables = {**os.environ, "WENGERT_PURE": BUILDS[build], "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    variables["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH")])
    )
    command = [python, "-W", "ignore", "-m", "tools.hunt", "--one", name, "--minutes", str(seconds / 60)]
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [*command, "--seed", str(options.seed)],
            env=variables,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=2 * seconds + 300,
        )
        report = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
        ended = f"ended with status {done.returncode}:\n{done.stderr[-2000:]}"
    except subprocess.TimeoutExpired:
        report, ended = {}, "did not end"
    outcome.seconds = time.monotonic() - begun
    outcome.tries, findings = report.get("tries", 0), report.get("findings", [f"the hunt itself {ended}"])
    outcome.figures = report.get("figures", "")
    known = Known(KNOWN)
    outcome.findings = [finding for finding in findings if known.unexplained(name, [finding])]
    outcome.known = len(findings) - len(outcome.findings)
    return outcome


def table(outcomes: list[Outcome]) -> str:
    """Tries and findings of each hunt."""
    lines = [f"{'hunt':14s} {'build':12s} {'seconds':>8s} {'tries':>9s} {'findings':>9s} {'known':>6s}"]
    for outcome in outcomes:
        figures = f"{outcome.seconds:8.0f} {outcome.tries:9,d} {len(outcome.findings):9d} {outcome.known:6d}"
        lines.append(f"{outcome.name:14s} {outcome.build:12s} {outcome.left_out or figures}")
        lines += [f"    {line}" for line in outcome.figures.splitlines()]
    return "\n".join(lines)


def main() -> int:
    """Run what the command line asks for."""
    options = arguments()
    if options.one:
        return run_one(options.one, options.minutes * 60, options.seed)
    wanted = set(filter(None, options.only.split(",")))
    chosen = {name: share for name, share in HUNTS.items() if not wanted or name in wanted}
    each_share = options.minutes * 60 / len(BUILDS) / sum(chosen.values())
    outcomes = []
    for build in BUILDS:
        for name, share in chosen.items():
            outcomes.append(start(name, build, share * each_share, options))
            print("\n".join(table(outcomes[-1:]).splitlines()[1:]), flush=True)
    for outcome in outcomes:
        for finding in outcome.findings:
            print(f"\n== {outcome.name}, {outcome.build} build, seed {options.seed}\n{finding}")
    print(f"\nseed {options.seed}\n{table(outcomes)}")
    return 1 if any(outcome.findings for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())

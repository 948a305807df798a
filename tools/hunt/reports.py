"""What the hunts for signals and forks share: a child that tells what it tries, and the parent that reads it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

LAST = 400
"""Characters of what a child wrote to standard error that a finding quotes."""


def report(tried: int, findings: list[str]) -> None:
    """A child tells how much it has tried so far, and what it found."""
    for finding in findings:
        print("finding:", " ".join(finding.split()), flush=True)
    print("tried:", tried, flush=True)


def run_child(command: list[str], patience: float, name: str) -> tuple[int, list[str]]:
    """Run a child that reports.

    Args:
        patience: seconds after which it counts as hanging.
        name: what reproduces its findings.

    Returns:
        How much it tried, and its findings; a crash and a hang are findings.
    """
    ended = ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
        output, errors = done.stdout, done.stderr
        if done.returncode:
            ended = f"ended with {done.returncode}: {errors.strip()[-LAST:]}"
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        ended = f"hangs after {patience:.0f} s"
    tried, findings = 0, []
    for line in output.splitlines():
        kind, _, text = line.partition(": ")
        if kind == "tried":
            tried = int(text)
        elif kind == "finding":
            findings.append(f"{name}: {text}")
    return tried, findings + ([f"{name}: {ended}"] if ended else [])


def main(name: str, hunt: Callable[[float, int], tuple[int, list[str]]]) -> int:
    """The command line of a hunt: seconds (30) and seed (0); the exit status."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tries, findings = hunt(seconds, seed)
    for finding in findings:
        print(finding)
    print(f"{name}: {tries} tries, {len(findings)} findings")
    return 1 if findings else 0

"""The report of a run over torch's operator samples."""

from __future__ import annotations

from collections import Counter

from .opinfo import Failure, Outcome


def table(outcomes: list[Outcome]) -> str:
    """All operators with their figures, worst first, then the smallest failing sample of each kind of failure."""
    counts = Counter(outcome.status for outcome in outcomes)
    failed = sorted((outcome for outcome in outcomes if outcome.status == "failed"), key=badness, reverse=True)
    lines = [f"operators: {', '.join(f'{number} {status}' for status, number in counts.most_common())}", ""]
    lines.append(f"{'operator':44s} {'passed':>7s} {'failed':>7s} {'sec':>5s}  failures by kind")
    for outcome in failed:
        kinds = Counter(failure.kind for failure in outcome.failures)
        figures = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())
        lines.append(
            f"{outcome.name:44s} {outcome.passed:7d} {len(outcome.failures):7d} {outcome.seconds:5.1f}  {figures}"
        )
    lines += ["", "== smallest failing sample of each kind =="]
    for outcome in failed:
        lines.append(f"\n{outcome.name}")
        for failure in smallest(outcome.failures):
            lines.append(f"  [{failure.kind}] {failure.sample[:500]}\n      {failure.message[:500]}")
    for status in ("passed", "not run", "missing"):
        names = sorted(outcome.name for outcome in outcomes if outcome.status == status)
        lines += ["", f"== {status} ({len(names)}) ==", ", ".join(names)]
    return "\n".join(lines) + "\n"


def badness(outcome: Outcome) -> float:
    """The share of samples that failed, and how many."""
    bad = len(outcome.failures)
    return bad / (bad + outcome.passed) + bad / 1e6


def smallest(failures: list[Failure]) -> list[Failure]:
    """For each kind the failure with the fewest elements."""
    chosen: dict[str, Failure] = {}
    for failure in failures:
        known = chosen.get(failure.kind)
        if known is None or (failure.size, len(failure.sample)) < (known.size, len(known.sample)):
            chosen[failure.kind] = failure
    return list(chosen.values())

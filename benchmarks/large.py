"""Operators on large arrays by groups, each with what it must reach beside torch: a mean, a floor for a case, or both.

What misses its floor is printed again at the end of the table. If no reason is written down for it, the share of what
the machine allows is one where it is high: no program can do more than move what comes in and what goes out.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks import moving
from benchmarks.cases import BOTH
from benchmarks.catalogue import DIFFERENTIABLE
from benchmarks.operators import BACKWARD, FORWARD, LARGEST, SIZES, forward, read_by, with_backward
from benchmarks.small import CAP
from benchmarks.timing import Case, Result

ROUNDS = 5
"""How often each library has its turn, at most: there are many cases, and they are long."""
SECONDS = 0.005
"""How long a turn lasts."""
ALL = 2.0
"""Target of the geometric mean of all cases."""


@dataclass(frozen=True)
class Group:
    """Cases that have a target together.

    Attributes:
        name: what the table calls it.
        cases: they, each with its floor as its target.
        means: targets of the geometric means by the end of the cases' names: size and direction.
    """

    name: str
    cases: tuple[Case, ...]
    means: dict[str, float]


def of_texts(families: tuple[str, ...], sizes: dict[str, int], floor: float) -> Iterator[Case]:
    """The texts of some families, forward and forward with backward."""
    for label, length in sizes.items():
        for family in families:
            for text in DIFFERENTIABLE[family]:
                for end, make in ((FORWARD, forward), (BACKWARD, with_backward)):
                    read = read_by(text, length, end == BACKWARD)
                    yield Case(f"{text} | {label} | {end}", make(text, length), floor, 2e-3, BOTH, read)


def groups() -> list[Group]:
    """All of them."""
    million = {"1e6": SIZES["1e6"]}
    pointwise = tuple(of_texts(("pointwise", "activations"), million | LARGEST, 1.0))
    reductions = tuple(of_texts(("reductions", "norms", "losses"), million, 1.2))
    moves, products = moving.of_moves("1e6"), moving.of_products()
    return [
        Group("pointwise", pointwise, {FORWARD: 1.2, BACKWARD: 2.0}),
        Group("reductions, norms, losses", reductions, {}),
        Group("indexing, moving, sorting", tuple(replace(case, target=1.1) for case in moves), {}),
        Group("products", tuple(replace(case, target=1.0) for case in products), {}),
    ]


def cases() -> list[Case]:
    """Those of all groups."""
    return [case for group in groups() for case in group.cases]


def report(results: list[Result]) -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures: the geometric mean of each group by size and direction, and how many cases
    reach their floor; the mean of all.
    """
    ratios = {result.name: result.ratios["torch"] for result in results if "torch" in result.ratios}
    lines, figures = [], {}
    for group in groups():
        for end in dict.fromkeys(case.name.split(" | ", 1)[1] for case in group.cases):
            chosen = [case for case in group.cases if case.name.endswith(f" | {end}") and case.name in ratios]
            if chosen:
                name = f"{group.name} | {end}"
                line, figures[name] = mean_of(name, chosen, ratios, group.means.get(end.split(" | ")[-1]))
                lines.append(line)
    measured = [ratios[case.name] for group in groups() for case in group.cases if case.name in ratios]
    if measured:
        figures["large arrays"] = statistics.geometric_mean(min(ratio, CAP) for ratio in measured)
        lines.append(f"large arrays, all {len(measured)}: geometric mean {verdict(figures['large arrays'], ALL)}")
    return lines, figures


def mean_of(name: str, chosen: list[Case], ratios: dict[str, float], target: float | None) -> tuple[str, float]:
    """The line of a group, a size and a direction, and the geometric mean."""
    mean = statistics.geometric_mean(min(ratios[case.name], CAP) for case in chosen)
    floor = chosen[0].target or 0.0
    reached = sum(ratios[case.name] >= floor for case in chosen)
    worst = min(chosen, key=lambda case: ratios[case.name])
    return (
        f"{name:48s} geometric mean {verdict(mean, target)}; {reached} of {len(chosen)} reach {floor:g}; "
        f"worst {ratios[worst.name]:.2f}  {worst.name.split(' | ')[0]}"
    ), mean


def verdict(mean: float, target: float | None) -> str:
    """A mean with the word for the table."""
    return f"{mean:.2f}" + (f"  {'pass' if mean >= target else 'MISS'} (>= {target:g})" if target else "")

"""Random programs, of which every mode of differentiation must say the same.

A program is the text of a function (`programs.py`), of statements that are tried before they are taken (`drafts.py`,
`statements.py`) and of the operators of the registry (`calls.py`). It is evaluated forwards, backwards, batched and
nested (`modes.py`). Whatever differs, or is refused without a reason that is listed, is a finding (`judging.py`), and
is made as short as it can be (`shrink.py`).
"""

from __future__ import annotations

import itertools
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from tools.hunt import forked
from tools.hunt.oracle import calls
from tools.hunt.oracle.judging import Verdict, chosen, judge
from tools.hunt.oracle.programs import program
from tools.hunt.oracle.shrink import shrunk

NAME = "modes of differentiation beside each other"
LIMITS = forked.Limits(seconds=120.0, tries=500)


@dataclass
class Tally:
    """What a hunt has seen.

    Attributes:
        operators, pairs: how often programs call an operator, and one after another.
        refused: how often modes refused, by the reason.
        programs, evaluations, kinks: how many there were.
        rounded: how many results differed by the rounding of their programs.
    """

    operators: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    programs: int = 0
    evaluations: int = 0
    kinks: int = 0
    rounded: int = 0

    def add(self, called: list[str], refused: dict[str, int], kinks: int, rounded: int, evaluations: int) -> None:
        """Count a program."""
        self.programs += 1
        self.operators.update(called)
        self.pairs.update(itertools.pairwise(called))
        self.refused.update(refused)
        self.kinks += kinks
        self.rounded += rounded
        self.evaluations += evaluations

    def text(self) -> str:
        """The figures as text."""
        lines = [
            f"{self.programs:,d} programs, {self.evaluations:,d} evaluations, {len(self.operators)} operators, "
            f"{len(self.pairs):,d} pairs of operators in a row, {self.kinks} kinks, {self.rounded} rounded"
        ]
        lines += [f"refused {count:,d} times: {why}" for why, count in self.refused.most_common()]
        return "\n".join(lines)


def tries(seed: int) -> Iterator[str]:
    """Names of programs without end."""
    draw = random.Random(seed)
    while True:
        yield f"program({draw.randrange(10**9)})"


def hunt(seconds: float, seed: int) -> tuple[int, list[str], str]:
    """See the package; beside tries and findings the figures of what was seen."""
    calls.functions()
    calls.in_place()  # before children are forked
    with tempfile.TemporaryFile("w+") as notes:
        count, findings = forked.sift(tries(seed), lambda text: attempt(text, notes), seconds, LIMITS)
        notes.seek(0)
        tally = Tally()
        for line in notes:
            tally.add(*json.loads(line))
    return count, findings, tally.text()


def attempt(text: str, notes: IO[str] | None = None) -> str | None:
    """Make the program that a text names, and judge it.

    Args:
        text: `program(SEED)`, or the program itself.
        notes: where to write what it was made of, and what became of it.
    """
    name = re.fullmatch(r"program\((\d+)\)", text)
    source = program(int(name[1])) if name else text
    verdict = judge(source)
    if notes is not None:
        figures = [verdict.refused, verdict.kinks, verdict.rounded, len(verdict.asked)]
        print(json.dumps([called(source), *figures]), file=notes)
        notes.flush()
    return complaint(source, verdict) if verdict.complaints else None


def complaint(source: str, verdict: Verdict) -> str:
    """What is wrong with a program, which is made as short as it can be."""
    mode, kind = next(iter(verdict.complaints.items()))
    names = [part.strip() for part in mode.split(" and ") if part != "differences"]

    def is_faulty(candidate: str) -> bool:
        try:
            complaints = judge(candidate, names).complaints.get(mode)
        except Exception:  # what is no program any more
            return False
        return complaints is not None and complaints.split()[:2] == kind.split()[:2]

    least = shrunk(source, is_faulty)
    complaints = judge(least, [*chosen(least), *names]).complaints
    headline = f"{mode}: {' '.join(called(least))}"
    lines = [headline, least, *(f"{part} {what}" for part, what in complaints.items())]
    return "\n".join(lines)


def called(source: str) -> list[str]:
    """The operators that a program calls by name, in their order."""
    return re.findall(r"(?<!wg)\.([a-z_]\w*)\(", source.replace("wg.tensor(", ""))

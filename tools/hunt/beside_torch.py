"""Random programs beside torch: values, gradients, strides, offsets, versions, histories, and which error, if any.

Differences that are wanted stand, with their reasons, in `tools/parity_known.toml`.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import wengert
from tools.beside_torch import generate, mechanics, views
from tools.beside_torch.describe import differences, observe
from tools.beside_torch.programs import Known
from tools.hunt import forked

NAME = "programs beside torch"
KINDS: dict[str, tuple[Callable[[int], str], int]] = {
    "views": (views.views, 12),
    "writes": (generate.writes, 4),
    "mechanics": (mechanics.mechanics, 3),
    "expression": (generate.expression, 1),
}
"""How programs are made, and how often."""
LIMITS = forked.Limits(seconds=20.0, tries=200)
FIRST = 1_000_000
"""Seeds begin here: `make parity` runs the small ones."""


def tries(seed: int) -> Iterator[str]:
    """Programs without end, each with its name before it."""
    draw = random.Random(seed)
    kinds, weights = [*KINDS], [weight for _, weight in KINDS.values()]
    while True:
        (kind,) = draw.choices(kinds, weights)
        number = FIRST + draw.randrange(10**9)
        yield f"# generated.{kind}_{number}\n{KINDS[kind][0](number)}"


def compare(text: str, library: Any, known: Known) -> str | None:
    """The differences of a program between `library` and wengert that no entry explains."""
    name, function = text.partition("\n")[0].removeprefix("# "), generate.compile_program(text)
    expected, observed = observe(function, library), observe(function, wengert)
    in_steps = "views_" in name and "result" in expected and "result" in observed
    least = 1e-5 if "float32" in text else 0.0  # of float64 computed from float32, too
    lines = first_difference(expected, observed) if in_steps else differences(expected, observed, "", 100.0, least)
    unexplained = [line for line in known.unexplained(name, lines, text) if ".says" not in line]
    return "\n".join([f"differs from torch: {unexplained[0]}", *unexplained[1:8]]) if unexplained else None


def first_difference(expected: dict[str, Any], observed: dict[str, Any]) -> list[str]:
    """In what the first step that differs does; what follows may only follow from it."""
    before: list[Any] = [[], []]
    for one, other in zip(expected["result"]["list"], observed["result"]["list"]):
        (step, note, wanted, theirs), (same, _, recorded, ours) = one["list"], other["list"]
        if step != same:
            return [] if "second derivatives" in (step, same) else [f"{step}: expected, found {same}"]
        step += note
        *kinds, why = wanted["list"] if wanted else [None, ""]
        *others, answer = recorded["list"] if recorded else [None, ""]
        if kinds[0] not in others:
            return [f"{step}: expected {kinds[0]}, found {others[0]} ({why} | {answer})"]
        refused = wanted is not None
        # Torch may have written before it refused; then there is nothing more to compare.
        lines = different_facts(step, before[1] if refused else theirs["dict"], ours["dict"])
        if lines or (refused and different_facts(step, before[0], theirs["dict"])):
            return [f"refused, but {line}" if refused else line for line in lines]
        before = [theirs["dict"], ours["dict"]]
    return []


def different_facts(step: str, expected: list[Any], observed: list[Any]) -> list[str]:
    """The first fact in which two states differ."""
    for (name, facts), (_, others) in zip(expected, observed):
        pairs = zip(facts.get("list", [facts]), others.get("list", [others]))
        for what, pair in zip(views.FACTS, pairs):
            lines = [line for line in differences(*pair, slack=100.0) if ".says" not in line]
            if lines:
                line = f"{step}: {what} of {'its result' if step.startswith(name) else name}{lines[0]}"
                return [
                    line + "".join(f" ({fact['says']})" for fact in pair if isinstance(fact, dict) and "says" in fact)
                ]
    return []


def attempt_alone(text: str) -> str | None:
    """Run a program on wengert only."""
    observe(generate.compile_program(text), wengert)
    return None


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """See the package; torch must be there."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    known = Known()

    def attempt(text: str) -> str | None:
        return compare(text, torch, known)

    def theirs(text: str) -> bool:
        return not forked.run([text], attempt_alone, LIMITS).death

    return forked.sift(tries(seed), attempt, seconds, LIMITS, excuse=theirs)


if __name__ == "__main__":
    forked.main(hunt)

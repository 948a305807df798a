"""What all modes make of a program: whether they agree with each other and with differences, and who refuses it."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import wengert as wg
from tools.hunt.oracle.modes import MODES, Mode, Quantities, Task, neighbour, task_of

REFUSALS: tuple[tuple[str, Callable[[Mode], bool], str], ...] = (
    (
        "has been modified by an inplace operation",
        lambda mode: mode.backward,
        "a backward pass needs a value that the program has overwritten",
    ),
    (
        "more than one element of the written-to tensor refers to a single memory location",
        lambda mode: mode.backward or mode.batched,
        "elements that share memory are written to, so that it is not known which of them is the last",
    ),
    (
        "This view is the output of a function that returns multiple views",
        lambda mode: mode.backward,
        "one of several views of an operator is written to, which cannot be recorded",
    ),
    (
        r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible",
        lambda mode: mode.batched,
        "all members would write to the same memory, which was made without the batch",
    ),
    (
        r'"\w+" not implemented for',
        lambda mode: mode.batched,
        "an operator takes complex numbers only where it has nothing to do, as without dimensions",
    ),
    (
        "Tensor must have a (stride|storage_offset) divisible by 2",
        lambda mode: mode.name != "reverse",
        "members with an odd number of elements lie behind each other, so that their numbers are no pairs of all",
    ),
    (
        "vmap: We do not support batching operators that can support dynamic shape",
        lambda mode: mode.batched,
        "the members would have results of different shapes",
    ),
)
"""What may be refused: a piece of the words, by which modes, and why."""
SOME, ALL_OF = 3, 12
"""How many of the dearer modes are asked; of every twelfth program all of them."""
TOLERANCES = {"value": 1e-10, "hessian": 1e-7, "product": 1e-7, "third": 1e-6}
TOLERANCE = 1e-8
DIFFERENCES = 1e-5
"""How far a derivative may be from a difference."""
NEIGHBOURS = 6
"""How many programs with other last digits tell how much of a quantity is rounding."""
ROUNDED, MOST_ROUNDED = 20.0, 1e-3
"""How far from each other, beside what neighbours differ by and beside the largest, rounded quantities may be."""


@dataclass
class Verdict:
    """What became of a program.

    Attributes:
        complaints: what is wrong, by the mode that is.
        refused: the reasons why modes refused, each with its count.
        kinks: how often a difference said nothing, since there is a kink.
        rounded: how often two modes differed by no more than the rounding of the program itself.
        asked: the modes that were asked.
    """

    complaints: dict[str, str] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    kinks: int = 0
    rounded: int = 0
    asked: list[str] = field(default_factory=list)


def chosen(text: str) -> list[str]:
    """The modes that a program is given to: the cheap ones, and some others that its text decides."""
    seed = zlib.crc32(text.encode())
    others = [mode.name for mode in MODES.values() if not mode.always]
    if seed % ALL_OF:
        others = random.Random(seed).sample(others, SOME)
    return [mode.name for mode in MODES.values() if mode.always] + others


def judge(text: str, names: Iterable[str] | None = None) -> Verdict:
    """Evaluate a program in some modes, by default those that its text decides, and compare."""
    return Trial(task_of(text)).verdict(chosen(text) if names is None else names)


class Trial:
    """A program under trial.

    Attributes:
        task: the program and its input.
        results: what each mode gave, None where it did not.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.results: dict[str, Quantities | None] = {}
        self.result = Verdict()

    def verdict(self, names: Iterable[str]) -> Verdict:
        """Ask modes, and compare each with the reference and the derivatives with differences."""
        with np.errstate(all="ignore"):
            for name in names:
                for what, value in (self.ask(name) or {}).items():
                    self.compare(name, what, value)
            self.differ()
        return self.result

    def ask(self, name: str) -> Quantities | None:
        """What a mode gives; None where it refuses, which is a complaint unless it may."""
        if name in self.results:
            return self.results[name]
        self.results[name] = None
        self.result.asked.append(name)
        try:
            self.results[name] = MODES[name].run(self.task)
        except Exception as error:  # whatever it is, it is judged
            reason = may_refuse(MODES[name], str(error))
            if reason:
                self.result.refused[reason] += 1
            else:
                self.complain(name, f"raises {type(error).__name__}: {first_line(error)}")
        for changed in self.task.changed():
            self.complain(name, f"changes {changed}")
            self.task.begin()
        return self.results[name]

    def complain(self, name: str, what: str) -> None:
        """Note a complaint, the first of a mode."""
        self.result.complaints.setdefault(name, what)

    def reference(self, what: str, *names: str) -> tuple[str, Any] | None:
        """A quantity of the first of some modes that gives it."""
        for name in names:
            quantities = self.ask(name)
            if quantities is not None and what in quantities:
                return name, quantities[what]
        return None

    def expected(self, what: str) -> tuple[str, Any] | None:
        """What a quantity should be, and who says so."""
        what = what.removesuffix(" again")
        first, one_by_one, second = ("reverse", "forward"), ("one_by_one", "one_by_one_forward"), SECOND
        if what in ("value", "jacobian"):
            return self.reference(what, *first)
        if what in ("values", "jacobians"):
            return self.reference(what, *one_by_one)
        if what == "hessian":
            return self.reference(what, *second)
        if what == "hessians":
            return self.reference(what, "one_by_one_second")
        if what == "third":
            return self.reference(what, "third_reverse")
        whole = {"product": "hessian", "gradients": "jacobians", "directionals": "jacobians"}.get(what, "jacobian")
        reference = self.expected(whole)
        if reference is None:
            return None
        way, weights = self.task.way._array_.reshape(-1), self.task.weights._array_.reshape(-1)
        return reference[0], weights @ reference[1] if what.startswith("gradient") else reference[1] @ way

    def compare(self, name: str, what: str, value: Any) -> None:
        """Compare a quantity of a mode with what it should be."""
        reference = self.expected(what)
        if reference is None or reference[0] == name:
            return
        expected = np.asarray(reference[1]).reshape(-1)
        value = np.asarray(value).reshape(-1)
        if close(value, expected, TOLERANCES.get(what.split()[0].removesuffix("s"), TOLERANCE)):
            return
        if self.is_rounding(what, value, expected):
            self.result.rounded += 1
        else:
            self.complain(
                name,
                f"differs from {reference[0]} in the {what}: {number_text(value)}, expected {number_text(expected)}",
            )

    def is_rounding(self, what: str, value: Any, expected: Any) -> bool:
        """Whether a small difference is no larger than what programs with other last digits make of the quantity.

        Numbers that are large on the way cancel: one mode is left with nothing, another with the rounding of them.
        """
        if not close(value, expected, MOST_ROUNDED):
            return False
        noise = 0.0
        for seed in range(NEIGHBOURS):
            try:
                reference = Trial(neighbour(self.task, seed)).expected(what)
            except Exception:  # other digits may leave no program
                return False
            if reference is not None and np.size(reference[1]) == expected.size:
                noise = max(noise, float(np.abs(np.asarray(reference[1]).reshape(-1) - expected).max(initial=0)))
        return float(np.abs(value - expected).max(initial=0)) <= ROUNDED * noise

    def differ(self) -> None:
        """Compare the derivatives with differences."""
        first = self.expected("jacobian")
        if first is not None:
            self.beside_differences(first[0], self.value, first[1] @ self.task.way._array_.reshape(-1))
        second = self.expected("hessian") if any(name in self.results for name in SECOND) else None
        if second is not None and self.results["reverse"] is not None and self.goes_backwards():
            self.beside_differences(second[0], self.grad_of, second[1] @ self.task.way._array_.reshape(-1))

    def goes_backwards(self) -> bool:
        """Whether the weighted sum has a gradient: a result without elements is never asked for one."""
        try:
            self.grad_of(self.task.x)
        except RuntimeError as error:
            if may_refuse(MODES["reverse"], str(error)):
                return False
            raise
        return True

    def value(self, x: Any) -> Any:
        """The program's value at a point."""
        with wg.no_grad():
            return self.task.f(x).numpy().reshape(-1)

    def grad_of(self, x: Any) -> Any:
        """The gradient of the weighted sum at a point."""
        leaf = x.detach().requires_grad_()
        total = self.task.total(leaf)
        if not total.requires_grad:
            return np.zeros(x.numel())
        (grad,) = wg.autograd.grad(total, leaf, allow_unused=True)
        return np.zeros(x.numel()) if grad is None else grad.numpy().reshape(-1)

    def beside_differences(self, name: str, function: Callable[[Any], Any], claimed: Any) -> None:
        """Compare a derivative along the direction with differences, unless there is a kink."""
        x, way = self.task.x, self.task.way
        differences = []
        for step in (1e-3, 1e-5):
            at = {by: function(x + way * (by * step)) for by in (-2, -1, 1, 2)}
            differences.append((8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step))
            if close(differences[-1], claimed, DIFFERENCES):
                return
        middle, (difference, again) = function(x), differences
        before, after = (middle - at[-1]) / step, (at[1] - middle) / step
        if not (close(before, after, 100 * DIFFERENCES) and close(difference, again, 100 * DIFFERENCES)):
            self.result.kinks += 1
            return
        order = "a first" if function == self.value else "a second"
        self.complain(
            f"{name} and differences",
            f"differ in {order} derivative: {number_text(claimed)}, differences {number_text(again)}",
        )


SECOND = ("twice_backward", "forward_over_forward")
"""The modes whose second derivatives are the reference."""


def may_refuse(mode: Mode, words: str) -> str:
    """Why a mode may refuse a program in such words; "" if it may not."""
    return next((why for piece, by, why in REFUSALS if by(mode) and re.search(piece, words)), "")


def first_line(error: Exception) -> str:
    """The beginning of what an error says."""
    return (str(error).splitlines() or [""])[0][:200]


def close(one: Any, other: Any, tolerance: float) -> bool:
    """Whether numbers agree, beside the largest of them."""
    if one.shape != other.shape:
        return False
    scale = 1 + np.abs(other[np.isfinite(other)]).max(initial=0)
    return bool(np.allclose(one, other, rtol=0, atol=tolerance * scale, equal_nan=True))


def number_text(values: Any) -> str:
    """Numbers as text."""
    return np.array2string(values, precision=6, threshold=20, max_line_width=200).replace("\n", "")

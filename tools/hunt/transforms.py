"""Every sample of every differentiable operator, and its variants, in every combination of transforms.

`wengert.testing.transforms` says what is compared. A finding is the program that shows it again.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Iterator

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.coverage import OF_MEMORY, WITHOUT_DERIVATIVE, is_derivative
from wengert.testing.transforms import check_transforms, variants, writes_in_place

from .reports import main

NAME = "transforms"
DOUBLE = (dtypes.float64, dtypes.complex128)
LEFT_OUT = {*WITHOUT_DERIVATIVE, *OF_MEMORY, "masked_select"}
"""Draws, what counts as the identity, views of the very memory, and a result whose shape depends on values."""

PROGRAM = """\
from wengert._core.types import dtypes
from wengert.testing import Case
from wengert.testing.transforms import check_transforms, variants
check_transforms(variants(Case({name!r}, dtypes.{dtype}, {number}).call())[{variant!r}], in_place={in_place})"""


def samples() -> list[Case]:
    """All samples of operators with a derivative, in double precision."""

    def wanted(operator: object, dtype: dtypes.dtype) -> bool:
        return dtype in DOUBLE and isinstance(operator, Card) and not operator.why and not operator.random

    return [case for case in cases(wanted) if case.name not in LEFT_OUT and is_derivative(case)]


def tries(case: Case) -> Iterator[tuple[str, bool]]:
    """What is checked of a sample: each variant of its shapes, out of place and in place."""
    for variant in variants(case.call()):
        yield variant, False
        if variant not in ("expanded", "postponed") and writes_in_place(variants(case.call())[variant]):
            yield variant, True


def attempt(case: Case, variant: str, in_place: bool) -> tuple[int, str]:
    """How many combinations were compared, and the finding, if any."""
    try:
        return len(check_transforms(variants(case.call())[variant], in_place)), ""
    except Exception as error:
        program = PROGRAM.format(
            name=case.name, dtype=case.dtype.name, number=case.number, variant=variant, in_place=in_place
        )
        return 0, f"{type(error).__name__}: {error}\n{program}"


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Check samples in random order until the time is over or all are checked; combinations compared, and findings."""
    warnings.simplefilter("ignore")
    left = samples()
    random.Random(seed).shuffle(left)
    end = time.monotonic() + seconds
    compared, findings = 0, []
    while left and time.monotonic() < end:
        case = left.pop()
        for variant, in_place in tries(case):
            count, finding = attempt(case, variant, in_place)
            compared += count
            if finding:
                findings.append(finding)
    return compared, findings


if __name__ == "__main__":
    raise SystemExit(main(NAME, hunt))

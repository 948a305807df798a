"""Coverage of the samples of each operator: reverse and forward mode, both orders of the two, batches, complex numbers,
and combinations.

The table in the documentation consists of these rows. A test fails if a cell is empty: there is neither a check nor a
reason why none is needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._core.cards.card import Bad, Card
from .._core.operators import batch_rules
from .._core.types import dtypes
from .batching import check_batched
from .calls import Call, Case, one_dtype, operators, samples_of
from .differences import check_first_order, check_second_order
from .forward import check_forward, check_forward_second_order
from .transforms import check_transforms, writes_in_place

CHECKS: dict[str, Callable[[Call], bool]] = {
    "reverse": check_first_order,
    "double": check_second_order,
    "forward": check_forward,
    "forward over reverse": check_forward_second_order,
}
COLUMNS = (*CHECKS, "batched", "complex", "complex and batched", "nested forward", "in place within transforms")

DRAWS = "a draw: by definition its gradient is zero"
IMPLICIT = "a draw: its gradient is that of numbers whose rank stays, held to integrals"
BY_VALUES = "the shape of the result depends on values, which members may disagree about"
REAL = "real numbers only"
NO_FORM = "no such form"
REFUSED = "a gradient or tangent is refused, as torch's is"
WITHOUT_DERIVATIVE = {
    **dict.fromkeys(
        [f"fake_quantize_per_{kind}_affine_cachemask" for kind in ("tensor", "channel")],
        "its rounding counts as the identity, as in torch",
    ),
    "bincount": (
        "linear in its weights, which no integer sample has: tests/core/operators/test_inputs_without_derivative.py"
    ),
    "floor_divide": "constant almost everywhere; its gradient is refused, as torch's is",
    "heaviside": "constant but at 0; its gradient is refused, as torch's is",
    "normal_about": DRAWS,
    "_standard_gamma": IMPLICIT,
    "_sample_dirichlet": IMPLICIT,
}
"""Names of operators whose rules are not derivatives."""
DYNAMIC = frozenset({"masked_select", "masked_select_backward", "nonzero_positions", "_unique", "bincount"})
ITS_MEMORY = "a view of the very memory, where members along other dimensions lie apart"
OF_MEMORY = frozenset({"as_strided_from", "_as_strided_copy", "view_as_complex"})
"""Operators on the memory itself, tested with members along first dimensions only."""


def table() -> dict[str, tuple[str, ...]]:
    """Return the row of each operator: the number of samples that check each of `COLUMNS`, or the reason for none."""
    return {name: row(card) for name, card in sorted(operators().items()) if isinstance(card, Card)}


def row(card: Card) -> tuple[str, ...]:
    """Return the row of one operator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # samples hold infinities
        return computed_row(card)


def computed_row(card: Card) -> tuple[str, ...]:
    """Compute `row` with warnings disabled."""
    kind = one_dtype(card)
    reason = card.why or WITHOUT_DERIVATIVE.get(card.name, "") or (DRAWS if card.random else "")
    reason = reason or (REFUSED if len(card.refused) == len(card.grad_slots) else "")
    derivatives = [reason or counted(card, kind, check) for check in CHECKS.values()]
    exception = reason or (BY_VALUES if card.name in DYNAMIC else "") or (ITS_MEMORY if card.name in OF_MEMORY else "")
    return (*derivatives, batched(card, kind), complex_numbers(card, reason), *combined(card, kind, exception))


def good_cases(card: Card, kind: dtypes.dtype) -> list[Case]:
    """Return the samples that must be accepted in a dtype."""
    return [
        Case(card.name, kind, at) for at, sample in enumerate(samples_of(card, kind)) if not isinstance(sample, Bad)
    ]


def counted(card: Card, kind: dtypes.dtype, check: Callable[[Call], Any]) -> str:
    """Return the number of samples that were checked; empty if 0."""
    checked = sum(bool(check(case.call())) for case in good_cases(card, kind) if is_derivative(case))
    return str(checked) if checked else ""


def is_derivative(case: Case) -> bool:
    """Return whether torch's gradient is the derivative; not for `padding_idx`, whose rows get no gradient."""
    sample, _ = case.sample()
    return case.name != "embedding" or (len(sample.args) < 3 and "padding_idx" not in sample.kwargs)


def batched(card: Card, kind: dtypes.dtype) -> str:
    """Return the number of samples that were compared with calls for each member.

    Raises:
        AssertionError: if an operator ran member by member.
    """
    if card.name in DYNAMIC:
        return BY_VALUES
    if card.random:
        return "by `randomness`: tests/func/test_vmap_random.py"
    batch_rules.LOOPED.clear()
    checked = 0
    for case in good_cases(card, kind):
        checked += check_batched(case.call(), card.name in OF_MEMORY, "vmap: ")
    assert not batch_rules.LOOPED, f"{card.name}: {dict(batch_rules.LOOPED)} ran member by member"
    return str(checked) if checked else ""


def combined(card: Card, kind: dtypes.dtype, reason: str) -> tuple[str, str, str]:
    """Return the numbers of combinations of transforms that were compared, for the first sample with any.

    Args:
        reason: reason why nothing is compared, or "".
    """
    if reason:
        return reason, reason, reason
    of_complex = REAL
    if dtypes.complex128 in card.declared_dtypes:
        of_complex = shown([name for name in compared(card, dtypes.complex128) if "vmap" in name])
    nested = [name for name in compared(card, kind) if " of " in name and ("jvp" in name or "jacfwd" in name)]
    in_place = shown(compared(card, kind, in_place=True)) if card.in_place is not None and not card.view else NO_FORM
    return of_complex, shown(nested), in_place or NO_FORM


def compared(card: Card, kind: dtypes.dtype, in_place: bool = False) -> list[str]:
    """Return the combinations that were compared for one sample."""
    for case in good_cases(card, kind):
        if is_derivative(case) and not (in_place and not writes_in_place(case.call())):
            combinations = check_transforms(case.call(), in_place)
            if combinations:
                return combinations
    return []


def shown(combinations: list[str]) -> str:
    """Return the text of a cell: a number, empty if it is 0."""
    return str(len(combinations)) if combinations else ""


def complex_numbers(card: Card, reason: str) -> str:
    """Return the number of samples with complex numbers that check derivatives, or the value if there are none."""
    if dtypes.complex128 not in card.declared_dtypes:
        return REAL
    if reason:
        return str(sum(bool(case.call().outputs()) for case in good_cases(card, dtypes.complex128)))
    return counted(card, dtypes.complex128, lambda call: check_first_order(call) and check_forward(call))

"""How the results of every operator lie in memory, whatever order its inputs have: as its card says."""

from __future__ import annotations

from typing import Any

import pytest

from wengert._core.cards.card import Card
from wengert._core.operators import sources
from wengert._core.tensor.base import Tensor
from wengert.testing import Case
from wengert.testing.calls import named, names_of, once, operators
from wengert.testing.variants import LAYOUTS, strided, transposed

# Those that read the memory behind their input, whatever its layout says.
BEHIND = ("as_strided", "as_strided_from", "as_strided_scatter")
POINTWISE = (sources.LAID_ITERATOR, sources.LAID_REVERSED, sources.LAID_POWER, sources.LAID_SCALED, sources.LAID_LIKE)


def is_checked(operator, dtype) -> bool:
    return once(operator, dtype) and isinstance(operator, Card) and not operator.view and operator.name not in BEHIND


def laid(*kinds: int) -> Any:
    """The cases of operators whose results lie so."""
    return pytest.mark.cases(
        together=True, wanted=lambda operator, dtype: is_checked(operator, dtype) and operator.layout in kinds
    )


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps, step = [], 1
    for length in reversed(shape):
        steps.append(step)
        step *= max(length, 1)
    return tuple(reversed(steps))


def column_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(reversed(row_major(tuple(reversed(shape)))))


def steps_of(tensor: Tensor) -> tuple[int, ...]:
    return tensor.stride()  # of an array without elements, NumPy's own say nothing


@laid(sources.LAID_ROWS)
def test_results_of_most_operators_are_row_major(case: Case):
    for layout, form in LAYOUTS.items():
        with named(layout):
            for result in case.call().exchanged(form).outputs():
                assert steps_of(result) == row_major(result._array_.shape)


@laid(*POINTWISE)
def test_results_of_pointwise_operators_have_the_order_of_their_operands(case: Case):
    call = case.call().exchanged(transposed)
    shapes = {each._array_.shape for each in call.tensors()}
    for result in call.outputs():
        shape = result._array_.shape
        if shapes == {shape} and all(length > 1 for length in shape):
            assert steps_of(result) == column_major(shape)


@laid(*POINTWISE)
def test_results_of_pointwise_operators_leave_the_gaps_of_their_operands_out(case: Case):
    call = case.call().exchanged(strided)
    shapes = {each._array_.shape for each in call.tensors()}
    for result in call.outputs():
        shape = result._array_.shape
        if shapes == {shape} and shape and all(length > 1 for length in shape):
            assert steps_of(result) == row_major(shape)


def test_operators_of_every_layout_are_tested():
    kinds = [operators()[name].layout for name in names_of(is_checked)]
    assert set(kinds) == set(range(8))
    assert sum(kind == sources.LAID_ITERATOR for kind in kinds) > 30

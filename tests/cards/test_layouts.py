"""How the results of every operator lie in memory, whatever order its inputs have: as its card says."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.operators import sources
from wengert._core.tensor.base import Tensor
from wengert.testing import Case, cases
from wengert.testing.calls import one_dtype
from wengert.testing.variants import LAYOUTS, strided, transposed

# Those that read the memory behind their input, whatever its layout says.
BEHIND = ("as_strided", "as_strided_from", "as_strided_scatter")
ALL = cases(lambda operator, dtype: dtype is one_dtype(operator) and isinstance(operator, Card))
ALL = [case for case in ALL if not case.operator.view and case.name not in BEHIND]

POINTWISE = (sources.LAID_ITERATOR, sources.LAID_REVERSED, sources.LAID_POWER, sources.LAID_SCALED, sources.LAID_LIKE)


def laid(*kinds: int) -> list[Case]:
    """The cases of operators whose results lie so."""
    return [case for case in ALL if case.operator.layout in kinds]


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


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", laid(sources.LAID_ROWS), ids=repr)
def test_results_of_most_operators_are_row_major(case: Case, layout: str):
    for result in case.call().exchanged(LAYOUTS[layout]).outputs():
        assert steps_of(result) == row_major(result._array_.shape)


@pytest.mark.parametrize("case", laid(*POINTWISE), ids=repr)
def test_results_of_pointwise_operators_have_the_order_of_their_operands(case: Case):
    call = case.call().exchanged(transposed)
    shapes = {each._array_.shape for each in call.tensors()}
    for result in call.outputs():
        shape = result._array_.shape
        if shapes == {shape} and all(length > 1 for length in shape):
            assert steps_of(result) == column_major(shape)


@pytest.mark.parametrize("case", laid(*POINTWISE), ids=repr)
def test_results_of_pointwise_operators_leave_the_gaps_of_their_operands_out(case: Case):
    call = case.call().exchanged(strided)
    shapes = {each._array_.shape for each in call.tensors()}
    for result in call.outputs():
        shape = result._array_.shape
        if shapes == {shape} and shape and all(length > 1 for length in shape):
            assert steps_of(result) == row_major(shape)


def test_operators_of_every_layout_are_tested():
    kinds = {case.operator.layout for case in ALL}
    assert kinds == set(range(8))
    assert sum(case.operator.layout == sources.LAID_ITERATOR for case in ALL) > 100

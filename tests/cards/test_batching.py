"""Every operator for a batch, from its samples, beside one call for each member: every choice of batched arguments."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert._core.operators import batch_rules
from wengert.testing import Case
from wengert.testing.batching import (
    check_batched,
    check_batched_tangents,
    check_batched_write,
    check_nested,
    check_other_counts,
    check_rows,
    check_tangents_of_one_memory,
)
from wengert.testing.calls import once, operators
from wengert.testing.in_place import fits_in_place, target_of

DYNAMIC = {
    "nonzero_positions": "how many there are depends on the values",
    "nonzero": "how many there are depends on the values",
    "argwhere": "how many there are depends on the values",
    "masked_select": "how many there are depends on the values",
    "masked_select_backward": "how many there are depends on the values",
    "_unique": "how many there are depends on the values",
    "unique": "how many there are depends on the values",
    "unique_consecutive": "how many there are depends on the values",
    "bincount": "the largest value decides",
}
"""Operators whose results have shapes that depend on values, which members could disagree about."""
NUMBERS = {"allclose", "equal", "is_nonzero"}
"""Composites that answer with a number or a truth value of Python: the values of all members are asked for."""
OF_MEMORY = {
    "as_strided": "the strides of a member depend on where the batch lies in memory",
    "as_strided_from": "the strides of a member depend on where the batch lies in memory",
    "as_strided_copy": "the strides of a member depend on where the batch lies in memory",
    "as_strided_scatter": "the strides of a member depend on where the batch lies in memory",
    "_as_strided_copy": "the strides of a member depend on where the batch lies in memory",
    "view_as_complex": "the last dimension of a member must be dense",
}
"""Views of the very memory: members along another dimension than the first lie apart."""
UNDEFINED = {"empty_like", "empty_permuted", "new_empty", "new_empty_strided"}
"""What their results hold is not said."""
BY_VALUES = {"index": (3, 5), "index_put": (5,), "repeat_interleave": (1,), "one_hot": (0,)}
"""Samples with masks, counts, or the largest of all classes: refused where these are batched."""
RANDOM = {name for name, operator in operators().items() if getattr(operator, "random", False)} | {
    "rand_like",
    "randn_like",
    "randint_like",
    "normal",
    "dropout",
    "alpha_dropout",
    "feature_dropout",
    "feature_alpha_dropout",
    "native_dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "svd_lowrank",
    "pca_lowrank",
}
"""Draws: tests/func/test_vmap_random.py."""
LEFT_OUT = {*DYNAMIC, *NUMBERS, *UNDEFINED, *RANDOM}


def is_checked(operator, dtype):
    return once(operator, dtype) and operator.name not in LEFT_OUT


ALL = pytest.mark.cases(wanted=is_checked, few=True)


@pytest.fixture(autouse=True)
def count_loops():
    batch_rules.LOOPED.clear()
    yield
    assert not batch_rules.LOOPED, "operators without a rule for batches ran member by member"


@ALL
def test_an_operator_for_a_batch_gives_what_it_gives_for_each_member(case: Case):
    refusing = "vmap: " if case.number in BY_VALUES.get(case.name, ()) else ""
    check_batched(case.call(), case.name in OF_MEMORY, refusing)


@ALL
def test_batches_of_one_of_none_and_of_as_many_as_an_operand_is_long(case: Case):
    check_other_counts(case.call(), "vmap: " if case.number in BY_VALUES.get(case.name, ()) else "")


@ALL
def test_a_batch_of_batches_gives_what_each_member_gives(case: Case):
    check_nested(case.call(), "vmap: " if case.number in BY_VALUES.get(case.name, ()) else "")


@pytest.mark.cases(
    wanted=lambda operator, dtype: is_checked(operator, dtype) and operator.name not in {*OF_MEMORY, "set_rng_state"},
    few=True,
)
def test_members_of_results_are_row_major_where_one_alone_is(case: Case):
    call = case.call()
    if call.tensors() and case.number not in BY_VALUES.get(case.name, ()):
        check_rows(call)


def is_card(operator, dtype):
    return is_checked(operator, dtype) and isinstance(operator, Card)


def is_free(case: Case) -> bool:
    """Whether values of the batched arguments do not decide shapes."""
    return case.number not in BY_VALUES.get(case.name, ())


FREE = pytest.mark.cases(wanted=is_card, where=is_free, few=True)


@FREE
def test_tangents_for_a_batch_are_those_of_each_member(case: Case):
    check_batched_tangents(case.call())


@FREE
def test_tangents_for_a_batch_of_one_memory_are_those_of_each_member(case: Case):
    check_tangents_of_one_memory(case.call())


def is_write(case: Case) -> bool:
    """Whether the in-place form takes a sample."""
    call = case.call()
    return (
        is_free(case)
        and target_of(call) is not None
        and fits_in_place(call)
        and call.run().dtype is target_of(case.call()).dtype
    )


@pytest.mark.cases(
    wanted=lambda operator, dtype: is_card(operator, dtype) and operator.in_place is not None,
    where=is_write,
)
def test_an_in_place_form_for_a_batch_writes_what_it_writes_for_each_member(case: Case):
    check_batched_write(case.call(), case.name in OF_MEMORY)


OTHERWISE_REFUSED = {
    "as_strided-float64-2",  # in torch, too, in words of the batch: memory outside of the tensor
    "as_strided_copy-float64-2",
    "as_strided_scatter-float64-4",
    "linalg_lstsq-float64-2",  # fits as a batch, in torch, too
    "repeat_interleave-float64-5",  # counts that differ between members are refused first
    "repeat_interleave-float64-6",
    "cov-float64-7",  # the values of a batch decide
    "istft-complex128-6",
}
"""Calls that are refused in other words for a batch, or not at all."""


@pytest.mark.cases(
    together=True,
    bad=True,
    wanted=once,
    where=lambda case: repr(case) not in OTHERWISE_REFUSED,
    few=True,
)
@pytest.mark.filterwarnings("ignore")
def test_arguments_that_are_refused_are_refused_for_a_batch_in_the_same_words(case: Case):
    call = case.call(requires_grad=False)
    tensors = call.tensors()
    if not tensors or any(tensor.is_sparse or tensor.is_meta for tensor in tensors):
        return
    with pytest.raises(Exception) as alone:
        call.run()

    def run(*members):
        stand_ins = {id(tensor): member for tensor, member in zip(tensors, members)}
        return call.exchanged(lambda tensor: stand_ins[id(tensor)]).run()

    with pytest.raises(alone.type) as together, wg.no_grad():
        wg.func.vmap(run, randomness="different")(*[wg.stack([tensor, tensor]) for tensor in tensors])
    assert str(together.value).splitlines()[0] == str(alone.value).splitlines()[0]


def test_operators_without_a_rule_are_those_whose_results_depend_on_values():
    without = {
        name
        for name, operator in operators().items()
        if isinstance(operator, Card) and batch_rules.rule_for(operator) is batch_rules.looped
    }
    print(f"operators that run member by member: {len(without)} {sorted(without)}")
    assert not without

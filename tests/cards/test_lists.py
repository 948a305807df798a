"""A list that a program gives to an operator, and writes to before the backward pass, changes no gradient."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.testing import Case, cases
from wengert.testing.calls import Call, once
from wengert.testing.seeds import reseed


def as_list(value):
    """A list in the place of a tuple of integers; None where there is none."""
    return list(value) if type(value) is tuple and value and all(type(each) is int for each in value) else None


def with_lists(call: Call):
    """The call with lists of integers instead of tuples, and the lists."""
    lists = [each for each in map(as_list, (*call.args, *call.kwargs.values())) if each is not None]
    following = iter(lists)
    args = [each if as_list(each) is None else next(following) for each in call.args]
    kwargs = {name: each if as_list(each) is None else next(following) for name, each in call.kwargs.items()}
    return Call(call.operator, args, kwargs, through=call.through), lists


def gradients(call: Call, lists=()):
    """The gradients of all that a call gives, after the lists were written to."""
    reseed()
    outputs = [each for each in call.outputs() if each.requires_grad and not each.is_leaf]
    for each in lists:
        each[:] = [7 * number + 5 for number in each] + [3]
    if not outputs:
        return []
    inputs = [each for each in call.differentiable() if each.is_leaf]
    found = wg.autograd.grad([each.real.sum() for each in outputs], inputs, allow_unused=True)
    return [None if each is None else each.tolist() for each in found]


def has_lists(case: Case) -> bool:
    return bool(with_lists(case.call())[1])


@pytest.mark.cases(together=True, wanted=once, where=has_lists)
def test_a_list_may_be_written_to_before_the_backward_pass(case: Case):
    wanted = gradients(case.call())
    call, lists = with_lists(case.call())
    np.testing.assert_equal(gradients(call, lists), wanted)


def test_many_lists_are_tried():
    assert len({case.name for case in filter(has_lists, cases(once))}) > 30

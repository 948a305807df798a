"""NumPy's arrays and scalars in the place of tensors: every operator gives what it gives for tensors of their values.

An array carries no batch and no tangent, so that whatever is written for tensors must count its dimensions as well.
"""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.arguments import checked
from wengert._core.cards.card import Composite
from wengert.autograd.functional import jacobian
from wengert.func import jacfwd, jacrev, jvp, vmap
from wengert.testing import Case, cases
from wengert.testing.batching import member, whole
from wengert.testing.calls import Call, once
from wengert.testing.close import assert_close
from wengert.testing.seeds import reseed

LARGEST = 40
"""Second derivatives are compared for so many numbers at most."""


def is_of_arrays(case: Case) -> bool:
    """Whether all tensors of a sample are plain arrays in memory, and there is one beside the first."""
    tensors = case.call().tensors()
    return len(tensors) > 1 and all(type(tensor._array_) is np.ndarray for tensor in tensors)


ALL = pytest.mark.cases(together=True, wanted=once, where=is_of_arrays)


def results(call: Call, values):
    """What the operator, as programs call it, gives for other tensors or arrays."""
    reseed()
    operator = call.operator
    public = checked(operator.name, operator.body) if isinstance(operator, Composite) else operator
    named = call.with_tensors(values)
    return tuple(Call(public, named.args, named.kwargs, call.smooth, call.through).outputs())


def forms(tensor: wg.Tensor):
    """(tensor, array): a tensor and an array that are to count as the same operand; numbers as well."""
    array = np.array(tensor._array_)
    yield tensor.detach(), array
    if array.size:
        first = array.reshape(-1)[0]
        yield wg.tensor(first.item(), dtype=tensor.dtype), np.array(first)
        yield first.item(), first


def exchanges(case: Case):
    """(call, slot, tensor, array) for each operand, and each form of it, that the operator takes as an array."""
    for slot, original in enumerate(case.call().tensors()):
        for tensor, array in forms(original):
            call = case.call()
            values = [each.detach() for each in call.tensors()]
            if all(takes(call, with_operand(values, slot, operand)) for operand in (array, tensor)):
                yield call, slot, tensor, array


def takes(call: Call, values) -> bool:
    """Whether the operator gives tensors for such operands."""
    try:
        return bool(results(call, values))
    except Exception:  # what is refused is compared by another test
        return False


def with_operand(values, slot, operand):
    return [operand if at == slot else value for at, value in enumerate(values)]


def others_of(call: Call, slot: int):
    return [at for at in range(len(call.tensors())) if at != slot]


def of_others(call: Call, slot: int, operand, places):
    """The call as a function of its tensors in some places, without results that have no derivative."""
    values = [each.detach() for each in call.tensors()]

    def function(*given):
        for at, value in zip(places, given):
            values[at] = value
        return results(call, with_operand(values, slot, operand))

    return function


def agree(found, wanted):
    assert_close(found, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)


@ALL
def test_an_array_gives_what_a_tensor_of_its_values_gives(case: Case):
    for call, slot, tensor, array in exchanges(case):
        values = [each.detach() for each in call.tensors()]
        agree(results(call, with_operand(values, slot, array)), results(call, with_operand(values, slot, tensor)))


@ALL
def test_an_array_beside_a_batch_is_the_same_for_all_members(case: Case):
    for call, slot, tensor, array in exchanges(case):
        places = others_of(call, slot)
        tensors = call.tensors()
        for size in {1, 3, *np.shape(array)[:1]} - {0}:
            for dim in (0, -1):
                stacked = [whole([member(tensors[at], nr % 3) for nr in range(size)], dim).detach() for at in places]
                try:
                    found = vmap(of_others(call, slot, array, places), dim)(*stacked)
                except RuntimeError as error:
                    if "vmap: " not in str(error):
                        raise
                    continue
                alone = of_others(call, slot, tensor, places)
                wanted = [alone(*[each.select(dim, nr) for each in stacked]) for nr in range(size)]
                agree(found, tuple(wg.stack(parts) for parts in zip(*wanted)))


def derivatives(inputs):
    """Functions that give derivatives of a function at these inputs."""
    every = tuple(range(len(inputs)))
    yield lambda function: jvp(function, inputs, tuple(wg.ones_like(each) for each in inputs))
    yield lambda function: jacfwd(function, every)(*inputs)
    yield lambda function: jacrev(function, every)(*inputs)
    yield lambda function: jacobian(function, inputs, vectorize=True, strategy="forward-mode")
    yield lambda function: jacobian(function, inputs, vectorize=True)
    if sum(each.numel() for each in inputs) <= LARGEST:
        yield lambda function: jacfwd(jacrev(function))(*inputs)
        yield lambda function: jacfwd(jacfwd(function))(*inputs)
        yield lambda function: jacrev(jacrev(function))(*inputs)


@ALL
def test_derivatives_beside_an_array_are_those_beside_a_tensor(case: Case):
    for call, slot, tensor, array in exchanges(case):
        places = [at for at in others_of(call, slot) if call.tensors()[at].requires_grad]
        inputs = tuple(call.tensors()[at].detach() for at in places)
        with_array, with_tensor = (inexact(of_others(call, slot, each, places)) for each in (array, tensor))
        if places and with_tensor(*inputs):
            for derivative in derivatives(inputs):
                agree(derivative(with_array), derivative(with_tensor))


def inexact(function):
    """The function without results that have no derivative by their dtype."""
    return lambda *given: tuple(
        each for each in function(*given) if each.dtype.is_floating_point or each.dtype.is_complex
    )


@ALL
def test_what_is_refused_alone_is_refused_beside_a_batch(case: Case):
    call = case.call()
    tensors = call.tensors()
    for slot, original in enumerate(tensors):
        values = [each.detach() for each in tensors]
        array = np.array(original._array_)
        for operand in (array, array.tolist()):
            try:
                results(call, with_operand(values, slot, operand))
            except Exception as error:
                places = others_of(call, slot)
                stacked = [whole([member(tensors[at], nr) for nr in range(2)], 0).detach() for at in places]
                with pytest.raises(Exception) as refused:
                    vmap(of_others(call, slot, operand, places))(*stacked)
                if "vmap: " not in str(refused.value):
                    assert type(refused.value) is type(error) and str(refused.value) == str(error), (slot, operand)


def test_many_operands_are_tried():
    tried = set()
    for case in filter(is_of_arrays, cases(once)):
        tried |= {(case.name, slot) for _, slot, _, _ in exchanges(case)}
        if len(tried) > 90:
            return
    raise AssertionError(sorted(tried))

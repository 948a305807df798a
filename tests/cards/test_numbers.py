"""A tensor of one number where an operator takes a plain argument is that number, for every card and composite."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.arguments import checked
from wengert._core.cards.card import REGISTRY, Card
from wengert._core.errors import public_name
from wengert.nn import functional as F
from wengert.testing import Case, cases
from wengert.testing.calls import Call, named, once
from wengert.testing.seeds import reseed

TENSORS = ("input", "self", "other", "data", "obj", "seed", "shapes")
"""Parameters of composites that are no plain numbers: tensors, and what torch, too, wants as Python's integers."""
OVERLOADED = ("max", "min")
"""Where a tensor in the place of `dim` is the other operand."""


def plain_names(operator):
    """For each positional argument its name if it is plain, else None; and all names."""
    if isinstance(operator, Card):
        plain = {operator.names[at] for at in operator.plain_slots}
        return [name if name in plain else None for name in operator.names], plain
    given = inspect.signature(operator.body).parameters.values()
    names = [each.name for each in given if each.kind is not each.VAR_KEYWORD]
    plain = {each.name for each in given if "Tensor" not in str(each.annotation) and each.name not in TENSORS}
    return [name if name in plain else None for name in names], plain


def as_tensors(value, make):
    """A number, or the integers of a list, as tensors; None where there is none."""
    if type(value) in (int, float):
        return make(value)
    if type(value) in (tuple, list) and value and all(type(each) is int for each in value):
        return type(value)(map(make, value))
    return None


def with_tensors(call: Call, make):
    """The calls in which one plain argument is given as tensors of its numbers."""
    order, plain = plain_names(call.operator)
    for at, value in enumerate(call.args):
        exchanged = as_tensors(value, make)
        name = order[at] if at < len(order) else order[-1]
        if name is not None and exchanged is not None:
            args = (*call.args[:at], exchanged, *call.args[at + 1 :])
            yield name, Call(call.operator, args, call.kwargs, through=call.through)
    for name, value in call.kwargs.items():
        exchanged = as_tensors(value, make)
        if name in plain and exchanged is not None:
            yield name, Call(call.operator, call.args, {**call.kwargs, name: exchanged}, through=call.through)


def values_of(call: Call):
    reseed()
    found = call.run()
    tensors = [each.detach().numpy().tolist() for each in call_outputs(found)]
    return (
        tensors,
        [str(each.dtype) for each in call_outputs(found)],
        [each.requires_grad for each in call_outputs(found)],
    )


def call_outputs(found):
    return [each for each in (found if isinstance(found, (tuple, list)) else (found,)) if isinstance(each, wg.Tensor)]


def double(number):
    """A tensor of one number that loses nothing of it."""
    return wg.tensor(number, dtype=wg.float64 if type(number) is float else wg.int64)


@pytest.mark.cases(together=True, wanted=once)
def test_a_plain_argument_may_be_a_tensor_of_one_number(case: Case):
    count = 0 if case.name in OVERLOADED else len(list(with_tensors(case.call(), double)))
    for at in range(count):
        wanted = values_of(case.call())
        name, other = list(with_tensors(case.call(), double))[at]
        np.testing.assert_equal(values_of(other), wanted, err_msg=f"{other}, argument {name}")


def test_many_arguments_are_tried():
    tried = {(case.name, name) for case in cases(once) for name, _ in with_tensors(case.call(), double)}
    assert len(tried) > 150


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: once(operator, dtype) and isinstance(operator, Card))
def test_a_number_with_a_gradient_or_with_dimensions_is_refused(case: Case):
    for make in (
        lambda number: wg.tensor(float(number), requires_grad=True),
        lambda number: wg.ones(2, dtype=wg.float64),
    ):
        for name, call in with_tensors(case.call(), make):
            with named(name), pytest.raises(TypeError, match=r"must be (Number|int|float|bool), not Tensor"):
                call.run()


def test_the_number_is_read_once_and_no_gradient_flows_into_it():
    x, alpha = wg.ones(2, requires_grad=True), wg.tensor(3)
    y = wg.add(x, x, alpha=alpha)
    alpha.fill_(7)
    assert y.grad_fn._saved_alpha == 3 and type(y.grad_fn._saved_alpha) is int
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0] and alpha.grad is None


def test_methods_in_place_forms_and_out_take_such_tensors():
    x, out = wg.ones(2, 3), wg.empty(3)
    assert x.clone().add_(x, alpha=wg.tensor(2.0)).tolist() == [[3.0] * 3] * 2
    assert x.transpose(wg.tensor(0), wg.tensor(1)).shape == (3, 2)
    assert wg.sum(x, wg.tensor(0), out=out).tolist() == [2.0] * 3
    assert F.leaky_relu(-x, wg.tensor(0.5)).tolist() == [[-0.5] * 3] * 2
    assert F.leaky_relu(-x, np.float32(0.5)).tolist() == [[-0.5] * 3] * 2
    assert wg.zeros(wg.tensor(2), 3).shape == x.shape == wg.zeros((wg.tensor(2), wg.tensor([3]))).shape
    assert x.view(wg.tensor(3), -1).shape == (3, 2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: x.sum(wg.tensor(1.0)), "argument 'dim' .* must be int or tuple of ints, not float"),
        (lambda x: x.cumsum(wg.tensor(1.0)), "argument 'dim' .* must be int, not Tensor"),
        (lambda x: x.sum(1, keepdim=wg.tensor(True)), "argument 'keepdim' .* must be bool, not Tensor"),
        (lambda x: wg.add(x, x, alpha=wg.ones(1)), "argument 'alpha' .* must be Number, not Tensor"),
        (lambda x: x.sub(2**62, alpha=(1, 2)), r"sub\(\): argument 'alpha' must be Number, not tuple"),
        (lambda x: F.leaky_relu(x, wg.tensor(0.1, requires_grad=True)), "must be Number, not Tensor"),
        (lambda x: x.roll(wg.tensor(1.5)), "float"),
    ],
)
def test_what_is_no_such_number_is_refused(call, says):
    with pytest.raises(TypeError, match=says):
        call(wg.ones(2, 3))


def test_operators_know_which_parameters_are_plain():
    assert REGISTRY["add"].plain_slots == (2,) and REGISTRY["mul"].plain_slots == ()
    assert REGISTRY["gelu"].plain_slots == ()  # `approximate` is a word


def test_in_place_forms_have_no_out():
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        wg.ones(3).index_put_([wg.tensor([0])], wg.tensor(1.0), out=wg.ones(3))


ALONE = ("add", "sub", "mul", "true_divide", "divide_rounded", "floor_divide", "_where")
"""What torch applies to numbers alone: `torch.add(2, 3)`."""
WITH_NUMBERS = [each for each in REGISTRY.values() if isinstance(each, Card) and len(each.numbers) > 1]


@pytest.mark.parametrize("card", [each for each in WITH_NUMBERS if each.promotion], ids=lambda card: card.name)
def test_numbers_alone_are_refused_where_torch_wants_a_tensor(card):
    rest = [None if card.defaults[at] is None else 2.0 for at in card.tensor_slots]
    if card.name in ALONE:
        assert card.lone_numbers
    else:
        with pytest.raises(TypeError, match=r"must be Tensor, not float"):
            card(*rest)


def test_numbers_alone_are_added_up():
    assert wg.add(2, 3).item() == 5
    assert wg.where(wg.tensor([True, False]), 2, 3).tolist() == [2, 3]
    with pytest.raises(TypeError, match=r"eq\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        wg.eq(2, 3)


def annotation_of(operator, name):
    return operator.body.__annotations__.get(name, "")


def names_given(call: Call):
    """Where the arguments of a call stand (a position or a name), and what each is called."""
    order, _ = plain_names(call.operator)
    names = call.operator.names if isinstance(call.operator, Card) else inspect.signature(call.operator.body).parameters
    return [*zip(range(len(order)), names), *((name, name) for name in call.kwargs)]


def run_with(call: Call, at, value):
    args, kwargs = list(call.args), dict(call.kwargs)
    (kwargs if isinstance(at, str) else args)[at] = value
    is_card = isinstance(call.operator, Card)
    return (call.operator if is_card else checked(call.operator.name, call.operator.body))(*args, **kwargs)


def scalars_given(case: Case):
    """Where the numbers among the arguments of a case stand, and what each is called."""
    call = case.call()
    for at, name in names_given(call):
        is_number = annotation_of(case.operator, name) in ("float", "Number")
        if is_number and (isinstance(at, str) or at < len(call.args)):
            yield at, name


@pytest.mark.cases(together=True, wanted=once)
def test_what_is_no_number_is_refused(case: Case):
    for at, name in scalars_given(case):
        for value in (None, "x", [1.0], (2,), object()):
            with (
                named(f"{value!r} as {name}"),
                pytest.raises(TypeError, match=f"argument '{public_name(name)}'.* must be (float|Number)"),
            ):
                run_with(case.call(), at, value)


def test_many_numbers_are_tried():
    assert len({(case.name, name) for case in cases(once) for _, name in scalars_given(case)}) > 60


@pytest.mark.parametrize(
    "call",
    [
        lambda number: wg.add(wg.ones(2), 1, alpha=number),
        lambda number: wg.addmm(wg.ones(2, 2), wg.ones(2, 2), wg.ones(2, 2), beta=number),
        lambda number: wg.addcmul(wg.ones(2), wg.ones(2), wg.ones(2), value=number),
        lambda number: F.leaky_relu(wg.ones(2), number),
        lambda number: F.elu(wg.ones(2).half(), number),
        lambda number: F.softplus(wg.ones(2).bfloat16(), number),
    ],
)
@pytest.mark.parametrize("number", [1e300, -1e300, 1j])
def test_numbers_beyond_the_dtype_are_refused(call, number):
    with pytest.raises(RuntimeError, match=r"cannot be converted to type b?float\d* without overflow"):
        call(number)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -1e38, True, np.float32(2), np.int8(2)])
def test_other_numbers_are_taken(number):
    F.leaky_relu(wg.ones(2), number)
    wg.addmm(wg.ones(2, 2), wg.ones(2, 2), wg.ones(2, 2), beta=number)


@pytest.mark.parametrize(
    ("tensor", "number", "wanted"),
    [
        (wg.ones(2, dtype=wg.int64), np.float64(0.5), wg.float32),
        (wg.tensor(1.0), np.float64(0.5), wg.float32),
        (wg.ones(2), np.float64(0.5), wg.float32),
        (wg.ones(2, dtype=wg.float16), np.float64(0.5), wg.float16),
        (wg.ones(2) > 0, np.uint8(1), wg.int64),
        (wg.ones(2, dtype=wg.uint8), np.int64(1), wg.uint8),
        (wg.ones(2), np.complex64(1j), wg.complex64),
    ],
    ids=repr,
)
def test_scalars_of_numpy_are_numbers_without_a_size(tensor, number, wanted):
    assert (tensor + number).dtype is wanted
    assert (tensor * number).dtype is wanted
    assert wg.add(tensor, number).tolist() == wg.add(tensor, number.item()).tolist()

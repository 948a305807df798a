"""Functions made of operators that take `out=`: what is written there is what they return without it."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.arguments import parameters_of
from wengert._core.cards.card import Composite
from wengert.testing import Case
from wengert.testing.calls import once, tensors_in

CREATED = ("wengert.ops.create", "wengert.ops.randomness")
"""Factories have tests of their own."""


def takes_out(operator) -> bool:
    """Whether an operator is a function of operators with a parameter `out`."""
    if not isinstance(operator, Composite) or operator.body.__module__.startswith(CREATED):
        return False
    return operator.function and "out" in parameters_of(operator.body)


WITHOUT_OUT = ("median-float64-0", "nanmedian-float64-0", "where-float64-2", "where-float64-3")
"""Samples that take no `out=`, in torch either: without the dimension, or with a number in the place of a tensor."""
ALL = pytest.mark.cases(
    together=True,
    wanted=lambda operator, dtype: takes_out(operator) and once(operator, dtype),
    where=lambda case: case.sample()[0].through is None and repr(case) not in WITHOUT_OUT,
)


def called(case: Case, requires_grad: bool = False, **out) -> object:
    """The result of a sample's call, as a program makes it."""
    call = case.call(requires_grad)
    return getattr(wg, case.name)(*call.args, **call.kwargs, **out)


def shaped(result, make) -> object:
    """What `make` gives for each tensor of a result: one, or a tuple."""
    return tuple([make(each) for each in result]) if isinstance(result, tuple) else make(result)


@ALL
@pytest.mark.parametrize("empty", [True, False])
def test_what_is_written_is_what_is_returned_without_it(case: Case, empty: bool):
    wanted = called(case)
    out = shaped(wanted, lambda each: wg.empty(0 if empty else each.shape, dtype=each.dtype))
    counts = [each._version for each in tensors_in(out)]
    returned = called(case, out=out)
    assert [id(each) for each in tensors_in(returned)] == [id(each) for each in tensors_in(out)]
    for one, other in zip(tensors_in(out), tensors_in(wanted)):
        np.testing.assert_array_equal(one.numpy(), other.detach().numpy())
    assert all(each._version > count for each, count in zip(tensors_in(out), counts))


HISTORIES = ("torch::autograd::NotImplemented", "torch::autograd::CopyBackwards")
"""What torch records of calls with `out=`, if anything: what cannot be differentiated, and copies."""


@ALL
def test_gradients_do_not_lead_through_it(case: Case):
    result = called(case, requires_grad=True)
    if any(each.requires_grad for each in tensors_in(result)):
        out = shaped(result, lambda each: wg.full(each.shape, 7, dtype=each.dtype))
        try:
            written = called(case, requires_grad=True, out=out)
        except RuntimeError as error:
            assert "don't support automatic differentiation" in str(error)
            assert all((each == 7).all() for each in tensors_in(out))
        else:
            assert all(each.grad_fn.name() in HISTORIES for each in tensors_in(written) if each.requires_grad)


@ALL
def test_what_is_no_tensor_is_refused(case: Case):
    with pytest.raises(TypeError, match="out"):
        called(case, out=5)


def test_values_with_indices_go_into_tensors_of_just_their_dtypes():
    x = wg.ones(2, 3)
    values, indices = wg.zeros(3), wg.zeros(3, dtype=wg.int32)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got int instead"):
        wg.max(x, 0, out=(values, indices))
    assert values.tolist() == [0.0] * 3


def test_parameters_have_the_names_that_torch_and_numpy_give_them():
    x = wg.tensor([[1.0, 4.0], [3.0, 2.0]])
    assert wg.max(input=x, axis=1, keepdims=True).values.tolist() == [[4.0], [3.0]]
    assert wg.matmul(input=x, other=x).tolist() == wg.matmul(x, x2=x).tolist() == (x @ x).tolist()
    with pytest.raises(TypeError, match="multiple values for argument 'dim'"):
        wg.max(x, dim=1, axis=1)

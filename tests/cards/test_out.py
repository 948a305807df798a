"""Operators and functions made of them that take `out=`: what is written is what they return without it, or nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import wengert as wg
from wengert._core.calls import dispatch, out as calls_with_out
from wengert._core.cards.arguments import parameters_of
from wengert._core.cards.card import Card, Composite
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


def takes_any_out(operator) -> bool:
    """Whether an operator is one that programs call with `out=`, or a function of operators with that parameter."""
    return takes_out(operator) or (isinstance(operator, Card) and operator.function)


UNCALLED = (*WITHOUT_OUT, "permute-float64-1")
"""Also the sample whose dimensions stand side by side, as only the method takes them."""
REFUSED = pytest.mark.cases(
    together=True,
    wanted=lambda operator, dtype: takes_any_out(operator) and once(operator, dtype),
    where=lambda case: case.sample()[0].through is None and hasattr(wg, case.name) and repr(case) not in UNCALLED,
    few=True,
)


def state(tensor) -> tuple:
    """All that a write or a change of shape would change."""
    return tensor.shape, tensor.stride(), tensor._version, tensor.dtype, tensor.data_ptr(), tensor.tolist()


def of_other_dtype(result, dtype=None):
    return wg.ones(result.shape, dtype=dtype or (wg.int64 if result.dtype is not wg.int64 else wg.float32))


def of_other_dtype_and_shape(result):
    return of_other_dtype(wg.ones(*result.shape, 2, dtype=result.dtype))


def of_overlapping_elements(result):
    return wg.ones(1, dtype=result.dtype).expand(result.shape if result.numel() > 1 else (3,))


def requiring_a_gradient(result):
    return wg.ones(result.shape, dtype=result.dtype).requires_grad_(result.dtype.is_floating_point)


def unfit(results: list) -> Iterator[list]:
    """Outputs for results, of which one is unlike its result."""
    kinds = (of_other_dtype, of_other_dtype_and_shape, of_overlapping_elements, requiring_a_gradient)
    for at, make in itertools.product(range(len(results)), kinds):
        outputs = [wg.ones(result.shape, dtype=result.dtype) for result in results]
        outputs[at] = make(results[at])
        yield outputs


def outcome(case: Case, outputs: list, several: bool) -> object:
    """The values that are written, or the error of a call that writes nothing."""
    before = [state(output) for output in outputs]
    wg.manual_seed(1)
    try:
        called(case, out=tuple(outputs) if several else outputs[0])
    except (NotImplementedError, RuntimeError, TypeError) as error:
        assert [state(output) for output in outputs] == before
        return type(error), str(error)
    return [(output.shape, output.detach().numpy().tobytes()) for output in outputs]


@REFUSED
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_a_refused_call_changes_no_output_whether_the_rule_of_shapes_is_asked_first_or_not(case: Case, monkeypatch):
    result = called(case)
    results = list(tensors_in(result))
    if not results or any(each.is_sparse or each.is_meta for each in results):
        return
    late = [outcome(case, outputs, isinstance(result, tuple)) for outputs in unfit(results)]
    monkeypatch.setattr(calls_with_out, "LONG", 0)
    early = [outcome(case, outputs, isinstance(result, tuple)) for outputs in unfit(results)]
    assert early == late


@pytest.mark.parametrize(
    ("call", "outputs"),
    [
        (lambda x, out: wg.add(x[2:], 1, out=out), lambda x: [x[:2]]),
        (lambda x, out: wg.cumsum(x[2:], 0, out=out), lambda x: [x[:2]]),
        (lambda x, *out: wg.sort(x[2:], 0, out=out), lambda x: [x[:2], wg.zeros(1, dtype=wg.int64)]),
        (lambda x, *out: wg.sort(x[2:], 0, out=out), lambda x: [wg.zeros(2), wg.zeros(2, dtype=wg.int32)]),
        (lambda x, out: wg.cat([x[2:], x[:1]], out=out), lambda x: [x[:2]]),
        (lambda x, out: wg.cross(x[:3], x[3:], 0, out=out), lambda x: [x[2:4]]),
    ],
)
def test_an_output_that_would_grow_over_an_operand_keeps_its_shape(call, outputs):
    x = wg.arange(6.0)
    out = outputs(x)
    before = [state(output) for output in (x, *out)]
    with pytest.raises(RuntimeError, match=r"the written-to tensor refer to|Expected out tensor to have dtype"):
        call(x, *out)
    assert [state(output) for output in (x, *out)] == before


def test_normal_numbers_do_not_go_to_a_part_of_their_means():
    x = wg.zeros(6)
    with pytest.raises(RuntimeError, match="the written-to tensor refer to"):
        wg.normal(x[:3], 1.0, out=x[1:4])
    assert x.tolist() == [0.0] * 6


def test_long_work_does_not_begin_for_an_output_that_does_not_fit(monkeypatch):
    x, ran = wg.ones(1 << 20), []
    perform = dispatch.perform
    monkeypatch.setattr(dispatch, "perform", lambda op, args: (ran.append(op.name), perform(op, args))[1])
    for out in (wg.zeros(3, dtype=wg.int64), wg.zeros(1 << 20, dtype=wg.bool)):
        with pytest.raises(RuntimeError, match="can't be cast"):
            wg.exp(x, out=out)
    assert ran == []
    assert wg.exp(x, out=wg.zeros(0))[0] == wg.ones(1).exp()
    assert ran == ["exp"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: wg.normal(wg.zeros(3), wg.ones(3), out=wg.zeros(3, dtype=wg.int64)),
        lambda: wg.normal(wg.zeros(3), 1.0, out=wg.zeros(3, dtype=wg.int64)),
        lambda: wg.normal(wg.zeros(3), wg.ones(3), out=wg.zeros(1).expand(3)),
        lambda: wg.normal(wg.zeros(3), wg.ones(3), out=wg.zeros(3, requires_grad=True)),
        lambda: wg.normal(wg.zeros(3, requires_grad=True), 1.0, out=wg.zeros(3)),
        lambda: wg.bernoulli(wg.ones(3) / 2, out=wg.zeros(3, dtype=wg.complex64)),
        lambda: wg.multinomial(wg.ones(3), 2, out=wg.zeros(2)),
        lambda: wg.multinomial(wg.ones(3), 2, out=wg.zeros(1, dtype=wg.int64).expand(2)),
        lambda: wg.rand(3, out=wg.zeros(1).expand(3)),
        lambda: wg.randn(3, out=wg.zeros(1).expand(3)),
        lambda: wg.randint(5, (3,), out=wg.zeros(1).expand(3)),
        lambda: wg.randperm(3, out=wg.zeros(1).expand(3)),
    ],
)
def test_a_refused_call_draws_no_random_numbers(call):
    wg.manual_seed(3)
    wanted = wg.rand(3).tolist()
    wg.manual_seed(3)
    with pytest.raises((NotImplementedError, RuntimeError)):
        call()
    assert wg.rand(3).tolist() == wanted


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

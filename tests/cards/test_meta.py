"""Every sample on the device "meta": shape, dtype and strides of the results, or the refusal, are those of the CPU."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert._core.calls import meta
from wengert._core.calls.sparse import CARDS as OF_SPARSE
from wengert._core.cards.arguments import checked, parameters_of
from wengert._core.cards.card import REGISTRY, Card, Composite
from wengert._core.operators.batch_rules import is_elementwise
from wengert._core.tensor.base import Tensor, wrap
from wengert.testing import Call, Case
from wengert.testing.calls import once, tensors_in

REASONS = {
    "to-1": "a copy to the CPU, where values are wanted",
    "set_rng_state-0": "the generator takes the values of its state",
    "cov-1": "weights must not be negative, which torch looks at, too",
    "cov-2": "likewise",
    "cov-3": "likewise",
}
"""Samples that are refused because values are read, by functions of operators."""
ROWS = {"_linalg_svd", "linalg_svd", "svd", "svd_lowrank", "pca_lowrank"}
"""Decompositions whose right vectors lie in rows on "meta", as in torch, whereas on the CPU they lie in columns."""
OF_VALUES = {
    "fake_quantize_per_channel_affine-4": "a zero point lies outside of the bounds",
    "segment_reduce-4": "the lengths do not add up to that of the data",
}
"""Refused for their values, of which `FILLS` has none that would be accepted."""


def on(device: str) -> Callable[[Tensor], Tensor]:
    """What moves a tensor to a device, in new memory of the same order."""

    def moved(tensor: Tensor) -> Tensor:
        made = tensor.detach().to(device, copy=True)
        return made.requires_grad_() if tensor.requires_grad else made

    return moved


def call_on(case: Case, device: str) -> Call:
    """The call of a sample with its tensors on a device; what a factory makes is there, too."""
    call = case.call().exchanged(on(device))
    if makes_tensors(case):
        name, body = case.operator.name, case.operator.body
        call.operator = (
            getattr(Tensor, name) if not case.operator.function and case.operator.method else checked(name, body)
        )
        if not call.tensors():
            call.kwargs.setdefault("device", device)
    return call


def makes_tensors(case: Case) -> bool:
    """Whether an operator makes tensors on a device that it is told."""
    return isinstance(case.operator, Composite) and "device" in parameters_of(case.operator.body)


def concerns_devices(case: Case) -> bool:
    """Whether a sample has tensors, or makes them on a device."""
    return bool(case.call().tensors()) or makes_tensors(case)


def kinds(value: Any) -> Any:
    """What is compared of a result: shape, dtype, strides and history of tensors, all else as it is."""
    if isinstance(value, Tensor):
        return tuple(value.shape), value.dtype, value.stride(), value.requires_grad
    if isinstance(value, (tuple, list)):
        return [kinds(part) for part in value]
    return value


def outcome(call: Call) -> Any:
    """The results of a call, or the error that it raises."""
    try:
        return call.run()
    except Exception as error:
        return error


def sample_of(case: Case) -> str:
    """The name of a sample in whatever dtype."""
    return f"{case.name}-{case.number}"


def says_why(error: Any) -> bool:
    """Whether an operator is refused by name because it needs values, for the reason that its card gives."""
    return isinstance(error, meta.NeedsValuesError) and bool(error.why)


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: True, where=concerns_devices)
def test_results_are_of_the_kind_that_they_have_on_the_cpu(case: Case):
    there = outcome(call_on(case, "meta"))
    if says_why(there) or sample_of(case) in REASONS:
        return
    if isinstance(there, Exception):
        raise there
    assert all(tensor.is_meta for tensor in tensors_in(there))
    found, wanted = kinds(there), kinds(call_on(case, "cpu").run())
    if case.name in ROWS:
        found, wanted = ([kind[:2] for kind in results] for results in (found, wanted))
    assert found == wanted


def with_values(call: Call, fill: Callable[[Any], Any]) -> Call:
    """The same call with other values in its tensors."""

    def changed(tensor: Tensor) -> Tensor:
        made = wrap(np.asarray(fill(tensor._array_)).astype(tensor._array_.dtype))
        return made.requires_grad_() if tensor.requires_grad else made

    return call.exchanged(changed)


FILLS = (np.zeros_like, np.ones_like, lambda array: np.random.default_rng(0).random(array.shape))
"""Values with which a call is repeated to see whether its refusal depends on values."""


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: True, bad=True, where=concerns_devices)
def test_what_is_refused_whatever_its_values_is_refused_in_the_same_words(case: Case):
    sample, _ = case.sample()
    here = outcome(call_on(case, "cpu"))
    for fill in FILLS:
        error = outcome(with_values(case.call(), fill))
        if not isinstance(error, sample.raises) or sample.says not in str(error) or sample_of(case) in OF_VALUES:
            return  # it is the values that are refused
    there = outcome(call_on(case, "meta"))
    if not says_why(there):
        assert isinstance(there, sample.raises), there
        assert sample.says in str(there) or str(there) == str(here)


def plain_call(case: Case, device: str) -> Call:
    """The call of a sample on a device, of which nothing is recorded."""
    return case.call(False).exchanged(on(device))


def is_direct(case: Case) -> bool:
    """Whether a sample is a call of an operator with tensors."""
    return isinstance(case.operator, Card) and case.sample()[0].through is None and bool(case.call().tensors())


def is_written(case: Case) -> bool:
    """Whether a sample is a call of an operator that has an in-place form."""
    return is_direct(case) and case.operator.in_place is not None


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: True, where=is_written)
def test_forms_in_place_write_and_refuse_as_on_the_cpu(case: Case):
    found = []
    for device in ("cpu", "meta"):
        call = plain_call(case, device)
        target = call.args[0]
        try:
            made = case.operator.in_place(*call.args, **call.kwargs)
        except Exception as error:
            found.append(type(error))
        else:
            found.append((made is target, kinds(target), target._version))
    assert found[0] == found[1]


def written(case: Case, device: str, shape: Callable[[Any], Any]) -> Any:
    """What is written into outputs of shapes that follow from those of the results; or the type of the error."""
    call = plain_call(case, device)
    try:
        made = call.run()
        outputs = [wg.empty(shape(tuple(part.shape)), dtype=part.dtype, device=device) for part in tensors_in(made)]
        case.operator(*call.args, **call.kwargs, out=outputs[0] if isinstance(made, Tensor) else tuple(outputs))
    except Exception as error:
        return None if says_why(error) else type(error)
    return kinds(outputs)


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.cases(together=True, wanted=once, where=is_direct)
def test_outputs_take_the_shape_that_they_take_on_the_cpu(case: Case):
    for shape in (lambda wanted: (0,), lambda wanted: wanted, lambda wanted: (2, 2, 2)):
        found = written(case, "meta", shape)
        assert found is None or found == written(case, "cpu", shape)


def gradients(case: Case, device: str) -> Any:
    """The kinds of the gradients of a sample's call; the error that it or its rules raise."""
    call = call_on(case, device)
    try:
        results = [tensor for tensor in tensors_in(call.run()) if tensor.requires_grad]
        units = [wg.ones_like(result) for result in results]
        inputs = call.differentiable()
        return kinds(list(wg.autograd.grad(results, inputs, units, allow_unused=True))) if results else None
    except Exception as error:
        return error


@pytest.mark.cases(together=True, wanted=once, where=concerns_devices)
def test_rules_give_gradients_of_the_kind_that_they_have_on_the_cpu(case: Case):
    there = gradients(case, "meta")
    if says_why(there) or sample_of(case) in REASONS:
        return
    here = gradients(case, "cpu")
    assert type(there) is type(here), there
    assert isinstance(there, Exception) or there == here


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int32, wg.float16, wg.float32, wg.complex64])
def test_numbers_of_the_cpu_stand_beside_tensors(dtype: wg.dtype):
    for number in (2, 2.5, 1j, wg.tensor(2), wg.tensor(2.5, dtype=wg.float64)):
        there, here = (wg.ones(2, 3, dtype=dtype, device=device) * number for device in ("meta", "cpu"))
        assert there.is_meta and kinds(there) == kinds(here)


def test_faults_that_the_copy_of_the_rules_had():
    x = wg.empty(2, 3, dtype=wg.int64, device="meta")
    assert wg.empty(3, dtype=wg.int32, device="meta").cumsum(0).dtype is wg.int64
    assert x.logsumexp(0).dtype is wg.float32
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        x.mean()
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        x.sum((0, 0))
    with pytest.raises(IndexError, match="to have non-zero size"):
        wg.empty(0, 3, device="meta").amax(0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.scatter(5, x, x)
    with pytest.raises(RuntimeError, match="Expected tensor for argument #1 'indices'"):
        wg.nn.functional.embedding(wg.empty(2, device="meta"), wg.empty(3, 4, device="meta"))


def test_no_values_are_read_and_no_memory_is_taken():
    x = wg.empty(1 << 18, 1 << 18, device="meta")
    assert x.cumsum(0).sum(1).shape == (1 << 18,)
    assert x.sort()[1].shape == x.softmax(0).shape == x.triu().shape == x.shape
    assert (x @ x).mean(0, True).shape == (1, 1 << 18)


def cards() -> list[Card]:
    """All cards, those that only the package calls, too."""
    assert REGISTRY  # asking for it has them loaded
    return [card for card in gc.get_objects() if isinstance(card, Card) and card.name not in OF_SPARSE]


def test_every_card_has_a_rule():
    without = [
        card.name
        for card in cards()
        if not card.view and not is_elementwise(card) and not card.options.get("hidden") and meta.rule_of(card) is None
    ]
    assert without == []

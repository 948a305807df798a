"""Each native function beside what it stands for: with and without it, a call gives the same, or refuses the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from wengert._core.cards.card import Card
from wengert._core.tensor.base import Tensor
from wengert.testing import Case
from wengert.testing.calls import Call, inside, leaf, named, replaced
from wengert.testing.values import check_close, drawn, largest
from wengert.testing.variants import results_and_gradients, strided, transposed


def has_native(card: Any, dtype: Any = None) -> bool:
    return isinstance(card, Card) and (
        card.native is not None
        or any(rule.native is not None for rule in card.rules)
        or (card.in_place is not None and card.in_place.native is not None)
    )


GOOD = pytest.mark.cases(wanted=has_native)


def reversed_memory(tensor: Tensor) -> Tensor:
    """The same values from the last to the first in memory."""
    whole = np.empty(tensor._array_.shape, tensor._array_.dtype)
    return inside(tensor, whole, whole[(*[slice(None, None, -1)] * whole.ndim, ...)])


def padded(tensor: Tensor) -> Tensor:
    """The same values behind an element of other bytes, so that nothing is aligned to more than one element."""
    whole = np.empty(tensor._array_.size + 1, tensor._array_.dtype)
    return inside(tensor, whole, whole[1:].reshape(tensor._array_.shape))


def special(tensor: Tensor) -> Tensor:
    """Infinities, NaN and zeros of both signs among the values."""
    array = tensor._array_.copy()
    if array.dtype.kind in "fc" and array.size:
        array.reshape(-1)[::2] = np.resize([np.inf, -0.0, np.nan, 0.0, -np.inf], array.reshape(-1)[::2].shape)
    return leaf(array, tensor)


def empty(tensor: Tensor) -> Tensor:
    """Nothing along the last dimension."""
    array = tensor._array_
    return leaf(array[..., :0].copy() if array.ndim else array, tensor)


def alternating() -> Any:
    """A form that has every second tensor of a call transposed, the first one not."""
    seen: list[Tensor] = []

    def form(tensor: Tensor) -> Tensor:
        seen.append(tensor)
        return tensor if len(seen) % 2 else transposed(tensor)

    return form


FORMS = {
    "as it is": lambda tensor: tensor,
    "transposed": transposed,
    "strided": strided,
    "reversed": reversed_memory,
    "padded": padded,
    "special": special,
    "empty": empty,
}


@contextmanager
def without_native(card: Card) -> Iterator[None]:
    """The general way for calls and rules of an operator."""
    function, rules = card.native, [rule.native for rule in card.rules]
    write = card.in_place and card.in_place.native
    try:
        card.native = None
        if write:
            card.in_place.native = None
        for rule in card.rules:
            rule.native = None
        yield
    finally:
        card.native = function
        if write:
            card.in_place.native = write
        for rule, native in zip(card.rules, rules):
            rule.native = native


def answer(call: Call) -> Any:
    """The results and gradients of a call, or the error."""
    try:
        return results_and_gradients(call)
    except Exception as error:
        return type(error), str(error)


def check_same(call: Call) -> None:
    found = answer(call)
    with without_native(call.operator):
        wanted = answer(call)
    if isinstance(wanted[0], type) or isinstance(found[0], type):
        assert found == wanted, f"{call}: {found} by the native function, {wanted} by the body"
        return
    for one, other in zip([*found[0], *found[1]], [*wanted[0], *wanted[1]], strict=True):
        if call.operator.name in COMPLEX_PRODUCTS and one is not None:
            one, other = same_infinities(one, other)
        assert (one is None) == (other is None), f"{call}: a gradient by one of them only"
        if one is not None:
            same_array(call, one, other)


COMPLEX_PRODUCTS = ("mm", "mv", "dot", "vdot", "bmm")


def same_infinities(one: Any, other: Any) -> Any:
    """NaN for complex elements that are infinite or NaN in both: a BLAS that multiplies its products by 1 + 0i makes
    NaN of infinities, and torch's answers depend on the size.
    """
    if one.dtype.kind != "c" or one.shape != other.shape or one.dtype != other.dtype:
        return one, other
    beyond = ~np.isfinite(one) & ~np.isfinite(other)
    for each in (one, other):
        each[beyond] = np.nan
    return one, other


def same_array(call: Call, one: Any, other: Any) -> None:
    assert one.dtype == other.dtype and one.shape == other.shape, (
        f"{call}: {one.dtype}{one.shape}, {other.dtype}{other.shape}"
    )
    if one.size:
        assert one.strides == other.strides, f"{call}: strides {one.strides} by the native function, {other.strides}"
    if not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
        check_close(call, one, other, largest(call) if np.isfinite(largest(call)) else 1.0)


@GOOD
def test_a_native_function_gives_what_the_body_gives(case: Case):
    if drawn(case.call(), []):
        return
    call = case.call()
    for name, form in {**FORMS, "every second one transposed": alternating()}.items():
        with named(name):
            check_same(call.exchanged(form))


@pytest.mark.cases(wanted=has_native, bad=True)
def test_what_the_body_refuses_is_refused_in_the_same_words(case: Case):
    check_same(case.call(requires_grad=False))


@GOOD
def test_arrays_where_tensors_are_due_end_in_the_same_words(case: Case):
    call = case.call(requires_grad=False)
    check_same(Call(call.operator, replaced(call.args, lambda tensor: tensor._array_), call.kwargs))


@GOOD
def test_wrong_arguments_end_in_the_same_words(case: Case):
    call = case.call(requires_grad=False)
    for wrong in (None, "text", 1.5, 2**70, (1, 2), object):
        for at in range(len(call.args)):
            with named(f"{wrong!r} as argument {at}"):
                check_same(Call(call.operator, (*call.args[:at], wrong, *call.args[at + 1 :]), call.kwargs))


@pytest.mark.cases(wanted=lambda operator, dtype: has_native(operator) and operator.in_place is not None)
def test_writes_in_place_are_the_same(case: Case):
    def written(call: Call) -> Any:
        try:
            target = call.args[0].detach().clone()
            return target, call.operator.in_place(target, *call.args[1:], **call.kwargs)
        except Exception as error:
            return type(error), str(error)

    found = written(case.call(requires_grad=False))
    with without_native(case.operator):
        wanted = written(case.call(requires_grad=False))
    if isinstance(wanted[0], type) or isinstance(found[0], type):
        assert found == wanted
    else:
        assert found[0] is found[1]
        same_array(case.call(), found[0]._array_, wanted[0]._array_)

"""Every sample on the device "meta": shape, dtype and strides of the results, or the refusal, are those of the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert._core.tensor.base import Tensor, wrap
from wengert.testing import Call, Case
from wengert.testing.calls import tensors_in

NEEDS_VALUES = "attempted to run this operator with Meta tensors"


def on(device: str) -> Callable[[Tensor], Tensor]:
    """What moves a tensor to a device, in new memory of the same order."""

    def moved(tensor: Tensor) -> Tensor:
        made = tensor.detach().to(device, copy=True)
        return made.requires_grad_() if tensor.requires_grad else made

    return moved


def kinds(value: Any) -> Any:
    """What is compared of a result: shape, dtype and strides of tensors, all else as it is."""
    if isinstance(value, Tensor):
        return (tuple(value.shape), value.dtype, value.stride(), value.requires_grad)
    if isinstance(value, (tuple, list)):
        return [kinds(each) for each in value]
    return value


def outcome(call: Call) -> Any:
    """The kinds of the results of a call, or the error that it raises."""
    try:
        return kinds(call.run())
    except Exception as error:
        return error


def with_values(call: Call, fill: Callable[[Any], Any]) -> Call:
    """The same call with other values in its tensors."""

    def changed(tensor: Tensor) -> Tensor:
        made = wrap(fill(tensor._array_).astype(tensor._array_.dtype))
        return made.requires_grad_() if tensor.requires_grad else made

    return call.exchanged(changed)


FILLS = (np.zeros_like, np.ones_like)
"""Values with which a call is repeated to see whether its refusal depends on values."""


def check_results(case: Case) -> None:
    """The results on both devices are of the same kinds, unless they depend on values, which a card says."""
    there = outcome(case.call().exchanged(on("meta")))
    if isinstance(there, NotImplementedError) and NEEDS_VALUES in str(there):
        assert_says_why(there)
        return
    here = outcome(case.call().exchanged(on("cpu")))
    if isinstance(there, Exception):
        raise there
    assert there == here, (there, here)
    assert all(each.is_meta for each in tensors_in(case.call().exchanged(on("meta")).run()))


def assert_says_why(error: Exception) -> None:
    """An operator that is refused by name has a card that says why."""
    if not error.why:
        raise error


def check_refusal(case: Case) -> None:
    """A sample that the CPU refuses whatever its values are is refused on "meta" in the same words."""
    sample, _ = case.sample()
    for fill in FILLS:
        error = outcome(with_values(case.call(), fill))
        if not isinstance(error, sample.raises) or sample.says not in str(error):
            return  # it is the values that are refused
    error = outcome(case.call().exchanged(on("meta")))
    if isinstance(error, NotImplementedError) and NEEDS_VALUES in str(error):
        assert_says_why(error)
        return
    assert isinstance(error, sample.raises), error
    assert sample.says in str(error)

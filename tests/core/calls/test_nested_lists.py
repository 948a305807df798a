"""Lists that hold themselves, or lie deeper in each other than any call has them: refused, without recursion in C."""

from __future__ import annotations

import pytest

import wengert as wg


def recursive():
    found = []
    found.append(found)
    return found


def deep():
    found = []
    for _ in range(100_000):
        found = [found]
    return found


CALLS = {
    "cosine_similarity": lambda value: wg.nn.functional.cosine_similarity(wg.ones(3, 4), value),
    "tensors in front": lambda value: wg.nn.functional.cosine_similarity(wg.ones(3, 4), [wg.ones(2), value]),
    "cat": wg.cat,
    "einsum": lambda value: wg.einsum("i,i->", wg.ones(3), value),
}


@pytest.mark.parametrize("nested", [recursive, deep])
@pytest.mark.parametrize("call", CALLS)
def test_they_are_refused(call, nested):
    with pytest.raises((TypeError, RecursionError, ValueError)):
        CALLS[call](nested())


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.parametrize("nested", [recursive, deep])
def test_they_are_refused_while_places_are_noted(nested):
    with wg.autograd.detect_anomaly(), pytest.raises((TypeError, RecursionError, ValueError)):
        wg.nn.functional.cosine_similarity(wg.ones(3, 4, requires_grad=True), nested())

"""Batches whose members have lengths of their own."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F

TARGETS = wg.tensor([[[1, 2], [2, 1]], [[2, 1], [1, 1]], [[3, 1], [2, 3]]])
TIMES = wg.tensor([[5, 5], [4, 5], [5, 3]])
LENGTHS = wg.tensor([[2, 1], [1, 2], [2, 2]])


def scores():
    wg.manual_seed(0)
    return wg.randn(3, 5, 2, 4, dtype=wg.float64)


def loss(each, targets, times, lengths, reduction="none"):
    return F.ctc_loss(each.log_softmax(-1), targets, times, lengths, reduction=reduction)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_lengths_of_sequences_differ_among_the_members_of_a_batch(reduction):
    x = scores()
    found = wg.vmap(lambda *each: loss(*each, reduction))(x, TARGETS, TIMES, LENGTHS)
    wanted = wg.stack([loss(*each, reduction) for each in zip(x, TARGETS, TIMES, LENGTHS)])
    assert wg.allclose(found, wanted)


def test_only_the_lengths_of_the_labels_may_differ():
    x = scores()[0]
    found = wg.vmap(lambda lengths: loss(x, TARGETS[0], (5, 5), lengths))(LENGTHS)
    assert wg.allclose(found, wg.stack([loss(x, TARGETS[0], (5, 5), each) for each in LENGTHS]))


def test_gradients_lead_through_members_with_lengths_of_their_own():
    x = scores().requires_grad_()
    wg.vmap(loss)(x, TARGETS, TIMES, LENGTHS).sum().backward()
    y = scores().requires_grad_()
    wg.stack([loss(*each) for each in zip(y, TARGETS, TIMES, LENGTHS)]).sum().backward()
    assert wg.allclose(x.grad, y.grad)
    per_member = wg.vmap(wg.func.grad(lambda *each: loss(*each).sum()))(scores(), TARGETS, TIMES, LENGTHS)
    assert wg.allclose(per_member, y.grad)

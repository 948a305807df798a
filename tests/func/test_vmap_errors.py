"""What goes wrong within `vmap` leaves everything as it was, and says what, of which shape, for how many members."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import wengert as wg
from wengert._core.state.modes import current
from wengert.func import grad, jacfwd, jacrev, jvp, vmap


def fails(x):
    raise KeyError("of the program")


@pytest.mark.parametrize("transform", [vmap, grad, jacrev, jacfwd])
def test_modes_are_as_they_were_after_an_error(transform):
    with pytest.raises(KeyError):
        transform(fails)(wg.ones(2))
    with pytest.raises(KeyError):
        vmap(lambda x: transform(fails)(x))(wg.ones(2, 2))
    modes = current()
    assert not modes.batches and not modes.levels and modes.word == 0 and modes.grad


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda x: x.sum().item(), r"calling \.item\(\) on a Tensor.*shape \[\].*2 members"),
        (lambda x: float(x[0]), r"calling \.item\(\) on a Tensor"),
        (lambda x: x if x.sum() > 0 else -x, r"data-dependent control flow.*shape \[\].*2 members"),
        (lambda x: x.tolist(), r"`tolist` asks for the values of a tensor of shape \[3\]"),
        (lambda x: x.numpy(), r"asks for the values of a tensor of shape \[3\]"),
        (lambda x: x.nonzero(), "depends on the values"),
        (lambda x: x[x > 0], "Attempting to batch over indexing with a boolean mask"),
        (lambda x: range(x[0].long()), "item"),
        (lambda x: wg.add(x, x, out=wg.zeros(3)), "no out="),
        (lambda x: wg.zeros(3).add_(x), "not being vmapped"),
        (lambda x: x.sum(4), "Dimension out of range"),
        (lambda x: x.view(7), r"shape '\[7\]' is invalid for input of size 3"),
        (lambda x: x @ wg.ones(4), "size"),
    ],
)
def test_what_needs_values_or_does_not_fit_is_told_for_a_member(ask, says):
    x = wg.ones(2, 3)
    with pytest.raises((RuntimeError, IndexError), match=says):
        vmap(ask)(x)
    assert x.tolist() == [[1.0] * 3] * 2 and x._version == 0


def assigned(x):
    x.data = wg.ones(3)


@pytest.mark.parametrize(
    "use",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda x: x.resize_(2),
        lambda x: x.set_(wg.ones(3)),
        lambda x: 2.0 in x,
        np.asarray,
    ],
)
def test_no_member_stands_for_all(use):
    with pytest.raises(
        RuntimeError, match=r"vmap: .* of a tensor of shape \[3\] that stands for the 2 members of a batch"
    ):
        vmap(lambda x: use(x.clone()))(wg.ones(2, 3))


def test_anomaly_detection_looks_at_all_members():
    def slope(x):
        y = x.detach()
        y.requires_grad = True
        (found,) = wg.autograd.grad((y * 0).sqrt().sum() * 0, y)
        return found

    with pytest.warns(UserWarning), wg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="nan values"):
        vmap(slope)(wg.ones(2, 3))


def test_a_tensor_that_left_its_batch_shows_what_it_is_and_goes_on():
    kept = []
    vmap(lambda x: kept.append(x) or x)(wg.arange(4.0).view(2, 2))
    assert repr(kept[0]).startswith("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[0., 1.],")
    assert (kept[0] + 1).shape == (2,)


def test_tangents_and_batches_meet_in_any_order():
    x, way = wg.tensor([[0.5, 1.0], [2.0, -1.0]]), wg.ones(2, 2)
    f = lambda x: x.sin().prod()  # noqa: E731
    inside = vmap(lambda x, way: jvp(f, (x,), (way,))[1])(x, way)
    outside = jvp(vmap(f), (x,), (way,))[1]
    assert wg.allclose(inside, outside)


def test_what_lies_in_memory_is_not_asked_of_all_members_at_once():
    for ask, text in (
        (lambda x: x.data, "accessing `data` under vmap transform is not allowed"),
        (assigned, "mutating directly with `.data` under vmap transform"),
        (lambda x: x.data_ptr(), "Cannot access data pointer of Tensor that doesn't have storage"),
    ):
        with pytest.raises(RuntimeError, match=text):
            vmap(ask)(wg.ones(2, 3))


def test_a_mixture_of_different_dtypes_is_refused_as_without_the_batch():
    start, end = wg.ones(2, 3), wg.ones(2, 3, dtype=wg.float64)
    weights = wg.tensor([0.25, 0.75], dtype=wg.float64)
    for mixture in (lambda: wg.lerp(start[0], end[0], weights[0]), lambda: wg.vmap(wg.lerp)(start, end, weights)):
        with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype double"):
            mixture()
    mixed = wg.vmap(wg.lerp)(start, 2 * start, weights)
    assert mixed.dtype is wg.float32 and mixed.tolist() == [[1.25] * 3, [1.75] * 3]

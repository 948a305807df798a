"""Gradients of parts of a tensor are written into the gradient of the whole, and only where nobody else sees that."""

import numpy as np
import pytest

import wengert as wg
from wengert._core.state.modes import current
from wengert._core.writes import slices


def recurrence(start, factor):
    x = start.clone()
    for i in range(1, x.shape[0]):
        x[i] = x[i - 1] * factor
    return x


def calls_of(program):
    """The names of the operators that a program calls."""
    seen = []

    def observer(op, args, proceed):
        seen.append(op.name)
        return proceed()

    modes = current()
    before = modes.observe([observer])
    try:
        program()
    finally:
        modes.observe(before)
    return seen


@pytest.mark.parametrize("length", [10, 100])
def test_a_recurrence_over_the_parts_of_a_tensor_makes_no_array_of_its_size_for_each_part(length):
    start = wg.ones(length, requires_grad=True)
    x = recurrence(start, 0.5)
    total = x.sum()
    seen = calls_of(total.backward)
    assert seen.count("_restrided") == 1
    assert seen.count("select_backward") == 0
    assert np.allclose(start.grad[0].item(), 2 * (1 - 0.5**length))


def test_a_cotangent_is_not_written_to():
    x = wg.ones(4, requires_grad=True)
    y = x * 1
    y[0] = 5.0
    y[1].mul_(2)
    cotangent = wg.arange(4.0)
    y.backward(cotangent)
    assert cotangent.tolist() == [0, 1, 2, 3]
    assert x.grad.tolist() == [0, 2, 2, 3]


def test_gradients_that_hooks_keep_are_not_written_to_later():
    x = wg.ones(4, requires_grad=True)
    kept = []
    y = x * 1
    y.register_hook(kept.append)
    z = y * 1
    z.register_hook(kept.append)
    (z[0] * 3 + z[1:].sum() + y[2] * 5).backward()
    assert [each.tolist() for each in kept] == [[3, 1, 1, 1], [3, 1, 6, 1]]
    assert x.grad.tolist() == [3, 1, 6, 1]


def test_captured_and_retained_gradients_are_not_written_to_later():
    x = wg.ones(3, requires_grad=True)
    y = x * 1
    z = y * 1
    z.retain_grad()
    found = wg.autograd.grad((z * z)[0] + z[1] + y[2], (x, y, z))
    assert [each.tolist() for each in found] == [[2, 1, 1], [2, 1, 1], [2, 1, 0]]
    z = x * 1
    z.retain_grad()
    (z[0] + z[0] * 2 + x[1]).backward()
    assert z.grad.tolist() == [3, 0, 0]
    assert x.grad.tolist() == [3, 1, 0]


def test_a_gradient_that_goes_two_ways_is_added_to_on_neither():
    x = wg.ones(3, requires_grad=True)
    y = wg.ones(3, requires_grad=True)
    a, b = x * 1, y * 1
    total = (a + b).sum() + a[0] * 10 + b[1] * 20
    total.backward()
    assert x.grad.tolist() == [11, 1, 1]
    assert y.grad.tolist() == [1, 21, 1]


def test_the_parts_of_one_output_of_several_do_not_meet_those_of_another():
    x = wg.arange(6.0).requires_grad_()
    first, second = (x * 1).split(3)
    (first[0] * 2 + second[1] * 3 + first.sum() + second.sum() + first[2]).backward()
    assert x.grad.tolist() == [3, 1, 2, 1, 4, 1]


def test_large_gradients_are_added_in_place_without_harm():
    x = wg.ones(1 << 15, requires_grad=True)
    y = x * 1
    z = y * 2 + y * 3 + y * 4
    hooked = []
    y.register_hook(hooked.append)
    z.sum().backward()
    assert set(x.grad.tolist()) == {9.0}
    assert set(hooked[0].tolist()) == {9.0}
    z = (x * 1).sum() + x.sum() + (x * x).sum()
    x.grad = None
    z.backward(retain_graph=False)
    assert set(x.grad.tolist()) == {4.0}


@pytest.mark.parametrize("create_graph", [False, True])
def test_overlapping_windows_add_up(create_graph):
    x = wg.arange(27.0, dtype=wg.float64).requires_grad_()
    y = x * 1
    windows = y.unfold(0, 10, 9)
    (found,) = wg.autograd.grad((windows * windows).sum() + (y * y).sum(), x, create_graph=create_graph)
    counts = np.zeros(27)
    for start in (0, 9):
        counts[start : start + 10] += 1
    assert found.tolist() == (2 * np.arange(27.0) * (counts + 1)).tolist()


def test_a_second_derivative_goes_through_writes_to_parts():
    x = wg.tensor([2.0, 3.0], dtype=wg.float64, requires_grad=True)
    y = x * 1
    y[1] = x[0] ** 3
    (first,) = wg.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [13, 0]
    (second,) = wg.autograd.grad(first[0], x)
    assert second.tolist() == [12, 0]


def test_the_base_may_lie_in_memory_in_any_order():
    x = wg.arange(6.0).reshape(2, 3).requires_grad_()
    y = (x.t() * 1).t() * 1
    y.t()[0] = 7.0
    y[1, 2] *= 5
    y.backward(wg.ones(2, 3))
    assert x.grad.tolist() == [[0, 1, 1], [0, 1, 5]]


def test_a_view_of_the_memory_itself_is_not_taken_of_a_gradient_that_lies_otherwise():
    x = wg.zeros(3, 4, requires_grad=True)
    across = x.t().clone()
    assert across.stride() == (1, 4)
    part = across.as_strided((2,), (1,), 0)
    rows = across.contiguous() * 2  # its gradient arrives first, row by row
    (rows.sum() + (part * 10).sum()).backward()
    assert x.grad.tolist() == [[12, 12, 2, 2], [2, 2, 2, 2], [2, 2, 2, 2]]


@pytest.mark.parametrize(
    ("shape", "strides", "overlapping"),
    [((), (), False), ((3,), (8,), False), ((3,), (4,), True), ((2, 3), (24, 8), False), ((2, 3), (16, 8), True)],
)
def test_overlap_is_seen_by_strides(shape, strides, overlapping):
    array = np.lib.stride_tricks.as_strided(np.zeros(10), shape, strides)
    assert slices.overlaps(array) is overlapping

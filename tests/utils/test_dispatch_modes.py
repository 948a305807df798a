"""Dispatch modes: what is beside that in which they are like torch's (tests/parity/programs/dispatch_modes.py)."""

from __future__ import annotations

import pickle
import threading
from collections import Counter

import pytest
from wengert._ops import OpOverload

import wengert as wg
from wengert.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, is_in_torch_dispatch_mode
from wengert.utils.flop_counter import FlopCounterMode, sdpa_flop_count


class Counting(TorchDispatchMode):
    """Counts operators; calls no `__init__` of its base."""

    def __init__(self):
        self.counts = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.counts[str(func.overloadpacket)] += 1
        return func(*args, **(kwargs or {}))


def test_operators_are_counted_forward_and_backward():
    net = wg.nn.Sequential(wg.nn.Linear(4, 5), wg.nn.ReLU(), wg.nn.Linear(5, 2))
    with Counting() as forward:
        loss = net(wg.ones(3, 4)).sum()
    with Counting() as backward:
        loss.backward()
    assert forward.counts == {"aten.t": 2, "aten.addmm": 2, "aten.relu": 1, "aten.sum": 1, "aten.ones": 1}
    assert backward.counts["aten.mm"] == 3 and backward.counts["aten.threshold_backward"] == 1


def test_a_backward_pass_is_the_same_with_a_mode():
    x = wg.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
    weight = wg.linspace(0, 1, 8).reshape(2, 4).requires_grad_()
    norm = wg.nn.BatchNorm1d(2)

    def loss():
        return norm(wg.nn.functional.linear(x, weight)).softmax(-1)[:, 0].square().sum()

    plain = wg.autograd.grad(loss(), (x, weight))
    with Counting() as mode:
        seen = wg.autograd.grad(loss(), (x, weight))
    for one, other in zip(plain, seen):
        wg.testing.assert_close(one, other)
    assert mode.counts


def test_a_mode_belongs_to_its_thread_and_ends():
    notes = []
    with Counting() as mode:
        worker = threading.Thread(target=lambda: notes.append((is_in_torch_dispatch_mode(), wg.ones(2) + 1)))
        worker.start()
        worker.join()
        assert _get_current_dispatch_mode() is mode
    assert notes[0][0] is False and not mode.counts and _get_current_dispatch_mode() is None


def test_memory_of_results_is_tracked():
    held = {}

    class Memory(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            for each in made if isinstance(made, (tuple, list)) else [made]:
                storage = each.untyped_storage()
                held[storage.data_ptr()] = storage.nbytes()
            return made

    with Memory():
        kept = [wg.zeros(1000), wg.ones(10, 10).view(100)]
        kept += kept[0].split(500)
    assert sum(held.values()) == 4400


def test_a_mode_that_looks_for_values_that_are_not_finite():
    class Finite(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            if isinstance(made, wg.Tensor) and made.is_floating_point() and not made.isfinite().all():
                raise FloatingPointError(f"{func} made what is not finite")
            return made

    x = wg.tensor([0.0, 1.0], requires_grad=True)
    with Finite():
        y = x.sqrt().sum()
        with pytest.raises(FloatingPointError, match=r"aten.div.Tensor|aten.rsqrt|aten.mul"):
            y.backward()


def test_modes_of_functions_are_asked_first_and_once():
    notes = []

    class Functions(wg.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            notes.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = wg.ones(2, requires_grad=True)
    with Functions(), Counting() as inside:
        wg.zeros(2)
        x.exp()
    with Counting() as outside, Functions():
        wg.zeros(2)
        x.exp()
    assert notes == ["exp", "zeros", "exp"] or notes == ["zeros", "exp", "zeros", "exp"]
    assert inside.counts == outside.counts == {"aten.zeros": 1, "aten.exp": 1}
    assert not wg.overrides.has_torch_function((x,))
    with Counting():
        assert not wg.overrides.has_torch_function((x,))


def test_a_write_returns_what_it_wrote_to():
    class Nothing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            func(*args, **(kwargs or {}))

    x = wg.ones(2)
    with Nothing():
        assert x.add_(1) is x
    assert x.tolist() == [2, 2]


def test_results_that_have_a_history_are_taken_without_it():
    x, other = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True) * 3

    class Other(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return other if func is wg.ops.aten.exp.default else args[0]

    with Other():
        y, z = x.exp(), x.neg()
    assert y is not other and y.tolist() == [3, 3] and z is not x
    assert [each.grad_fn.name() for each in (other, y, z)] == ["MulBackward0", "ExpBackward0", "NegBackward0"]
    assert wg.autograd.grad(y.sum(), x)[0].tolist() == [3, 3]


def test_operations_are_counted_within_a_mode():
    x, weight = wg.ones(3, 4), wg.ones(4, 5)
    with Counting() as mode, FlopCounterMode(display=False) as counter:
        x.mm(weight)
    assert counter.get_total_flops() == 120 and mode.counts == {"aten.mm": 1}
    assert sdpa_flop_count((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7)) == 2 * 6 * 4 * 6 * (5 + 7)


def test_forms_of_operators_can_be_pickled():
    form = wg.ops.aten.add.Tensor
    assert pickle.loads(pickle.dumps(form)) is form and isinstance(form, OpOverload)

"""Calls of followed functions that nothing records, and views of leaves, are those of eager calls, cached or not."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import wengert as wg
from tests.torch_modules.compiler.test_following import both, leaf, shown
from tests.torch_modules.compiler.test_replayed_programs import CALLS, PARTS, PROGRAMS, outcome
from tools.hunt.oracle.modes import parts_of
from tools.hunt.oracle.programs import program
from wengert._core.capture import caching

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make

COMPILED = bool(wg._start.build.COMPILED) and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Calls are cached in the compiled build, where the interpreter has its lock."""


def cached(compiled: Any) -> int:
    """Return the number of cached calls."""
    assert (compiled.cache is not None) == COMPILED
    return int(compiled.cache.count) if COMPILED else 0


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_without_gradients_give_the_bits_of_eager_calls(part: int) -> None:
    counts = []
    for seed in range(part, PROGRAMS, PARTS):
        function, start = parts_of(program(seed))
        without = wg.no_grad()(function)
        compiled = wg.compile(without)
        kept = []
        for number in range(CALLS):
            x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
            wanted = outcome(without, x)
            assert outcome(compiled, other) == wanted, f"call {number} of seed {seed}"
            assert other._array_.tobytes() == x._array_.tobytes(), f"call {number} of seed {seed}"
            if number % 3 == 0:
                kept.append((compiled, other))
        counts.append(cached(compiled))
    if COMPILED:
        assert sum(counts) > 0


def test_results_that_a_program_keeps_are_not_written_to() -> None:
    def build() -> Any:
        x, kept = wg.tensor([1.0, 2.0, 3.0]), []

        def step(number: int) -> Any:
            y = (x * number + 1) * 2
            z = y.sum() - 3.0
            if number % 3 == 0:
                kept.append(y)
            if number % 4 == 1:
                kept.append(z[None])  # a view
            if number % 5 == 2:
                kept.append(y.numpy()[1:].tolist())
            return z if number % 2 else None

        return step, kept

    both(build, 40)


def test_arrays_attributes_and_weak_references_of_results_keep_them() -> None:
    x = wg.tensor([1.0, 2.0])
    arrays: list[np.ndarray] = []
    seen: list[Any] = []

    def step(number: int) -> Any:
        y = x + float(number)
        if number % 2:
            arrays.append(y.numpy())
        y.mark = number
        seen.append(weakref.ref(y))
        return y

    compiled = wg.compile(step)
    for number in range(12):
        y = compiled(number)
        assert y.mark == number and y.tolist() == [1.0 + number, 2.0 + number]
        assert not hasattr(wg.tensor([1.0]) + 1.0, "mark")
        del y
        gc.collect()
        assert seen[-1]() is None or number == 0 or seen[-1]().mark == number
    assert [array.tolist() for array in arrays] == [[1.0 + number, 2.0 + number] for number in range(1, 12, 2)]


def test_results_are_new_tensors_whatever_was_done_to_the_last_ones() -> None:
    def build() -> Any:
        x = wg.tensor([1.0, -2.0])

        def step(number: int) -> Any:
            y = x * 3.0
            before = (y._version, y.requires_grad, y.grad, y.is_leaf, shown(y))
            if number % 4 == 0:
                y += 1.0
            elif number % 4 == 1:
                y.requires_grad_()
                (y * y).sum().backward()
            elif number % 4 == 2:
                y.register_hook(lambda grad: grad) if y.requires_grad else y.resize_(1)
            else:
                y.t_() if y.ndim == 2 else y.unsqueeze_(0)
            return before, y.detach().clone()

        return step, x

    both(build, 40)


def test_operands_that_change() -> None:
    def build() -> Any:
        operands = [
            wg.tensor([1.0, 2.0]),
            wg.tensor([1.0, 2.0], dtype=wg.float64),
            wg.tensor([1, 2]),
            wg.tensor([[1.0, 2.0], [3.0, 4.0]])[:, 1],
            wg.tensor([1.0 + 2.0j, 3.0]),
            leaf(1.0, 2.0),
            wg.nn.Parameter(wg.tensor([1.0, 2.0])),
            wg.tensor([], dtype=wg.float32),
            wg.tensor([1.0, 2.0]).expand(3, 2),
        ]

        def step(number: int) -> Any:
            x = operands[(number // 2) % len(operands)]
            with wg.set_grad_enabled(number % 3 != 0):
                y = x * 2 + x
                z = y > 0 if not y.is_complex() else y.real
            return y, y.requires_grad, y.dtype, z, y.stride()

        return step, operands

    both(build, 60)


@pytest.mark.parametrize("values", [(0.0, -0.0), (1, True), (1, 1.0), (float("nan"), 2.0), (2, 3), (0.5, 1.5)])
def test_constants_that_change(values: tuple[Any, Any]) -> None:
    def build() -> Any:
        x = wg.tensor([1.0, -2.0, 0.0])
        number_of = wg.tensor([1, 2, 3])

        def step(number: int) -> Any:
            value = values[number % 2]
            return x * value, number_of * value, (x - value).sum(), wg.where(x > value, x, value)

        return step, x

    both(build, 24)


def test_the_default_dtype_may_change_between_calls() -> None:
    whole = wg.tensor([1, 2, 3])

    def step() -> Any:
        return whole / 2, whole * 0.5, whole.sum() / 3

    compiled = wg.compile(step)
    try:
        for number in range(8):
            wg.set_default_dtype(wg.float64 if number % 2 else wg.float32)
            for result, wanted in zip(compiled(), step()):
                assert result.dtype is wanted.dtype and result.tolist() == wanted.tolist()
    finally:
        wg.set_default_dtype(wg.float32)


def test_branches_on_values_recursion_and_errors() -> None:
    def build() -> Any:
        x = wg.tensor([0.5, -0.25])

        def step(number: int) -> Any:
            h = x * (1 if number % 7 else -1)
            for at in range(number % 5 + 2):
                h = h * 0.5 + 0.1 if float(h.sum()) > 0 else h * 1.5 - at
                if number % 11 == 10 and at == 2:
                    raise ValueError("in the middle")
            if number % 9 == 8:
                h = h + step(number - 1)[0]
            return h, float(h.sum())

        return step, x

    both(build, 60)


def test_a_cache_is_limited() -> None:
    x = wg.tensor([1.0, 2.0])
    large = wg.zeros(caching.MOST_BYTES // 4 + 1)
    half = wg.zeros(caching.MOST_BYTES // 8)

    def step(number: int) -> Any:
        y = x
        for at in range(20):
            y = y + (number * 20 + at) * 0.5
        for _ in range(200):
            half * 2.0
        return y, large * 2.0

    compiled = wg.compile(step)
    for number in range(2 * caching.MOST_CALLS // 220):
        result, wanted = compiled(number), step(number)
        assert [value.tolist() for value in result] == [value.tolist() for value in wanted]
    assert cached(compiled) <= caching.MOST_CALLS
    assert compiled.cache is None or compiled.cache.kept <= caching.MOST_BYTES_KEPT


def test_threads_and_functions_within_functions() -> None:
    x = wg.tensor([1.0, 2.0])
    inner = wg.compile(lambda y: (y * 2.0 + 1.0).sum())

    def step(number: int) -> Any:
        y = x * float(number)
        return inner(y) + inner(y + 1.0), y

    compiled = wg.compile(step)
    wanted = [shown(step(number)) for number in range(50)]
    failures: list[Any] = []

    def run() -> None:
        for number in range(50):
            if shown(compiled(number)) != wanted[number]:
                failures.append(number)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_transforms_within_a_followed_function() -> None:
    def build() -> Any:
        x = wg.tensor([[1.0, 2.0], [3.0, 4.0]])

        def step(number: int) -> Any:
            y = x * 0.5 + number
            return wg.vmap(lambda row: (row * 0.5 + number).sum())(y), wg.func.jvp(lambda v: v * 0.5 + v, (y,), (x,))

        return step, x

    both(build, 12)


def test_views_of_leaves_are_views_of_what_the_leaf_is_now() -> None:
    def build() -> Any:
        weight = wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        kept: list[Any] = []

        def step(number: int) -> Any:
            view = weight.t()
            row = weight[number % 2]
            facts = (view._version, view.grad_fn is None, view._is_view(), view._base is weight, shown(row.detach()))
            if number % 6 == 1:
                kept.append(view)
            if number % 6 == 2:
                view.retain_grad()
            if number % 6 == 3:
                view.register_hook(lambda grad: grad * 2)
            loss = (view.tanh() * view).sum() + (row * row).sum()
            loss.backward()
            grad = None if view.grad is None else view.grad.clone()
            with wg.no_grad():
                if number % 6 == 4:
                    view.mul_(0.5)
                weight.sub_(weight.grad, alpha=0.1)
                if number % 6 == 5:
                    weight.data = weight.data * 1.5
            weight.grad = None
            return facts, loss.detach(), grad

        return step, [weight, kept]

    both(build, 40)


VIEWS: dict[str, Any] = {
    "row": lambda x: x[1],
    "transposed": lambda x: x.t(),
    "part": lambda x: x[:, 1:],
    "flat": lambda x: x.view(-1),
    "one more dimension": lambda x: x[None],
}


@pytest.mark.parametrize("dtype", [wg.float32, wg.int64, wg.complex64], ids=str)
@pytest.mark.parametrize("way", VIEWS)
def test_views_of_data_are_views_of_what_the_data_are_now(way: str, dtype: Any) -> None:
    take = VIEWS[way]

    def build() -> Any:
        weight = leaf(1.0, 2.0)
        data = [wg.arange(6).reshape(2, 3).to(dtype).clone() for _ in range(2)]
        kept: list[Any] = []

        def step(number: int) -> Any:
            x = data[number // 8 % 2]
            view = take(x)
            facts = (view._version, view._is_view(), view._base is x, view.requires_grad, view.stride())
            value = (view * 2).sum() + take(view * 3).sum() if view.ndim == 2 else (view * 2).sum()
            if number % 8 == 1:
                kept.append(view)
            if number % 8 == 2:
                view.mul_(2)
            if number % 8 == 3:
                x.add_(1)
            if number % 8 == 4:
                x.data = x.data * 2
            if number % 8 == 5:
                view.mark = number
            if number % 8 == 6:
                data[number // 8 % 2] = x.clone()
            if number % 8 == 7 and dtype is wg.float32:
                view.requires_grad_()
            with wg.no_grad():
                facts += (take(x).sum(), take(x)._is_view())
            loss = (weight * value.detach().abs()).sum()
            loss.backward()
            return facts, value.detach(), loss.detach()

        return step, [weight, data, kept]

    both(build, 48)


def test_data_that_change_from_call_to_call_are_not_held() -> None:
    weight = leaf(1.0, 2.0)
    seen: list[Any] = []

    def step(x: Any) -> Any:
        return (x[0] * weight + x[1]).sum()

    compiled = wg.compile(step)
    for number in range(8):
        x = wg.ones(2, 2) * number
        seen.append(weakref.ref(x))
        compiled(x)
    del x
    assert [reference() is None for reference in seen[2:]] == [True] * 6


def test_large_data_are_not_held() -> None:
    weight = leaf(1.0)
    x = wg.ones(200, 200)
    compiled = wg.compile(lambda: (x[0] * weight).sum())
    for _ in range(6):
        compiled()
    reference = weakref.ref(x._array_)
    x = wg.ones(200, 200)
    assert reference() is None


def test_a_leaf_may_be_replaced_between_calls() -> None:
    weights = [leaf(1.0, 2.0), leaf(3.0, 4.0)]

    def step(number: int) -> Any:
        loss = (weights[number // 3 % 2][:, None] * 2.0).sum()
        (grad,) = wg.autograd.grad(loss, weights[number // 3 % 2])
        return loss.detach(), grad

    compiled = wg.compile(step)
    for number in range(24):
        if number % 8 == 7:
            weights[0] = leaf(5.0, float(number))
        assert shown(compiled(number)) == shown(step(number))


def test_a_call_that_its_function_declines_ends_nothing() -> None:
    """Calls behind it are cached, and none is cached again in each round."""
    x, whole = wg.tensor([1.0, 2.0]), wg.tensor([3, 4])
    weight = leaf(1.0, 2.0)
    kept: list[Any] = []

    def step(number: int) -> Any:
        with wg.no_grad():
            y = (x * 2.0 + whole / 2) * 0.5
            view = weight.unsqueeze(number % 2)
            if number % 3:
                kept.append(view)
            return (y - 1.0).sum() + view.sum(), view.tolist(), view._version

    compiled = wg.compile(step)
    counts = []
    for number in range(20):
        result, wanted = compiled(number), step(number)
        assert result[0].item() == wanted[0].item() and result[1:] == wanted[1:]
        counts.append(cached(compiled))
    assert counts[8:] == counts[8:9] * len(counts[8:])


@pytest.mark.skipif(not COMPILED, reason="results are used again in the compiled build only")
def test_the_memory_of_results_is_used_again() -> None:
    x, w = wg.tensor([1.0, 2.0]), leaf(1.0, 2.0)
    addresses: list[tuple[int, int]] = []

    def step() -> Any:
        y, view = x * 2.0, w[:, None]
        addresses.append((y.data_ptr(), id(view)))
        wg.autograd.grad((view * 2.0).sum(), w)

    compiled = wg.compile(step)
    for _ in range(10):
        compiled()
    assert len(set(addresses[4:])) == 1

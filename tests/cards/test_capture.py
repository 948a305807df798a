"""Every sample, recorded as a list of calls on arrays and replayed with other numbers: the bits of an eager call."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from wengert.compiler.replaying import NATIVES, Position

import wengert as wg
from wengert._core.capture.captured import AGAIN, record
from wengert._core.capture.native_calls import build_calls
from wengert._core.capture.recorder import Recorder
from wengert.testing import Case
from wengert.testing.calls import Call, once, tensors_in

UNINITIALISED = {"empty_like", "new_empty", "new_empty_strided", "empty", "empty_permuted", "empty_strided"}
"""Factories whose results hold any values."""
REASONS = {
    "random numbers of a factory": (
        *("normal", "pca_lowrank", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm"),
        "svd_lowrank",
    ),
    "a generator's state": ("get_rng_state", "manual_seed", "seed", "set_rng_state"),
    "conjugated or negated when read": ("_conj", "_neg_view"),
}
"""The operators of which a sample is not captured, by the reason. Calls with `requires_grad=True` are not either."""
REFUSED = {name for names in REASONS.values() for name in names}


def changed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Other numbers of the same kind: smaller ones, for integers and bools the same in another order."""
    if array.dtype.kind in "fc":
        return (array * array.dtype.type(0.96875)).astype(array.dtype)
    return np.flip(array).copy() if array.dtype.kind in "iub" else array.copy()


def outcome(run: Any) -> Any:
    """Return the result of a function, or its error."""
    wg.manual_seed(5)
    try:
        return run()
    except Exception as error:
        return type(error), str(error)


def is_error(result: Any) -> bool:
    """Return whether a result of `outcome` is an error."""
    return isinstance(result, tuple) and bool(result) and isinstance(result[0], type)


def bits(result: Any) -> list[Any]:
    """Return everything that is to be equal of the tensors of a result."""
    return [
        (each.dtype, each.shape, each.stride(), each._array_.tobytes(), each._version, each._is_view())
        for each in tensors_in(result)
    ]


ROUNDS = 5
"""Replays of a sample: native functions are offered arrays from the second one on, and repeat work from the third."""


def derived(call: Call, tensors: Any) -> Any:
    """Return the results of a call and the gradients of their sums."""
    results = list(tensors_in(call.with_tensors(tensors).run()))
    roots = [each for each in results if each.requires_grad]
    leaves = [each for each in tensors if each.requires_grad]
    if not roots or not leaves:
        return [each.detach() for each in results], ()
    grads = wg.autograd.grad(roots, leaves, [wg.ones_like(each) for each in roots], allow_unused=True)
    return [each.detach() for each in results], grads


def copied(call: Call, tensors: Any) -> Any:
    """Return copies of what `derived` returns, so that replays may use the memory of the originals again."""
    results, grads = derived(call, tensors)
    return [each.clone() for each in (*results, *grads) if each is not None]


def plain(call: Call, tensors: Any) -> Any:
    """Return the result of a call."""
    return call.with_tensors(tensors).run()


def check(case: Case, run: Any, requires_grad: bool) -> None:
    """Record a sample, and compare a replay with other numbers with an eager call."""
    call, eager = case.call(requires_grad), case.call(requires_grad)
    tensors, others = list(call.tensors()), list(eager.tensors())
    arrays = [changed(tensor._array_) for tensor in tensors]
    recorder = Recorder(Position(), NATIVES)
    _, captured = record(lambda *own: run(call, own), tensors, {}, tensors, recorder)
    if captured is None:
        assert case.name in REFUSED or "requires a gradient" in recorder.reason, recorder.reason
        return
    build_calls(captured)
    if case.name in UNINITIALISED:
        return
    for number in range(ROUNDS):
        for tensor, other, array in zip(tensors, others, arrays):
            tensor._array_[...] = other._array_[...] = array
        owners = captured.owners(tensors)
        assert owners is not None
        if not is_replayed(captured, owners, functools.partial(run, eager, others), (tensors, others)):
            return
        if number + 1 < ROUNDS:
            arrays = [changed(tensor._array_) for tensor in tensors]


def is_replayed(captured: Any, owners: list[Any], eager: Any, pair: tuple[list[Any], list[Any]]) -> bool:
    """Compare a replay with an eager call; return whether there is more to compare."""
    tensors, others = pair
    written = [tensor._version - other._version for tensor, other in zip(tensors, others)]
    wanted, state = outcome(eager), wg.get_rng_state()
    result = outcome(lambda: captured.replay(owners))
    if result is AGAIN:
        assert captured.effects < 0
        return False
    if is_error(wanted):
        assert result == wanted
        return False
    assert type(result) is type(wanted) and bits(result) == bits(wanted)
    assert [each._array_.tobytes() for each in tensors] == [each._array_.tobytes() for each in others]
    assert [tensor._version - other._version for tensor, other in zip(tensors, others)] == written
    assert wg.get_rng_state().equal(state)
    return True


@pytest.mark.cases(wanted=once)
def test_a_replay_with_other_numbers_has_the_bits_of_an_eager_call(case: Case) -> None:
    check(case, plain, False)


@pytest.mark.cases(wanted=once)
def test_so_has_a_replay_with_gradients(case: Case) -> None:
    check(case, derived, True)


@pytest.mark.cases(wanted=once)
def test_so_has_a_replay_whose_memory_is_used_again(case: Case) -> None:
    check(case, copied, True)


def with_grads(run: Any, leaves: list[Any]) -> Any:
    """Return results, and the gradients of leaves for random gradients of the results; or AGAIN."""
    results = run()
    if results is AGAIN:
        return AGAIN
    roots = [each for each in tensors_in(results) if each.requires_grad]
    wg.manual_seed(7)
    grads = wg.autograd.grad(roots, leaves, [wg.randn_like(each) for each in roots], allow_unused=True)
    return bits([each.detach() for each in tensors_in(results)]), [bits([each]) for each in grads if each is not None]


def backward_lists(captured: Any) -> list[Any]:
    segments = () if captured.graph is None else captured.graph.segments
    return [known for segment in segments for known in segment.lists]


def check_history(case: Case, alone: bool) -> None:
    """Replay a sample whose results require a gradient; compare results and gradients with those of an eager call.

    Args:
        alone: a replay creates the ordinary node of a single step, otherwise that has a list like any other.
    """
    call, eager = case.call(True), case.call(True)
    tensors, others = list(call.tensors()), list(eager.tensors())
    leaves, other_leaves = ([each for each in own if each.requires_grad] for own in (tensors, others))
    arrays = [changed(tensor._array_) for tensor in tensors]
    try:
        recorder = Recorder(Position(), NATIVES)
        result, captured = record(lambda *own: plain(call, own), tensors, {}, tensors, recorder)
    except Exception:  # tests of errors are others
        return
    if not leaves or not any(each.requires_grad for each in tensors_in(result)):
        return
    if captured is None:
        assert case.name in REFUSED, recorder.reason
        return
    build_calls(captured)
    for segment in () if captured.graph is None else captured.graph.segments:
        segment.recipe = segment.recipe if alone else None
    for number in range(3):
        if number == 1:
            for tensor, other, array in zip(tensors, others, arrays):
                tensor._array_[...] = other._array_[...] = array
        for known in backward_lists(captured):
            known.replays = 2  # the next pass is no verification
        owners = captured.owners(tensors)
        assert owners is not None
        wanted = outcome(functools.partial(with_grads, functools.partial(plain, eager, others), other_leaves))
        got = outcome(functools.partial(with_grads, functools.partial(captured.replay, owners), leaves))
        if got is AGAIN:
            return
        assert got == wanted, number
    for segment in () if captured.graph is None else captured.graph.segments:
        assert segment.recipe or segment.ordinary or not segment.passes.reason, segment.passes.reason
        if segment.recipe is None and not segment.ordinary and segment.lists:
            assert segment.lists[0].replays > 2


@pytest.mark.cases(wanted=once)
def test_so_has_a_result_that_requires_a_gradient(case: Case) -> None:
    check_history(case, True)
    check_history(case, False)

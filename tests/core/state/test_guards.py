"""The guards of modes: what they restore, when the same one is used again, nested, by threads, or out of order."""

from __future__ import annotations

import inspect
import itertools
import threading

import hypothesis.strategies as st
import pytest
from hypothesis import given

import wengert as wg

GUARDS = {
    "no_grad": wg.no_grad,
    "enable_grad": wg.enable_grad,
    "inference_mode": wg.inference_mode,
    "inference_mode(False)": lambda: wg.inference_mode(False),
    "set_grad_enabled(True)": lambda: wg.set_grad_enabled(True),
    "set_grad_enabled(False)": lambda: wg.set_grad_enabled(False),
}


def state():
    return wg.is_grad_enabled(), wg.is_inference_mode_enabled()


def test_inference_mode_switches_recording_off():
    with wg.inference_mode():
        assert state() == (False, True)
    assert state() == (True, False)


def test_inference_mode_false_switches_recording_on():
    with wg.no_grad():
        with wg.inference_mode(False):
            assert state() == (True, False)
        assert state() == (False, False)
    with wg.inference_mode():
        with wg.inference_mode(mode=False):
            assert state() == (True, False)
        assert state() == (False, True)


def test_enable_grad_inside_inference_mode_changes_what_is_asked_but_records_nothing():
    x = wg.ones(2, requires_grad=True)
    with wg.inference_mode(), wg.enable_grad():
        y = x * 2
        assert state() == (True, True) and not y.requires_grad and y.is_inference()
    assert state() == (True, False) and (x * 2).requires_grad


def test_leaving_inference_mode_restores_recording_whatever_was_set_inside():
    with wg.inference_mode():
        wg.set_grad_enabled(True)
    assert state() == (True, False)
    with wg.no_grad():
        with wg.inference_mode():
            wg.set_grad_enabled(True)
        assert state() == (False, False)


@pytest.mark.parametrize("name", GUARDS)
def test_an_exception_restores_what_was(name):
    before = state()
    with pytest.raises(KeyError), GUARDS[name]():
        raise KeyError
    assert state() == before


@given(st.lists(st.sampled_from(sorted(GUARDS)), max_size=8))
def test_nested_guards_restore_level_by_level(names):
    def down(rest):
        before = state()
        if rest:
            with GUARDS[rest[0]]():
                down(rest[1:])
        assert state() == before

    down(names)


@pytest.mark.parametrize("name", GUARDS)
def test_one_guard_object_can_be_entered_inside_itself_and_again(name):
    for outer in (True, False):
        with wg.set_grad_enabled(outer):
            guard = GUARDS[name]()
            for _ in range(2):
                with guard:
                    inside = state()
                    with guard:
                        assert state() == inside
                    assert state() == inside
                assert state() == (outer, False)


@pytest.mark.parametrize("name", ["no_grad", "inference_mode"])
def test_one_guard_object_may_be_used_by_several_threads_at_once(name):
    guard = GUARDS[name]()
    entered, left = threading.Barrier(2), threading.Barrier(2)
    found = {}

    def enter(who, order):
        with wg.set_grad_enabled(who == "on"):
            with guard:
                entered.wait(10)
                if order:  # leaves last, though it may have entered first
                    left.wait(10)
            found[who] = state()
            if not order:
                left.wait(10)

    for order in ((0, 1), (1, 0)):
        threads = [threading.Thread(target=enter, args=each) for each in zip(("on", "off"), order)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert found == {"on": (True, False), "off": (False, False)}


def test_a_thread_starts_with_modes_of_its_own():
    seen = []
    with wg.inference_mode(), wg.autograd.set_multithreading_enabled(False):
        thread = threading.Thread(target=lambda: seen.append((state(), wg.autograd.is_multithreading_enabled())))
        thread.start()
        thread.join()
    assert seen == [((True, False), True)]


def test_set_grad_enabled_restores_what_was_before_it_was_made():
    switched = wg.set_grad_enabled(False)
    assert state() == (False, False)
    with switched:
        assert state() == (False, False)
    assert state() == (True, False)


def test_set_grad_enabled_that_decorates_switches_nothing_until_the_call():
    @wg.set_grad_enabled(False)
    def inside():
        return state()

    assert state() == (True, False)
    assert inside() == (False, False)
    assert state() == (True, False)


@pytest.mark.parametrize("mode", ["no", 1, None, 0.0])
@pytest.mark.parametrize("guard", [wg.set_grad_enabled, wg.autograd.set_multithreading_enabled])
def test_settings_take_truth_values_only_and_change_nothing_otherwise(guard, mode):
    with pytest.raises(TypeError, match=rf"{guard.__name__}\(\): .*must be bool, not {type(mode).__name__}"):
        guard(mode)
    assert state() == (True, False) and wg.autograd.is_multithreading_enabled()


def test_set_multithreading_enabled_is_a_function_a_context_and_a_decorator():
    asked = wg.autograd.is_multithreading_enabled
    assert asked()
    with wg.autograd.set_multithreading_enabled(False) as nothing:
        assert nothing is None and not asked()
        x = wg.ones(2, requires_grad=True)
        x.sum().backward()
        assert x.grad.tolist() == [1.0, 1.0]
    assert asked()
    assert wg.autograd.set_multithreading_enabled(False)(asked)() is False
    assert asked()
    wg.autograd.set_multithreading_enabled(False)
    assert not asked()
    wg.autograd.set_multithreading_enabled(True)


def test_the_module_of_guards_has_their_names():
    from wengert.autograd import grad_mode

    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled"):
        assert getattr(grad_mode, name) is getattr(wg.autograd, name)
    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"):
        assert getattr(grad_mode, name) is getattr(wg, name) and inspect.isclass(getattr(wg, name))


def test_guards_say_what_they_set():
    with wg.set_grad_enabled(False) as _:
        pass
    made = wg.set_grad_enabled(True)
    assert repr(made) == "torch.autograd.grad_mode.set_grad_enabled(mode=True)" and made.mode is True
    assert wg.inference_mode().mode is True and wg.inference_mode(False).mode is False


def test_guards_can_be_subclassed():
    class Quiet(wg.no_grad):
        pass

    with Quiet():
        assert state() == (False, False)
    assert Quiet()(state)() == (False, False) and Quiet(state)() == (False, False)
    assert state() == (True, False)


def test_a_generator_that_is_left_inside_its_guard_leaves_others_right():
    def suspended():
        with wg.enable_grad():
            yield

    with wg.no_grad():
        generator = suspended()
        next(generator)
    assert state() == (True, False)  # the guard of the block restores what it found itself
    generator.close()
    assert state() == (False, False)  # and so does the one of the generator
    wg.set_grad_enabled(True)


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(["no_grad", "inference_mode"])])
def test_entries_of_one_thread_are_taken_back_latest_first(first, second):
    one, other = GUARDS[first](), GUARDS[second]()
    one.__enter__()
    inside = state()
    other.__enter__()
    other.__exit__(None, None, None)
    assert state() == inside
    one.__exit__(None, None, None)
    assert state() == (True, False)

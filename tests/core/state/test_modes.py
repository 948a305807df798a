"""Recording is switched by guards that restore it on any exit: contexts, decorators, generators, coroutines."""

from __future__ import annotations

import asyncio
import threading

import pytest

import wengert as wg


def recorded():
    """Whether an operation is recorded now."""
    return (wg.ones(1, requires_grad=True) * 2).requires_grad


def test_recording_is_on_to_begin_with():
    assert wg.is_grad_enabled() and recorded()


def test_no_grad_switches_it_off_inside():
    with wg.no_grad():
        assert not wg.is_grad_enabled() and not recorded()
    assert recorded()


def test_enable_grad_switches_it_on_inside_no_grad():
    with wg.no_grad():
        with wg.enable_grad():
            assert recorded()
        assert not recorded()


@pytest.mark.parametrize("wanted", [True, False])
def test_set_grad_enabled_is_a_context(wanted):
    with wg.set_grad_enabled(wanted):
        assert recorded() is wanted
        with wg.set_grad_enabled(not wanted):
            assert recorded() is not wanted
        assert recorded() is wanted
    assert recorded()


def test_set_grad_enabled_is_a_function_too():
    wg.set_grad_enabled(False)
    try:
        assert not recorded()
    finally:
        wg.set_grad_enabled(True)
    assert recorded()


@pytest.mark.parametrize("guard", [wg.no_grad, lambda: wg.set_grad_enabled(False)], ids=["no_grad", "set_grad_enabled"])
def test_an_exception_restores_recording(guard):
    with pytest.raises(ValueError, match="inside"), guard():
        raise ValueError("inside")
    assert recorded()


def test_a_guard_can_be_entered_again_and_inside_itself():
    guard = wg.no_grad()
    for _ in range(2):
        with guard:
            with guard:
                assert not recorded()
            assert not recorded()
        assert recorded()


@pytest.mark.parametrize(
    "make",
    [lambda: wg.no_grad, wg.no_grad, lambda: wg.set_grad_enabled(False)],
    ids=["no_grad", "no_grad()", "set_grad_enabled(False)"],
)
def test_a_guard_decorates_functions(make):
    @make()
    def inside(value, *, other=0):
        """Its documentation."""
        return recorded(), value, other

    assert recorded()  # not switched by decorating
    assert inside(1, other=2) == (False, 1, 2)
    assert inside.__name__ == "inside" and inside.__doc__ == "Its documentation."
    assert recorded()


def test_a_decorated_function_that_raises_restores_recording():
    @wg.no_grad()
    def inside():
        raise KeyError

    with pytest.raises(KeyError):
        inside()
    assert recorded()


def test_a_decorated_method_gets_its_object():
    class Holder:
        @wg.no_grad()
        def method(self):
            return self, recorded()

    holder = Holder()
    assert holder.method() == (holder, False)


def test_a_decorated_recursive_function_restores_recording_at_each_level():
    @wg.no_grad()
    def down(depth):
        with wg.enable_grad():
            if depth:
                down(depth - 1)
            assert recorded()
        return recorded()

    assert down(3) is False
    assert recorded()


def test_a_generator_runs_under_its_guard_and_leaves_the_caller_alone():
    @wg.no_grad()
    def generate():
        seen = [recorded()]
        for number in range(3):
            got = yield number, recorded()
            seen.append(got)
        return seen

    generator = generate()
    assert recorded()
    assert next(generator) == (0, False)
    assert recorded()
    assert generator.send("a") == (1, False)
    assert generator.send("b") == (2, False)
    with pytest.raises(StopIteration) as stop:
        generator.send("c")
    assert stop.value.value == [False, "a", "b", "c"]
    assert recorded()


def test_a_generator_sees_exceptions_thrown_into_it_and_its_own_closing():
    closed = []

    @wg.no_grad()
    def generate():
        try:
            try:
                yield 1
            except KeyError:
                yield recorded()
        finally:
            closed.append(recorded())

    generator = generate()
    next(generator)
    assert generator.throw(KeyError()) is False
    generator.close()
    assert closed == [False]
    assert recorded()


def test_two_generators_with_different_guards_do_not_mix():
    @wg.no_grad()
    def off():
        while True:
            yield recorded()

    @wg.enable_grad()
    def on():
        while True:
            yield recorded()

    first, second = off(), on()
    with wg.no_grad():
        assert [next(each) for each in (first, second, first, second)] == [False, True, False, True]
        assert not recorded()
    assert recorded()


def test_a_coroutine_runs_under_its_guard_and_gives_other_tasks_their_own():
    order = []

    @wg.no_grad()
    async def guarded(name):
        for _ in range(3):
            order.append((name, recorded()))
            await asyncio.sleep(0)
        return name

    async def plain(name):
        for _ in range(3):
            order.append((name, recorded()))
            await asyncio.sleep(0)
        return name

    async def both():
        return await asyncio.gather(guarded("off"), plain("on"))

    assert asyncio.run(both()) == ["off", "on"]
    assert len(order) == 6 and all(state is (name == "on") for name, state in order)
    assert recorded()


def test_a_coroutine_that_raises_restores_recording():
    @wg.no_grad()
    async def fail():
        await asyncio.sleep(0)
        raise KeyError("inside")

    with pytest.raises(KeyError):
        asyncio.run(fail())
    assert recorded()


def test_recording_is_per_thread():
    seen = []
    with wg.no_grad():
        thread = threading.Thread(target=lambda: seen.append(recorded()))
        thread.start()
        thread.join()
        assert not recorded()
    assert seen == [True]

    def switch_off():
        wg.set_grad_enabled(False)

    thread = threading.Thread(target=switch_off)
    thread.start()
    thread.join()
    assert recorded()


def test_many_threads_record_their_own_graphs():
    results = {}

    def work(number):
        x = wg.tensor([float(number)], requires_grad=True)
        for step in range(50):
            with wg.set_grad_enabled(step % 2 == number % 2):
                assert wg.is_grad_enabled() is (step % 2 == number % 2)
        value = x
        for _ in range(50):
            value = value * 1.0 + x
        value.sum().backward()
        results[number] = x.grad.item()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(8), 51.0)


def test_a_backward_pass_may_run_in_another_thread_than_its_forward_pass():
    x = wg.tensor([2.0], requires_grad=True)
    loss = (x * x).sum()
    with wg.no_grad():
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
    assert x.grad.item() == 4.0


def test_a_pass_runs_without_recording_and_restores_it():
    x = wg.tensor([2.0], requires_grad=True)
    y = x * x
    seen = []
    y.register_hook(lambda grad: seen.append(wg.is_grad_enabled()))
    y.sum().backward(retain_graph=True)
    y.sum().backward(create_graph=True)
    assert seen == [False, True]
    with wg.no_grad():
        y.register_hook(lambda grad: seen.append(wg.is_grad_enabled()))
    assert recorded()
    x.grad = None


def test_leaves_may_be_written_to_without_recording():
    x = wg.ones(2, requires_grad=True)
    with wg.no_grad():
        x.mul_(3)
    assert x.tolist() == [3.0, 3.0] and x.requires_grad and x.is_leaf


def test_requires_grad_of_a_factory_holds_inside_no_grad():
    with wg.no_grad():
        assert wg.ones(1, requires_grad=True).requires_grad


def test_a_guard_decorates_no_classes():
    with pytest.raises((TypeError, RuntimeError, FutureWarning)):

        @wg.no_grad()
        class Thing:
            pass


def test_detach_shares_memory_and_leaves_the_graph():
    x = wg.ones(2, requires_grad=True)
    y = (x * 2).detach()
    assert not y.requires_grad and y.is_leaf and y.grad_fn is None
    z = x.detach()
    z[0] = 5.0
    assert x.tolist() == [5.0, 1.0]


def test_detach_in_place_makes_a_leaf():
    y = wg.ones(2, requires_grad=True) * 2
    y.detach_()
    assert y.is_leaf and not y.requires_grad
    view = (wg.ones(2, requires_grad=True) * 2).view(2)
    with pytest.raises(RuntimeError, match=r"Can't detach views in-place. Use detach\(\) instead"):
        view.detach_()


def test_a_view_that_was_used_gets_a_history_once_its_base_requires_a_gradient():
    base = wg.ones(3)
    view = base[:2]
    base.add_(1)
    assert not (view * 2).requires_grad and view.grad_fn is None
    base.requires_grad_()
    (view * 2).sum().backward()
    assert base.grad.tolist() == [2.0, 2.0, 0.0] and not view.is_leaf

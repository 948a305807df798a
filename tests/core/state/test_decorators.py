"""Guards decorate functions, methods, generators, coroutines and asynchronous generators."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading

import pytest

import wengert as wg


def state():
    return wg.is_grad_enabled(), wg.is_inference_mode_enabled()


NORMAL, OFF, INFERENCE = (True, False), (False, False), (False, True)
DECORATORS = {
    "no_grad": (wg.no_grad, OFF),
    "no_grad()": (wg.no_grad(), OFF),
    "inference_mode": (wg.inference_mode, INFERENCE),
    "inference_mode()": (wg.inference_mode(), INFERENCE),
    "inference_mode(True)": (wg.inference_mode(True), INFERENCE),
}


@pytest.fixture(params=DECORATORS)
def case(request):
    return DECORATORS[request.param]


def test_a_function_runs_under_the_mode_and_keeps_its_name(case):
    decorate, wanted = case

    @decorate
    def function(value, *, other=1):
        """What it does."""
        return state(), value, other

    assert function(3, other=4) == (wanted, 3, 4)
    assert function.__name__ == "function" and function.__doc__ == "What it does."
    assert str(inspect.signature(function)) == "(value, *, other=1)"
    assert state() == NORMAL


def test_a_method_runs_under_the_mode(case):
    decorate, wanted = case

    class Holder:
        @decorate
        def method(self):
            return self, state()

        @staticmethod
        @decorate
        def static():
            return state()

        @classmethod
        @decorate
        def of_class(cls):
            return cls, state()

    holder = Holder()
    assert holder.method() == (holder, wanted) and holder.static() == wanted
    assert holder.of_class() == (Holder, wanted)


def test_a_generator_runs_under_the_mode_and_its_caller_does_not(case):
    decorate, wanted = case

    @decorate
    def generate(count):
        for _ in range(count):
            yield state()
        return state()

    assert inspect.isgeneratorfunction(generate)
    generator = generate(2)
    assert state() == NORMAL
    assert next(generator) == wanted and state() == NORMAL and next(generator) == wanted
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == wanted and state() == NORMAL


def test_a_coroutine_runs_under_the_mode_and_other_tasks_do_not(case):
    decorate, wanted = case
    seen = []

    @decorate
    async def inside():
        for _ in range(3):
            seen.append(("inside", state()))
            await asyncio.sleep(0)
        return state()

    async def outside():
        for _ in range(3):
            seen.append(("outside", state()))
            await asyncio.sleep(0)

    async def both():
        return await asyncio.gather(inside(), outside())

    assert inspect.iscoroutinefunction(inside)
    assert asyncio.run(both())[0] == wanted
    assert len(seen) == 6 and all(found == (wanted if name == "inside" else NORMAL) for name, found in seen)


def test_an_asynchronous_generator_runs_under_the_mode_and_its_caller_does_not(case):
    decorate, wanted = case
    seen = []

    @decorate
    async def generate():
        for number in range(3):
            await asyncio.sleep(0)
            seen.append((yield number, state()))

    async def collect():
        found = []
        generator = generate()
        found.append(await generator.__anext__())
        assert state() == NORMAL
        found.append(await generator.asend("sent"))
        async for each in generator:
            found.append(each)
            assert state() == NORMAL
        return found

    assert inspect.isasyncgenfunction(generate)
    assert asyncio.run(collect()) == [(0, wanted), (1, wanted), (2, wanted)]
    assert seen == ["sent", None, None] and state() == NORMAL


def test_an_asynchronous_generator_sees_what_is_thrown_into_it_and_its_own_closing(case):
    decorate, wanted = case
    closed = []

    @decorate
    async def generate():
        try:
            try:
                yield 1
            except KeyError:
                yield state()
        finally:
            await asyncio.sleep(0)
            closed.append(state())

    async def use():
        generator = generate()
        await generator.__anext__()
        assert await generator.athrow(KeyError()) == wanted
        await generator.aclose()

    asyncio.run(use())
    assert closed == [wanted] and state() == NORMAL


def test_a_coroutine_that_is_cancelled_restores_the_mode(case):
    decorate, wanted = case
    seen = []

    @decorate
    async def wait():
        try:
            await asyncio.sleep(100)
        finally:
            seen.append(state())

    async def cancel():
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert state() == NORMAL

    asyncio.run(cancel())
    assert seen == [wanted]


def test_the_innermost_of_several_decorators_decides_for_every_kind_of_function():
    outer, inner = wg.inference_mode(), wg.enable_grad()

    @outer
    @inner
    def function():
        return state()

    @outer
    @inner
    def generate():
        yield state()

    @outer
    @inner
    async def coroutine():
        return state()

    assert function() == next(generate()) == asyncio.run(coroutine()) == (True, True)
    assert state() == NORMAL


def test_a_decorated_partial_is_called_under_the_mode():
    assert wg.no_grad()(functools.partial(lambda value: (value, state()), 1))() == (1, OFF)


def test_a_decorated_function_may_run_in_several_threads_at_once():
    together = threading.Barrier(4)
    found = []

    @wg.no_grad()
    def inside():
        together.wait(10)
        return state()

    def work(on):
        with wg.set_grad_enabled(on):
            inner = inside()
            found.append((inner, state() == (on, False)))

    threads = [threading.Thread(target=work, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert found == [(OFF, True)] * 4


def test_a_class_is_decorated_with_a_warning_and_only_its_construction_runs_under_the_mode():
    class Made:
        def __init__(self):
            self.found = state()

        def later(self):
            return state()

    for decorate in (wg.no_grad, wg.no_grad()):
        with pytest.warns(FutureWarning, match="Decorating classes is deprecated") as warned:
            make = decorate(Made)
        assert warned[0].filename == __file__
        assert make().found == OFF and make().later() == NORMAL


def test_inference_mode_of_false_decorates():
    @wg.inference_mode(False)
    def function():
        return state()

    with wg.inference_mode():
        assert function() == NORMAL
        assert state() == INFERENCE

"""Results that one thread promises to another."""

import threading

import pytest
from wengert.futures import Future, collect_all, wait_all


def test_a_result_comes_from_another_thread():
    future = Future()
    following = future.then(lambda done: done.value() + 1)
    assert not future.done()
    with pytest.raises(RuntimeError, match="no result yet"):
        future.value()
    threading.Timer(0.01, future.set_result, [2]).start()
    assert (following.wait(), future.wait(), future.done()) == (3, 2, True)
    with pytest.raises(RuntimeError, match="only be marked completed once"):
        future.set_result(3)


def test_an_error_is_passed_on():
    future = Future()
    following = future.then(lambda done: done.wait())
    future.set_exception(KeyError("lost"))
    with pytest.raises(KeyError, match="lost"):
        following.wait()
    with pytest.raises(TypeError, match="not an Exception"):
        Future().set_exception("lost")


def test_several_are_waited_for():
    first, second = Future(), Future()
    both = collect_all([first, second])
    second.set_result("b")
    assert not both.done()
    first.set_result("a")
    assert both.done() and wait_all([first, second]) == ["a", "b"] and wait_all([]) == []
    seen = []
    first.add_done_callback(lambda done: seen.append(done.value()))
    assert seen == ["a"]

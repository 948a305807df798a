"""Anomaly detection in several threads: the mode holds for all, as torch's."""

from __future__ import annotations

import threading

import pytest

import wengert as wg
from wengert.autograd import detect_anomaly, set_detect_anomaly

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")


def in_a_thread(function):
    """What a function returns in a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def anomalies():
    return wg.is_anomaly_enabled(), wg.is_anomaly_check_nan_enabled()


def test_the_mode_holds_for_threads_that_begin_and_for_those_that_run():
    go, stop, found = threading.Event(), threading.Event(), []

    def work():
        found.append(anomalies())
        go.set()
        stop.wait(10)
        found.append(anomalies())

    thread = threading.Thread(target=work)
    thread.start()
    go.wait(10)
    with detect_anomaly(check_nan=False):
        stop.set()
        thread.join()
        assert in_a_thread(anomalies) == (True, False)
    assert found == [(False, True), (True, False)]
    assert in_a_thread(anomalies) == (False, True)


def test_the_mode_is_switched_for_all_by_any_thread():
    def switch():
        set_detect_anomaly(True)

    in_a_thread(switch)
    try:
        assert anomalies() == (True, True)
    finally:
        set_detect_anomaly(False)
    assert in_a_thread(anomalies) == (False, True)


def test_a_pass_in_another_thread_looks_for_nan():
    def work():
        x = wg.zeros(1, requires_grad=True)
        try:
            (x / x).backward()
        except RuntimeError as error:
            return str(error)

    assert in_a_thread(work) is None
    with detect_anomaly():
        assert in_a_thread(work) == "Function 'DivBackward0' returned nan values in its 1th output."


def test_what_is_watched_is_watched_in_the_thread_that_says_so():
    seen = []
    with detect_anomaly(watch=wg.autograd.Watch(forward=True, callback=seen.append)):
        in_a_thread(lambda: wg.zeros(1) / 0 * 0)
        assert in_a_thread(wg.is_anomaly_enabled)
        assert seen == []

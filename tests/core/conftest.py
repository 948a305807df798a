"""What the tests of the core share."""

from __future__ import annotations

import sys
import threading

import pytest


@pytest.fixture
def in_threads():
    """`in_threads(count, work)` runs `work(number)` in threads that start together and change as often as they can.

    It returns what they returned; the error that one raised stands in the place of its result.
    """

    def run(count, work):
        results = [None] * count
        together = threading.Barrier(count)

        def one(number):
            together.wait()
            try:
                results[number] = work(number)
            except Exception as error:
                results[number] = error

        threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
        return results

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield run
    sys.setswitchinterval(interval)

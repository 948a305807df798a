"""Times of entries: what a measurement itself takes is subtracted."""

from __future__ import annotations

from wengert.compiler.timing import Stopwatch

import wengert as wg
from wengert._core.capture.lists import CallList


def test_a_list_without_entries_takes_no_time() -> None:
    watch = Stopwatch(CallList([]))
    assert watch([], [], {}, {}) == -1 and watch.times == [] and watch.overhead == 0


def test_a_longer_entry_takes_longer() -> None:
    compiled = wg.compile(lambda x, y: (x + 1, y @ y), replay=True, fullgraph=True)
    x, y = wg.ones(2), wg.rand(300, 300)
    for number in range(30):
        if number == 5:
            wg.compiler.explain(compiled, times=True)
        compiled(x, y)
    short, long = wg.compiler.explain(compiled).lists[0].entries
    assert 0 <= short.seconds < long.seconds < 1

"""An interrupt in the middle of what guards do when they are entered and left changes nothing."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

import wengert as wg
from wengert._core.state.regions import Region

ROOT = str(Path(__file__).resolve().parents[3])
PARTS = 6


@pytest.fixture(scope="module")
def guards():
    sys.path.insert(0, ROOT)
    try:
        from tools.hunt import guards
    finally:
        sys.path.remove(ROOT)
    return guards


@pytest.fixture(autouse=True)
def collector():
    """The guard of the import is interrupted, too, which signals usually wait for: it leaves the collector off."""
    yield
    gc.enable()


# One that comes as a generator is closed is told, not raised: by Python's rule.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_an_interrupt_within_a_guard_leaves_everything_as_it_was(guards, part):
    tried, findings = 0, []
    for _, found in guards.tries(3, part, PARTS, most=40):
        tried += 1
        findings += found
    assert findings == []
    assert tried  # some guards of each part have positions in both builds


def test_the_search_finds_a_guard_that_ends_by_more_than_stores(guards, monkeypatch):
    class Careless:
        def __enter__(self):
            guards.current().anomaly = True
            wg.ones(1).sum(0)
            return self

        def __exit__(self, *error):
            guards.current().anomaly = False

    code = Careless.__enter__.__code__
    Careless.__enter__.__code__ = code.replace(co_filename=f"{guards.positions.PACKAGE}/careless.py")
    monkeypatch.setattr(guards, "guards", lambda: {"careless": Careless})
    assert any("anomaly: False became True" in each for _, found in guards.tries(1) for each in found)


class Switch(Region):
    """Sets an attribute of the modes."""

    def __init__(self, fails=()):
        self.fails = list(fails)

    def _before_(self, modes):
        return modes.check_inf

    def _begin_(self, modes, before):
        modes.check_inf = True
        self.fail("begin")

    def _end_(self, modes, before):
        self.fail("end")
        modes.check_inf = before

    def fail(self, where):
        if where in self.fails:
            self.fails.remove(where)
            raise KeyboardInterrupt


@pytest.mark.parametrize("fails", ["begin", "end"])
def test_a_region_that_is_interrupted_leaves_what_was(guards, fails):
    modes = guards.current()
    region = Switch([fails])
    with pytest.raises(KeyboardInterrupt), region:
        assert modes.check_inf
    assert not modes.check_inf
    with region:  # it may be entered again
        assert modes.check_inf
    assert not modes.check_inf


def test_a_region_may_be_entered_again_while_it_is_entered(guards):
    modes, region = guards.current(), Switch()
    with region, region:
        assert modes.check_inf
    assert not modes.check_inf


def test_a_region_that_was_not_entered_refuses_to_be_left():
    with pytest.raises(RuntimeError, match="was not entered"):
        Switch().__exit__(None, None, None)

"""What holds for all tests: fixed seeds, hypothesis profiles, and a look after each test whether it left something
switched on or alive.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import pathlib
import random
import time

import hypothesis
import numpy as np
import pytest

import wengert as wg
from tests import by_operator, collecting
from wengert._core import flags
from wengert._core.graph import anomaly
from wengert._core.graph.node import Node
from wengert._core.state.modes import current
from wengert._core.tensor.base import Tensor
from wengert._core.types import dtypes
from wengert._start import build as _build

# "commit": the same examples each time, few of them. "night": many, and new ones (HYPOTHESIS_PROFILE=night).
hypothesis.settings.register_profile("commit", derandomize=True, max_examples=40, deadline=None, database=None)
hypothesis.settings.register_profile("night", max_examples=2000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "commit"))

SWEEP = 20_000
"""After how many looks everything that the collector was told to leave aside is looked through again: 0.6 s each."""
KEPT = 100
"""How many more objects than before the last look there may be; if there are more, cycles among them are freed."""


def pytest_addoption(parser):
    by_operator.add_options(parser)
    parser.addoption("--follow", action="store_true", help="follow the function of each test, as wg.compile does")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "cases(wanted=, where=, bad=, together=, few=): for samples of operators, see tests/by_operator.py"
    )
    config.addinivalue_line("markers", "lifetime: looks at when tensors inside of a function are freed")
    config.addinivalue_line("markers", "exhaustive: runs with --all only (`make test-all`), see CONTRIBUTING.md")
    config.pluginmanager.register(collecting.Progress(config), "progress")


def pytest_generate_tests(metafunc):
    by_operator.parametrize(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    by_operator.add_keywords(items)
    if config.getoption("--all", False):
        return
    collecting.deselect_exhaustive(config, items)
    if _build.asked_for_interpreted():
        collecting.deselect_of_both_builds(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.config.getoption("--follow", False):
        if pyfuncitem.get_closest_marker("lifetime"):
            pytest.skip("a tape holds tensors until the function returns, or its backward pass begins")
        pyfuncitem.obj = followed(pyfuncitem.obj)
    return by_operator.call(pyfuncitem, looked_after)


def followed(test):
    """Return a test whose recorded calls are written to a tape."""
    return functools.wraps(test)(lambda *args, **kwargs: wg.compile(test)(*args, **kwargs))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.passed = report.passed
    return report


class Counter:
    """How many looks at what is alive there were."""

    looks = 0


@pytest.fixture(scope="session", autouse=True)
def generator_of_hypothesis():
    """Before the first test, hypothesis makes its generator.

    It asks the collector then who holds it. From Python 3.14 on that is a dictionary which `at_rest` would have set
    aside, and hypothesis would warn of a generator that nobody holds.
    """
    hypothesis.given(hypothesis.strategies.none())(lambda nothing: None)()


MOST_ADDRESSES = 256 << 30
"""Bytes that a test process may ask for where the system would promise any size."""


@pytest.fixture(scope="session")
def sizes_are_refused():
    """Sizes that no memory holds are refused, also on a system that promises every size and ends who uses it.

    Many that run containers do (`vm.overcommit_memory` is 1). A sanitizer needs more addresses than there is memory.
    """
    policy = pathlib.Path("/proc/sys/vm/overcommit_memory")
    if policy.exists() and policy.read_text().strip() == "1" and "asan" not in os.environ.get("LD_PRELOAD", ""):
        resource = importlib.import_module("resource")  # which only Unix has
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        bound = MOST_ADDRESSES if most == resource.RLIM_INFINITY else min(MOST_ADDRESSES, most)
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))


@pytest.fixture(scope="session")
def exhaustive(request):
    """Whether all is to run: `--all`."""
    return request.config.getoption("--all", False)


@pytest.fixture(autouse=True)
def at_rest(request):
    """Before each test fixed seeds; after it, all modes as they were and nothing of a graph alive."""
    before = begin()
    yield
    check(before, getattr(request.node, "passed", False))


@contextlib.contextmanager
def looked_after():
    """The same around one of the cases of a test of operators."""
    before, passed = begin(), False
    try:
        yield
        passed = True
    finally:
        check(before, passed)


def begin():
    """Set the seeds, leave aside what is alive, and return the state of all modes."""
    seed()
    anomaly.GIVEN.texts.clear()
    Counter.looks += 1
    if Counter.looks % SWEEP == 0:
        gc.unfreeze()
        gc.collect()
    elif gc.get_count()[0] > KEPT or any(gc.get_count()[1:]):  # the collector counts anew from each freeze on
        gc.collect()  # quick: of what was made since the last look
    gc.freeze()  # what is alive now is no longer listed: the look below sees what this test made, and is quick
    return state()


def check(before, passed):
    assert state() == before, "the test left a mode, a default or an observer switched on"
    if passed:
        assert alive() == [], "the test left parts of a graph alive"


def seed():
    random.seed(0)
    np.random.seed(0)
    if hasattr(wg, "manual_seed"):
        wg.manual_seed(0)


def state():
    modes = current()
    names = (
        "grad",
        "inference",
        "mask",
        "word",
        "fresh",
        "multithreading",
        "anomaly",
        "check_nan",
        "check_inf",
        "debug",
        "watch",
        "noting",
        "forward",
    )
    return {
        "passing": modes.passing,
        "saved hooks": modes.saved_hooks,
        **{name: getattr(modes, name) for name in names},
        "observers": list(modes.observers),
        "levels": list(modes.levels),
        "batches": list(modes.batches),
        "default dtype": dtypes.get_default_dtype(),
        "floating-point warnings": np.geterr(),
    }


def alive():
    """Nodes, and tensors with a history, made since the last `gc.freeze`. Those that only a cycle keeps (the frames of
    an expected error form one) do not count: the collector may take them. Nor do those that a thread holds which is
    about to end, as those that the engine starts for deep passes are when their work is done."""
    for patience in (0.0, 0.0, 0.1, 0.5, 2.0):
        if not parts():
            return []
        time.sleep(patience)
        gc.collect()
    return [repr(type(each)) for each in parts()]


def parts():
    return [
        each for each in gc.get_objects() if isinstance(each, Node) or (isinstance(each, Tensor) and has_history(each))
    ]


def has_history(tensor):
    return tensor._edge_ is not None or bool(tensor._flags_ & flags.VIEW and tensor._flags_ & flags.REQUIRES_GRAD)

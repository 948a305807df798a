"""How tests are collected: quickly, each of the two workers from its end, and not in silence.

Every worker collects all tests. The first run after a change compiles the files of tests, with their assertions
rewritten, which takes longer than everything else; the second worker begins at the last file, so that each compiles
half of them and reads what the other has compiled.
"""

from __future__ import annotations

import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from wengert.testing.samples import DRAWN

HERE = pathlib.Path(__file__).resolve().parent
PAUSE = 3.0
"""Seconds between lines that say how far collection is."""
OF_BOTH_BUILDS = (
    *("benchmarks", "compat", "demo", "distributions", "docs", "examples", "io", "project", "release"),
    *("scipy", "torch_modules/fx", "vision", "viz"),
    *("cards/test_precision.py", "cards/test_sparsity.py", "cards/test_taylor.py", "core/test_half_made.py"),
    *("debugging/test_command.py", "func/test_random_programs.py", "func/test_sparse_programs.py"),
    *("hunt/test_oracle.py", "ops/linalg/test_coinciding.py", "platforms/test_narrow_indices.py"),
    *("profiler/test_profile_command.py", "start/test_missing.py"),
)
"""Folders and files whose tests say the same in both builds, and run in the compiled one only.

They read the sources, the documentation and the tools, start programs of their own in the build that they are about
(`project` in both, `test_narrow_indices` in the interpreted one, as platforms of 32 bits have it), look at pages and
pictures, which are made from the same nodes, read and write files of tensors, of which the core knows nothing, use the
public functions in the ways of other libraries (`compat`, `scipy`, `torch_modules/fx`, `vision`), look at formulas of
operators and distributions, which are one source, at many points (`cards`, `distributions`, `test_coinciding`),
compare modes with each other on random programs (`test_oracle`, `test_random_programs`, `test_sparse_programs`; of the
rules that they join, `cards` runs a share in the interpreted build too), or put foreign values into the fields of
compiled classes, which interpreted ones look up by name (`test_half_made`).
"""


def worker() -> int | None:
    """The number of this worker; None in the process that hands out the tests."""
    name = os.environ.get("PYTEST_XDIST_WORKER", "")
    return int(name.removeprefix("gw")) if name else None


class Progress:
    """Says how many files were collected.

    Attributes:
        took: the CPU seconds that collection took in this process.
        sampled: the operators of which samples were made meanwhile.
    """

    def __init__(self, config: Any) -> None:
        self.config = config
        self.files = 0
        self.said = time.monotonic()
        self.started = time.process_time()
        self.took = 0.0
        self.sampled: frozenset[str] = frozenset()

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        """Count the files; turn the order of those of a folder around for every second worker."""
        report = yield
        if isinstance(collector, pytest.Directory) and (worker() or 0) % 2:
            report.result.reverse()
        if isinstance(collector, pytest.Module):
            self.files += 1
            self.say()
        return report

    def say(self) -> None:
        """Write a line if the last one was long ago, from one process only."""
        if not worker() and time.monotonic() - self.said > PAUSE:
            self.said = time.monotonic()
            with self.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                print(f"collecting: {self.files} files", file=sys.stderr, flush=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Give the tests the same order in all workers."""
        if worker() is not None:
            items.sort(key=lambda item: item.path)

    def pytest_collection_finish(self) -> None:
        """Keep what collection took, for the test that it is little."""
        self.took = time.process_time() - self.started
        self.sampled = frozenset(DRAWN)


def asked_for(config: Any) -> list[pathlib.Path]:
    """The files and folders that this run names."""
    return [pathlib.Path(arg.partition("::")[0]).resolve() for arg in config.args]


def deselect_exhaustive(config: Any, items: list[Any]) -> None:
    """Take out the tests that are marked as exhaustive, unless all are wanted or their file was asked for."""
    asked = asked_for(config)
    deselect(config, items, lambda item: item.get_closest_marker("exhaustive") and item.path not in asked)


def deselect_of_both_builds(config: Any, items: list[Any]) -> None:
    """Take out the tests that say the same in both builds, unless their folder or file was asked for."""
    asked = asked_for(config)
    places = [HERE / name for name in OF_BOTH_BUILDS]
    places = [each for each in places if not any(arg.is_relative_to(each) for arg in asked)]
    deselect(config, items, lambda item: any(item.path.is_relative_to(each) for each in places))


def deselect(config: Any, items: list[Any], unwanted: Callable[[Any], Any]) -> None:
    """Take out the items for which `unwanted(item)`, and have them counted."""
    out = [item for item in items if unwanted(item)]
    if out:
        config.hook.pytest_deselected(items=out)
        gone = {*out}
        items[:] = [item for item in items if item not in gone]

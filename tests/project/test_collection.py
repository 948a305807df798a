"""Collecting the tests takes little: the names of operators are asked for, not their samples."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wengert._core.cards.card import REGISTRY, Card

resource = pytest.importorskip("resource")  # which only Unix has

IMPORTS = 250
"""So many times what `import wengert` takes may collection take in one process: 181,000 items took 860, 48,000
take 70, and 115 in the first run after a change, which compiles the files of tests."""


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of_import() -> float:
    """The CPU seconds of a process that imports the package, the least of three."""
    found = []
    for _ in range(3):
        before = cpu_of_children()
        subprocess.run([sys.executable, "-c", "import wengert"], check=True)
        found.append(cpu_of_children() - before)
    return min(found)


def test_collection_takes_no_more_cpu_time_than_so_many_imports(request):
    took = request.config.pluginmanager.getplugin("progress").took
    importing = cpu_of_import()
    assert 0 < took <= IMPORTS * importing, f"{took:.1f} CPU seconds, {took / importing:.0f} times as long as an import"


def test_no_sample_of_a_card_is_made_during_collection(request):
    sampled = request.config.pluginmanager.getplugin("progress").sampled
    assert sorted(name for name in sampled if isinstance(REGISTRY.get(name), Card)) == []

"""The example that keeps activations on disk trains where they do not fit into memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .test_examples import FOLDER, load

LIMIT, ENOUGH = 16, 256
"""Megabytes beyond what the process has when it is warm; the activations take 40."""


def train(*options: str, megabytes: int = LIMIT, threads: int = 1) -> subprocess.CompletedProcess[str]:
    """Two steps of training under a limit, in a process of their own."""
    command = [sys.executable, str(FOLDER / "spill_to_disk.py"), "--steps", "2", "--megabytes", str(megabytes)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    return subprocess.run([*command, *options], capture_output=True, text=True, timeout=600, env=environment)


def losses(done: subprocess.CompletedProcess[str]) -> list[float]:
    """What a process that has trained printed."""
    assert done.returncode == 0, done.stderr[-500:]
    return [float(line.split()[3]) for line in done.stdout.splitlines()]


linux_only = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of memory are Linux's")


@linux_only
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_network_larger_than_the_memory_trains_if_it_spills_to_disk(threads):
    done = train(threads=threads)  # each thread of a product takes memory of its own, as much as the processor asks for
    found = losses(done)
    assert len(found) == 2 and found[1] < found[0]
    assert " 160 MB written to disk so far" in done.stdout


@linux_only
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_the_same_network_does_not_fit_if_it_keeps_its_activations(threads):
    done = train("--keep", threads=threads)
    assert done.returncode != 0 and "step 1" not in done.stdout
    assert any(sign in done.stderr for sign in ("MemoryError", "bad_alloc", "malloc failed"))


@linux_only
def test_a_larger_limit_lets_it_keep_them():
    assert len(losses(train("--keep", megabytes=ENOUGH))) == 2


def test_spilling_changes_no_gradient_and_leaves_no_file(monkeypatch):
    example = load("spill_to_disk")
    monkeypatch.setattr(example, "LAYERS", 3)
    monkeypatch.setattr(example, "BATCH", 512)
    folder = example.Folder()
    monkeypatch.setattr(example, "Folder", lambda: folder)
    assert example.main(2) == example.main(2, keep=True)
    assert list(folder.path.iterdir()) == []


def test_the_folder_goes_with_the_last_who_knows_it():
    folder = load("spill_to_disk").Folder()
    path = folder.path
    assert path.is_dir()
    del folder
    assert not path.exists()

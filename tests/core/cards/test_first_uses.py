"""Operators as the first that a program uses: nothing else of the package is loaded but what `import wengert` loads."""

from __future__ import annotations

import functools
import io
import json
import os
import pickle
import subprocess
import sys

import pytest

import wengert as wg
from wengert._core.cards import late
from wengert.testing import cases

FIRST = """
import json, os, pickle, sys

import wengert as wg
from wengert._core.cards.card import Card, find


def outcome(name, args, kwargs):
    operator = find(name)
    results = (operator if isinstance(operator, Card) else operator.body)(*args, **kwargs)
    results = results if isinstance(results, (tuple, list)) else [results]
    for result in results:
        if isinstance(result, wg.Tensor) and result.requires_grad:
            result.backward(wg.ones_like(result), retain_graph=True)


def wrong(samples):
    found = []
    for name, sample in samples:
        try:
            outcome(name, *pickle.loads(sample))
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}")
    return found


def in_a_child(samples):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = ["the child ended"]
        try:
            told = wrong(samples)
        finally:
            os.write(write, json.dumps(told).encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return json.loads(told or '["the child died"]')


with open(sys.argv[1], "rb") as file:
    homes = pickle.load(file)
print(json.dumps({home: found for home, samples in homes.items() if (found := in_a_child(samples))}))
"""


class Pickler(pickle.Pickler):
    """Pickles tensors as calls of `tensor`, which load nothing."""

    def reducer_override(self, value):
        if isinstance(value, wg.Tensor):
            return functools.partial(wg.tensor, requires_grad=value.requires_grad), (value.detach().numpy(),)
        return NotImplemented


def pickled(value: object) -> bytes:
    file = io.BytesIO()
    Pickler(file).dump(value)
    return file.getvalue()


def samples() -> dict[str, list[tuple[str, bytes]]]:
    """The first sample of each operator in real and in complex numbers, by what comes with the operator.

    That is the module that declares it; of an operator that `import wengert` loads nothing, which its own name says.
    """
    found: dict[str, list[tuple[str, bytes]]] = {}
    for case in cases(lambda operator, dtype: dtype in (wg.float64, wg.complex128)):
        if case.number == 0 and not case.name.startswith("_"):
            call = case.call()
            if call.through is not None:
                continue
            try:
                sample = pickled((call.args, call.kwargs))
            except Exception:  # a function of the sampler
                continue
            found.setdefault(late.homes().get(case.name, case.name), []).append((case.name, sample))
    return found


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="tries are forked from a process that has only imported the package"
)
def test_operators_of_each_module_work_as_the_first(tmp_path):
    homes = samples()
    assert len(homes) > 100
    (tmp_path / "samples").write_bytes(pickle.dumps(homes))
    command = [sys.executable, "-W", "ignore", "-c", FIRST, str(tmp_path / "samples")]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}

"""Attributes that programs put on Tensor itself, as on any class of Python's."""

from __future__ import annotations

import subprocess
import sys

import pytest

import wengert as wg


@pytest.fixture
def restored():
    """What is put on the class is taken away again."""
    before = set(vars(wg.Tensor))
    yield
    for name in set(vars(wg.Tensor)) - before:
        delattr(wg.Tensor, name)


def test_methods_and_properties_are_found_on_all_tensors(restored):
    wg.Tensor.doubled = lambda self: self * 2
    wg.Tensor.rank = property(lambda self: self.ndim)
    assert wg.ones(2).doubled().tolist() == [2, 2]
    assert wg.nn.Parameter(wg.ones(2, 2)).rank == 2
    assert not hasattr(wg.ones(2), "tripled")


def test_a_method_is_replaced_for_all_tensors(monkeypatch):
    monkeypatch.setattr(wg.Tensor, "relu", lambda self: "replaced")
    assert wg.ones(2).relu() == "replaced"
    monkeypatch.undo()
    assert wg.ones(2).relu().tolist() == [1, 1]


def test_under_the_name_of_torch_the_class_is_torchs():
    begin = "import wengert; wengert.install_as_torch(); import torch, pickle; t = torch.ones(2)"
    shown = "print(type(t), type(t).__module__, pickle.loads(pickle.dumps(t)).tolist())"
    given = [sys.executable, "-c", f"{begin}; {shown}"]
    ran = subprocess.run(given, capture_output=True, text=True, check=True)
    assert ran.stdout == "<class 'torch.Tensor'> torch [1.0, 1.0]\n"
    assert wg.Tensor.__module__ == "wengert"

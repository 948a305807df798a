"""The import rule holds, and its check notices what breaks it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name: str):
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


layers = load_tool("check_layers")


def breaches(tmp_path: Path, file: str, text: str) -> list[str]:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return layers.check_tree(tmp_path)


def test_the_package_keeps_the_import_rule():
    assert layers.check_tree(layers.SOURCE) == []


def test_every_layer_named_in_the_rule_is_known_to_it():
    for name, allowed in layers.ALLOWED.items():
        assert set(allowed) <= set(layers.ALLOWED), name
        assert "testing" not in allowed, name


def test_the_layers_of_the_rule_form_no_circle():
    above = {name: set(allowed) - {"__init__"} for name, allowed in layers.ALLOWED.items()}
    while free := [name for name, allowed in above.items() if not allowed]:
        for name in free:
            del above[name]
        above = {name: allowed - set(free) for name, allowed in above.items()}
    assert above == {}


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("_core/engine.py", "from ..ops import unary", "_core may not import ops"),
        ("_core/engine.py", "from wengert import ops", "_core may not import ops"),
        ("_core/engine.py", "import wengert.nn.functional", "_core may not import nn"),
        ("_core/engine.py", "def f():\n    from .. import tensor", "_core may not import tensor"),
        ("_core/engine.py", "import torch", "_core may not import torch"),
        ("_kernels/pointwise.py", "from .._core import dtypes", "_kernels may not import _core"),
        ("ops/unary.py", "from ..tensor import repr", "ops may not import tensor"),
        ("nn/modules/linear.py", "from ...optim import SGD", "nn may not import optim"),
        ("nn/init.py", "from .. import testing", "nn may not import testing"),
        ("viz/graph.py", "import matplotlib.pyplot as plt", "inside the function"),
        ("viz/graph.py", "import torch", "viz may not import torch"),
        ("autograd/__init__.py", "if True:\n    from ..nn import Module", "autograd may not import nn"),
        ("helpers.py", "import os", "no layer"),
    ],
)
def test_a_planted_breach_is_found(tmp_path, file, text, says):
    found = breaches(tmp_path, file, text)
    assert len(found) == 1
    assert says in found[0]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("_core/engine.py", "import threading\nimport numpy as np\nfrom . import modes\nfrom .node import Node"),
        ("_core/dtypes.py", "def f():\n    import ml_dtypes"),
        ("_core/node.py", "import cython"),
        ("ops/unary.py", "from .. import _kernels as kernels\nfrom .._core.op import op"),
        ("optim/sgd.py", "from ..nn import Parameter\nfrom .. import autograd"),
        ("viz/graph.py", "def draw():\n    import graphviz"),
        ("_core/node.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..tensor import Tensor"),
        ("info.py", "from . import __version__, _build, _kernels"),
    ],
)
def test_an_allowed_import_is_no_breach(tmp_path, file, text):
    assert breaches(tmp_path, file, text) == []

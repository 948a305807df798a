"""The import rule holds, and its check notices what breaks it."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections import defaultdict
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


def test_every_layer_has_one_floor():
    named = [layer for floor in layers.FLOORS for layer in floor]
    assert len(named) == len(set(named))
    files = {path.stem for path in layers.SOURCE.glob("*.py")}
    lying = files | {path.parent.name for path in layers.SOURCE.glob("*/__init__.py")}
    assert set(named) == lying


def test_names_of_torch_are_not_taken_twice():
    assert layers.OF_TORCH.isdisjoint(layers.FLOOR_OF)


def test_many_files_side_by_side_are_found(tmp_path):
    for number in range(layers.AT_THE_TOP):
        (tmp_path / f"{number}.txt").touch()
    (found,) = breaches(tmp_path, "info.py", "import os")
    assert "lie side by side" in found


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("_core/backward/engine.py", "from ...ops import unary", "_core may not import ops"),
        ("_core/backward/engine.py", "from wengert import ops", "_core may not import ops"),
        ("_core/backward/engine.py", "import wengert.nn.functional", "_core may not import nn"),
        ("_core/backward/engine.py", "def f():\n    from ... import _tensor", "_core may not import _tensor"),
        ("_core/backward/engine.py", "import torch", "_core may not import torch"),
        ("_kernels/pointwise.py", "from .._core import dtypes", "_kernels may not import _core"),
        ("ops/pointwise/unary.py", "from ..._tensor import repr", "ops may not import _tensor"),
        ("nn/modules/linear.py", "from ...optim import SGD", "nn may not import optim"),
        ("nn/init.py", "from .. import testing", "nn may not import testing"),
        ("viz/graph.py", "import matplotlib.pyplot as plt", "inside the function"),
        ("viz/graph.py", "import torch", "viz may not import torch"),
        ("autograd/__init__.py", "if True:\n    from ..nn import Module", "autograd may not import nn"),
        ("helpers.py", "import os", "no layer"),
        ("optim/sgd.py", "def f():\n    from .. import cuda", "optim may not import _torch"),
        ("demo/data.py", "from .._torch import cuda", "by torch's names"),
        ("_torch/mps.py", "from wengert._torch.cuda import is_available", "by torch's names"),
        ("_torch/mps.py", "from wengert.demo import data", "_torch may not import demo"),
        ("_core/graph/node.py", "from ..tensor.base import Tensor", "_core/graph may not import _core/tensor"),
        ("_core/graph/node.pxd", "from wengert._core.tensor.base cimport Tensor", "may not import _core/tensor"),
        ("_core/errors.py", "from .state import modes", "_core/errors may not import _core/state"),
        ("_core/attic/old.py", "from ..graph import node", "_core/attic is no room"),
        ("ops/shapes/join.py", "from ..indexing.index import gather", "ops/shapes may not import ops/indexing"),
    ],
)
def test_a_planted_breach_is_found(tmp_path, file, text, says):
    found = breaches(tmp_path, file, text)
    assert len(found) == 1
    assert says in found[0]


def test_modules_that_import_each_other_are_found(tmp_path):
    (tmp_path / "viz").mkdir()
    (tmp_path / "viz" / "boxes.py").write_text("from .graph import Graph", encoding="utf-8")
    found = breaches(tmp_path, "viz/graph.py", "def show():\n    from wengert.viz import boxes")
    assert [message.partition(": ")[2] for message in found] == [
        "these modules import each other: wengert.viz.boxes, wengert.viz.graph"
    ]


@pytest.mark.parametrize("layer", ["_core", "ops"])
def test_every_room_says_in_one_line_what_it_is_for(layer):
    rooms = [path for path in (layers.SOURCE / layer).iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert {path.name for path in rooms} <= set(layers.ROOMS[layer])
    for room in rooms:
        purpose = ast.parse((room / "__init__.py").read_text(encoding="utf-8")).body
        assert len(purpose) == 1 and purpose[0].lineno == purpose[0].end_lineno, room
        assert ast.get_docstring(ast.Module(purpose, [])), room


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "_core/backward/engine.py",
            "import threading\nimport numpy as np\nfrom ..state import modes\nfrom .ready import Ready",
        ),
        ("_core/types/dtypes.py", "def f():\n    import ml_dtypes"),
        ("_core/graph/node.py", "import cython"),
        ("ops/pointwise/unary.py", "from ... import _kernels as kernels\nfrom ..._core.cards.card import op"),
        ("optim/sgd.py", "from ..nn import Parameter\nfrom .. import autograd"),
        ("viz/graph.py", "def draw():\n    import graphviz"),
        (
            "_core/graph/node.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .._tensor import Tensor",
        ),
        ("info.py", "from . import __version__, _kernels\nfrom ._start import build"),
        ("_torch/cuda/amp.py", "from wengert.cpu import amp\nfrom .. import _kernels"),
    ],
)
def test_an_allowed_import_is_no_breach(tmp_path, file, text):
    assert breaches(tmp_path, file, text) == []


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("base/threads.cpp", '#include "binding/common.hpp"', "base may not include binding/common.hpp"),
        ("linalg/matmul.cpp", '#include "conv/geometry.hpp"', "linalg may not include conv/geometry.hpp"),
        ("loops/all.inc", '#include "conv/geometry.hpp"', "loops may not include conv/geometry.hpp"),
        ("conv/conv.cpp", '#include "loops/all.inc"', "conv may not include loops/all.inc"),
        ("conv/conv.cpp", '#include "geometry.hpp"', "conv may not include geometry.hpp"),
        ("tensors/dense.hpp", "#include <vector>", "tensors is no room"),
        ("late.cpp", "#include <vector>", "is no room"),
    ],
)
def test_a_wrong_include_is_found(tmp_path, file, text, says):
    (found,) = breaches(tmp_path, f"_kernels/native/{file}", text)
    assert says in found


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("base/threads.cpp", '#include "base/threads.hpp"\n#include <vector>'),
        ("conv/conv.cpp", '#include "binding/memory_order.hpp"\n#include "linalg/packed.hpp"'),
        ("loops/avx2.cpp", '#include "base/simd.hpp"\n#include "loops/all.inc"\n#include "conv/planes.inc"'),
    ],
)
def test_an_allowed_include_is_no_breach(tmp_path, file, text):
    assert breaches(tmp_path, f"_kernels/native/{file}", text) == []


def test_rooms_of_native_sources_include_no_circle_and_say_what_they_hold():
    native = layers.SOURCE / "_kernels" / "native"
    rooms = {path.name for path in native.iterdir() if path.is_dir()}
    assert rooms == {*layers.NATIVE_ROOMS, layers.ALL_LOOPS}
    seen: set[str] = set()
    for room, includes in layers.NATIVE_ROOMS.items():
        assert seen.issuperset(includes.split())  # each includes only rooms named before it
        seen.add(room)
    for room in rooms:
        assert (native / room / "NOTES.md").read_text(encoding="utf-8").startswith(f"# {room}: "), room


HEADER_TYPE = re.compile(r"^(?:template <[^\n]*> )?(?:struct|class|enum) (\w+)[^;\n]*\{", re.M)


def types_by_name(texts: dict[str, str]) -> dict[str, list[str]]:
    """The headers that define a type of each name in the namespace that all native sources share."""
    found = defaultdict(list)
    for header, text in texts.items():
        for name in HEADER_TYPE.findall(text):
            found[name].append(header)
    return found


def test_no_two_native_headers_define_types_of_one_name():
    # C++ takes both for one, and the linker keeps one of their inline functions.
    native = layers.SOURCE / "_kernels" / "native"
    texts = {path.relative_to(native).as_posix(): path.read_text(encoding="utf-8") for path in native.glob("*/*.hpp")}
    assert {name: headers for name, headers in types_by_name(texts).items() if len(set(headers)) > 1} == {}
    planted = {"a/x.hpp": "struct Geometry {\n};\n", "b/y.hpp": "template <class T> struct Geometry {\n};\n"}
    assert types_by_name(planted) == {"Geometry": ["a/x.hpp", "b/y.hpp"]}

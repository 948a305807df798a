"""The table of names that are loaded late is what the sources say, and the tool notices what differs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import wengert as wg
from wengert._start import names
from wengert._start.loading import homes

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = """
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._tensor import Tensor
    from . import below as below
    from .function import Function
    from .graph.nodes import Node as Node, node

__all__ = ["Function"]
"""


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("tool_make_names", ROOT / "tools" / "make_names.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_fresh():
    command = [sys.executable, str(ROOT / "tools" / "make_names.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_table_that_differs_is_noticed(tool, tmp_path, monkeypatch, capsys):
    stale = tmp_path / "names.py"
    stale.write_text("OPERATORS = {}", encoding="utf-8")
    monkeypatch.setattr(tool, "TABLE", stale)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "fresh", lambda: "OPERATORS = {}")
    monkeypatch.setattr(sys, "argv", ["make_names.py", "--check"])
    assert tool.main() == 0
    monkeypatch.setattr(tool, "fresh", lambda: 'OPERATORS = {"ops.pointwise.new": "new"}')
    assert tool.main() == 1 and "names.py is stale: run tools/make_names.py" in capsys.readouterr().out


def test_imports_for_type_checkers_say_what_a_module_has_late(tool):
    found = dict(tool.imported_late("autograd", Path("autograd/__init__.py"), PACKAGE))
    assert found == {"below": "autograd.below", "Function": "autograd.function", "Node": "autograd.graph.nodes"}
    found = dict(tool.imported_late("autograd.beside", Path("autograd/beside.py"), PACKAGE))
    assert found == {"below": "autograd.below", "Function": "autograd.function", "Node": "autograd.graph.nodes"}


def test_modules_that_are_no_attributes_are_there(tool):
    for name in tool.UNNAMED:
        assert importlib.util.find_spec(f"wengert.{name}") is not None, name


def test_no_name_has_two_homes():
    for module, late in names.LATE.items():
        assert len(homes(module)) == sum(len(listed.split()) for listed in late.values()), module
    for table in (names.OPERATORS, names.ON_TENSOR):
        listed = " ".join(table.values()).split()
        assert len(listed) == len(set(listed))


@pytest.mark.parametrize("module", sorted(set(names.LATE) - {"wengert"}))
def test_each_name_that_a_module_has_late_is_there(module):
    holder = importlib.import_module(module)
    for name in homes(module):
        assert hasattr(holder, name) and (name in dir(holder)) == (name[0] != "_"), name
    assert module != "wengert.autograd" or holder.Function is wg.autograd.function.Function

"""The C types of local variables in the core are those that its source asks for, and the tool notices what differs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SOURCE = """
class Box:
    def fill(self, size):
        first: Box = self
        total: int = 0
        full: bool | None = None
        other: object = None
        for at in range(size):
            total += at


def collect(items):
    found: list[int] = []
"""
DECLARED = """cimport cython

cdef class Box:
    @cython.locals(first=Box, total=long, full=bint, at=long)
    cpdef object fill(self, long size)

@cython.locals(found=list)
cpdef list collect(object items)
"""


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("tool_pxd_locals", ROOT / "tools" / "pxd_locals.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def core(tmp_path):
    (tmp_path / "box.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "box.pxd").write_text(DECLARED, encoding="utf-8")
    return tmp_path


def test_the_types_of_the_core_are_those_of_its_annotations(tool):
    assert list(tool.outdated(tool.CORE)) == []


def test_what_the_annotations_ask_for_is_left_as_it_is(tool, core, capsys):
    assert tool.main(["--check"], core) == 0
    assert "up to date" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("total: int = 0", "total: list = []"),
        ("other: object = None", "other: Box = None"),
        ("    found: list[int] = []", "    pass"),
        ("for at in range(size)", "for at in size"),
    ],
)
def test_a_changed_annotation_is_named_and_then_mended(tool, core, capsys, before, after):
    (core / "box.py").write_text(SOURCE.replace(before, after), encoding="utf-8")
    assert tool.main(["--check"], core) == 1
    assert "box.pxd" in capsys.readouterr().out
    assert (core / "box.pxd").read_text(encoding="utf-8") == DECLARED
    assert tool.main([], core) == 0
    assert tool.main(["--check"], core) == 0


def test_types_written_by_hand_only_are_noticed(tool, core):
    changed = DECLARED.replace("total=long", "total=double")
    (core / "box.pxd").write_text(changed, encoding="utf-8")
    assert tool.main(["--check"], core) == 1
    assert tool.main([], core) == 0
    assert (core / "box.pxd").read_text(encoding="utf-8") == DECLARED


def test_parameters_are_left_to_the_declaration_of_the_function(tool):
    source = "def scale(values):\n    values: list = values\n    kept: dict = {}\n"
    made = tool.rewritten("cpdef object scale(list values)\n", tool.local_types(source, set()))
    assert made == "cimport cython\n@cython.locals(kept=dict)\ncpdef object scale(list values)\n"

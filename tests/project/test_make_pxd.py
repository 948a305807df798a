"""The C types in the core are those of its annotations, and the tool notices what differs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SOURCE = """
class Box:
    size: int
    full: bool
    content: list[int] | None
    label: Any

    def fill(self, size: int) -> object:
        first: Box = self
        total: int = 0
        full: bool | None = None
        other: object = None
        for at in range(size):
            total += at


def collect(items: object, box: Box | None = None) -> list[int]:
    found: list[int] = []


def is_full(box: Box) -> bool:
    return box.full


def long_number(text: str) -> int:
    return int(text)
"""
DECLARED = """cimport cython
from libc.stdint cimport int64_t

cdef class Box:
    cdef public int64_t size
    cdef public bint full
    cdef list content
    cdef readonly object label
    @cython.locals(first=Box, total=int64_t, full=bint, at=int64_t)
    cpdef object fill(self, int64_t size)

@cython.locals(found=list)
cpdef list collect(object items, Box box=*)
cpdef bint is_full(Box box) except -1
cpdef object long_number(object text)
"""


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("tool_make_pxd", ROOT / "tools" / "make_pxd.py")
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
        ("size: int\n", "size: list\n"),
        ("def is_full(box: Box)", "def is_full(box: object)"),
        ("def is_full(box: Box) -> bool", "def is_full(box: Box) -> int"),
        ("-> list[int]", "-> dict[str, int]"),
    ],
)
def test_a_changed_annotation_is_named_and_then_mended(tool, core, capsys, before, after):
    (core / "box.py").write_text(SOURCE.replace(before, after), encoding="utf-8")
    assert tool.main(["--check"], core) == 1
    assert "box.pxd" in capsys.readouterr().out
    assert (core / "box.pxd").read_text(encoding="utf-8") == DECLARED
    assert tool.main([], core) == 0
    assert tool.main(["--check"], core) == 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("total=int64_t", "total=double"),
        ("int64_t size\n", "double size\n"),
        ("int64_t size)", "double size)"),
        ("list collect", "dict collect"),
        ("Box box)", "list box)"),
    ],
)
def test_types_written_by_hand_only_are_noticed(tool, core, right, wrong):
    (core / "box.pxd").write_text(DECLARED.replace(right, wrong), encoding="utf-8")
    assert tool.main(["--check"], core) == 1
    assert tool.main([], core) == 0
    assert (core / "box.pxd").read_text(encoding="utf-8") == DECLARED


def test_new_functions_and_attributes_need_only_their_names(tool, core):
    new = DECLARED.replace("cpdef bint is_full(Box box) except -1", "cpdef is_full(box)")
    new = new.replace("    cdef public int64_t size\n    cdef public bint full\n", "    cdef public size, full\n")
    (core / "box.pxd").write_text(new, encoding="utf-8")
    assert tool.main([], core) == 0
    assert (core / "box.pxd").read_text(encoding="utf-8") == DECLARED


def test_objects_stay_objects(tool, core):
    assert "object long_number(object text)" in DECLARED
    wider = DECLARED.replace("bint is_full(Box box) except -1", "object is_full(object box)")
    (core / "box.pxd").write_text(wider, encoding="utf-8")
    assert tool.main(["--check"], core) == 0


def test_locals_that_are_parameters_have_the_parameters_type(tool):
    source = tool.read_source("def scale(values: list):\n    values: list = values\n    kept: dict = {}\n")
    result = tool.Declarations(source, set()).rewrite("cpdef object scale(list values)\n")
    assert result == "cimport cython\n@cython.locals(kept=dict)\ncpdef object scale(list values)\n"

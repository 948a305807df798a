"""Times and sizes of files, which the start of the package reads in C where it can."""

from __future__ import annotations

import os
import sys

import pytest

from wengert._core import stamps
from wengert._start import build

IN_C = build.BUILD == "compiled" and sys.platform in ("linux", "darwin")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").write_text("one")
    (tmp_path / "größer").write_bytes(b"x" * 70000)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "empty").touch()
    os.utime(tmp_path / "a", ns=(1, 1_234_567_890_123_456_789))
    os.utime(tmp_path / "below" / "empty", ns=(1, 7))
    return str(tmp_path)


NAMES = ["a", "größer", "below", "below/empty"]


@pytest.mark.skipif(not IN_C, reason="Python reads them here")
def test_they_are_those_that_python_reads(folder):
    times, sizes = stamps.of_files(folder, NAMES)
    assert (times, sizes) == build.read_stamps(folder, NAMES)
    assert times[0] == 1_234_567_890_123_456_789 and sizes[:2] == [3, 70000]
    assert stamps.of_files(folder, []) == ([], [])


@pytest.mark.skipif(IN_C, reason="C reads them here")
def test_python_reads_them_where_c_cannot(folder):
    assert stamps.of_files(folder, NAMES) is None


@pytest.mark.skipif(not IN_C, reason="Python reads them here")
def test_a_missing_file_and_a_name_that_is_none_are_refused(folder):
    with pytest.raises(FileNotFoundError):
        stamps.of_files(folder, ["a", "gone"])
    with pytest.raises(TypeError):
        stamps.of_files(folder, ["a", 1])
    with pytest.raises(TypeError):
        stamps.of_files(1, ["a"])


def test_the_start_reads_the_sources_by_this_module():
    record = build.read_record(f"{build.ROOT}/{build.record_file()}")
    read = build.compiled_stamps(build.ROOT, record if build.BUILD == "compiled" else None)
    assert read is (stamps.of_files if build.BUILD == "compiled" else build.read_stamps)


def test_a_library_without_it_or_without_a_record_leaves_it_to_python(tmp_path, monkeypatch):
    assert build.compiled_stamps(str(tmp_path), None) is build.read_stamps
    record = build.Record("\n".join((build.RECORD_TITLE, "", "", "_core.other")))
    assert build.compiled_stamps(str(tmp_path), record) is build.read_stamps
    record = build.Record("\n".join((build.RECORD_TITLE, "", "", build.STAMPS)))
    monkeypatch.delitem(sys.modules, f"{build.PACKAGE}.{build.STAMPS}")
    (tmp_path / "_core").mkdir()
    (tmp_path / build.library_file()).write_bytes(b"no library")
    assert build.compiled_stamps(str(tmp_path), record) is build.read_stamps


@pytest.mark.parametrize("name", ["_core/one.py", "_kernels/native/base/one.cpp"])
def test_a_change_of_a_source_is_seen_by_either_way_of_reading(tmp_path, name):
    for path in ("_core/one.py", "_core/one.pxd", "_kernels/native/base/one.cpp"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("before")
    root = str(tmp_path)
    mark = build.compose_mark(root)
    assert build.is_marked(root, mark, stamps.of_files) and build.is_marked(root, mark)
    (tmp_path / name).write_text("after!")
    os.utime(tmp_path / name, ns=(1, 2))
    assert not build.is_marked(root, mark, stamps.of_files) and not build.is_marked(root, mark)
    (tmp_path / name).unlink()
    assert not build.is_marked(root, mark, stamps.of_files)

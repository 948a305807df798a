"""What a release is made of: files that two builds make alike, the bill of materials, the numbers of the README."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools import check_wheel, finish_release
from wengert._start import build as _build

ROOT = Path(__file__).resolve().parents[2]
METADATA = """Metadata-Version: 2.4
Name: wengert
Version: 0.1.0
Requires-Dist: numpy>=2.0
Requires-Dist: scipy; extra == "full"

text
"""
VERSIONS = '["@dagrejs/dagre"]\nversion = "3.1.3"\n'
WHEN = 1_700_000_000


def wheel(folder: Path, order: int = 1, date: tuple[int, ...] = (2020, 1, 1, 0, 0, 0)) -> Path:
    """A small wheel, its files in one order or the other."""
    folder.mkdir(exist_ok=True)
    path = folder / "wengert-0.1.0-py3-none-any.whl"
    files = {
        "wengert/__init__.py": "x = 1\n" * 100,
        finish_release.VENDORED: VERSIONS,
        "wengert-0.1.0.dist-info/METADATA": METADATA,
        "wengert-0.1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name in list(files)[::order]:
            archive.writestr(zipfile.ZipInfo(name, date), files[name])  # type: ignore[arg-type]
    return path


def test_wheels_of_the_same_files_become_equal(tmp_path):
    one, other = wheel(tmp_path / "a"), wheel(tmp_path / "b", -1, (2021, 2, 3, 4, 5, 6))
    assert one.read_bytes() != other.read_bytes()
    for path in (one, other):
        finish_release.finish_wheel(path, WHEN)
    assert one.read_bytes() == other.read_bytes()
    again = one.read_bytes()
    finish_release.finish_wheel(one, WHEN)
    assert one.read_bytes() == again


def test_who_installs_a_wheel_has_not_asked_for_the_interpreted_build(tmp_path):
    path = wheel(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"wengert/{_build.ASKED_FILE}", "asked for")
    finish_release.finish_wheel(path, WHEN)
    with zipfile.ZipFile(path) as archive:
        assert f"wengert/{_build.ASKED_FILE}" not in archive.namelist()


def test_a_finished_wheel_is_one_and_its_record_names_every_file(tmp_path):
    path = wheel(tmp_path)
    finish_release.finish_wheel(path, WHEN)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.read("wengert/__init__.py") == b"x = 1\n" * 100
        names = archive.namelist()
        record = archive.read(names[-1]).decode().splitlines()
    assert names[-1].endswith("/RECORD")
    assert sorted(line.split(",")[0] for line in record) == sorted(names)
    assert finish_release.record_line("wengert/__init__.py", b"x = 1\n" * 100) in record


def test_the_bill_names_the_package_what_it_brings_and_what_it_needs(tmp_path):
    path = wheel(tmp_path)
    finish_release.finish_wheel(path, WHEN)
    with zipfile.ZipFile(path) as archive:
        bill = json.loads(archive.read("wengert-0.1.0.dist-info/sboms/wengert.cdx.json"))
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/wengert@0.1.0"
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert [part["purl"] for part in bill["components"]] == ["pkg:npm/%40dagrejs/dagre@3.1.3", "pkg:pypi/numpy"]


def test_source_archives_of_the_same_files_become_equal(tmp_path):
    paths = []
    for name, mtime in (("a", 5), ("b", 7)):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            entry = tarfile.TarInfo("wengert-0.1.0/setup.py")
            entry.size, entry.mtime, entry.uname = 3, mtime, name
            archive.addfile(entry, io.BytesIO(b"abc"))
        paths.append(tmp_path / f"{name}.tar.gz")
        paths[-1].write_bytes(gzip.compress(made.getvalue(), mtime=mtime))
        finish_release.finish_source(paths[-1], WHEN)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with tarfile.open(paths[0]) as archive:
        assert archive.extractfile("wengert-0.1.0/setup.py").read() == b"abc"  # type: ignore[union-attr]


def test_the_sizes_in_the_readme_are_those_of_the_last_recorded_wheels():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = check_wheel.MARKED.search(text)
    assert found is not None, "the README lost the marks between which sizes stand"
    assert text[found.end(1) : found.start(2)] == check_wheel.sentence(check_wheel.recorded())


def test_what_the_interpreted_wheel_installs_is_as_large_as_recorded():
    package = ROOT / "src" / "wengert"
    endings = {".py", ".pyi", ".pxd", ".txt", ".npz", ".js", ".css", ".html", ".LICENSE", ".json", ".toml", ".typed"}
    files = [path for path in package.rglob("*") if path.suffix in endings and "native" not in path.parts]
    found = sum(path.stat().st_size for path in files)
    assert found == pytest.approx(check_wheel.recorded()["interpreted"]["installed"], rel=0.1)


def test_a_wheel_that_is_too_large_is_reported(tmp_path, monkeypatch):
    path = wheel(tmp_path)
    packed, unpacked = check_wheel.sizes(path)
    known = {"wheel": packed, "installed": unpacked}
    monkeypatch.setattr(check_wheel, "recorded", lambda: {check_wheel.kind(path): known})
    assert check_wheel.grown(path) == []
    known.update(wheel=packed // 2, installed=unpacked // 2)
    assert len(check_wheel.grown(path)) == 2


def test_the_smoke_test_passes_on_this_build(tmp_path):
    command = [sys.executable, str(ROOT / "tests" / "release" / "smoke.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "copies: good" in done.stdout


def test_the_smoke_test_fails_on_another_build_than_the_one_it_was_told(tmp_path):
    command = [sys.executable, str(ROOT / "tests" / "release" / "smoke.py"), "neither"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "not the neither one" in done.stdout

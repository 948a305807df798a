"""The limits on files and functions hold, their check can fail, and its exceptions only shrink."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name: str):
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sizes = load_tool("check_size")


def plant(root: Path, name: str, lines: list[str]) -> dict[str, int]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sizes.too_long(root)


def test_the_tree_keeps_the_limits():
    assert sizes.compare(sizes.too_long(ROOT), sizes.read_ratchet(ROOT / sizes.RATCHET)) == []


def test_a_file_may_have_800_lines_and_no_more(tmp_path):
    assert plant(tmp_path, "src/a.py", ["x = 1"] * 800) == {}
    assert plant(tmp_path, "src/a.py", ["x = 1"] * 801) == {"src/a.py": 801}


def test_a_python_function_may_have_40_lines_with_its_decorators(tmp_path):
    body = ["    x = 1"] * 38
    assert plant(tmp_path, "tools/a.py", ["class A:", "  @staticmethod", "  def f():", *body]) == {}
    found = plant(tmp_path, "tools/a.py", ["class A:", "  @staticmethod", "  def f():", *body, "    x = 2"])
    assert found == {"tools/a.py::A.f": 41}


@pytest.mark.parametrize(
    "opening",
    [
        "void f(int a) {",
        "template <class T> inline T f(const T& a, int (*g)(int)) noexcept {",
        "PyObject* A::f(PyObject*) {",
    ],
)
def test_a_cpp_function_may_have_40_lines(tmp_path, opening):
    name = "A::f" if "A::f" in opening else "f"
    assert plant(tmp_path, "src/a.cpp", ["namespace w {", opening, *["    x();"] * 38, "}", "}"]) == {}
    found = plant(tmp_path, "src/a.cpp", ["namespace w {", opening, *["    x();"] * 39, "}", "}"])
    assert list(found.values()) == [41] and name in next(iter(found))


def test_a_cpp_signature_of_several_lines_counts_whole(tmp_path):
    found = plant(tmp_path, "src/a.cpp", ["void f(int a,", "       int b) {", *["    x();"] * 38, "}"])
    assert found == {"src/a.cpp::f": 41}


def test_a_cpp_class_or_namespace_is_no_function(tmp_path):
    lines = ["namespace wengert {", "struct A {", *["    int x;"] * 60, "};", "}"]
    assert plant(tmp_path, "src/a.hpp", lines) == {}


def test_what_is_too_long_without_an_exception_is_reported():
    assert "401 lines" in sizes.compare({"src/a.py": 401}, {})[0]


def test_an_exception_may_not_grow():
    assert "grew from 410 to 411" in sizes.compare({"src/a.py": 411}, {"src/a.py": 410})[0]


@pytest.mark.parametrize("found", [{"src/a.py": 405}, {}])
def test_an_exception_must_follow_what_has_shrunk(found, tmp_path):
    assert len(sizes.compare(found, {"src/a.py": 410})) == 1
    sizes.update(tmp_path / "ratchet.txt", found, {"src/a.py": 410})
    assert sizes.compare(found, sizes.read_ratchet(tmp_path / "ratchet.txt")) == []


def test_updating_never_allows_anything_new(tmp_path):
    sizes.update(tmp_path / "ratchet.txt", {"src/a.py": 500, "src/b.py": 500}, {"src/a.py": 450})
    assert sizes.read_ratchet(tmp_path / "ratchet.txt") == {"src/a.py": 450}

"""The choice between the two builds, on small made-up packages: real sources, empty files as extension modules."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wengert" / "_build.py"
FILES = {
    "__init__.py": "from ._build import BUILD\nfrom ._core.backward import engine\n",
    "_core/__init__.py": "",
    "_core/backward/__init__.py": "",
    "_core/backward/engine.py": "VALUE = 'from source'\n",
    "_core/backward/engine.pxd": "cdef class Engine: pass\n",
    "_core/errors.py": "",
    "_core/flags.py": "X = 1\n",
    "_core/flags.pxd": "cdef enum:\n    X = 1\n",
    "_kernels/__init__.py": "",
    "_kernels/native/module.cpp": "// one\n",
    "_kernels/native/common.hpp": "// two\n",
}


def load_lists():
    spec = importlib.util.spec_from_file_location("build_lists_under_test", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lists = load_lists()


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.delenv("WENGERT_PURE", raising=False)
    monkeypatch.delenv("WENGERT_KERNELS", raising=False)


@pytest.fixture
def package(tmp_path):
    root = tmp_path / "wengert"
    for name, text in {**FILES, "_build.py": SOURCE.read_text(encoding="utf-8")}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def module_file(root: Path, name: str) -> Path:
    return root / (name + EXTENSION_SUFFIXES[0])


def pretend_to_build(root: Path) -> None:
    for module in lists.wanted_modules(str(root)):
        module_file(root, module.replace(".", "/")).touch()
    (root / lists.record_file()).write_text(lists.compose_record(str(root), "recipe"), encoding="utf-8")


def settle(root: Path) -> str:
    return lists.settle(str(root))


def run_python(root: Path, code: str, **environment: str) -> str:
    """Run `code` in a new interpreter that sees the package; return what it prints, its error included."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WENGERT_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **environment, "PYTHONPATH": str(root.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_core_file_is_compiled_when_a_pxd_beside_it_declares_its_code(package):
    assert lists.wanted_modules(str(package)) == ["_core.backward.engine", "_kernels._native"]


def test_headers_and_constants_count_as_sources_though_no_module_has_their_name(package):
    sources = lists.source_files(str(package))
    assert {"_core/flags.pxd", "_core/flags.py", "_kernels/native/common.hpp"} <= set(sources)
    assert "_core/errors.py" not in sources


def test_without_extension_modules_the_package_is_interpreted(package):
    assert settle(package) == "interpreted"


def test_with_all_extension_modules_fresh_the_package_is_compiled(package):
    pretend_to_build(package)
    assert settle(package) == "compiled"


def test_extension_modules_of_another_python_do_not_count(package):
    (package / "_core" / "backward" / "engine.cpython-27-x86_64-linux-gnu.so").touch()
    assert settle(package) == "interpreted"


def test_a_missing_extension_module_is_refused_by_name(package):
    pretend_to_build(package)
    module_file(package, "_core/backward/engine").unlink()
    with pytest.raises(ImportError, match=r"_core\.backward\.engine is not compiled"):
        settle(package)


def test_missing_native_kernels_are_refused_like_a_missing_core_module(package):
    pretend_to_build(package)
    module_file(package, "_kernels/_native").unlink()
    with pytest.raises(ImportError, match=r"_kernels\._native is not compiled"):
        settle(package)


@pytest.mark.parametrize(
    "name", ["_core/backward/engine.py", "_core/backward/engine.pxd", "_core/flags.pxd", "_kernels/native/common.hpp"]
)
def test_a_source_changed_after_the_build_is_refused_by_name(package, name):
    pretend_to_build(package)
    (package / name).write_text("something else\n", encoding="utf-8")
    with pytest.raises(ImportError, match=f"{name} changed after it was compiled"):
        settle(package)


def test_a_change_that_keeps_the_size_and_goes_back_in_time_is_noticed(package):
    pretend_to_build(package)
    path = package / "_core" / "backward" / "engine.py"
    before = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("source", "SOURCE"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - 1))
    with pytest.raises(ImportError, match="changed after"):
        settle(package)


def test_a_source_touched_but_not_changed_is_still_fresh(package):
    pretend_to_build(package)
    os.utime(package / "_core" / "backward" / "engine.py", (1, 1))
    assert settle(package) == "compiled"


def test_a_source_added_after_the_build_is_refused(package):
    pretend_to_build(package)
    (package / "_kernels" / "native" / "late.cpp").write_text("// three\n", encoding="utf-8")
    with pytest.raises(ImportError, match=r"late\.cpp was added after the build"):
        settle(package)


def test_a_source_removed_after_the_build_is_refused(package):
    pretend_to_build(package)
    (package / "_core" / "backward" / "engine.py").unlink()
    with pytest.raises(ImportError, match=r"_core/backward/engine\.py was removed"):
        settle(package)


def test_extension_modules_without_a_record_are_refused(package):
    pretend_to_build(package)
    (package / lists.record_file()).unlink()
    with pytest.raises(ImportError, match="no record"):
        settle(package)


@pytest.mark.parametrize("text", ["", "another title\n", "\n\n"])
def test_a_record_of_no_known_form_counts_as_none(package, text):
    pretend_to_build(package)
    (package / lists.record_file()).write_text(text, encoding="utf-8")
    with pytest.raises(ImportError, match="no record"):
        settle(package)


def test_the_refusal_says_how_to_repair_the_build(package):
    pretend_to_build(package)
    module_file(package, "_core/backward/engine").unlink()
    with pytest.raises(ImportError, match=r"(?s)`make build`.*WENGERT_PURE=1"):
        settle(package)


def test_an_installed_package_without_its_cpp_files_is_compiled(package):
    pretend_to_build(package)
    for path in (package / "_kernels" / "native").iterdir():
        path.unlink()
    (package / "_kernels" / "native").rmdir()
    assert settle(package) == "compiled"
    module_file(package, "_kernels/_native").unlink()
    with pytest.raises(ImportError, match=r"_kernels\._native is not compiled"):
        settle(package)


def test_extension_modules_shipped_without_any_source_are_compiled(package):
    pretend_to_build(package)
    for source in lists.source_files(str(package)):
        (package / source).unlink()
    assert settle(package) == "compiled"


def test_asked_for_interpreted_the_core_comes_from_source_though_extension_modules_lie_beside_it(package):
    pretend_to_build(package)
    code = "import wengert; print(wengert.BUILD, wengert.engine.VALUE)"
    assert run_python(package, code, WENGERT_PURE="1").split("\n")[0] == "interpreted from source"


def test_not_asked_for_interpreted_python_takes_the_extension_module(package):
    pretend_to_build(package)  # an empty file: what counts is that it is tried
    assert "engine" in run_python(package, "import wengert", WENGERT_PURE="0").strip().splitlines()[-1]


def test_a_half_built_package_cannot_be_imported_but_can_be_interpreted(package):
    pretend_to_build(package)
    module_file(package, "_kernels/_native").unlink()
    code = "import wengert; print(wengert.BUILD)"
    assert "ImportError" in run_python(package, code)
    assert run_python(package, code, WENGERT_PURE="1").strip() == "interpreted"


def test_asked_for_interpreted_there_are_no_native_kernels_unless_asked_for(package):
    pretend_to_build(package)
    code = "import wengert, wengert._kernels._native"
    assert "WENGERT_PURE=1 asks for the interpreted build" in run_python(package, code, WENGERT_PURE="1")
    tried = run_python(package, code, WENGERT_PURE="1", WENGERT_KERNELS="native")
    assert "ImportError" in tried and "WENGERT_PURE=1 asks" not in tried  # the empty file was tried


def test_asked_for_interpreted_a_core_without_source_is_an_error(package):
    pretend_to_build(package)
    (package / "_core" / "backward" / "engine.py").unlink()
    assert "no source of wengert._core.backward.engine" in run_python(package, "import wengert", WENGERT_PURE="1")


def test_inside_an_archive_the_package_is_interpreted(tmp_path):
    assert settle(tmp_path / "archive.zip" / "wengert") == "interpreted"

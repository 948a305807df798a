"""The choice between the two builds, on small made-up packages: real sources, empty files as extension modules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import textwrap
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "src" / "wengert"
SOURCE = ROOT / "_start" / "build.py"
FILES = {
    "_start/__init__.py": "",
    "__init__.py": "from ._start.build import BUILD\nfrom ._core.backward import engine\n",
    "_core/__init__.py": "",
    "_core/backward/__init__.py": "",
    "_core/backward/engine.py": "VALUE = 'from source'\n",
    "_core/backward/engine.pxd": "cdef class Engine: pass\n",
    "_core/_build-interpreted.txt": "asked for\n",
    "_core/errors.py": "",
    "_core/flags.py": "X = 1\n",
    "_core/flags.pxd": "cdef enum:\n    X = 1\n",
    "_kernels/__init__.py": "",
    "_kernels/native/binding/module.cpp": "// one\n",
    "_kernels/native/binding/common.hpp": "// two\n",
}


def load_lists():
    spec = importlib.util.spec_from_file_location("wengert._start.build_lists_under_test", SOURCE)
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
    own = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("_start/build.py", "_start/loading.py")}
    for name, text in {**FILES, **own}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def library_file(root: Path, name: str) -> Path:
    return root / (name + EXTENSION_SUFFIXES[0])


def pretend_to_build(root: Path) -> None:
    for library in lists.wanted_libraries(str(root)):
        library_file(root, library.replace(".", "/")).touch()
    for folder in (root / "_kernels" / "native", root / "_kernels" / "native" / "binding"):
        os.utime(folder, (1, 1))  # a compiler takes longer than the clock of a file system, this does not
    (root / lists.record_file()).write_text(lists.compose_record(str(root), "recipe"), encoding="utf-8")


def settle(root: Path) -> str:
    return "compiled" if lists.settle(str(root)) else "interpreted"


def run_python(root: Path, code: str, **environment: str) -> str:
    """Run `code` in a new interpreter that sees the package; return what it prints, its error included."""
    unwanted = ("WENGERT_", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **environment, "PYTHONPATH": str(root.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_core_file_is_compiled_when_a_pxd_beside_it_declares_its_code(package):
    assert lists.core_modules(str(package)) == ["_core.backward.engine"]
    assert lists.wanted_libraries(str(package)) == {"_core._compiled", "_kernels._native"}


def test_headers_and_constants_count_as_sources_though_no_module_has_their_name(package):
    sources = lists.source_files(str(package))
    assert {"_core/flags.pxd", "_core/flags.py", "_kernels/native/binding/common.hpp"} <= set(sources)
    assert "_core/errors.py" not in sources


def test_without_extension_modules_the_package_is_interpreted(package):
    assert settle(package) == "interpreted"


def test_with_all_extension_modules_fresh_the_package_is_compiled(package):
    pretend_to_build(package)
    assert settle(package) == "compiled"


def test_extension_modules_of_another_python_do_not_count(package):
    (package / "_core" / "backward" / "engine.cpython-27-x86_64-linux-gnu.so").touch()
    assert settle(package) == "interpreted"


def test_a_missing_library_is_refused_by_name(package):
    pretend_to_build(package)
    library_file(package, "_core/_compiled").unlink()
    with pytest.raises(ImportError, match=r"_core\._compiled is not compiled"):
        settle(package)


def test_missing_native_kernels_are_refused_like_a_missing_core(package):
    pretend_to_build(package)
    library_file(package, "_kernels/_native").unlink()
    with pytest.raises(ImportError, match=r"_kernels\._native is not compiled"):
        settle(package)


@pytest.mark.parametrize(
    "name",
    ["_core/backward/engine.py", "_core/backward/engine.pxd", "_core/flags.pxd", "_kernels/native/binding/common.hpp"],
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


def test_a_record_without_a_mark_of_all_sources_counts_as_before(package):
    pretend_to_build(package)
    record = package / lists.record_file()
    text, _, mark = record.read_text(encoding="utf-8").rpartition("\n\n")
    assert mark == lists.compose_mark(str(package)) and lists.is_marked(str(package), mark)
    record.write_text(text, encoding="utf-8")
    assert settle(package) == "compiled"


def test_a_source_touched_but_not_changed_is_still_fresh(package):
    pretend_to_build(package)
    os.utime(package / "_core" / "backward" / "engine.py", (1, 1))
    assert settle(package) == "compiled"


@pytest.mark.parametrize("room", ["binding", "another"])
def test_a_source_added_after_the_build_is_refused(package, room):
    pretend_to_build(package)
    (package / "_kernels" / "native" / room).mkdir(exist_ok=True)
    (package / "_kernels" / "native" / room / "late.cpp").write_text("// three\n", encoding="utf-8")
    with pytest.raises(ImportError, match=r"late\.cpp was added after the build"):
        settle(package)


def test_a_native_source_that_only_moved_to_another_room_is_refused(package):
    pretend_to_build(package)
    (package / "_kernels" / "native" / "base").mkdir()
    (package / "_kernels/native/binding/common.hpp").rename(package / "_kernels/native/base/common.hpp")
    with pytest.raises(ImportError, match=r"native/binding/common\.hpp was removed"):
        settle(package)


def test_a_note_beside_native_sources_is_no_source(package):
    pretend_to_build(package)
    (package / "_kernels" / "native" / "binding" / "NOTES.md").touch()
    assert settle(package) == "compiled"


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
    library_file(package, "_core/_compiled").unlink()
    with pytest.raises(ImportError, match=r"(?s)`make build`.*WENGERT_PURE=1"):
        settle(package)


def test_an_installed_package_without_its_cpp_files_is_compiled(package):
    pretend_to_build(package)
    shutil.rmtree(package / "_kernels" / "native")
    assert settle(package) == "compiled"
    library_file(package, "_kernels/_native").unlink()
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


def test_not_asked_for_interpreted_python_takes_the_library(package):
    pretend_to_build(package)  # an empty file: what counts is that it is tried
    assert "_compiled" in run_python(package, "import wengert", WENGERT_PURE="0").strip().splitlines()[-1]


def test_an_extension_module_of_an_earlier_way_to_build_is_refused(package):
    pretend_to_build(package)
    library_file(package, "_core/backward/engine").touch()
    with pytest.raises(ImportError, match=r"_core\.backward\.engine is compiled but has no source"):
        settle(package)


def test_the_finder_looks_into_all_folders_of_the_package(package):
    (package / "_torch" / "cuda").mkdir(parents=True)
    (package / "_torch" / "cuda" / "__init__.py").touch()
    finder = lists.finder(str(package), set())
    spec = finder.find_spec("wengert.cuda", [str(package), str(package / "_torch")])
    assert spec.submodule_search_locations == [str(package / "_torch" / "cuda")]
    assert finder.find_spec("wengert.cuda", [str(package)]) is None


def test_the_finder_knows_the_files_of_the_package_and_leaves_all_others_to_python(package):
    finder = lists.finder(str(package), {"_core.backward.engine"})

    def find(name, folder):
        return finder.find_spec(name, [str(folder)])

    assert find("wengert._core", package).submodule_search_locations == [f"{package}/_core"]
    errors = find("wengert._core.errors", package / "_core")
    usual = importlib.machinery.PathFinder.find_spec("wengert._core.errors", [str(package / "_core")])
    assert (errors.origin, errors.cached, errors.has_location) == (usual.origin, usual.cached, usual.has_location)
    assert errors.submodule_search_locations is None
    engine = find("wengert._core.backward.engine", package / "_core" / "backward")
    assert engine.origin == str(library_file(package, "_core/_compiled"))
    assert find("wengert._core.nonsense", package / "_core") is None
    assert find("wengert.native", package / "_kernels") is None  # a folder without `__init__.py` is no package
    assert find("wengert._core", "/elsewhere") is find("wengerts._core", package) is finder.find_spec("wengert") is None


def test_a_module_written_after_its_folder_was_listed_is_found(package):
    code = """
        import importlib, pathlib, wengert._core as core
        folder = pathlib.Path(core.__file__).parent
        (folder / "late.py").write_text("X = 1")
        import wengert._core.late
        (folder / "later.py").write_text("X = 2")
        importlib.invalidate_caches()
        import wengert._core.later
        finders = [finder for finder in __import__("sys").meta_path if type(finder).__name__ == "Finder"]
        print(core.late.X, core.later.X, finders[0].find_spec("wengert._core.later", core.__path__).origin)
    """
    said = run_python(package, textwrap.dedent(code))
    assert said.split() == ["1", "2", str(package / "_core" / "later.py")]


def test_a_half_built_package_cannot_be_imported_but_can_be_interpreted(package):
    pretend_to_build(package)
    library_file(package, "_kernels/_native").unlink()
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


SHOWN = "import wengert._core.errors as errors; print(errors.X, errors.f.__code__.co_filename, errors.__cached__)"


def test_byte_code_is_taken_only_where_it_was_made_from_the_source_as_it_is(package):
    path = package / "_core" / "errors.py"
    cached = importlib.util.cache_from_source(str(path))
    path.write_text("X = 1\ndef f(): pass\n", encoding="utf-8")
    os.utime(path, (1e9, 1e9))
    assert run_python(package, SHOWN).split() == ["1", str(path), cached]
    assert run_python(package, SHOWN).split() == ["1", str(path), cached]  # from byte code
    path.write_text("X = 2\ndef f(): pass\n", encoding="utf-8")
    os.utime(path, (1e9 + 1, 1e9 + 1))
    assert run_python(package, SHOWN).split() == ["2", str(path), cached]
    os.utime(path, (1e9 + 2, 1e9 + 2))
    Path(cached).write_bytes(b"nonsense")
    assert run_python(package, SHOWN).split() == ["2", str(path), cached]
    elsewhere = str(package.parent / "cache")
    said = run_python(package, SHOWN, PYTHONPYCACHEPREFIX=elsewhere).split()
    assert said[:2] == ["2", str(path)] and said[2].startswith(elsewhere)


def test_byte_code_from_another_place_names_the_files_of_this_one(package):
    (package / "_core" / "errors.py").write_text("X = 1\ndef f(): pass\n", encoding="utf-8")
    run_python(package, SHOWN)
    moved = package.parent / "moved" / "wengert"
    moved.parent.mkdir()
    package.rename(moved)
    assert run_python(moved, SHOWN).split()[:2] == ["1", str(moved / "_core" / "errors.py")]


def test_inside_an_archive_the_package_is_interpreted(tmp_path):
    assert settle(tmp_path / "archive.zip" / "wengert") == "interpreted"


@pytest.mark.parametrize("enabled", [True, False])
def test_the_interpreted_build_says_that_it_needs_the_interpreters_lock(monkeypatch, recwarn, enabled):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: enabled, raising=False)
    lists.warn_without_lock()
    assert ["PYTHON_GIL=1" in str(each.message) for each in recwarn] == [True] * (not enabled)


def test_a_python_that_always_has_the_lock_is_not_warned(monkeypatch, recwarn):
    monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    lists.warn_without_lock()
    assert not recwarn.list


# ---- the word about an interpreted build that nobody has asked for ---------------------------------------------------

IMPORTED = "import wengert, importlib; from wengert._start import build; importlib.reload(wengert)"


@pytest.fixture
def unasked(package):
    (package / lists.ASKED_FILE).unlink()
    return package


def test_an_interpreted_build_for_want_of_a_compiler_says_so_once_in_one_line(unasked):
    said = run_python(unasked, IMPORTED)
    (line,) = said.splitlines()
    assert line.startswith("wengert: the interpreted build runs: ") and "WENGERT_PURE=1" in line
    assert f"about {lists.SLOWER} times as long" in line and "install a C++ compiler" in line


@pytest.mark.parametrize("code", ["import sys; sys.stderr = None; ", "import sys; sys.stderr.close(); "])
def test_no_stream_for_it_is_no_error(unasked, code):
    assert run_python(unasked, code + IMPORTED + "; print('fine')") == "fine\n"


def test_programs_that_make_errors_of_warnings_can_be_told(unasked):
    said = run_python(unasked, IMPORTED + "; print('fine')", PYTHONWARNINGS="error")
    assert "fine" in said and said.count("\n") == 2


def test_who_asks_for_the_interpreted_build_is_told_nothing(unasked):
    assert run_python(unasked, IMPORTED, WENGERT_PURE="1") == ""
    (unasked / lists.ASKED_FILE).write_text("asked for\n", encoding="utf-8")
    assert run_python(unasked, IMPORTED) == ""


@pytest.mark.parametrize("platform", ["emscripten", "wasi"])
def test_where_no_compiler_can_be_had_nothing_is_told(unasked, platform):
    assert run_python(unasked, f"import os, sys; sys.platform = {platform!r}; " + IMPORTED) == ""


def test_the_figure_is_near_what_the_builds_take():
    path = ROOT.parents[1] / "benchmarks" / "builds.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_builds", path)
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    if not lists.built_libraries(str(ROOT)):
        pytest.skip("nothing is compiled here")
    ratio = benchmark.mean_ratio(*benchmark.measure(turns=1))
    assert lists.SLOWER / 3 < ratio < lists.SLOWER * 3

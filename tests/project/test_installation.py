"""The package as it is installed here: one build, one version, everything in its place."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wengert
from wengert._start import build as _build
from wengert.info import info

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(wengert.__file__).parent


def test_every_core_module_belongs_to_the_build_that_was_chosen():
    for module in _build.core_modules(str(PACKAGE)):
        compiled = not importlib.import_module(f"wengert.{module}").__file__.endswith(".py")
        assert compiled == (_build.BUILD == "compiled"), module


def test_the_environment_variable_forces_the_interpreted_build():
    if _build.asked_for_interpreted():
        assert _build.BUILD == "interpreted"
    environment = {**os.environ, "WENGERT_PURE": "1"}
    code = "import wengert, wengert._core.backward.engine as engine; print(wengert._start.build.BUILD, engine.__file__)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("interpreted") and done.stdout.strip().endswith("engine.py")


def test_the_compiled_build_has_its_native_kernels():
    if _build.BUILD == "interpreted" or os.environ.get("WENGERT_KERNELS") == "numpy":
        pytest.skip("the interpreted build and WENGERT_KERNELS=numpy use NumPy's kernels")
    assert wengert._kernels.native is not None


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert wengert.__version__ == project["version"] == info()["wengert"]


def test_numpy_and_the_package_of_bfloat16_are_the_only_dependencies_at_run_time():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [requirement.split(">")[0] for requirement in project["dependencies"]] == ["numpy", "ml_dtypes"]


def test_numpy_2_0_is_enough():
    """Names that NumPy 2.1 and later added are read by `getattr`, where they exist."""
    newer = re.compile(r"\bnp\.(unstack|cumulative_sum|cumulative_prod|matvec|vecmat|strings\.slice)\b")
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "wengert").rglob("*.py")}
    assert [str(path) for path, text in sources.items() if newer.search(text)] == []


def test_info_answers_each_question_with_one_line():
    described = info()
    wanted = [
        "wengert",
        "build",
        "kernels",
        "threads",
        "instruction set",
        "Python",
        "NumPy",
        "BLAS",
        "platform",
        "settings",
    ]
    assert list(described) == wanted
    assert all(text and "\n" not in text for text in described.values())
    assert described["build"].startswith(_build.BUILD)


def test_info_as_a_command_prints_every_line():
    done = subprocess.run([sys.executable, "-m", "wengert.info"], capture_output=True, text=True, check=True)
    assert [line[:16].strip() for line in done.stdout.splitlines()] == list(info())


def test_importing_the_package_loads_nothing_optional():
    code = "import sys, wengert; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    optional = {"scipy", "matplotlib", "safetensors", "tqdm", "ml_dtypes", "graphviz", "torch", "pytest", "Cython"}
    if _build.BUILD == "interpreted":
        optional.discard("Cython")  # the directives of the core come from it where it is installed
    assert not optional & set(done.stdout.split())


def test_the_core_files_left_uncompiled_are_those_whose_pxd_declares_no_python_code():
    for stem in _build.declared(str(PACKAGE)):
        text = (PACKAGE / f"{stem}.pxd").read_text(encoding="utf-8")
        has_code = any(line.startswith(("cdef class", "cpdef")) for line in text.splitlines())
        assert has_code == (stem.replace("/", ".") in _build.core_modules(str(PACKAGE))), stem


@pytest.mark.parametrize("module", ["wengert._torch", "wengert._torch.cuda", "wengert._torch.version"])
def test_modules_of_torch_have_no_second_name(module):
    with pytest.raises(ImportError, match=r"such as wengert\.cuda"):
        importlib.import_module(module)

"""`set_num_threads` and the BLAS that NumPy is linked with."""

from __future__ import annotations

import ctypes
import importlib
import subprocess
import sys

import pytest

import wengert as wg
from wengert._kernels import blas

GETTERS = [name.replace("set_num", "get_num").replace("Set_Num", "Get_Max") for name in blas.SETTERS]


@pytest.fixture
def count():
    """How many threads the BLAS uses now; put back at the end."""
    if blas.setter() is None:
        pytest.skip("NumPy's BLAS cannot be told")
    library = ctypes.CDLL(importlib.import_module(blas.home()).__file__)
    getter = next(getattr(library, name) for name in GETTERS if hasattr(library, name))
    before, ours = getter(), wg.get_num_threads()
    yield getter
    wg.set_num_threads(ours)
    blas.set_threads(before)


def test_the_number_of_threads_is_that_of_the_blas_too(count):
    for wanted in (1, 2, 1):
        wg.set_num_threads(wanted)
        assert count() == wanted == wg.get_num_threads() or wg._kernels.native is None


def test_a_number_that_is_refused_changes_nothing(count):
    before = count()
    with pytest.raises((ValueError, RuntimeError)):
        wg.set_num_threads(0)
    assert count() == before


def test_an_import_looks_for_no_library():
    code = "import sys, wengert; assert 'wengert._kernels.blas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_blas_without_such_a_function_is_left_alone(monkeypatch):
    monkeypatch.setattr(blas, "SETTERS", ("no_such_function",))
    blas.setter.cache_clear()
    try:
        assert blas.set_threads(1) is False
    finally:
        blas.setter.cache_clear()

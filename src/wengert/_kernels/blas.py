"""Number of threads of the BLAS of NumPy, where it can be set."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._start.loading import load

SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "MKL_Set_Num_Threads",
)
"""Functions of one C int: OpenBLAS's, under the names used in builds of NumPy, and MKL's."""


@functools.cache
def setter() -> Callable[[int], object] | None:
    """Find the function of `SETTERS` in the library that NumPy is linked with; None if there is none.

    A symbol is looked for in NumPy's extension module and in what that is linked with, so another copy of a BLAS in the
    process, as SciPy's, is not taken for it. Windows does not look further than the module.
    """
    try:
        ctypes = load("ctypes")
        module = load(home())
        library = ctypes.CDLL(module.__file__)
    except (ImportError, OSError, TypeError):  # no ctypes, as in a browser, or no such file
        return None
    for name in SETTERS:
        symbol: Any = getattr(library, name, None)
        if symbol is not None:
            symbol.argtypes, symbol.restype = [ctypes.c_int], None
            function: Callable[[int], object] = symbol
            return function
    return None


def home() -> str:
    """Name of the extension module of NumPy that multiplies matrices."""
    import numpy as np

    return f"numpy.{'_core' if hasattr(np, '_core') else 'core'}._multiarray_umath"


def set_threads(count: int) -> bool:
    """Set the number of threads; return whether the library has a function for it."""
    function = setter()
    if function is None:
        return False
    function(count)
    return True

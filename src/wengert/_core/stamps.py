"""Times and sizes of files, read in C: the start of the package compares those of its sources with those of the build.

The start loads this module by itself from the library, before it knows whether the library is that of the sources.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from . import plain as cython

if not cython.compiled:  # it is cimported there: this module is loaded before its package
    from . import door


def of_files(root: str, names: list[str]) -> Any:
    """Return the times of the last change of files in `root`, in ns, and their sizes.

    Args:
        root: a folder.
        names: paths of files and folders in it.

    Returns:
        Two lists; None where they have to be read by Python.

    Raises:
        OSError: if a file is missing.
    """
    return door.statuses(root, names)

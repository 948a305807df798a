"""`python -m wengert.info`: print build, versions, BLAS, threads and instruction set, a line for each.

Paste its output into reports of bugs and measurements.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import numpy as np

from . import __version__, _kernels
from ._start import build as _build


def info() -> dict[str, str]:
    """Describe this installation and this machine.

    Returns:
        One line of text for each of `wengert`, `build`, `kernels`, `threads`, `instruction set`, `Python`, `NumPy`,
        `BLAS`, `platform` and `settings`, in this order.
    """
    return {
        "wengert": __version__,
        "build": _describe_build(),
        "kernels": "native (C++), NumPy for the rest" if _kernels.native is not None else "NumPy",
        "threads": f"{_kernels.get_num_threads()} in native kernels, {os.cpu_count()} processors",
        "instruction set": _instruction_set(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "NumPy": np.__version__,
        "BLAS": _blas(),
        "platform": f"{platform.system()} {platform.machine()}",
        "settings": _settings(),
    }


def _describe_build() -> str:
    """Return the build, and the reason for it."""
    if _build.BUILD == "compiled":
        return "compiled"
    if _build.asked_for_interpreted():
        return "interpreted (WENGERT_PURE is set)"
    if _build.is_for_want_of_compiler(_build.ROOT):
        return f"interpreted (nothing was compiled: {_build.how_to_compile()})"
    return "interpreted (nothing was compiled, as was asked for)"


def _instruction_set() -> str:
    """Return the instruction sets of the kernels."""
    extensions = _numpy_config().get("SIMD Extensions", {})
    in_numpy = ", ".join([*extensions.get("baseline", [])[-1:], *extensions.get("found", [])[-1:]]) or "unknown"
    if _kernels.native is None:
        return f"NumPy: {in_numpy}"
    return f"native: {_kernels.native.instruction_set()}; NumPy: {in_numpy}"


def _blas() -> str:
    """Return NumPy's library for matrix products."""
    blas = _numpy_config().get("Build Dependencies", {}).get("blas", {})
    parts = [blas.get("name", "unknown"), blas.get("version", "")]
    return " ".join(part for part in parts if part and part != "unknown") or "unknown"


def _numpy_config() -> dict[str, dict[str, Any]]:
    """Return NumPy's build configuration as nested dictionaries."""
    return np.show_config(mode="dicts") or {}  # type: ignore[return-value]


def _settings() -> str:
    """Return the environment variables that influence this description."""
    names = ("WENGERT_PURE", "WENGERT_KERNELS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return " ".join(f"{name}={os.environ[name]}" for name in names if name in os.environ) or "none"


def main() -> int:
    """Print the description."""
    for name, text in info().items():
        print(f"{name:<16} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`torch._refs`: reference implementations of torch's operators, here the operators themselves."""

from __future__ import annotations

from typing import Any

from wengert._start.loading import load as _load
from wengert.ops.aten_names import NAMES

HIDDEN = frozenset(("Tensor", "nn", "save", "load"))
"""Names of the package that are not operators."""


def __getattr__(name: str) -> Any:
    """The operator of that name."""
    function = None if name.startswith("_") or name in HIDDEN else getattr(_load(PACKAGE), NAMES.get(name, name), None)
    if function is None or isinstance(function, type) or not callable(function):
        raise AttributeError(f"module 'torch._refs' has no attribute {name!r}: there is no such operator")
    return function


PACKAGE = __name__.partition(".")[0]

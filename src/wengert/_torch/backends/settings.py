"""Settings of a library that is not there, switched for a while."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def flags(module: dict[str, Any], values: dict[str, Any]) -> Iterator[None]:
    """Context in which names of a module (`globals()`) have other values."""
    before = {name: module[name] for name in values}
    module.update(values)
    try:
        yield
    finally:
        module.update(before)

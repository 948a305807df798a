"""Substitute for `import cython` where Cython is not installed: directives without effect.

Only the few classes with one instance per recorded call have directives. Those classes are invisible to the cycle
collector (`no_gc`), whose sweeps would otherwise cost more than the calls themselves; that no cycle passes through them
is tested with the collector off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

compiled = False


def cclass(cls: type) -> type:
    """Mark a compiled class (its fields are declared in the `.pxd`)."""
    return cls


def no_gc(cls: type) -> type:
    """Mark a class whose instances the cycle collector does not track."""
    return cls


def freelist(size: int) -> Callable[[Any], Any]:
    """Keep up to `size` freed instances for reuse."""
    return lambda cls: cls

"""What `import cython` gives where Cython is not installed: directives without effect.

Only the few classes of which there is one per recorded call carry directives. Those classes are invisible to the cycle
collector (`no_gc`), whose sweeps would otherwise cost more than the calls themselves; that no cycle passes through them
is tested with the collector off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

compiled = False


def cclass(cls: type) -> type:
    """A compiled class (its fields stand in the `.pxd`)."""
    return cls


def no_gc(cls: type) -> type:
    """The cycle collector does not look at instances."""
    return cls


def freelist(size: int) -> Callable[[Any], Any]:
    """Keep up to `size` freed instances for reuse."""
    return lambda cls: cls

"""Refusal of results that do not fit in memory, before anything is allocated for them."""

from __future__ import annotations

import functools
import math
import os

from ..._core.errors import shown


@functools.cache
def memory_of_machine() -> int | None:
    """Return the number of bytes of memory of this machine; None if unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(name: str, shape: tuple[int, ...], itemsize: int, beside: int = 0) -> None:
    """Refuse a result that is larger than the memory of this machine.

    Tables of its indices, which are computed first, may be larger than the result, and a system that promises more
    memory than it has would end the program while they are written.

    Args:
        name: name of the operator.
        shape: shape of the result.
        itemsize: bytes of an element.
        beside: additional bytes that the computation needs.

    Raises:
        RuntimeError: if there is less memory.
    """
    wanted, present = math.prod(shape) * itemsize + beside, memory_of_machine()
    if present is not None and wanted > present:
        raise RuntimeError(
            f"{name}: can't allocate memory: a result of shape {shown(shape)} takes {wanted} bytes, with the tables "
            f"of its places, and this machine has {present}"
        )

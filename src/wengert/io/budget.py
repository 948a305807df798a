"""What it may cost to read a file: memory and steps in proportion to its size.

A few bytes can name a large value that is already there. Whatever copies such a value or looks through it pays here, so
a small file cannot take more than a small file's share.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict
from typing import Any

from .._core.types.sizes import Size

RATE = 32
"""Bytes of memory, or steps, for a byte of the file. Sets of names take 20 in files that programs write."""
LEAST = 1 << 16
"""What every file may take."""
DEEPEST_KEY = 64
"""Levels of a tuple that is a key: Python hashes it by recursion, without a check of the stack."""
COPY = 8
"""How often bytes of storages count that are copied. Files that programs write copy them once, or thrice."""
SMALL = 2**60
MEMBER, ITEM = 48, 96
"""Bytes of a set or list, and of a dictionary, for each of their elements."""
STEP = 2
"""For a value that is looked at in a key."""
WEIGHTS: dict[type, int] = {
    **dict.fromkeys((str, bytes, bytearray), 1),
    **dict.fromkeys((list, tuple, Size, set, frozenset), MEMBER),
    **dict.fromkeys((dict, OrderedDict, Counter, defaultdict), ITEM),
}
"""Bytes for each element of what a file builds."""
RESULT, STORAGE, TENSOR, INSTANCE = 128, 256, 512, 1024
"""Bytes of a small object, a storage, a tensor, a layer, without what is in them."""


class Budget:
    """Counts what a file of some size may still take.

    Args:
        size: bytes of the file, or of the part that says how objects are built.
    """

    def __init__(self, size: int) -> None:
        self.left = LEAST + RATE * size
        self.crowds: dict[int, tuple[Any, dict[int, int]]] = {}  # of containers by identity; they are kept alive

    def spend(self, cost: int) -> None:
        """Pay for memory or steps.

        Raises:
            ValueError: if the file has taken more than its share.
        """
        self.left -= cost
        if self.left < 0:
            raise ValueError(f"it would take more than {RATE} bytes of memory, or steps, for each of its own bytes")

    def put(self, container: dict[Any, Any], key: Any, value: Any) -> None:
        """Put an item into a dictionary; raises as `check_key`."""
        self.check_key(container, key)
        container[key] = value

    def add(self, container: set[Any], value: Any) -> None:
        """Put a member into a set; raises as `check_key`."""
        self.check_key(container, value)
        container.add(value)

    def check_key(self, container: Any, key: Any) -> None:
        """Pay for the search for a key.

        Raises:
            ValueError: if it cannot be hashed, is nested too deeply, or the search would take too many steps.
        """
        kind = type(key)
        if kind is str or kind is bytes:  # their hashes are kept, and differ in every process
            self.spend(1 + (len(key) >> 4))
        elif kind is int and abs(key) < sys.hash_info.modulus:  # hashes of their own
            self.spend(1)
        else:
            self.check_crowd(container, key, self.look_through(key))

    def check_crowd(self, container: Any, key: Any, cost: int) -> None:
        """Pay for comparisons with the keys that have the same hash: whoever writes a file can choose them so."""
        crowd = self.crowds.setdefault(id(container), (container, {}))[1]
        code = hash(key)
        before = crowd.get(code, 0)
        self.spend(before * cost)
        if key not in container:
            crowd[code] = before + 1

    def look_through(self, key: Any) -> int:
        """Pay for the hash of a key, and return what it costs.

        Raises:
            ValueError: if it cannot be hashed, or is nested too deeply.
        """
        waiting, before = [(key, 0)], self.left
        while waiting:
            value, depth = waiting.pop()
            self.spend(STEP * (1 + size_of(value)))
            if isinstance(value, (tuple, frozenset)):
                if depth == DEEPEST_KEY:
                    raise ValueError(f"a key is nested in more than {DEEPEST_KEY} levels")
                # Most members of long tuples are small numbers, which need no look of their own.
                waiting += [
                    (inner, depth + 1) for inner in value if not (type(inner) is int and -SMALL < inner < SMALL)
                ]
            elif type(value).__hash__ is None:
                raise ValueError(f"a {type(value).__name__} cannot be a key")
        return before - self.left

    def copy(self, *values: Any) -> None:
        """Pay for a container of the elements of values, or for their bytes, and for a result that holds them."""
        cost = RESULT
        for value in values:
            weight = WEIGHTS.get(type(value))
            if weight is not None:
                cost += weight * len(value)
        self.spend(cost)


def size_of(value: Any) -> int:
    """Steps to look at a value, of which some take many at once."""
    if isinstance(value, (tuple, frozenset)):
        return len(value)
    if isinstance(value, (str, bytes)):
        return len(value) >> 4
    return value.bit_length() >> 6 if isinstance(value, int) else 0

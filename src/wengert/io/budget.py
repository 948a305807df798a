"""Budget for reading a file: memory and steps in proportion to its size.

A few bytes can refer to a large existing value. Operations that copy or traverse such a value are charged here, so that
a small file cannot use more than its share.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict
from typing import Any

from .._core.types.sizes import Size

RATE = 32
"""Bytes of memory, or steps, for each byte of the file. Sets of names take 20 in usual files."""
LEAST = 1 << 16
"""Minimal budget of any file."""
DEEPEST_KEY = 64
"""Largest nesting of a tuple as key: Python hashes it by recursion, without checking the stack."""
COPY = 8
"""Copies of the bytes of storages that are allowed. Usual files copy them once, or three times."""
SMALL = 2**60
MEMBER, ITEM = 48, 96
"""Bytes for each element of a set or list, and of a dictionary."""
STEP = 2
"""Steps for each value that is visited in a key."""
WEIGHTS: dict[type, int] = {
    **dict.fromkeys((str, bytes, bytearray), 1),
    **dict.fromkeys((list, tuple, Size, set, frozenset), MEMBER),
    **dict.fromkeys((dict, OrderedDict, Counter, defaultdict), ITEM),
}
"""Bytes for each element of containers, by type."""
RESULT, STORAGE, TENSOR, INSTANCE = 128, 256, 512, 1024
"""Bytes of a small object, a storage, a tensor, a layer, without their contents."""


class Budget:
    """Remaining budget of a file.

    Args:
        size: bytes of the file, or of the part that describes objects.
    """

    def __init__(self, size: int) -> None:
        self.left = LEAST + RATE * size
        self.crowds: dict[int, tuple[Any, dict[int, int]]] = {}  # by identity of containers, which are kept alive

    def spend(self, cost: int) -> None:
        """Charge for memory or steps.

        Raises:
            ValueError: if the budget is exceeded.
        """
        self.left -= cost
        if self.left < 0:
            raise ValueError(f"it would take more than {RATE} bytes of memory, or steps, for each of its own bytes")

    def put(self, container: dict[Any, Any], key: Any, value: Any) -> None:
        """Add an item to a dictionary; raises as `check_key`."""
        self.check_key(container, key)
        container[key] = value

    def add(self, container: set[Any], value: Any) -> None:
        """Add a member to a set; raises as `check_key`."""
        self.check_key(container, value)
        container.add(value)

    def check_key(self, container: Any, key: Any) -> None:
        """Charge for the lookup of a key.

        Raises:
            ValueError: if it cannot be hashed, is nested too deeply, or the lookup would take too many steps.
        """
        kind = type(key)
        if kind is str or kind is bytes:  # their hashes are cached, and random in each process
            self.spend(1 + (len(key) >> 4))
        elif kind is int and abs(key) < sys.hash_info.modulus:  # distinct hashes
            self.spend(1)
        else:
            self.check_crowd(container, key, self.look_through(key))

    def check_crowd(self, container: Any, key: Any, cost: int) -> None:
        """Charge for comparisons with keys of the same hash, which a hostile file can contain."""
        crowd = self.crowds.setdefault(id(container), (container, {}))[1]
        code = hash(key)
        before = crowd.get(code, 0)
        self.spend(before * cost)
        if key not in container:
            crowd[code] = before + 1

    def look_through(self, key: Any) -> int:
        """Charge for the hash of a key, and return the cost.

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
                # Most members of long tuples are small numbers, which need no visit of their own.
                waiting += [
                    (inner, depth + 1) for inner in value if not (type(inner) is int and -SMALL < inner < SMALL)
                ]
            elif type(value).__hash__ is None:
                raise ValueError(f"a {type(value).__name__} cannot be a key")
        return before - self.left

    def copy(self, *values: Any) -> None:
        """Charge for copies of values (elements or bytes), and for a result that contains them."""
        cost = RESULT
        for value in values:
            weight = WEIGHTS.get(type(value))
            if weight is not None:
                cost += weight * len(value)
        self.spend(cost)


def size_of(value: Any) -> int:
    """Return the number of steps for a value, by its size."""
    if isinstance(value, (tuple, frozenset)):
        return len(value)
    if isinstance(value, (str, bytes)):
        return len(value) >> 4
    return value.bit_length() >> 6 if isinstance(value, int) else 0

"""Python's containers and types for programs of HIPS autograd; here boxes may be in ordinary containers.

`isinstance` and `type` treat a box as the array or the number in it.
"""

from __future__ import annotations

from builtins import isinstance as isinstance_, type as type_
from typing import Any

from .boxes import getval

dict, list, tuple = dict, list, tuple

__all__ = ["dict", "isinstance", "list", "tuple", "type"]


def isinstance(value: Any, kind: Any) -> bool:
    """Return whether a value, or the one in a box, is an instance of `kind`."""
    return isinstance_(getval(value), kind)


def type(value: Any, *more: Any) -> Any:
    """Return the type of a value, or of the one in a box."""
    return type_(value, *more) if more else type_(getval(value))

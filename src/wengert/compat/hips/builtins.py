"""Python's containers, which programs for HIPS autograd take from here; here boxes stand in ordinary ones.

`isinstance` and `type` see through boxes: a box counts as the array or the number that it holds.
"""

from __future__ import annotations

from builtins import isinstance as isinstance_, type as type_
from typing import Any

from .boxes import getval

dict, list, tuple = dict, list, tuple

__all__ = ["dict", "isinstance", "list", "tuple", "type"]


def isinstance(value: Any, kind: Any) -> bool:
    """Whether a value, or the one that a box holds, is of a kind."""
    return isinstance_(getval(value), kind)


def type(value: Any, *more: Any) -> Any:
    """The type of a value, or of the one that a box holds."""
    return type_(value, *more) if more else type_(getval(value))

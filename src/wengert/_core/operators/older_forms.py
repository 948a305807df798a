"""Older call signatures of torch, with factors before the tensors that they multiply: `x.add_(-lr, grad)`.

Old programs still use them, and torch still accepts them, with a warning. They come here only if a call has more
positional arguments than its operator, as do dimensions that are passed one by one: `x.squeeze(0, 1)`.
"""

from __future__ import annotations

from typing import Any

from .. import errors
from ..graph import anomaly

ONE_BY_ONE = "T*"
"""The form of operators whose dimensions, several or one of them, may be given one by one."""


def brought_up(
    name: str, room: int, args: tuple[Any, ...], kwargs: dict[str, Any], forms: dict[str, tuple[str, ...]]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Convert the arguments of an older form to today's, and dimensions passed one by one to a sequence.

    Args:
        name: the operator, of an in-place form with its `_`.
        room: the number of positional arguments that it takes today.
        args, kwargs: the arguments of the call; more positional ones than `room`.
        forms: those of the operator, see `declaration.OLDER`.

    Raises:
        TypeError: if the arguments are not those of an older form of the operator.
    """
    if ONE_BY_ONE in forms and not kwargs and all(type(value) is int for value in args[1:]):
        return (args[0], args[1:]), {}
    for kinds, words in forms.items():
        numbered = [at for at, kind in enumerate(kinds) if kind == "N"]
        if len(kinds) == len(args) and not kwargs and all(is_number(args[at]) for at in numbered):
            tensors = tuple([value for kind, value in zip(kinds, args) if kind == "T"])
            numbers = [value for kind, value in zip(kinds, args) if kind == "N"]
            named = ", ".join([f"{word}=..." for word in words])
            anomaly.warn(f"This overload of {name} is deprecated: numbers go behind the tensors, {name}(..., {named})")
            return tensors, dict(zip(words, numbers))
    raise TypeError(errors.too_many_arguments(name, room, len(args)))


def is_number(value: Any) -> bool:
    """Return whether a value may stand for a number: a number, or a tensor without dimensions."""
    return isinstance(value, (bool, int, float, complex)) or getattr(value, "ndim", None) == 0

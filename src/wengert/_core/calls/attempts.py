"""The plain case of a call by a native function alone: what composites and indexing try first."""

from __future__ import annotations

from typing import Any

from .. import door, flags
from ..operators.declaration import Declaration
from ..profiling.events import Event, Log
from ..state.modes import Modes, current
from ..tensor.base import Tensor
from . import noted
from .dispatch import array_of, finish, input_word, is_unusual, refresh_views


def attempt(op: Declaration, native: Any, args: tuple[Any, ...], shaped: bool) -> Any:
    """Apply an operator by a native function; NotImplemented if that does not know the case, or it is no plain one.

    A native function that gives back the array of the first argument says that this tensor is the result.

    Args:
        shaped: only the function takes these arguments; the operator's are the tensor and the shape of the result.
    """
    modes: Modes = current()
    given: int = input_word(op, args)
    word: int = (given | modes.word) & modes.mask
    if word & flags.UNUSUAL and is_unusual(op, given, word):
        return NotImplemented
    if word & flags.PROFILED:
        return attempt_profiled(op, native, args, shaped, word, given, modes)
    return attempt_plain(op, native, args, shaped, word, given, modes)


def attempt_profiled(
    op: Declaration, native: Any, args: tuple[Any, ...], shaped: bool, word: int, given: int, modes: Modes
) -> Any:
    """`attempt_plain`, noted in the log of this thread if it succeeds."""
    log: Log = modes.profiling()
    if log is None:
        return attempt_plain(op, native, args, shaped, word, given, modes)
    event: Event = log.begin_call(op, args, modes)
    made: Any = None
    try:
        made = attempt_plain(op, native, args, shaped, word, given, modes)
    finally:
        log.conclude_attempt(event, made)
    return made


def attempt_plain(
    op: Declaration, native: Any, args: tuple[Any, ...], shaped: bool, word: int, given: int, modes: Modes
) -> Any:
    """The rest of `attempt`; `given` are the flags of the inputs, `word` with those of the modes, none unusual."""
    made: Any = door.on_arrays(native, args, Tensor)
    if made is NotImplemented or is_array_of(made, args[0]):
        return made if made is NotImplemented else args[0]  # which may be a view that nothing but this may be done with
    if word & flags.VIEW and op.rules:
        refresh_views(op, args)
        word = (input_word(op, args) | modes.word) & modes.mask
        if word & flags.UNUSUAL & ~flags.NOTES:
            return NotImplemented
    if shaped:
        args = (args[0], door.shape_of(made))
    made = finish(op, args, made, word & ~flags.QUIET, modes)
    return noted.results(op, args, made, given, modes) if word & flags.NOTED else made


def is_array_of(array: Any, value: Any) -> bool:
    """Whether an array is that of a tensor."""
    return isinstance(value, Tensor) and array_of(value) is array

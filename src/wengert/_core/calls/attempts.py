"""The plain case of a call by a native function alone, which composites and indexing try first."""

from __future__ import annotations

from typing import Any

from .. import door, errors, flags
from ..aliasing import views
from ..operators.declaration import Declaration
from ..profiling import kinds
from ..profiling.events import Log, logged
from ..state.modes import Modes, current
from ..tensor.base import Tensor, wrap_flagged
from . import noted
from .dispatch import array_of, finish, flags_of, input_word, is_unusual, learn, refresh_views, run_known
from .noted import DEEPEST


def attempt(op: Declaration, native: Any, args: tuple[Any, ...], shaped: bool) -> Any:
    """Apply an operator by a native function; NotImplemented if that does not support the case, or it is not plain.

    If the native function returns the array of the first argument, that tensor is the result.

    Args:
        shaped: `args` are those of the function only; the operator takes the tensor and the shape of the result.
    """
    modes: Modes = current()
    input_flags: int = input_word(op, args)
    word: int = (input_flags | modes.word) & modes.mask
    if word & flags.UNUSUAL and is_unusual(op, input_flags, word):
        return NotImplemented
    if word & flags.PROFILED:
        return logged(op, args, modes, attempt_plain, (op, native, args, shaped, word, input_flags, modes))
    return attempt_plain(op, native, args, shaped, word, input_flags, modes)


def attempt_plain(
    op: Declaration, native: Any, args: tuple[Any, ...], shaped: bool, word: int, input_flags: int, modes: Modes
) -> Any:
    """Rest of `attempt`: `input_flags` are those of the inputs, `word` with those of the modes, none unusual."""
    result: Any
    if native is op.native and (modes.tape is not None or modes.cache is not None) and not shaped:
        result = run_known(op, args, word, modes)
        if result is not None:
            return result
    try:
        result = door.on_arrays(native, args, Tensor)
    except ValueError as error:
        if errors.is_too_large(error):
            raise RuntimeError(errors.too_large(op.name, error)) from None
        raise
    if result is NotImplemented or is_array_of(result, args[0]):
        return result if result is NotImplemented else args[0]  # it may be a view that nothing else may be done with
    if word & flags.VIEW and op.rules:
        refresh_views(op, args)
        word = (input_word(op, args) | modes.word) & modes.mask
        if word & flags.UNUSUAL & ~flags.NOTES:
            return NotImplemented
    if shaped:
        args = (args[0], door.shape_of(result))
    result = finish(op, args, result, word & ~flags.QUIET, modes)
    if modes.cache is not None and native is op.native and not shaped:
        learn(op, args, result, word, modes)
    return noted.results(op, args, result, input_flags, modes) if word & flags.NOTED else result


def is_array_of(array: Any, value: Any) -> bool:
    """Return whether an array is that of a tensor."""
    return isinstance(value, Tensor) and array_of(value) is array


def unrecorded(native: Any, args: tuple[Any, ...]) -> Any:
    """Run a call of which nothing is recorded or noted by a function of arrays; return a new tensor.

    NotImplemented if the function does not support the case, an argument requires a gradient, or the call is not plain.
    """
    modes: Modes = current()
    input_flags: int = word_of(args)
    word: int = (input_flags | modes.word) & modes.mask & (flags.UNUSUAL | flags.REQUIRES_GRAD)
    if word:
        return unrecorded_noted(native, args, input_flags, modes) if word == flags.PROFILED else NotImplemented
    return unrecorded_plain(native, args, input_flags, modes)


def unrecorded_noted(native: Any, args: tuple[Any, ...], input_flags: int, modes: Modes) -> Any:
    """The rest of `unrecorded` where calls are noted: a profile sees the operators that the function stands for."""
    log: Log = modes.profiling()
    if log is None:
        return unrecorded_plain(native, args, input_flags, modes)
    if not log.exact:
        return NotImplemented
    arguments: tuple[Any, ...] = (native, args, input_flags, modes)
    return log.call(log.begin(kinds.OPERATOR, native, -1, args), unrecorded_plain, arguments)


def unrecorded_plain(native: Any, args: tuple[Any, ...], input_flags: int, modes: Modes) -> Any:
    """The rest of `unrecorded`; `input_flags` are the flags of the arguments, none unusual."""
    result: Any = call_or_decline(native, args)
    if result is NotImplemented:
        return result
    if input_flags & modes.mask & flags.VIEW:  # a write to its base may have given a view a history
        refresh_all(args)
        if word_of(args) & modes.mask & (flags.UNUSUAL | flags.REQUIRES_GRAD):
            return NotImplemented
    return wrap_flagged(result, modes.fresh)


def call_or_decline(function: Any, args: tuple[Any, ...]) -> Any:
    """Call a function of arrays; return NotImplemented also if it raises, since an argument is unexpected then."""
    try:
        return door.on_arrays(function, args, Tensor)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return NotImplemented


def word_of(values: Any, depth: int = 0) -> int:
    """Return the flags of all tensors among arguments and in lists of them, ORed; lists nested too deep are unusual."""
    word: int = 0
    if depth > DEEPEST:
        return flags.UNUSUAL
    for value in values:
        if isinstance(value, Tensor):
            word |= flags_of(value)
        elif isinstance(value, (tuple, list)):
            word |= word_of(value, depth + 1)
    return word


def refresh_all(values: Any) -> None:
    """Bring the history of all views among arguments up to date."""
    for value in values:
        if isinstance(value, (tuple, list)):
            refresh_all(value)
        elif isinstance(value, Tensor) and flags_of(value) & flags.VIEW:
            views.refresh(value)

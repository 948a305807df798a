"""The steps of a call that only a set flag requires: overriding types, notes, autocast, observers, tangents and others.

Dispatch comes here when a bit of `flags.UNUSUAL` is set; the steps are tried in their order, and each clears its bit.
The operator completes the call itself, see `op.Op.complete` for volatile inputs.
"""

from __future__ import annotations

from typing import Any

from .. import flags
from ..operators import promotion
from ..profiling.events import logged
from ..state.modes import Modes
from ..tensor.base import Tensor
from . import batching, forward, noted


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run the first step whose bit is set; a step goes on with the rest of the word."""
    if word & flags.OVERRIDDEN:
        return overridden(op, args, word & ~flags.OVERRIDDEN, modes)
    if word & flags.PROFILED:
        return logged(op, args, modes, call, (op, args, word & ~flags.PROFILED, modes))
    if word & flags.NOTED:
        input_flags: int = 0
        for value in args:
            input_flags |= noted.word_of(value)
        return noted.results(op, args, call(op, args, word & ~flags.NOTED, modes), input_flags, modes)
    if word & flags.AUTOCAST:
        return call(op, modes.casting(op.name, args), word & ~flags.AUTOCAST, modes)
    if word & flags.OBSERVED:
        return observed(op, args, word & ~flags.OBSERVED, modes)
    if word & flags.INFERENCE:
        return inference(op, args, word & ~flags.INFERENCE, modes)
    if word & (flags.DUAL | flags.LEVELS):
        args = promotion.as_tensors(op, args)
        return forward.call(op, args, word & ~(flags.DUAL | flags.LEVELS), modes)
    if word & flags.SPARSE:
        from . import sparse

        return sparse.call(op, args, word & ~flags.SPARSE, modes)
    if word & (flags.BATCHED | flags.BATCHES):
        return batching.call(op, promotion.as_tensors(op, args), word, modes)
    if word & flags.POSTPONED:
        from . import postponed

        return postponed.call(op, args, word & ~flags.POSTPONED, modes)
    return op.complete(args, word, modes)


def overridden(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Ask `__torch_function__` of the arguments, and the modes, for the result of a call.

    Rules that run in a backward pass are not calls of the program.
    """
    if modes.passing is None and modes.overriding < 2:
        from . import overriding

        result: Any = overriding.of_operator(op, args, modes)
        if result is not overriding.NOBODY:
            return result
    return call(op, args, word, modes)


def of_stranger(op: Any, a: Any, b: Any) -> Any:
    """Return the result of `__torch_function__` of an operand that is not a tensor; NotImplemented if it has none.

    Raises:
        TypeError: if it is a table or column of pandas, whose own operators fail at what tensors return.
    """
    for value in (a, b):
        if not isinstance(value, Tensor) and hasattr(type(value), "__torch_function__"):
            from . import overriding

            result: Any = overriding.of_sign(op.name, a, b)
            return NotImplemented if result is overriding.NOBODY else result
        if type(value).__module__.partition(".")[0] == "pandas" and op.promotion is not None:  # element by element
            from . import overriding

            raise TypeError(overriding.beside_pandas(op.name, value))
    return NotImplemented


def observed(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Call the observers of this thread, the latest first.

    An observer is a function `observer(op, args, proceed)`. `op.written(args)` is the tensor to be written to, or None:
    `args[0]` of an `InPlaceOp` and of `out.Filling`, which reports `out=` after the call that computed the values.
    Nothing is written before `proceed()`. Calls that an observer makes itself are seen only by those before it.
    """
    return tell(op, args, word, modes, modes.observers, len(modes.observers) - 1)


def tell(op: Any, args: tuple[Any, ...], word: int, modes: Modes, observers: list[Any], at: int) -> Any:
    """Call observer number `at`, which goes on to the one before it; the call itself comes after number 0."""
    before, mode_word = modes.observers, modes.word
    try:
        modes.observe(observers[:at] if at >= 0 else observers)
        if at < 0:
            return beyond_modes(op, args, word, modes)
        return observers[at](op, args, lambda: tell(op, args, word, modes, observers, at - 1))
    finally:  # stores only, see `modes`
        modes.observers = before
        modes.word = mode_word & ~flags.PROFILED | modes.profiled


def beyond_modes(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Go on with a call that all observers were told of: the class of an argument may have a `__torch_dispatch__`."""
    from . import dispatched

    if dispatched.is_told(args):
        return dispatched.call(op, args, word, modes)
    return call(op, args, word, modes)


def inference(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run a call with inference tensors outside their mode: it is not recorded if all are such, even if one of them
    requires a gradient. (Those that would have to be saved are refused by `saved.save_input`.)
    """
    if word & flags.REQUIRES_GRAD and is_all_inference(op, args):
        word &= ~flags.REQUIRES_GRAD
    return call(op, args, word, modes)


def is_all_inference(op: Any, args: tuple[Any, ...]) -> bool:
    """Return whether all tensors among the arguments are inference tensors; numbers that stand for tensors are not."""
    for position in op.tensor_slots:
        value = args[position]
        for element in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(element, Tensor):
                if not element._flags_ & flags.INFERENCE:
                    return False
            elif element is not None and op.promotion is not None:
                return False
    return True

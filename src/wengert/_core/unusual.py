"""The steps of a call that only a set flag asks for: observers, volatile and inference tensors, tangents, batches.

Dispatch comes here when a bit of `flags.UNUSUAL` is set; the steps are tried in the order of `STEPS`, and each clears
its bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import batching, dispatch, errors, flags, forward
from .base import Tensor
from .modes import Modes

Step = Callable[[Any, tuple[Any, ...], int, Modes], Any]


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run the first step whose bit is set; a step goes on with the rest of the word."""
    for bit, step in STEPS:
        if word & bit:
            return step(op, args, word & ~bit, modes)
    return dispatch.finish(op, args, dispatch.run_kernel(op, dispatch.unwrap(op, args), modes), word, modes)


def observed(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Tell the observers of this thread about the call: each is a function `observer(op, args, proceed)`."""
    observers = modes.observers

    def proceed(depth: int = 0) -> Any:
        if depth == len(observers):
            return call(op, args, word, modes)
        return observers[-1 - depth](op, args, lambda: proceed(depth + 1))

    return proceed()


def volatile(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """One volatile input makes every output volatile: no history, nothing saved, whatever else requires a gradient."""
    results = call(op, args, word & ~flags.REQUIRES_GRAD, modes)
    for each in results if isinstance(results, tuple) else (results,):
        if isinstance(each, Tensor):
            each.flags = (each.flags | flags.VOLATILE) & ~flags.REQUIRES_GRAD
    return results


def inference(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Inference tensors: made while the mode is on; outside they may be computed with, but not saved for backward.

    Raises:
        RuntimeError: recording is on and another input requires a gradient.
    """
    if modes.inference:
        results = call(op, args, word & ~flags.REQUIRES_GRAD, modes)
        for each in results if isinstance(results, tuple) else (results,):
            if isinstance(each, Tensor):
                each.flags = (each.flags | flags.INFERENCE) & ~(flags.REQUIRES_GRAD | flags.VIEW)
        return results
    if word & flags.REQUIRES_GRAD and op.rules:
        raise RuntimeError(errors.INFERENCE_SAVED)
    return call(op, args, word, modes)


STEPS: tuple[tuple[int, Step], ...] = (
    (flags.OBSERVED, observed),
    (flags.BATCHED, batching.call),
    (flags.DUAL, forward.call),
    (flags.VOLATILE, volatile),
    (flags.INFERENCE, inference),
)

"""Notes of values that leave the graph in other ways than by operators, under `set_debug(lines=True)`.

Operators are noted by `calls/noted`. Results of `item`, `numpy` and similar methods are remembered for a while, so that
a tensor which is created from them can report it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import door
from ..graph.origins import INPUTS, MADE, Origin, here, new_origin
from ..state.modes import current
from . import slots
from .base import Tensor, meta_of
from .slots import OPERATORS

DETACH, DATA, NUMBER, NUMPY, SWITCHED_OFF = "detach", "data", "item", "numpy", "requires_grad_"
NO_GRAD, INFERENCE, BACKWARD, VOLATILE = "no_grad", "inference_mode", "backward", "volatile"
DTYPE, NO_DERIVATIVE, ARGUMENT, MARKED = "dtype", "no_derivative", "argument", "mark_non_differentiable"
CLEARED, NOTHING = "cleared", "nothing"
"""Reasons of cuts, and of what came of a leaf's gradient."""

MOST_VALUES = 1000
"""Number of elements up to which lists and arrays are compared by value with a tensor's data."""


MOST_HINTS = 8
"""Bound of the number of values that had left the graph before a tensor was created that are reported."""
MOST_SOURCES = 8
"""Approximate number of nodes behind a cut that are noted, by weak references."""


def origin_of(tensor: Tensor) -> Any:
    """The origin that was noted for a tensor itself, or None."""
    return None if tensor._meta_ is None else tensor._meta_.origin


def cut_behind(tensor: Tensor) -> Any:
    """The origin of the cut that a tensor without a history comes from, or None."""
    origin = origin_of(tensor)
    return None if origin is None else origin if origin.is_cut else origin.cuts


def references_to(tensor: Tensor) -> tuple[Any, ...]:
    """Return weak references to the leaf that a tensor is, or to its node and the nearest nodes behind it.

    The node itself is often freed with the tensor, which programs drop once its values have been read.
    """
    if tensor._edge_ is None:
        return (door.weak(tensor),)
    slots.settle_tapes()
    nodes = [tensor._edge_.node]
    at = 0
    while at < len(nodes) < MOST_SOURCES:
        for edge in nodes[at].next_edges:
            if edge is not None and edge.node not in nodes:
                nodes.append(edge.node)
        at += 1
    return tuple([door.weak(node) for node in nodes])


def come_from(origin: Origin, source: Tensor) -> Origin:
    """Complete the origin of a tensor or value that was created from one tensor."""
    if source.requires_grad:
        origin.is_cut = True
        origin.source = references_to(source)
    else:
        origin.reason = INPUTS
        origin.cuts = cut_behind(source)
    return origin


def cut(tensor: Tensor, source: Tensor, name: str, reason: str) -> None:
    """Note that a tensor was created, or left without a history, by a call that cuts it off from `source`."""
    origin = come_from(here(name, reason, current()), source)
    meta_of(tensor).origin = origin


def switched_off(leaf: Tensor) -> None:
    """Note that `requires_grad` of a leaf is switched off."""
    cut(leaf, leaf, "requires_grad = False", SWITCHED_OFF)


def left(tensor: Tensor, value: Any, name: str, reason: str) -> None:
    """Remember a value that was read from a tensor which requires a gradient, or has been cut off from one."""
    debug = current().debug
    if debug is None or not (tensor.requires_grad or cut_behind(tensor) is not None):
        return
    if isinstance(value, np.ndarray):
        value = weakref.ref(value)
    elif isinstance(value, list):
        if tensor._array_.size > MOST_VALUES:
            return
        value = tensor._array_.copy()
    debug.exits.append((value, come_from(here(name, reason, current()), tensor)))


def left_among(values: Any, array: Any) -> None:
    """Remember an array of the values of a tensor, or of several in nested sequences."""
    debug = current().debug
    if debug is None or array.size > MOST_VALUES:
        return
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Tensor):
            if value.requires_grad or cut_behind(value) is not None:
                origin = come_from(here("tensor()", NUMBER, current()), value)
                debug.exits.append((array.copy(), origin))
                return
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)


def created(tensor: Tensor) -> None:
    """Note where a tensor was created from plain data, and whether that has left the graph."""
    modes = current()
    debug = modes.debug
    if debug is None:
        return
    origin = here("", MADE, modes)
    for value, exit in reversed(debug.exits):
        if stems_from(tensor._array_, value):
            come_back(origin, exit, NUMPY if isinstance(value, weakref.ref) else NUMBER)
            break
    else:
        origin.source = tuple([exit for _, exit in debug.exits][:-MOST_HINTS:-1])
    meta_of(tensor).origin = origin


def come_back(origin: Origin, exit: Origin, reason: str) -> None:
    """Complete the origin of a tensor that was created from a value that had left the graph at `exit`.

    Values that leave the graph repeatedly count as having left it the first time: chains of origins do not grow.
    """
    behind = exit if exit.is_cut else exit.cuts
    if behind is not exit and behind.reason in (NUMBER, NUMPY):
        origin.reason = INPUTS
        origin.cuts = behind
        return
    origin.reason = reason
    origin.is_cut = True
    origin.source = behind.source
    origin.cuts = exit


def stems_from(array: Any, value: Any) -> bool:
    """Return whether an array shares the memory of another one that has left the graph, or holds the same numbers."""
    if isinstance(value, weakref.ref):
        value = value()
        if value is None or not isinstance(array, np.ndarray):
            return False
        if np.may_share_memory(array, value):
            return True
    if not isinstance(array, np.ndarray) or array.size > MOST_VALUES or not array.size:
        return False
    if isinstance(value, np.ndarray):
        return array.shape == value.shape and bool(np.array_equal(array, value))
    return array.size == 1 and bool(array.reshape(()) == value)


def cleared(leaf: Tensor) -> None:
    """Note that the gradient of a leaf was cleared."""
    modes = current()
    if modes.debug is not None and leaf._meta_.grad is not None:
        leaf._meta_.origin.later = here("grad = None", CLEARED, modes)


def begin_pass() -> Origin:
    """Note a backward pass that begins."""
    modes = current()
    origin = here("backward", BACKWARD, modes)
    if modes.debug is not None:
        modes.debug.passes += 1
        modes.debug.latest = origin
    return origin


def arrived(leaf: Tensor, grad: Any, by: Origin) -> None:
    """Note that a backward pass has reached a leaf, and whether a gradient arrived."""
    meta = meta_of(leaf)
    if meta.origin is None:
        meta.origin = new_origin("", MADE)
    if grad is None:
        meta.origin.later = at_place_of(by, NOTHING)
    else:
        meta.origin.later = by
        came(meta.grad, leaf, by)


def came(grad: Any, source: Any, by: Origin) -> None:
    """Note that a gradient without a history was computed by a backward pass."""
    if isinstance(grad, Tensor) and not grad.requires_grad and (origin_of(grad) is None or not origin_of(grad).is_cut):
        origin = at_place_of(by, BACKWARD)
        origin.is_cut = True
        origin.source = None if source is None else references_to(source)
        meta_of(grad).origin = origin


def ended(grads: list[Any], by: Origin) -> None:
    """Note that a pass has computed the requested gradients."""
    for grad in grads:
        came(grad, None, by)


def at_place_of(other: Origin, reason: str) -> Origin:
    """An origin at the place of another."""
    origin = new_origin(other.name, reason)
    origin.code, origin.offset, origin.scope = other.code, other.offset, other.scope
    return origin


def told_reading(value: Any, what: str) -> None:
    """Tell a recording of calls (`capture`) in this thread, if there is one, that Python code reads a tensor's values.

    Args:
        value: the tensor; None if something else is read, which a replay would not read again.
        what: how the values are read, for explanations.
    """
    log = current().log
    if log is not None:
        log.read(value, what)


def told_leaf(leaf: Any) -> None:
    """Tell a recording of calls in this thread, if there is one, that the `.grad` of a tensor is read or set."""
    log = current().log
    if log is not None:
        log.leaf(leaf)


def decided(function: Callable[..., Any], tensors: tuple[Tensor, ...], *constants: Any) -> Any:
    """Return `function(*arrays, *constants)`, by which code of the package decides what it calls.

    A recording is told of it.

    Args:
        function: a function of a module, of arrays; it returns a bool, or an array of bools.
        tensors: the tensors with these arrays.
    """
    result = function(*[tensor._array_ for tensor in tensors], *constants)
    log = current().log
    if log is not None:
        log.decided(function, tensors, constants, result)
    return result


def cut_text(tensor: Tensor) -> str:
    """Return an error's text on the cut behind a tensor without a history; empty if nothing is known."""
    from ..graph.places import place_of

    cut = cut_behind(tensor)
    if cut is None:
        return ""
    return f"It was cut off from the graph by {cut.name or 'what made it'} ({cut.reason}) at {place_of(cut)}."


OPERATORS.tracing = sys.modules[__name__]

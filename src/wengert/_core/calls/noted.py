"""Calls under `set_debug(lines=True)`: results and nodes note where they were created, see `origins`."""

from __future__ import annotations

from typing import Any

from .. import door, flags
from ..graph import anomaly, origins
from ..graph.node import Node
from ..graph.origins import INPUTS, Origin
from ..state.modes import Modes
from ..tensor import tracing
from ..tensor.base import Tensor, meta_of
from ..tensor.meta import AutogradMeta


def cut_of(tensor: Tensor) -> Any:
    """Return the origin of the cut that a tensor without a history comes from, or None."""
    meta: AutogradMeta = tensor._meta_
    if meta is None or meta.origin is None:
        return None
    origin: Origin = meta.origin
    return origin if origin.is_cut else origin.cuts


def node(created: Node, args: tuple[Any, ...], modes: Modes) -> None:
    """Report a new node to those that need it: `set_debug`, anomaly detection, listeners."""
    if modes.debug is not None:
        place(created, args, modes)
    if modes.anomaly or len(modes.listeners) > 0:
        anomaly.note_node(created, modes)


def place(created: Node, args: tuple[Any, ...], modes: Modes) -> None:
    """Note where a node was created."""
    origin: Origin = origins.here(None, None, modes)
    origin.cuts = cuts_among(args)
    origins.put(created, origin)


def function(created: Node, args: tuple[Any, ...], modes: Modes) -> None:
    """Note where a custom Function was called."""
    if modes.debug is not None:
        place(created, args, modes)
    if modes.anomaly:
        anomaly.remember(created, modes)


def wrapper(outer: Node, inner: Node, modes: Modes) -> None:
    """Note for a node around another one that both were created at the same place."""
    origin: Any = origins.of_node(inner)
    if origin is not None:
        origins.put(outer, origin)
    if modes.anomaly:
        anomaly.remember(outer, modes)


DEEPEST = 4
"""Depth of nested lists up to which arguments are searched."""


def cuts_among(args: tuple[Any, ...], depth: int = 0) -> Any:
    """Return the origins of the cuts that arguments without a history come from, as a tuple; None if there are none."""
    cuts: Any = None
    tensor: Tensor
    if depth > DEEPEST:
        return cuts
    for value in args:
        if isinstance(value, Tensor):
            tensor = value
            if tensor._meta_ is not None and tensor._flags_ & flags.REQUIRES_GRAD == 0:
                cut: Any = cut_of(tensor)
                if cut is not None:
                    cuts = (cut,) if cuts is None else (*cuts, cut)
        elif isinstance(value, (tuple, list)):
            inner: Any = cuts_among(tuple(value), depth + 1)
            if inner is not None:
                cuts = inner if cuts is None else (*cuts, *inner)
    return cuts


def word_of(value: Any, depth: int = 0) -> int:
    """Return the flags of a tensor, or of several."""
    word: int = 0
    tensor: Tensor
    if isinstance(value, Tensor):
        tensor = value
        word = tensor._flags_
    elif isinstance(value, (tuple, list)) and depth <= DEEPEST:
        for element in value:
            word |= word_of(element, depth + 1)
    return word


def results(op: Any, args: tuple[Any, ...], output: Any, input_flags: int, modes: Modes) -> Any:
    """Note where the results of a call that were not recorded were created; return the results.

    Args:
        input_flags: the flags of the inputs.
    """
    if modes.debug is not None:
        if isinstance(output, Tensor):
            result(op, args, output, input_flags, modes)
        elif isinstance(output, tuple):
            for part in output:
                if isinstance(part, Tensor):
                    result(op, args, part, input_flags, modes)
    return output


def result(op: Any, args: tuple[Any, ...], tensor: Tensor, input_flags: int, modes: Modes) -> None:
    """Note where one result was created."""
    if tensor._flags_ & flags.REQUIRES_GRAD and (tensor._edge_ is not None or tensor is args[0]):
        return  # else it is a view that was taken with recording off
    origin: Origin = origins.here(op.name, INPUTS, modes)
    if input_flags & flags.REQUIRES_GRAD:
        origin.reason = reason_of(op, tensor, input_flags, modes)
        origin.is_cut = True
        origin.source = source_among(args)
    else:
        cuts: Any = cuts_among(args)
        origin.cuts = None if cuts is None else cuts[0]
    meta_of(tensor).origin = origin
    if tensor._flags_ & flags.VIEW and tensor is args[0] and (origin.is_cut or origin.cuts is not None):
        meta_of(tensor._meta_.view.base).origin = origin  # a write to a part of it


def reason_of(op: Any, result: Tensor, input_flags: int, modes: Modes) -> str:
    """Return the reason why a result was not recorded although an input requires a gradient."""
    if modes.inference:
        return tracing.INFERENCE
    if not modes.grad:
        return tracing.NO_GRAD if modes.passing is None else tracing.BACKWARD
    if input_flags & flags.VOLATILE:
        return tracing.VOLATILE
    if not op.rules:
        return tracing.NO_DERIVATIVE
    if not door.is_inexact(result._array_):
        return tracing.DTYPE
    if input_flags & flags.INFERENCE:
        return tracing.INFERENCE
    return tracing.ARGUMENT


def source_among(args: tuple[Any, ...]) -> Any:
    """Return weak references to where the gradient of the first argument that requires one would go, or None."""
    tensor: Tensor
    for value in args:
        if isinstance(value, Tensor):
            tensor = value
            if tensor._flags_ & flags.REQUIRES_GRAD:
                return tracing.references_to(tensor)
        elif isinstance(value, (tuple, list)):
            inner: Any = source_among(tuple(value))
            if inner is not None:
                return inner
    return None


def function_results(
    name: str, args: tuple[Any, ...], outputs: tuple[Any, ...], marked: tuple[Any, ...], recording: bool, modes: Modes
) -> None:
    """Note why outputs of a custom Function have no history.

    Args:
        marked: the arguments of `mark_non_differentiable`.
    """
    source: Any = source_among(args)
    cuts: Any = cuts_among(args)
    for output in outputs:
        if isinstance(output, Tensor) and not output.requires_grad:
            origin: Origin = origins.here(name, INPUTS, modes)
            origin.is_cut = source is not None
            origin.source = source
            if source is None:
                origin.cuts = None if cuts is None else cuts[0]
            elif not recording:
                origin.reason = tracing.INFERENCE if modes.inference else tracing.NO_GRAD
            elif is_one_of(output, marked):
                origin.reason = tracing.MARKED
            else:
                origin.reason = tracing.DTYPE
            meta_of(output).origin = origin


def is_one_of(tensor: Any, others: tuple[Any, ...]) -> bool:
    """Return whether a tensor is one of others, or has the same elements of the same memory."""
    for other in others:
        if other is tensor or other._array_ is tensor._array_:
            return True
    return False

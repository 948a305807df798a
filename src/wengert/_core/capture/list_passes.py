"""Backward passes over predicted calls by a list alone, without nodes.

The usual pass of a small step begins at the root of a predicted tape, ends at leaves without hooks, and frees the
graph. A list computes the gradients, so that there is nothing for a node and the engine to do. The tape keeps what the
node is created from if a program looks at it (`following.stand_in`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..bits import all_below
from ..leaves.accumulate import AccumulateGrad, accumulate, noted
from ..state.modes import Modes
from ..tensor.base import Tensor, wrap
from ..tensor.meta import AutogradMeta
from .lists import CallList
from .matching import Match, Pattern, array_at
from .outputs import Nest, Output, fresh_tensor
from .segments import BackwardList, Connections, Segment, fits

UNITS: dict[Any, Any] = {}
"""Tensors of 1 without dimensions, by dtype: gradients of roots, which no list writes to or returns."""
NOWHERE = -1
"""In the place of the edge of a gradient: there is none."""


def ends_of(segment: Segment, known: BackwardList, count: int) -> Any:
    """Return for each source of a graph the edge over which its gradient arrives, or None.

    None means that the list alone cannot stand for a pass: it computes some of the gradients only, or some in several
    parts or in memory that something else uses, or leaves saved values for another pass.

    Args:
        segment: a segment of the graph.
        known: the list.
        count: the number of sources.
    """
    if len(known.foreign) > 0 or known.arrived or known.wanted != all_below(len(segment.arrivals)):
        return None
    if any(source >= count for source in segment.reads):  # it leads to an older segment
        return None
    if segment.ordinary or segment.frees == 0 or segment.frees & ~known.steps:
        return None
    edges = [NOWHERE] * count
    for at, part in enumerate(known.result.parts):
        if part is None:
            continue
        source = segment.reads[segment.arrivals[at][2]]
        if not isinstance(part, Output) or not part.alone or edges[source] != NOWHERE:
            return None
        edges[source] = at
    return tuple(edges)


def runs_natively(calls: CallList) -> bool:
    """Return whether native loops run all entries of a list."""
    return calls.function is not None and not any(calls.by_python) and not calls.writes


def gradients(pattern: Pattern, match: Match, grad_output: Any) -> Any:
    """Return the gradient of each source of a graph by a list; None if no list is for this pass, or it stops.

    Args:
        pattern: the pattern that the calls match.
        match: the calls.
        grad_output: the gradient of the root; None for 1.
    """
    segment: Segment = pattern.graph.segments[0]
    root: Tensor = match.results[pattern.root]
    if root._flags_ != flags.REQUIRES_GRAD or not are_plain(pattern.graph, match):
        return None
    grads: list[Any] = [unit_for(root) if grad_output is None else plain_one(grad_output)]
    if grads[0] is None:
        return None
    known: BackwardList
    for known in segment.lists:
        if known.ends is not None and fits(known, grads):
            if known.replays & (known.replays + 1) == 0:  # the next pass is compared with the list
                return None
            known.replays += 1
            return run_alone(pattern, match, known, grads[0])
    return None


def run_alone(pattern: Pattern, match: Match, known: BackwardList, grad_output: Tensor) -> Any:
    """Run a list; return the gradient of each source, or None if it stopped, which has no effect."""
    calls: CallList = known.calls
    if calls.stopwatch is not None:
        return None
    values: list[Any] = [None] * known.count
    number: int
    register: int
    edge: int
    held: Tensor
    for number, register in known.fills:
        values[register] = array_at(pattern.kept[number], match)
    register = known.grads[0]
    if register >= 0:
        values[register] = grad_output._array_
    for entry in known.held:
        held = entry[1]
        values[entry[3]] = held._array_
    if calls.function(calls.native, values, 0) != len(calls.by_python):
        return None
    parts: tuple[Any, ...] = parts_of(known.result)
    result: list[Any] = []
    for edge in known.ends:
        result.append(None if edge < 0 else fresh_tensor(parts[edge], values))
    return result


def are_all(grads: list[Any]) -> bool:
    """Return whether no gradient is missing: if an input is not used, the engine says so."""
    for grad in grads:
        if grad is None:
            return False
    return True


def parts_of(nest: Nest) -> tuple[Any, ...]:
    """Return the descriptions of the gradients of all edges."""
    return nest.parts


def unit_for(root: Tensor) -> Any:
    """Return 1 in the dtype of a root without dimensions; None for any other root, whose gradient is to be checked."""
    array: Any = root._array_
    if door.ndim_of(array) != 0:
        return None
    dtype: Any = door.dtype_of(array)
    unit: Any = UNITS.get(dtype)
    if unit is None and dtype.kind == "f":
        unit = UNITS[dtype] = wrap(np.ones((), dtype))
    return unit


def plain_one(grad_output: Any) -> Any:
    """Return a gradient that a program passes if it has no flags but those of a history; otherwise None."""
    if not isinstance(grad_output, Tensor):
        return None
    grad: Tensor = grad_output
    return grad if not grad._flags_ & ~flags.HISTORY and door.is_ndarray(grad._array_) else None


def are_plain(graph: Connections, match: Match) -> bool:
    """Return whether the sources of a graph are leaves without hooks, whose gradients have their dtype."""
    leaf: Tensor
    meta: AutogradMeta
    node: AccumulateGrad
    dtype: Any
    for at in range(len(graph.sources)):
        leaf = match.externals[graph.sources[at]]
        if leaf._edge_ is not None or leaf._flags_ != flags.REQUIRES_GRAD:
            return False
        dtype = door.dtype_of(leaf._array_)
        if dtype is not graph.dtypes[at] and dtype != graph.dtypes[at]:
            return False
        meta = leaf._meta_
        if meta is None:
            continue
        if meta.hooks or meta.after_accumulate or meta.grad_dtype is not None:
            return False
        node = noted(meta)
        if node is not None and node.node_hooks is not None:
            return False
    return True


def order_of(pattern: Pattern, match: Match, inputs: Any) -> Any:
    """Return for each of the inputs of a pass which source it is; None if they are not all sources, each once."""
    sources: tuple[int, ...] = pattern.graph.sources
    externals: list[Any] = match.externals
    order: tuple[Any, ...] = pattern.order
    place: int
    if len(inputs) != len(sources):
        return None
    if order is not None and len(order) == len(inputs):
        for at in range(len(inputs)):
            place = order[at]
            if externals[sources[place]] is not inputs[at]:
                break
        else:
            return order
    pattern.order = new_order([externals[source] for source in sources], inputs)
    return pattern.order


def new_order(leaves: list[Any], inputs: Any) -> Any:
    """Return for each input its place among some leaves; None if one is not there, or twice."""
    places = {id(leaf): at for at, leaf in enumerate(leaves)}
    order = tuple([places.get(id(value), NOWHERE) for value in inputs])
    return order if len(set(order)) == len(leaves) and NOWHERE not in order else None


def deliver(pattern: Pattern, externals: list[Any], grads: list[Any], modes: Modes) -> None:
    """Add the gradients of the sources of a graph to their `.grad`."""
    sources: tuple[int, ...] = pattern.graph.sources
    recording: bool = modes.grad
    mask: int = modes.mask
    try:
        modes.set_grad(False)
        for at in range(len(grads)):
            if grads[at] is not None:
                accumulate(externals[sources[at]], grads[at], True)
    finally:  # stores only, see `modes`
        modes.grad = recording
        modes.mask = mask

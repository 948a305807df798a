"""Followed functions: Python code runs in each call, and backward passes through known calls run from lists.

Recorded calls are written to a tape (`tensor.tapes`) instead of creating nodes. When a backward pass begins, or the
function returns, the tape is compared with the patterns of earlier tapes. If one matches, a single node stands for all
calls, as for a replayed function (`segments`); otherwise the ordinary nodes are created.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import door
from ..calls import taped
from ..graph.node import Edge
from ..state.modes import Modes, current
from ..tensor import slots, tapes
from ..tensor.base import Tensor
from ..tensor.storage import Storage
from ..tensor.tapes import Tape, is_quiet, is_taped, new_tape
from .comparing import same_constants
from .segments import CompiledFunctionBackward, Connections, Segment, add_outer, lead, new_segment_node
from .signatures import holds

CONSTANT, NESTED = -1, -2
"""In the place of an argument: a constant; a sequence of tensors and constants."""
FIRST = -3
"""Results have the places FIRST, FIRST - 1, ...; places from 0 on are those of external tensors."""
PLACES = (CONSTANT, NESTED, FIRST)
"""The same numbers: a C variable of the compiled build has no name in Python."""
FEW = 8
"""Number of external tensors that require a gradient up to which they are compared one by one."""


class Pattern:
    """What equal tapes have in common.

    Attributes:
        ops: the operators.
        places: for each call the places of its arguments.
        constants: for each call its arguments, None in the place of tensors; a `Pattern` of one call for sequences.
        layouts: for each call an array with the layout of its result, or a tuple of them.
        guards: the guards of the external tensors.
        required: the external tensors that require a gradient.
        root: the number of the result from which gradients come.
        ends: for each result its (step, output number) in the graph; None if it is not recorded.
        spaces: for each result the shape and dtype of its gradient, or None.
        unused: (number, how often calls hold it) of the recorded results that the root does not depend on.
        kept: the places of the tensors whose arrays the node keeps.
        same: pairs of places of tensors that have the same array.
        graph: the graph.
        matches: the number of tapes that it has matched.
        failures: the number of them after which other results than the root were alive.
    """

    ops: list[Any]
    places: list[Any]
    constants: list[Any]
    layouts: list[Any]
    guards: list[Any]
    required: tuple[int, ...]
    root: int
    ends: tuple[Any, ...]
    kept: tuple[int, ...]
    same: tuple[Any, ...]
    spaces: tuple[Any, ...]
    unused: tuple[Any, ...]
    graph: Connections
    matches: int
    failures: int

    __slots__ = (
        "constants",
        "ends",
        "failures",
        "graph",
        "guards",
        "kept",
        "layouts",
        "matches",
        "ops",
        "places",
        "required",
        "root",
        "same",
        "spaces",
        "unused",
    )


class Match:
    """A tape that is compared with a pattern.

    Attributes:
        tape: the tape.
        found: the external tensors, None for those that have not been met yet.
        results: the results of the calls so far.
    """

    tape: Tape
    found: list[Any]
    results: list[Any]

    __slots__ = ("found", "results", "tape")

    def __init__(self, tape: Tape, count: int) -> None:
        self.tape = tape
        self.found = [None] * count
        self.results = []


class Follower:
    """A function whose calls are followed; a subclass reads patterns.

    Attributes:
        function: the function.
        patterns: the patterns, the latest first.
        idle: the number of calls that are not followed, since the tapes before matched no pattern.
        wasted: the number of tapes since the latest match.
    """

    function: Callable[..., Any]
    patterns: list[Any]
    idle: int
    wasted: int

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        modes: Modes = current()
        if modes.tape is not None or not modes.grad or not is_quiet(modes):
            return self.function(*args, **kwargs)
        if self.idle > 0:
            self.idle -= 1
            return self.function(*args, **kwargs)
        first: Tape = new_tape(modes, self)
        slots.open_tape(first)
        modes.tape = first
        try:
            result = self.function(*args, **kwargs)
            self.conclude(modes)
        finally:
            close(modes)
        return result

    def conclude(self, modes: Modes) -> None:
        """Give the results of a call that has returned their history."""
        tape: Tape = modes.tape
        if len(tape.calls) > 0:
            root: Any = self.matched(tape, None)
            if root is None:
                self.unknown(tape, None)

    def begin_pass(self, tape: Tape, outputs: tuple[Any, ...], inputs: Any, create_graph: bool) -> None:
        """Let a backward pass from some outputs find nodes, before it looks for them.

        Args:
            inputs: the tensors whose gradients are requested.
        """
        if len(tape.calls) == 0:
            return
        root: Any = single_root(tape, outputs)
        if root is None or create_graph or not is_quiet(tape.modes) or are_taped(inputs):
            self.settle(tape)
        elif self.matched(tape, root) is None:
            self.unknown(tape, root)

    def matched(self, tape: Tape, root: Any) -> Any:
        """Let one node stand for the calls on a tape if a pattern matches; return the root, or None.

        Args:
            root: the result from which gradients come; None for that of the pattern.
        """
        pattern: Pattern
        for pattern in self.patterns:
            match: Match = Match(tape, len(pattern.guards))
            if not fits(pattern, match) or (root is not None and match.results[pattern.root] is not root):
                continue
            replace(pattern, match)
            self.wasted = 0
            pattern.matches += 1
            if self.patterns[0] is not pattern:
                self.patterns = [pattern, *[other for other in self.patterns if other is not pattern]]
            return match.results[pattern.root]
        return None

    def unknown(self, tape: Tape, root: Any) -> None:
        """Create the nodes of a tape that no pattern matches."""
        raise NotImplementedError

    def settle(self, tape: Tape) -> None:
        """Create the ordinary nodes of a tape, and of those before it in the same call of the function."""
        earlier: Tape = tape
        while earlier is not None:
            self.expand(earlier)
            earlier = earlier.earlier
        taped.settle(tape)

    def settle_written(self, tape: Tape, storage: Storage) -> None:
        """Create the ordinary nodes of a tape if a tensor on it is on a storage."""
        if self.keeps(tape, storage) if tape.segment_node is not None else taped.uses(tape, storage):
            self.settle(tape)

    def expand(self, tape: Tape) -> None:
        """Create the ordinary nodes of a tape for which a single node stands."""
        raise NotImplementedError

    def keeps(self, tape: Tape, storage: Storage) -> bool:
        """Return whether the node of a tape keeps memory of a storage, for another backward pass."""
        node: CompiledFunctionBackward = tape.segment_node
        if node.kept is None:
            return False
        owner: Any = owner_of(storage.array)
        for array in node.kept:
            if owner_of(array) is owner:
                return True
        return False


def owner_of(array: Any) -> Any:
    """Return the array that owns the memory of an array, or wraps foreign memory."""
    while door.is_ndarray(door.base_of(array)):
        array = door.base_of(array)
    return array


def close(modes: Modes) -> None:
    """End the following of a call in a thread."""
    tape: Tape = modes.tape
    earlier: Tape
    try:
        if len(tape.calls) > 0:  # the call has raised an error
            tape.follower.settle(tape)
        while tape is not None:
            if tape.segment_node is not None:
                release(tape)
            tape = tape.earlier
    finally:
        tape = modes.tape
        modes.tape = None
        while tape is not None:
            earlier = tape.earlier
            discard(tape)
            tape = earlier


def discard(tape: Tape) -> None:
    """Release what a tape holds: its edges lead to it."""
    slots.close_tape(tape)
    tape.calls = []
    tape.edges = tape.earlier = None


def release(tape: Tape) -> None:
    """Create ordinary nodes for results of a tape that are in use, except for the root: its edge leads to a node."""
    pattern: Pattern = tape.pattern
    if is_used(tape):
        pattern.failures += 1
        tape.follower.expand(tape)


def is_used(tape: Tape) -> bool:
    """Return whether a result of a tape, other than the root, is in use elsewhere."""
    if tape.segment_node is None:
        return False
    pattern: Pattern = tape.pattern
    edges: list[Any] = tape.edges
    edge: Edge
    for at in range(len(edges)):
        if edges[at] is not None and at != pattern.root:
            edge = edges[at]
            if door.references(edge) > HOLDERS:
                return True
    return False


def references_of_one_holder() -> int:
    """Return the number of references to an object that one list holds, with that of the variable that refers to it."""
    holder: list[Any] = [Edge(None, 0, (), None)]  # type: ignore[arg-type]
    edge: Edge = holder[0]
    return int(door.references(edge))


HOLDERS = references_of_one_holder()


def single_root(tape: Tape, outputs: tuple[Any, ...]) -> Any:
    """Return the only output of a backward pass, if it is a result of a call on a tape; otherwise None."""
    if len(outputs) != 1 or not isinstance(outputs[0], Tensor):
        return None
    root: Tensor = outputs[0]
    edge: Edge = root._edge_
    return root if edge is not None and edge.node is tape else None


def are_taped(inputs: Any) -> bool:
    """Return whether one of several tensors is a result of a call on a tape."""
    tensor: Tensor
    if inputs is not None:
        for value in inputs:
            if isinstance(value, Tensor):
                tensor = value
                if is_taped(tensor._edge_):
                    return True
    return False


# ---- matching --------------------------------------------------------------------------------------------------------


def fits(pattern: Pattern, match: Match) -> bool:
    """Return whether a tape matches a pattern; find its external tensors and its results."""
    calls: list[Any] = match.tape.calls
    results: list[Any] = match.results
    if len(calls) != tapes.FIELDS * len(pattern.ops):
        return False
    place: int = 0
    layout: Any
    for at in range(len(pattern.ops)):
        if calls[place] is not pattern.ops[at]:
            return False
        if not fit(pattern, match, pattern.places[at], pattern.constants[at], calls[place + 1]):
            return False
        layout = pattern.layouts[at]
        if not isinstance(layout, tuple):
            if not is_laid_out(calls[place + 2], layout):
                return False
            results.append(calls[place + 2])
        else:
            for nr in range(len(layout)):
                if not is_laid_out(calls[place + 2][nr], layout[nr]):
                    return False
                results.append(calls[place + 2][nr])
        place += tapes.FIELDS
    return are_distinct(pattern, match) and are_same(pattern, match) and are_unused(pattern, match)


def fit(pattern: Pattern, match: Match, places: tuple[int, ...], constants: tuple[Any, ...], args: Any) -> bool:
    """Return whether the arguments of one call are those at some places, and some constants."""
    found: list[Any] = match.found
    place: int
    if len(args) != len(places):
        return False
    for at in range(len(places)):
        place = places[at]
        value: Any = args[at]
        if place >= 0:
            if found[place] is not value and (found[place] is not None or not bind(pattern, match, place, value)):
                return False
        elif place <= FIRST:
            if match.results[FIRST - place] is not value:
                return False
        elif place == CONSTANT:
            if constants[at] is not value and not is_equal(constants[at], value):
                return False
        elif type(value) is not constants[at][2] or not fit(pattern, match, constants[at][0], constants[at][1], value):
            return False
    return True


def bind(pattern: Pattern, match: Match, place: int, value: Any) -> bool:
    """Take a tensor as an external one; return whether it can be."""
    if not isinstance(value, Tensor) or not holds(pattern.guards[place], value):
        return False
    tensor: Tensor = value
    if tensor._edge_ is not None and tensor._edge_.node is match.tape:
        return False
    match.found[place] = value
    return True


def are_distinct(pattern: Pattern, match: Match) -> bool:
    """Return whether the external tensors that require a gradient are all different."""
    required: tuple[int, ...] = pattern.required
    found: list[Any] = match.found
    if len(required) > FEW:
        return len({id(found[place]) for place in required}) == len(required)
    for at in range(len(required)):
        for other in range(at):
            if found[required[at]] is found[required[other]]:
                return False
    return True


def are_same(pattern: Pattern, match: Match) -> bool:
    """Return whether the tensors that had the same memory have the same memory again."""
    for place, other in pattern.same:
        if door.address_of(array_at(place, match)) != door.address_of(array_at(other, match)):
            return False
    return True


def are_unused(pattern: Pattern, match: Match) -> bool:
    """Return whether only the tape holds the recorded results that the root does not depend on."""
    result: Tensor
    for number, held in pattern.unused:
        result = match.results[number]
        if door.references(result) > held + HOLDERS:
            return False
    return True


def array_at(place: int, match: Match) -> Any:
    """Return the array of a tensor at a place."""
    tensor: Tensor = match.found[place] if place >= 0 else match.results[FIRST - place]
    return tensor._array_


def is_laid_out(tensor: Tensor, layout: Any) -> bool:
    """Return whether a tensor has the layout of an array."""
    array: Any = tensor._array_
    return door.is_ndarray(array) and door.share_space(array, layout) and door.is_laid_like(array, layout)


def is_equal(one: Any, other: Any) -> bool:
    """Return whether two constants are equal, of one type, with equal signs of zeros."""
    kind: Any = type(one)
    if kind is not type(other):
        return False
    if kind is int or kind is str or kind is bool:
        return bool(one == other)
    if kind is float:
        return bool(one == other and (one != 0.0 or str(one) == str(other)))
    if kind is tuple or kind is list:
        if len(one) != len(other):
            return False
        for at in range(len(one)):
            if one[at] is not other[at] and not is_equal(one[at], other[at]):
                return False
        return True
    return same_constants(one, other)


# ---- nodes -----------------------------------------------------------------------------------------------------------


def replace(pattern: Pattern, match: Match) -> None:
    """Let one node stand for all calls on a tape, and begin another tape."""
    tape: Tape = match.tape
    modes: Modes = tape.modes
    graph: Connections = pattern.graph
    segment: Segment = graph.segments[0]
    root: Tensor = match.results[pattern.root]
    edges: list[Any] = []
    unlike: bool = add_outer(graph, match.found, edges)
    kept: list[Any] = []
    for place in pattern.kept:
        kept.append(array_at(place, match))
    node: CompiledFunctionBackward = new_segment_node(segment, kept, edges, modes.sequence)
    node.unlike, node.followed = unlike, True
    modes.sequence += graph.count
    add_stores(node, graph, match.found, root)
    node.results = [door.weak(root)]
    following: Tape = new_tape(modes, tape.follower)
    following.earlier = tape
    earlier: Tape = tape.earlier
    if earlier is not None and not is_used(earlier):
        tape.earlier = earlier.earlier
        discard(earlier)
    slots.open_tape(following)
    tape.edges = all_edges(tape.calls)
    tape.pattern, tape.segment_node, tape.calls = pattern, node, []
    modes.tape = following
    output: tuple[Any, ...] = segment.outputs[0]
    lead(root._edge_, node, 0, (output[2], output[3]))


def add_stores(node: CompiledFunctionBackward, graph: Connections, found: list[Any], root: Tensor) -> None:
    """Set the storages that a program can write to, and their versions."""
    stores: list[Any] = []
    versions: list[Any] = []
    tensor: Tensor
    storage: Storage
    for at in range(len(graph.stores)):
        place: tuple[Any, ...] = graph.stores[at]
        storage = None
        if place[0] >= 0:
            tensor = found[place[0]]
            storage = tensor._storage_
        elif place[1] >= 0:
            storage = root._storage_
        stores.append(storage)
        versions.append(graph.finals[at] if storage is None else storage.version)
    node.stores, node.versions = stores, versions


def all_edges(calls: list[Any]) -> list[Any]:
    """Return the edges of the results of all calls."""
    edges: list[Any] = []
    at: int = tapes.FIELDS - 1
    while at < len(calls):
        if isinstance(calls[at], tuple):
            edges += calls[at]
        else:
            edges.append(calls[at])
        at += tapes.FIELDS
    return edges

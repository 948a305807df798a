"""Patterns of the tapes of a followed function, read from a tape whose nodes have just been created."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from .. import door, flags
from ..bits import bit
from ..graph.node import Edge, Node
from ..operators import sources
from ..operators.rules import Plan
from ..recording.recorded import OpNode
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.storage import next_serial
from ..tensor.tapes import Tape, calls_in
from .caching import CallCache, are_identical, keeps_results
from .dividing import graph_of
from .expanding import Expansion
from .following import LONGEST, Follower, all_edges, stand_in
from .lists import layout_of
from .matching import PLACES, ExpectedCall, Pattern
from .native_calls import RETURNS, SMALL, is_native
from .outputs import Output
from .passes import prepare
from .predicting import handle_of
from .recorder import MOST_ARGUMENTS, Recorder, Refusal
from .segments import lead
from .signatures import flattened, guard_of, is_capturable

CONSTANT, NESTED, FIRST = PLACES

MOST_PATTERNS = 16
"""Maximum number of patterns of one function; the one that has not matched for the longest time is dropped."""
MOST_WASTED = 8
"""Number of tapes without a match, one after the other, from which on calls are not followed for a while: 8, 16, ..."""


class Following(Follower):
    """A function whose calls are followed.

    Args:
        function: the function.
        position: the class that tells the position of the default generator of random numbers.
        natives: as in `Recorder`.

    Attributes:
        reason: why the latest tape has no pattern; "" if it has one.
    """

    def __init__(self, function: Callable[..., Any], position: Callable[[], Any], natives: Any) -> None:
        self.function = function
        self.position = position
        self.natives = natives
        self.forget()

    def forget(self) -> None:
        """Discard all patterns."""
        self.patterns: list[Any] = []
        self.first = None
        self.idle = self.wasted = self.dropped = 0
        self.reason = ""
        cached = self.natives is not None and keeps_results()
        self.cache = CallCache(self.natives[0]) if cached else None

    def unknown(self, tape: Tape, root: Tensor | None) -> None:
        """Create the nodes of a tape that no pattern matches, and read its pattern."""
        calls = tape.calls
        if root is None:
            root = only_result(calls)
        self.create_nodes(tape)
        self.wasted += 1
        if self.wasted > MOST_WASTED:
            self.idle = min(bit(min(self.wasted - MOST_WASTED + 2, 16)), LONGEST)
        if root is None:
            self.reason = "several results are in use when the function returns"
            return
        try:
            pattern = Reader(self.position, self.natives, calls).pattern(root)
        except Refusal as refusal:
            self.reason = str(refusal)
            return
        self.reason = ""
        prepare_prediction(pattern, self.natives)
        self.patterns = [pattern, *self.patterns][:MOST_PATTERNS]

    def expand(self, tape: Tape) -> None:
        """Create the ordinary nodes of a tape for which a single node stands."""
        if tape.passed is not None:
            stand_in(tape)
        node, pattern, edges = tape.segment_node, tape.pattern, tape.edges
        if node is None:
            return
        tape.segment_node = None
        if node.ordinary is None:
            expansion = Expansion(pattern.graph, node, 0)
            expansion.link()
            node.ordinary = expansion.nodes
        for edge, end, space in zip(edges, pattern.ends, pattern.spaces):
            if end is not None:
                lead(edge, node.ordinary[end[0]], end[1], space)


def only_result(calls: list[Any]) -> Tensor | None:
    """Return the only result of the calls on a tape that is in use elsewhere; None if there are none, or several."""
    by_arguments, by_views = held_by_arguments(calls), held_by_views(calls)
    results = recorded_results(calls)
    probe: Any = wrap_flagged(results[0]._array_, 0)
    holder = [probe]
    results.append(probe)
    del probe  # now it is held as often as a result that nothing else holds
    counts = []
    for result in results:
        counts.append(door.references(result) - by_arguments.get(id(result), 0) - by_views.get(id(result), 0))
    used = [result for result, count in zip(results[:-1], counts) if count > counts[-1]]
    del holder
    return used[0] if len(used) == 1 else None


def held_by_arguments(calls: list[Any]) -> dict[int, int]:
    """Return how often calls hold each tensor as an argument, by identity."""
    held: dict[int, int] = {}
    for _, args, _, _ in calls_in(calls):
        for value in tensors_in(args):
            held[id(value)] = held.get(id(value), 0) + 1
    return held


def held_by_views(calls: list[Any]) -> dict[int, int]:
    """Return how often results of calls hold each tensor as the base of a view, by identity."""
    held: dict[int, int] = {}
    for result in recorded_results(calls):
        if result._flags_ & flags.VIEW:
            base = result._meta_.view.base
            held[id(base)] = held.get(id(base), 0) + 1
    return held


def recorded_results(calls: list[Any]) -> list[Tensor]:
    """Return the results that lead to the tape, without further references to them."""
    results = []
    for _, _, result, edges in calls_in(calls):
        if isinstance(result, tuple):
            results += [part for part, edge in zip(result, edges) if edge is not None]
        else:
            results.append(result)
    return results


def tensors_in(values: Any) -> list[Tensor]:
    """Return the tensors among arguments, also in sequences."""
    tensors: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif isinstance(value, (tuple, list)):
            tensors += tensors_in(value)
    return tensors


def prepare_prediction(pattern: Pattern, natives: Any) -> None:
    """Let calls be predicted by a pattern."""
    if natives is None:
        return
    count = len(pattern.guards)
    described = [description(expected, count) for expected in pattern.expected]
    for expected, known in zip(pattern.expected, described):
        expected.is_native = known is not None
        several = isinstance(expected.layout, tuple)
        expected.is_kept = not several and pattern.ends[expected.number] is not None
        expected.register = count + expected.number
        expected.is_short = has_defaults(expected)
    for expected, following in pairwise(pattern.expected):
        expected.following = following
    pattern.first = pattern.expected[0]
    pattern.cached = [None] * len(pattern.ends)
    pattern.values = [None] * (count + len(pattern.ends))
    pattern.calls = natives[0](tuple(described), len(pattern.values))
    pattern.handle = handle_of(pattern.calls)


def has_defaults(expected: ExpectedCall) -> bool:
    """Return whether a call has two arguments and defaults, and saves no copies of inputs."""
    rest = expected.constants[2:]
    if len(expected.places) < 2 or expected.tail is not None or any(place != CONSTANT for place in expected.places[2:]):
        return False
    return are_identical(rest, expected.op.after2)


def description(expected: ExpectedCall, count: int) -> Any:
    """Return the description of a call for the native loop, see `native_calls`; None if it runs as usual.

    Args:
        expected: the call.
        count: the number of external tensors, whose arrays precede those of the results.
    """
    op, layout = expected.op, expected.layout
    if not is_native(op.native) or op.view or op.random or len(expected.places) > MOST_ARGUMENTS:
        return None
    if expected.shares or layout.size * layout.itemsize >= SMALL:
        return None
    places, constants = in_registers(expected.places, expected.constants, count)
    return RETURNS, op.native, places, constants, False, (count + expected.number,), (layout,), (-1,), (), None


def in_registers(places: tuple[int, ...], constants: tuple[Any, ...], count: int) -> tuple[Any, Any]:
    """Return places and constants with the numbers of registers."""
    numbers, values = [], []
    for place, value in zip(places, constants):
        numbers.append(place if place >= CONSTANT else -2 if place == NESTED else count + FIRST - place)
        values.append(in_registers(value[0], value[1], count) if place == NESTED else value)
    return tuple(numbers), tuple(values)


class Reader:
    """Reading of one pattern.

    Args:
        position, natives: as in `Following`.
        calls: the calls of a tape, whose nodes exist and still have all that they saved.
    """

    def __init__(self, position: Callable[[], Any], natives: Any, calls: list[Any]) -> None:
        self.calls = calls
        self.edges: list[Any] = all_edges(calls)
        self.recorder = Recorder(position(), natives)
        self.recorder.born = next_serial()
        self.places: dict[int, int] = {}
        self.tensors: list[Tensor] = []
        self.registers: dict[int, list[int]] = {}
        self.results = 0
        self.equal: dict[Any, Any] = {}

    def pattern(self, root: Tensor) -> Pattern:
        """Return the pattern.

        Raises:
            Refusal: if one node cannot stand for the calls.
        """
        pattern = Pattern()
        nodes = [node_at(edge) for edge in self.edges]
        recorded = [node for node in nodes if node is not None]
        self.recorder.sequence = min(node.sequence_number for node in recorded)
        self.read_calls(pattern)
        pattern.guards = [guard_of(tensor) for tensor in self.tensors]
        pattern.words = np.array([guard.word for guard in pattern.guards], np.int32).tobytes()
        pattern.required = tuple([at for at, tensor in enumerate(self.tensors) if tensor.requires_grad])
        externals = [tensor for tensor, _ in self.recorder.externals]
        graph = graph_of(self.recorder, [(Output(), root)], {id(root._storage_): 0})
        if graph is None or len(graph.segments) != 1 or graph.segments[0].recipe is not None:
            raise Refusal("the calls have one node, or several parts")
        if len(self.recorder.externals) != len(externals):
            raise Refusal("a leaf is not an argument of a recorded call")
        graph.count = len(set(map(id, recorded)))
        prepare(graph)
        steps = {step.offset: number for number, step in enumerate(graph.steps)}
        pattern.graph = graph
        pattern.ends = tuple([self.end(edge, steps) for edge in self.edges])
        pattern.spaces = tuple([None if edge is None else self.space(edge) for edge in self.edges])
        pattern.unused = tuple(self.unused(pattern.ends))
        pattern.root = next(at for at, edge in enumerate(self.edges) if edge is root._edge_)
        pattern.kept = tuple([self.registers[register][0] for register in graph.segments[0].registers])
        pattern.same = tuple(self.same(graph.segments[0].registers))
        pattern.matches = pattern.failures = 0
        pattern.cached = pattern.next = pattern.order = None
        pattern.is_busy = False
        self.recorder.release()
        return pattern

    def space(self, edge: Edge) -> tuple[Any, Any]:
        """Return the shape and the dtype of a gradient; equal ones are one object, as other parts of a pattern are."""
        space = edge.shape, edge.dtype
        return self.equal.setdefault(space, space)

    def read_calls(self, pattern: Pattern) -> None:
        """Read the calls of a pattern.

        Raises:
            Refusal: if results of a call may differ in shape.
        """
        pattern.expected = []
        for op, args, results, edge in calls_in(self.calls):
            places, constants = self.arguments(args)
            constants = self.equal.setdefault(flattened(constants, []), constants)
            number = self.results
            several = isinstance(results, tuple)
            for result in results if several else (results,):
                self.note_result(result)
            layouts = tuple([layout_of(result._array_) for result in (results if several else (results,))])
            expected = ExpectedCall(op, places, constants, layouts if several else layouts[0], number)
            expected.outside = self.equal.setdefault(expected.outside, expected.outside)
            expected.tail = None if several else tail_plan(edge.node)
            expected.shares = several or not results._array_.flags.owndata
            pattern.expected.append(expected)

    def arguments(self, args: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        """Return the places of some arguments, and the constants among them."""
        places: list[int] = []
        constants: list[Any] = []
        for value in args:
            if isinstance(value, Tensor):
                places.append(self.place(value))
                constants.append(None)
            elif isinstance(value, (tuple, list)) and any(isinstance(element, Tensor) for element in value):
                places.append(NESTED)
                constants.append((*self.arguments(value), type(value)))
            else:
                places.append(CONSTANT)
                constants.append(list(value) if type(value) is list else value)  # a program may change its own
        return tuple(places), tuple(constants)

    def place(self, tensor: Tensor) -> int:
        """Return the place of a tensor.

        Raises:
            Refusal: if it cannot be an external tensor.
        """
        place = self.places.get(id(tensor))
        if place is None:
            if not is_capturable(tensor):
                raise Refusal("a tensor is sparse, on another device, batched, dual or of a class of its own")
            register = self.recorder.external(tensor)
            place = self.places[id(tensor)] = self.recorder.of_external[id(tensor)]
            self.tensors.append(tensor)
            self.registers.setdefault(register, []).append(place)
        return place

    def note_result(self, tensor: Tensor) -> None:
        """Note the next result."""
        place = FIRST - self.results
        self.results += 1
        self.places[id(tensor)] = place
        register = self.recorder.result(tensor)
        self.registers.setdefault(register, []).append(place)

    def same(self, registers: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return pairs of places that share a register."""
        return [(self.registers[at][0], other) for at in registers for other in self.registers[at][1:]]

    def end(self, edge: Edge | None, steps: dict[int, int]) -> Any:
        """Return the end of a result's edge as (step, output number); None if the root does not depend on it."""
        number = None if edge is None else steps.get(edge.node.sequence_number - self.recorder.sequence)
        return None if number is None or edge is None else (number, edge.nr)

    def unused(self, ends: tuple[Any, ...]) -> list[tuple[int, int, int]]:
        """Return the recorded results that the root does not depend on, and how often calls and views hold each."""
        by_views = held_by_views(self.calls)
        by_calls = held_by_arguments(self.calls)
        results: list[Tensor] = []
        for _, _, result, _ in calls_in(self.calls):
            results += result if isinstance(result, tuple) else [result]
        alone = []
        for at, (result, edge, end) in enumerate(zip(results, self.edges, ends)):
            if edge is not None and end is None:
                views = by_views.get(id(result), 0)
                alone.append((at, 1 + by_calls.get(id(result), 0) + views, views))
        return alone


def tail_plan(node: OpNode) -> Plan | None:
    """Return the plan of a node if it has a place for a copy of an input, see `recorded.tail_of`."""
    return node.plan if sources.FROM_TAIL in node.plan.sources else None


def node_at(edge: Edge | None) -> Node | None:
    """Return the node of an edge."""
    return None if edge is None else edge.node

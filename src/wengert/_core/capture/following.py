"""Followed functions: Python code runs in each call, and backward passes through known calls run from lists.

Recorded calls are written to a tape (`tensor.tapes`) instead of creating nodes. When a backward pass begins, or the
function returns, the tape is compared with the patterns of earlier tapes. If one matches, a single node stands for all
calls, as for a replayed function (`segments`); otherwise the ordinary nodes are created.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door
from ..bits import bit
from ..calls import taped
from ..graph.node import Edge
from ..state.modes import Modes, acting, current
from ..tensor import slots, tapes
from ..tensor.base import Tensor
from ..tensor.slots import TapeOwner
from ..tensor.storage import Storage
from ..tensor.tapes import Tape, await_others, is_quiet, is_taped, lock, new_tape
from . import direct, list_passes, matching
from .caching import CallCache
from .matching import Match, Pattern, are_distinct, are_same, are_unused, array_at, fits, new_match
from .predicting import Prediction, predict
from .segments import CompiledFunctionBackward, Connections, Segment, add_outer, lead, new_segment_node

FAILURES = 3
"""Number of matches of a pattern after which results other than its root were in use: the pattern is then dropped."""

LONGEST = 1 << 16
"""Maximum number of calls that are not followed, until one is tried again."""


class Follower(TapeOwner):
    """A function whose calls are followed; a subclass reads patterns.

    Attributes:
        function: the function.
        patterns: the patterns, the latest first.
        idle: the number of calls that are not followed, since the tapes before matched no pattern.
        wasted: the number of tapes since the latest match.
        first: the pattern of the first tape of the latest call, or None.
        dropped: the number of patterns that were dropped.
        cache: the calls that are not recorded, or None.
    """

    function: Callable[..., Any]
    patterns: list[Any]
    idle: int
    wasted: int
    first: Any
    dropped: int
    cache: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call(self, args, kwargs)

    def conclude(self, modes: Modes) -> None:
        """Give the results of a call that has returned their history."""
        tape: Tape = modes.tape
        if is_empty(tape):
            return
        with lock():
            if not await_others(tape, modes) or not has_calls(tape):
                return
            try:
                tape.changer = modes
                if self.matched(tape, None) is None:
                    self.unknown(tape, None)
            finally:
                tape.changer = None

    def begin_pass(self, tape: Tape, outputs: tuple[Any, ...], inputs: Any, create_graph: bool) -> None:
        """Let a backward pass from some outputs find nodes, before it looks for them.

        Args:
            inputs: the tensors whose gradients are requested.
        """
        if is_empty(tape):
            return
        with lock():
            if not await_others(tape, tape.modes) or not has_calls(tape):
                return
            root: Any = single_root(tape, outputs)
            try:
                tape.changer = tape.modes
                if root is None or create_graph or not is_quiet(tape.modes) or are_taped(inputs):
                    self.create_nodes(tape)
                elif self.matched(tape, root) is None:
                    self.unknown(tape, root)
            finally:
                tape.changer = None

    def run_pass(self, tape: Tape, outputs: tuple[Any, ...], grad_outputs: Any, inputs: Any, accumulating: bool) -> Any:
        """Run a backward pass that frees the graph by a list alone, if that is possible.

        Args:
            grad_outputs: for each of `outputs` the gradient to start from, or None for none.
            inputs: the tensors whose gradients are requested.
            accumulating: the gradients of all leaves are added to their `.grad` instead.

        Returns:
            A gradient for each of `inputs`; None if the pass has not begun.
        """
        prediction: Prediction = tape.predicting
        if prediction is None or prediction.upcoming is not None or len(outputs) != 1 or tape.changer is not None:
            return None
        grad_output: Any = grad_outputs
        if isinstance(grad_outputs, (tuple, list)):
            if len(grad_outputs) != 1:
                return None
            grad_output = grad_outputs[0]
        pattern: Pattern = prediction.pattern
        match: Match = prediction.match
        order: Any = None
        grads: list[Any] = None
        try:  # without the lock, since there are no nodes of other tapes to create
            tape.changer = tape.modes
            if is_complete(prediction, outputs[0]) and is_quiet(tape.modes):
                order = None if accumulating else list_passes.order_of(pattern, match, inputs)
                if accumulating or order is not None:
                    grads = list_passes.gradients(pattern, match, grad_output)
            if grads is None or (order is not None and not list_passes.are_all(grads)):
                return None
            if tape.predicting is not prediction:  # a finaliser has looked at the graph
                return None
            pass_by(tape, prediction)
            self.note(pattern)
        finally:
            tape.changer = None
        if accumulating:
            list_passes.deliver(pattern, match.externals, grads, tape.modes)
            return ()
        return [grads[at] for at in order]

    def matched(self, tape: Tape, root: Any) -> Any:
        """Let one node stand for the calls on a tape if a pattern matches; return the root, or None.

        Args:
            root: the result from which gradients come; None for that of the pattern.
        """
        pattern: Pattern
        match: Match
        if tape.predicting is not None:
            match = as_predicted(tape, root)
            if match is not None:
                return match.results[self.note(tape.pattern)]
        for pattern in self.patterns:
            match = new_match(tape, len(pattern.guards))
            if not fits(pattern, match) or (root is not None and match.results[pattern.root] is not root):
                continue
            replace(pattern, match, all_edges(tape.calls))
            return match.results[self.note(pattern)]
        return None

    def note(self, pattern: Pattern) -> int:
        """Note that a pattern has matched; return the number of its root."""
        self.wasted = 0
        pattern.matches += 1
        if self.patterns[0] is not pattern:
            self.patterns = [pattern, *[other for other in self.patterns if other is not pattern]]
        return pattern.root

    def fail(self, pattern: Pattern) -> None:
        """Note that more results than the root were in use after a match; drop a pattern for which that is usual."""
        pattern.failures += 1
        if pattern.failures == FAILURES:
            self.patterns = [other for other in self.patterns if other is not pattern]
            if self.first is pattern:
                self.first = None
            self.dropped += 1
            self.idle = min(bit(min(2 * self.dropped + 2, 16)), LONGEST)

    def unknown(self, tape: Tape, root: Any) -> None:
        """Create the nodes of a tape that no pattern matches."""
        raise NotImplementedError

    def settle(self, tape: Any) -> None:
        """Create the ordinary nodes of a tape, and of those before it in the same call of the function.

        Nothing happens if a handler or a finaliser runs in the middle of a change of the tape, which its thread makes.
        """
        own: Tape = tape
        modes: Modes = acting()
        if own.changer is modes or (not has_ended(own) and own.earlier is None and is_empty(own)):
            return
        with lock():
            if not await_others(own, modes):
                return
            try:
                own.changer = modes
                self.create_nodes(own)
            finally:
                own.changer = None

    def create_nodes(self, tape: Tape) -> None:
        """Run `settle` while the lock is held and the tape is marked."""
        earlier: Tape = tape
        while earlier is not None:
            self.expand(earlier)
            earlier = earlier.earlier
        taped.create_nodes(tape)

    def settle_changed(self, tape: Any) -> None:
        """Create the ordinary nodes of a tape, before a tensor changes that its calls may have used.

        A node that stands for calls has what they have used, and a pass over it may be under way.
        """
        if has_calls(tape):
            self.settle(tape)

    def settle_written(self, tape: Any, storage: Any) -> None:
        """Create the ordinary nodes of a tape if a tensor on it is on a storage."""
        own: Tape = tape
        if has_calls(own):
            if taped.uses(own, storage):
                self.settle(own)
        elif own.segment_node is not None and self.keeps(own, storage):
            if own.modes is acting() or own.modes.passing is None:
                self.settle(own)

    def expand(self, tape: Tape) -> None:
        """Create the ordinary nodes of a tape for which a single node stands."""
        raise NotImplementedError

    def keeps(self, tape: Tape, storage: Storage) -> bool:
        """Return whether the node of a tape keeps memory of a storage, for another backward pass."""
        node: CompiledFunctionBackward = tape.segment_node
        kept: list[Any] = None if node is None else node.kept  # another thread may free both
        if kept is None:
            return False
        owner: Any = owner_of(storage.array)
        for array in kept:
            if owner_of(array) is owner:
                return True
        return False


def call(owner: Follower, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that is followed."""
    modes: Modes = current()
    if modes.tape is not None or modes.cache is not None or not is_quiet(modes):
        return owner.function(*args, **kwargs)
    cache: CallCache = owner.cache
    if cache is None or cache.is_busy:
        return call_on_tape(owner, args, kwargs, modes)
    return call_with_cache(owner, args, kwargs, modes, cache)


def call_with_cache(
    owner: Follower, args: tuple[Any, ...], kwargs: dict[str, Any], modes: Modes, cache: CallCache
) -> Any:
    """Call a function whose calls that are not recorded are cached."""
    try:
        cache.begin()
        slots.open_cache(cache)
        modes.cache = cache
        return call_on_tape(owner, args, kwargs, modes)
    finally:
        modes.cache = None
        cache.is_busy = False
        slots.close_cache(cache)


def call_on_tape(owner: Follower, args: tuple[Any, ...], kwargs: dict[str, Any], modes: Modes) -> Any:
    """Call a function whose recorded calls are written to a tape."""
    if not modes.grad:
        return owner.function(*args, **kwargs)
    if owner.idle > 0:
        owner.idle -= 1
        return owner.function(*args, **kwargs)
    first: Tape = new_tape(modes, owner)
    predict(first, owner.first)
    try:
        modes.tape = first
        slots.open_tape(first)
        result: Any = owner.function(*args, **kwargs)
        owner.conclude(modes)
    finally:
        try:
            close(modes)
        except BaseException:  # an interrupt as it began: once more
            close(modes)
            raise
    return result


def owner_of(array: Any) -> Any:
    """Return the array that owns the memory of an array, or wraps foreign memory."""
    while door.is_ndarray(door.base_of(array)):
        array = door.base_of(array)
    return array


def close(modes: Modes) -> None:
    """End the following of a call in a thread; nothing happens if that has ended."""
    if not cython.compiled or is_in_use(modes.tape):
        with lock():
            try:
                give_up_all(modes)
            finally:
                discard_all(modes)
    else:
        discard_all(modes)


def is_in_use(tape: Tape) -> bool:
    """Return whether a tape has calls, or results of it or of those before are in use, or nodes of one are created."""
    while tape is not None:
        if not is_empty(tape) or is_used(tape) or (tape.passed is not None and is_root_used(tape)):
            return True
        tape = tape.earlier
    return False


def give_up_all(modes: Modes) -> None:
    """Create the nodes of a thread's tapes that are in use."""
    tape: Tape = modes.tape
    if tape is not None and has_calls(tape):  # the call has raised an error
        tape.follower.settle(tape)
    while tape is not None:
        await_others(tape, modes)
        tape.changer = modes
        if has_ended(tape):
            give_up(tape)
        tape = tape.earlier


def discard_all(modes: Modes) -> None:
    """Release what the tapes of a thread hold; it has none after that."""
    tape: Tape = modes.tape
    while tape is not None:
        discard(tape)
        modes.tape = tape.earlier
        tape.earlier = None
        tape = modes.tape


def discard(tape: Tape) -> None:
    """Release what a tape holds: edges lead to it, also those of tensors that a pattern keeps."""
    slots.close_tape(tape)
    if tape.predicting is not None:
        tape.predicting.end()
    tape.calls = []
    tape.edges = tape.pattern = tape.segment_node = tape.passed = tape.follower = tape.changer = None


def has_ended(tape: Tape) -> bool:
    """Return whether a node stands for the calls on a tape, or a pass has run over them without one."""
    return tape.segment_node is not None or tape.passed is not None


def is_empty(tape: Tape) -> bool:
    """Return whether a tape has no calls without nodes, and nothing creates nodes of it."""
    return not has_calls(tape) and tape.changer is None  # in this order: another thread may begin and end


def has_calls(tape: Tape) -> bool:
    """Return whether a tape has calls without nodes."""
    prediction: Prediction = tape.predicting
    return len(tape.calls) > 0 or (prediction is not None and prediction.position > 0)


def as_predicted(tape: Tape, root: Any) -> Any:
    """Let one node stand for the calls on a tape if all were predicted; return the match, or None.

    Args:
        root: the result from which gradients come; None for that of the pattern.
    """
    prediction: Prediction = tape.predicting
    pattern: Pattern = prediction.pattern
    match: Match = prediction.match
    if is_complete(prediction, root):
        prediction.leave()
        prediction.release(pattern.root)  # its edge will lead to the graph
        replace(pattern, match, direct.edges_of(match.results))
        return match
    prediction.end()
    return None


def is_complete(prediction: Prediction, root: Any) -> bool:
    """Return whether all calls of a pattern were predicted, and their tensors share memory, and are in use, as there.

    Args:
        root: the result from which gradients come; None for that of the pattern.
    """
    pattern: Pattern = prediction.pattern
    match: Match = prediction.match
    if prediction.upcoming is not None or (root is not None and match.results[pattern.root] is not root):
        return False
    return are_distinct(pattern, match) and are_same(pattern, match) and are_unused(pattern, match, True)


def give_up(tape: Tape) -> None:
    """Create ordinary nodes for results of a tape that are in use, except for the root: its edge leads to a node."""
    pattern: Pattern = tape.pattern
    if tape.passed is not None and is_root_used(tape):
        stand_in(tape)
    if is_used(tape):
        tape.follower.expand(tape)
        tape.follower.fail(pattern)


def is_used(tape: Tape) -> bool:
    """Return whether a result of a tape, other than the root, is in use elsewhere."""
    if not has_ended(tape):
        return False
    pattern: Pattern = tape.pattern
    edges: list[Any] = tape.edges
    edge: Edge
    if pattern.cached is not None:  # results are kept for the next round, perhaps by a program as well
        return direct.are_held(edges, pattern.cached, pattern.root)
    for at in range(len(edges)):
        if edges[at] is not None and at != pattern.root:
            edge = edges[at]
            if door.references(edge) > matching.HOLDERS:
                return True
    return False


def is_root_used(tape: Tape) -> bool:
    """Return whether the root of a tape over which a pass has run without a node is in use elsewhere."""
    pattern: Pattern = tape.pattern
    return direct.is_held(tape.edges, pattern.cached, pattern.root)


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


# ---- nodes -----------------------------------------------------------------------------------------------------------


def replace(pattern: Pattern, match: Match, all_of_tape: list[Any]) -> None:
    """Let one node stand for all calls on a tape, and begin another tape.

    Args:
        all_of_tape: the edges of all results.
    """
    tape: Tape = match.tape
    modes: Modes = tape.modes
    graph: Connections = pattern.graph
    segment: Segment = graph.segments[0]
    root: Tensor = match.results[pattern.root]
    edges: list[Any] = []
    unlike: bool = add_outer(graph, match.externals, edges)
    kept: list[Any] = []
    for place in pattern.kept:
        kept.append(array_at(place, match))
    node: CompiledFunctionBackward = new_segment_node(segment, kept, edges, modes.sequence)
    node.unlike, node.followed = unlike, True
    modes.sequence += graph.count
    add_stores(node, graph, match.externals, root)
    node.results = [door.weak(root)]
    following: Tape = new_following(tape, pattern)
    tape.edges = all_of_tape
    tape.pattern, tape.segment_node, tape.calls = pattern, node, []
    output: tuple[Any, ...] = segment.outputs[0]
    lead(root._edge_, node, 0, (output[2], output[3]))
    modes.tape = following
    slots.open_tape(following)


def pass_by(tape: Tape, prediction: Prediction) -> None:
    """End a tape over which a pass runs without a node, and begin another tape."""
    pattern: Pattern = prediction.pattern
    match: Match = prediction.match
    modes: Modes = tape.modes
    edges: list[Any] = direct.edges_of(match.results)
    tape.predicting = None
    tape.pattern, tape.passed, tape.edges = pattern, match.externals, edges
    prediction.leave()  # now that a finaliser finds what stands for the calls
    tape.sequence_number = modes.sequence
    modes.sequence += pattern.graph.count
    following: Tape = new_following(tape, pattern)
    modes.tape = following
    slots.open_tape(following)


def stand_in(tape: Tape) -> None:
    """Create the node that stands for calls over which a pass has run without it; it has been freed."""
    pattern: Pattern = tape.pattern
    graph: Connections = pattern.graph
    segment: Segment = graph.segments[0]
    edges: list[Any] = []
    unlike: bool = add_outer(graph, tape.passed, edges)
    node: CompiledFunctionBackward = new_segment_node(segment, [], edges, tape.sequence_number)
    node.unlike, node.followed = unlike, True
    node.freed = segment.frees
    node.kept = node.stores = None
    node.versions, node.results = [], []
    tape.segment_node, tape.passed = node, None
    pattern.cached[pattern.root] = None
    output: tuple[Any, ...] = segment.outputs[0]
    lead(tape.edges[pattern.root], node, 0, (output[2], output[3]))


def new_following(tape: Tape, pattern: Pattern) -> Tape:
    """Return the tape after one that matches a pattern, with a prediction; the one before is discarded if unused."""
    following: Tape = new_tape(tape.modes, tape.follower)
    following.earlier = tape
    earlier: Tape = tape.earlier
    if earlier is not None:
        if earlier.passed is not None and is_root_used(earlier):
            stand_in(earlier)
        if not is_used(earlier):
            tape.earlier = earlier.earlier
            earlier.earlier = None
            discard(earlier)
    begin_next(tape, pattern, following)
    return following


def begin_next(tape: Tape, pattern: Pattern, following: Tape) -> None:
    """Note which pattern a tape has matched, and predict the tape after it."""
    before: Tape = tape.earlier
    follower: Follower = tape.follower
    if before is None:
        follower.first = pattern
    elif before.pattern is not None:
        other: Pattern = before.pattern
        other.next = pattern
    predict(following, pattern.next)


def add_stores(node: CompiledFunctionBackward, graph: Connections, externals: list[Any], root: Tensor) -> None:
    """Set the storages that a program can write to, and their versions."""
    stores: list[Any] = []
    versions: list[Any] = []
    tensor: Tensor
    storage: Storage
    for at in range(len(graph.stores)):
        place: tuple[Any, ...] = graph.stores[at]
        storage = None
        if place[0] >= 0:
            tensor = externals[place[0]]
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

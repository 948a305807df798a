"""Nodes of the ordinary graph that stand for the recorded part of a replayed function.

A segment is a part of the graph that the recorded call built. Its node keeps the registers that nodes of the part had
saved. A gradient runs the segment's list for gradients of that kind; without one, the ordinary nodes are built anew
(`expanding`) and the engine runs them (`passes`).
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import bits, door, flags
from ..aliasing import views
from ..backward.task import Task, Tasks
from ..graph.node import Edge, Node, new_edge, set_up
from ..leaves.accumulate import gradient_edge
from ..state.modes import Modes, Pass, current
from ..tensor.base import Tensor, share, wrap
from ..tensor.storage import Storage
from .lists import copy_of, run
from .outputs import build
from .signatures import holds
from .single import OLD, old_storage, ordinary_node

NOTHING = -1
"""In the place of bits of steps: the node was reached, but no gradient has arrived."""


class BackwardList:
    """A list that computes the gradients of a segment's inputs.

    Attributes:
        entries, calls, count, result: as in `Captured`; the result is a list with one gradient for each edge.
        foreign: the edges whose gradients use memory that other gradients use, too: the engine may not write there.
        wanted: bits of the edges that the pass needs a gradient for.
        arrived: bits of the shared destinations to which other nodes have delivered gradients before.
        layouts: for each output an array with the layout of its gradient, or None.
        grads: for each output the register of its gradient, -1 for none.
        fills: (number among the saved arrays, register).
        owners: for each external tensor of the recording: the number of the output whose gradient it is; -2 - n for
            saved array n; -1 for another tensor.
        used: the external tensors that results are, or share memory with.
        held: (external tensor, tensor, guard) of the tensors that are neither.
        steps: bits of the steps that run.
        replays: the number of passes that it matched.
        ends: for each source of the graph the edge over which its gradient arrives, or None, see `list_passes`.
    """

    entries: Any
    calls: Any
    count: int
    result: Any
    foreign: tuple[int, ...]
    wanted: int
    arrived: int
    layouts: tuple[Any, ...]
    grads: tuple[int, ...]
    fills: tuple[tuple[int, int], ...]
    owners: tuple[int, ...]
    used: tuple[int, ...]
    held: tuple[Any, ...]
    steps: Any
    replays: int
    ends: Any

    __slots__ = (
        "arrived",
        "calls",
        "count",
        "ends",
        "entries",
        "fills",
        "foreign",
        "grads",
        "held",
        "layouts",
        "owners",
        "replays",
        "result",
        "steps",
        "used",
        "wanted",
    )


class Segment:
    """A part of a recorded graph for which a replay creates one node.

    Attributes:
        steps: the numbers of its steps, the newest first.
        live: those of them that gradients reach; graphs of higher order may reach the others, too.
        outputs: (step, output number, shape, dtype) of its outputs.
        origins: for each output the name of its step, and its number there.
        arrivals: for each edge of the node (step, slot, place among `reads`), in the order in which the ordinary nodes
            deliver the gradients.
        shared: (place among `reads`, the edges that lead there) for destinations of several edges.
        parts: places among `reads` to which the gradient of a part leads, which the engine adds to that of the whole.
        reads: the edges from outside that it uses: numbers of external edges, then of outputs of older segments.
        registers: the registers that it saves.
        checks: the numbers of the storages whose versions must be those of the call.
        inputs: (number among the saved arrays, place among `reads`) of saved tensors from outside.
        offset: the number of its newest step in the order of creation.
        frees: bits of the steps that free saved values.
        lists: the backward lists.
        passes: runs passes that no list is for.
        ordinary: ordinary nodes are built in each pass, since no list can stand for them.
        takes_nothing: a step runs even if no gradient arrives.
        recipe: of a single step whose ordinary node a replay creates; None for other segments.
    """

    steps: tuple[int, ...]
    live: tuple[int, ...]
    outputs: tuple[Any, ...]
    origins: tuple[Any, ...]
    arrivals: tuple[Any, ...]
    shared: tuple[Any, ...]
    parts: tuple[int, ...]
    reads: tuple[int, ...]
    registers: tuple[int, ...]
    checks: tuple[int, ...]
    inputs: tuple[Any, ...]
    offset: int
    frees: Any
    lists: list[Any]
    passes: Any
    ordinary: bool
    takes_nothing: bool
    recipe: Any

    __slots__ = (
        "arrivals",
        "checks",
        "frees",
        "inputs",
        "lists",
        "live",
        "offset",
        "ordinary",
        "origins",
        "outputs",
        "parts",
        "passes",
        "reads",
        "recipe",
        "registers",
        "shared",
        "steps",
        "takes_nothing",
    )


@cython.no_gc
@cython.cclass
class CompiledFunctionBackward(Node):
    """Node of a segment of a replayed function.

    Attributes:
        segment: the segment.
        kept: the arrays of its registers, None once all were freed.
        stores: the storages of the recorded graph, None where a replay needs none.
        versions: the versions that they had at the end of the call.
        outer: the edges at `segment.reads`.
        first: the sequence number of the first step of the call.
        unlike: an edge from outside has another dtype than in the recording, so that no list fits.
        freed: bits of the steps whose saved values were freed.
        ran: bits of the steps that the latest pass has run; NOTHING if no gradient has arrived in it.
        expanded: the ordinary nodes of the latest pass, if it was recorded: a release that follows frees them, too.
        results: weak references to the results of the call.
        reported: an error that a pass over ordinary nodes has reported (`anomaly.report`).
        followed: it stands for calls of a followed function: programs that look at it see the ordinary nodes.
        ordinary: the ordinary nodes that a program has seen, by the numbers of their steps; None before.
    """

    segment: Segment
    kept: list[Any]
    stores: list[Any]
    versions: list[int]
    outer: tuple[Any, ...]
    first: int
    unlike: bool
    freed: Any
    ran: Any
    expanded: list[Any]
    reported: Any
    results: list[Any]
    followed: bool
    ordinary: Any

    __slots__ = (
        "expanded",
        "first",
        "followed",
        "freed",
        "kept",
        "ordinary",
        "outer",
        "ran",
        "reported",
        "results",
        "segment",
        "stores",
        "unlike",
        "versions",
    )

    def takes_nothing(self) -> bool:
        return self.segment.takes_nothing

    def output_origin(self, nr: int) -> tuple[str, int]:
        return self.segment.origins[nr]

    def show(self, edge: Edge) -> None:
        if self.followed:
            self.segment.passes.show(self, edge)

    def release(self) -> None:
        self.freed |= self.segment.frees if self.ran == NOTHING else self.ran
        self.ran = NOTHING
        if self.expanded is not None:
            for node in self.expanded:
                free(node)
            self.expanded = None
        if self.ordinary is not None:
            for node in self.ordinary.values():
                free(node)
        if self.freed & self.segment.frees == self.segment.frees:
            self.kept = self.stores = None

    def apply(self, grads: list[Any]) -> Any:
        return apply(self, grads)


def apply(node: CompiledFunctionBackward, grads: list[Any]) -> Any:
    """Return the gradients of a segment's inputs, by a list if there is one for gradients of this kind."""
    modes: Modes = current()
    segment: Segment = node.segment
    node.expanded = None
    wanted: int = wanted_of(node, modes)
    if len(segment.parts) > 0 and not modes.grad and meets_parts(node, modes):
        return segment.passes.expanded(node, grads, wanted)
    arrived: int = arrived_at(node, modes)
    if not is_usual(node, grads, modes):
        return segment.passes.expanded(node, grads, wanted)
    known: BackwardList
    for known in segment.lists:
        if known.wanted == wanted and known.arrived == arrived and fits(known, grads):
            if known.steps & node.freed != 0:
                break
            known.replays += 1
            if known.replays & (known.replays - 1) == 0:  # 1, 2, 4, 8, ...
                return segment.passes.verified(node, grads, wanted, arrived, known)
            result: Any = run_list(node, known, grads)
            if result is not None:
                node.ran = known.steps
                return result
    return segment.passes.unknown(node, grads, wanted, arrived)


def replace(node: CompiledFunctionBackward, ends: list[Edge]) -> None:
    """Let the edges to a node, as far as they are known, lead to ordinary nodes, for all later passes.

    Hooks of results go there, too.

    Args:
        ends: for each output the edge to its ordinary node.
    """
    passing: Pass = current().passing
    edge: Edge
    for reference in node.results:
        tensor: Any = door.referent(reference)
        if tensor is not None:
            redirect(tensor._edge_, node, ends)
    other: Node
    for other in passing.tasks:
        for edge in edges_of(other):
            redirect(edge, node, ends)
    if node.node_hooks is not None:
        for nr in range(len(ends)):
            edge = ends[nr]
            for before, after in (
                (node.node_hooks.tensor, edge.node.own_hooks().tensor),
                (node.node_hooks.retain, edge.node.own_hooks().retain),
            ):
                if nr in before:
                    after[edge.nr] = before.pop(nr)


def edges_of(node: Node) -> tuple[Any, ...]:
    """Return the edges of a node, also those of the tensors that it has saved if it is one of these nodes."""
    if isinstance(node, CompiledFunctionBackward):
        segment_node: CompiledFunctionBackward = node
        return segment_node.outer
    return node.next_edges


def redirect(edge: Edge | None, node: CompiledFunctionBackward, ends: list[Edge]) -> None:
    """Let an edge to a node lead to an ordinary node."""
    if edge is not None and edge.node is node:
        end: Edge = ends[edge.nr]
        edge.node = end.node
        edge.nr = end.nr


def lead(edge: Edge, node: Node, nr: int, space: tuple[Any, Any]) -> None:
    """Let an edge lead to output `nr` of a node; `space` is the shape and the dtype of its gradient."""
    edge.nr = nr
    edge.shape = space[0]
    edge.dtype = space[1]
    edge.node = node


def free(node: Node) -> None:
    """Free the saved values of a node."""
    node.release()


@cython.no_gc
@cython.cclass
class Root(Node):
    """The newest node of a pass within a node: it returns the gradients that have arrived there.

    Attributes:
        grads: the gradients.
        copied: those of which it returns copies, which the engine may write to.
    """

    grads: list[Any]
    copied: list[int]

    __slots__ = ("copied", "grads")

    def apply(self, grads: list[Any]) -> Any:
        outgoing: list[Any] = list(self.grads)
        for at in self.copied:
            outgoing[at] = copy_of_grad(outgoing[at])
        return outgoing


def copy_of_grad(grad: Tensor) -> Tensor:
    """Return a copy of a gradient."""
    return wrap(copy_of(grad._array_))


@cython.no_gc
@cython.cclass
class Gate(Node):
    """The end of such a pass: it keeps the gradient that arrives.

    Attributes:
        grad: the gradient, or None.
        owned: nothing else uses its memory.
    """

    grad: Any
    owned: bool

    __slots__ = ("grad", "owned")

    def consume(self, grad: Any, owned: bool) -> Any:
        self.grad = grad
        self.owned = owned
        return (None,) * len(self.next_edges)


def wanted_of(node: Node, modes: Modes) -> int:
    """Return bits of the edges of a node that the pass which runs it needs, of the first `bits.MOST`."""
    count: int = len(node.next_edges)
    every: int = bits.all_below(count)
    passing: Pass = modes.passing
    if passing is None or passing.sparing is not node:
        return every
    return every & ~passing.spared


def arrived_at(node: CompiledFunctionBackward, modes: Modes) -> int:
    """Return bits of the shared destinations at which gradients have arrived before the node runs."""
    segment: Segment = node.segment
    passing: Pass = modes.passing
    if len(segment.shared) == 0 or passing is None or not isinstance(passing.tasks, Tasks):
        return 0
    word: int = 0
    edge: Edge
    for at in range(min(len(segment.shared), bits.MOST)):
        edge = node.outer[segment.shared[at][0]]
        if has_arrived(passing.tasks, edge):
            word |= bits.bit(at)
    return word


def meets_parts(node: CompiledFunctionBackward, modes: Modes) -> bool:
    """Return whether the gradient of a part will be added to a gradient that has arrived before the node runs."""
    passing: Pass = modes.passing
    if passing is None or not isinstance(passing.tasks, Tasks):
        return False
    edge: Edge
    for place in node.segment.parts:
        edge = node.outer[place]
        if has_arrived(passing.tasks, edge):
            return True
    return False


def has_arrived(tasks: Tasks, edge: Edge) -> bool:
    """Return whether a gradient waits at the end of an edge."""
    task: Task = tasks.find(edge.node)
    if task is None:
        return False
    return (task.grad if task.grads is None else task.grads[edge.nr]) is not None


def is_usual(node: CompiledFunctionBackward, grads: list[Any], modes: Modes) -> bool:
    """Return whether a list may run: nothing is recorded or watched, and all values are those of the call."""
    segment: Segment = node.segment
    if segment.ordinary or node.unlike or node.kept is None or modes.passing is None:
        return False
    if modes.grad or modes.word or modes.noting or modes.anomaly or modes.inference or modes.log is not None:
        return False
    grad: Tensor
    for at in range(len(grads)):
        if grads[at] is not None:
            grad = grads[at]
            if grad._flags_ & ~flags.HISTORY or not door.is_ndarray(grad._array_):
                return False
    return is_unchanged(node, segment)


def is_unchanged(node: CompiledFunctionBackward, segment: Segment) -> bool:
    """Return whether no saved memory was written to, or replaced, since the call."""
    kept: list[Any] = node.kept
    stores: list[Any] = node.stores
    if kept is None or stores is None:  # another thread has freed the graph since
        return False
    storage: Storage
    edge: Edge
    leaf: Tensor
    number: int
    for at in range(len(segment.checks)):
        number = segment.checks[at]
        storage = stores[number]
        if storage.version != node.versions[number] or storage.detached > node.first:
            return False
    for number, place in segment.inputs:
        edge = node.outer[place]
        leaf = edge.leaf
        if leaf is not None and (leaf._edge_ is not None or leaf._array_ is not kept[number]):
            return False
    return True


def fits(known: BackwardList, grads: list[Any]) -> bool:
    """Return whether a list is for gradients of these layouts."""
    grad: Tensor
    for at in range(len(grads)):
        layout: Any = known.layouts[at]
        if (grads[at] is None) != (layout is None):
            return False
        if layout is not None:
            grad = grads[at]
            if not door.share_space(grad._array_, layout) or not door.is_laid_like(grad._array_, layout):
                return False
    for held in known.held:
        if not holds(held[2], held[1]):
            return False
    return True


def run_list(node: CompiledFunctionBackward, known: BackwardList, grads: list[Any]) -> Any:
    """Run a backward list; return one gradient for each edge, or None if it stopped, which has no effect."""
    kept: list[Any] = node.kept
    if kept is None:  # another thread has freed the graph since
        return None
    values: list[Any] = [None] * known.count
    owners: list[Any] = [None] * len(known.owners)
    grad: Tensor
    number: int
    register: int
    for number, register in known.fills:
        values[register] = kept[number]
    for at in range(len(grads)):
        register = known.grads[at]
        if register >= 0:
            grad = grads[at]
            values[register] = grad._array_
    for held in known.held:
        grad = held[1]
        owners[held[0]] = grad
        values[held[3]] = grad._array_
    for at in known.used:
        number = known.owners[at]
        if number >= 0:
            owners[at] = grads[number]
        elif number < -1:
            owners[at] = saved_tensor(kept[-2 - number])
    built: dict[int, Any] = {}
    storages: dict[int, Any] = {}
    if run(known.calls, values, owners, built, storages) >= 0:
        return None
    outgoing: list[Any] = build(known.result, values, owners, built, storages)
    for at in known.foreign:
        disown(outgoing[at])
    return outgoing


def disown(grad: Tensor) -> None:
    """Keep the engine from writing to the memory of a gradient."""
    storage: Storage = grad._storage_
    if storage.serial > OLD:
        storage.serial = OLD


def saved_tensor(array: Any) -> Tensor:
    """Return a tensor on the memory of a saved array, which is as old as the call."""
    return share(array, old_storage(array))


class Connections:
    """The recorded graph of a function, for replays.

    Attributes:
        sources: the numbers of the external tensors at which the graph ends.
        dtypes: the dtypes of the edges there.
        stores: for each storage (external tensor or -1, number among the storages of the results or -1).
        finals: the versions of the storages at the end of the recording.
        segments: the parts, the oldest first.
        results: (description, edge or -1, flags) of the results that require a gradient; the edges are numbered: those
            of external tensors, then the outputs of each segment.
        count: the number of nodes that the call creates eagerly.
        higher: gradients of higher order were computed through a result of a replay.
        steps: the steps, see `graphs`.
        position: the class that tells the position of the default generator.
        natives: as in `Recorder`.
    """

    sources: tuple[int, ...]
    dtypes: tuple[Any, ...]
    stores: tuple[Any, ...]
    finals: tuple[int, ...]
    segments: tuple[Any, ...]
    results: tuple[Any, ...]
    count: int
    higher: bool
    steps: tuple[Any, ...]
    position: Any
    natives: Any

    __slots__ = (
        "count",
        "dtypes",
        "finals",
        "higher",
        "natives",
        "position",
        "results",
        "segments",
        "sources",
        "steps",
        "stores",
    )


def connect(
    graph: Connections, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]
) -> None:
    """Give the results of a replay their history: one node for each segment.

    Args:
        graph: the recorded graph.
        values, owners, built, storages: as in `build`, which has run.
    """
    modes: Modes = current()
    first: int = modes.sequence
    modes.sequence = first + graph.count
    edges: list[Any] = []
    unlike: bool = add_outer(graph, owners, edges)
    stores: list[Any] = []
    versions: list[int] = []
    results: list[Any] = []
    storage: Storage
    for at in range(len(graph.stores)):
        storage = store_of(graph.stores[at], owners, storages)
        stores.append(storage)
        versions.append(graph.finals[at] if storage is None else storage.version)
    segment: Segment
    node: CompiledFunctionBackward
    for segment in graph.segments:
        if segment.recipe is not None:
            add_outputs(segment, ordinary_node(segment.recipe, values, edges, (stores, versions), first), edges)
            continue
        node = new_segment_node(segment, [values[register] for register in segment.registers], edges, first)
        node.unlike, node.stores, node.versions, node.results = unlike, stores, versions, results
        add_outputs(segment, node, edges)
    tensor: Tensor
    for output, number, word in graph.results:
        tensor = built[id(output)]
        if number >= 0:
            tensor._edge_ = edges[number]
            results.append(door.weak(tensor))
        tensor._flags_ = word


def new_segment_node(segment: Segment, kept: list[Any], edges: list[Any], first: int) -> CompiledFunctionBackward:
    """Return a new node of a segment; its storages, their versions, and the results are to be set.

    Args:
        kept: the arrays of its registers.
        edges: the edges that the call has so far.
        first: the sequence number of the first step of the call.
    """
    node: CompiledFunctionBackward = CompiledFunctionBackward.__new__(CompiledFunctionBackward)
    node.segment, node.first, node.kept = segment, first, kept
    node.unlike = node.followed = False
    node.freed, node.ran = 0, NOTHING
    node.expanded = node.reported = node.ordinary = None
    node.outer = tuple([edges[number] for number in segment.reads])
    arrivals = tuple([node.outer[arrival[2]] for arrival in segment.arrivals])
    set_up(node, arrivals, first + segment.offset, len(segment.outputs))
    node.trusted_gradients = True
    return node


def add_outer(graph: Connections, owners: list[Any], edges: list[Any]) -> bool:
    """Add the edges of the external tensors; return whether one has another dtype than in the recording."""
    unlike: bool = False
    tensor: Tensor
    edge: Edge
    for at in range(len(graph.sources)):
        tensor = owners[graph.sources[at]]
        if tensor._flags_ & flags.VIEW:
            views.refresh(tensor)
        edge = gradient_edge(tensor)
        edges.append(edge)
        if edge.dtype is not graph.dtypes[at] and edge.dtype != graph.dtypes[at]:
            unlike = True
    return unlike


def add_outputs(segment: Segment, node: Node, edges: list[Any]) -> None:
    """Add the edges of the outputs of a segment; of a single step they are those of its ordinary node."""
    for nr in range(len(segment.outputs)):
        output: tuple[Any, ...] = segment.outputs[nr]
        edges.append(new_edge(node, nr if segment.recipe is None else output[1], output[2], output[3]))


def store_of(place: tuple[int, int], owners: list[Any], storages: dict[int, Any]) -> Any:
    """Return a storage that the program may write to, or None."""
    if place[0] >= 0:
        owner: Tensor = owners[place[0]]
        return owner._storage_
    return storages.get(place[1]) if place[1] >= 0 else None

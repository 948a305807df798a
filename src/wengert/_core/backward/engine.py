"""The backward pass: count, sweep, project, accumulate, capture.

Runs in the calling thread, newer nodes first, so results are equal from run to run. Nothing here recurses over the
graph.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython  # type: ignore[no-redef]

from .. import door, errors, flags
from ..graph import anomaly, origins
from ..graph.node import Edge, Node, WideEdge, expandable, title
from ..leaves.accumulate import add_into, in_dtype
from ..operators.overlap import overlaps
from ..profiling import kinds
from ..profiling.events import Event, Log
from ..state.modes import Modes, Pass, current
from ..tensor import slots, tracing
from ..tensor.base import Tensor
from ..tensor.standins import plain
from ..tensor.storage import next_serial
from .ready import Ready, new_ready
from .reentrant import DEEPEST, in_thread
from .running import begin, profiled, step
from .task import Task, Tasks, is_own, new_tasks

NEVER = -1

FOUND, ENTERED, LEFT = 0, 1, 2
"""The stages of a task in the walk of `mark_wanted`."""


def count_uses(roots: list[Edge]) -> Tasks:
    """A task for every node that the roots lead to, with the number of edges into it."""
    tasks: Tasks = new_tasks()
    edge: Edge
    for edge in roots:
        if tasks.find(edge.node) is None:
            tasks.add(edge.node)
    at: int = 0
    while at < len(tasks.nodes):
        node: Node = tasks.nodes[at]
        at += 1
        for edge in node.next_edges:
            if edge is not None:
                task: Task = tasks.find(edge.node)
                if task is None:
                    task = tasks.add(edge.node)
                task.waiting += 1
    return tasks


def mark_wanted(tasks: Tasks, roots: list[Edge], captures: list[Edge], accumulating: bool) -> None:
    """Keep `wanted` and `runs` only for nodes that lead to a capture (a depth-first walk, children before parents).

    Where gradients are accumulated, the nodes at the captures run, too: their hooks belong to it.
    """
    task: Task
    node: Node
    edge: Edge
    for node in tasks.nodes:
        task = tasks.find(node)
        task.wanted = False
        task.runs = False
    for at in range(len(captures)):
        edge = captures[at]
        task = tasks.find(edge.node)
        if task is not None:
            task.wanted = True
            task.runs = accumulating
            if task.captures is None:
                task.captures = []
            task.captures.append((edge.nr, at))
    stack: list[Any] = [edge.node for edge in roots]
    while stack:
        node = stack[-1]
        task = tasks.find(node)
        if task.stage == FOUND:
            task.stage = ENTERED
            for edge in node.next_edges:
                if edge is not None and tasks.find(edge.node).stage == FOUND:
                    stack.append(edge.node)
        else:
            stack.pop()
            if task.stage == ENTERED:
                task.stage = LEFT
                mark_edges(node, task, tasks)


def mark_edges(node: Node, task: Task, tasks: Tasks) -> None:
    """A node runs if one of those behind it leads to a capture; the gradients of the others are spared."""
    edge: Edge
    for at in range(len(node.next_edges)):
        edge = node.next_edges[at]
        if edge is not None and tasks.find(edge.node).wanted:
            task.wanted = True
            task.runs = True
        elif at < MOST_SPARED:
            task.spared |= 1 << at


MOST_SPARED = 62
"""So many bits a C integer has to spare; of further inputs all gradients are computed."""


def run(
    roots: list[Edge],
    grads: list[Any],
    keep_graph: bool,
    create_graph: bool,
    captures: list[Edge] | None,
    accumulating: bool,
) -> list[Any]:
    """Sweep the graph from `roots`, whose gradients are `grads`.

    Args:
        keep_graph: keep saved tensors for another run.
        create_graph: record the run itself.
        captures: edges whose gradients are wanted; None for a run that fills the `.grad` of all leaves.
        accumulating: whether captured leaves get their `.grad` (backward(inputs=...)) rather than a place in the
            result.

    Returns:
        The gradients at `captures`, None where nothing arrived.
    """
    modes: Modes = current()
    if modes.depth >= DEEPEST:
        return in_thread(run, (roots, grads, keep_graph, create_graph, captures, accumulating))
    tasks: Tasks = count_uses(roots)
    if captures is not None:
        mark_wanted(tasks, roots, captures, accumulating)
    found: list[Any] = [None] * (0 if captures is None else len(captures))
    begun: Pass = modes.new_pass(tasks, captures is not None)
    swept: bool = False
    try:
        modes.passing = begun
        modes.depth += 1
        modes.set_grad(create_graph)
        sweep(tasks, roots, grads, keep_graph, create_graph, found, accumulating)
        swept = True
        begun.call_back()
    finally:  # interpreted, stores only, see `modes`
        if cython.compiled and not swept:
            tasks.end()
        modes.passing = begun.outer
        modes.depth = begun.depth
        modes.grad = begun.grad
        modes.mask = begun.mask
        modes.word = begun.word & ~flags.PROFILED | modes.profiled
        modes.fresh = begun.fresh
        modes.inference = begun.inference
        modes.observers = begun.observers
        modes.multithreading = begun.multithreading
        modes.saved_hooks = begun.saved_hooks
        modes.no_saved_hooks = begun.no_saved_hooks
    return found


def seed(tasks: Tasks, roots: list[Edge], grads: list[Any]) -> Ready:
    """Let the gradients arrive at the roots; the roots that wait for nothing more."""
    ready: Ready = new_ready()
    edge: Edge
    task: Task
    for at in range(len(roots)):
        edge = roots[at]
        arrive(tasks.find(edge.node), edge, project(grads[at], edge, edge.node, at), False)
    for edge in roots:
        task = tasks.find(edge.node)
        if task.waiting == 0:
            task.waiting = -1
            ready.push(edge.node)
    return ready


def sweep(
    tasks: Tasks,
    roots: list[Edge],
    grads: list[Any],
    keep_graph: bool,
    create_graph: bool,
    found: list[Any],
    accumulating: bool,
) -> None:
    """The loop of `run`."""
    ready: Ready = seed(tasks, roots, grads)
    task: Task
    node: Node
    modes: Modes = current()
    by: Any = None if modes.debug is None else tracing.begin_pass()
    try:
        while ready.newest is not None:
            node = ready.pop()
            task = tasks.take(node)
            log: Log = modes.profiling() if modes.word & flags.PROFILED else None
            if log is None:
                turn(node, task, tasks, ready, found, keep_graph, create_graph, accumulating, by, modes, log)
                continue
            event: Event = begin(log, kinds.EVALUATE, node, task)
            try:
                turn(node, task, tasks, ready, found, keep_graph, create_graph, accumulating, by, modes, log)
            finally:
                log.end(event, None)
    except Exception as error:
        anomaly.report(error, node)
        raise
    if by is not None:
        tracing.ended(found, by)


def turn(
    node: Node,
    task: Task,
    tasks: Tasks,
    ready: Ready,
    found: list[Any],
    keep_graph: bool,
    create_graph: bool,
    accumulating: bool,
    by: Any,
    modes: Modes,
    log: Log,
) -> None:
    """One turn of the loop: run a node, hand on what it returns.

    Args:
        by: the origin of the pass, for `set_debug`, or None.
    """
    plain: bool = node.trusted_gradients and node.node_hooks is None and not create_graph
    born: int = next_serial() if plain else NEVER
    outgoing: Any
    if log is None:
        outgoing = step(node, task, tasks, found, create_graph, accumulating, by, modes)
    else:
        outgoing = profiled(node, task, tasks, found, create_graph, accumulating, by, modes, log)
    modes.settle(create_graph)
    if not keep_graph and task.runs:
        node.release()
        if by is not None:
            origins.freed(node, by)
    deliver(node, outgoing, task, tasks, ready, born)


def deliver(node: Node, outgoing: Any, done: Task, tasks: Tasks, ready: Ready, born: int) -> None:
    """Hand what a node returned to the nodes that its edges lead to."""
    edges: tuple[Edge | None, ...] = node.next_edges
    count: int = len(edges)
    if outgoing is not None and len(outgoing) != count:
        raise RuntimeError(errors.wrong_count(title(node), len(outgoing), count))
    grad: Any
    edge: Edge
    task: Task
    for at in range(count):
        edge = edges[at]
        if edge is None:
            continue
        task = tasks.find(edge.node)
        if outgoing is not None:
            grad = outgoing[at]
            if grad is not None:
                if task.wanted:
                    grad = project(grad, edge, node, at)
                    first: bool = task.grad is None  # what is added to another needs no memory of its own
                    arrive(task, edge, grad, first and born != NEVER and is_own(grad, outgoing, done, born))
        task.waiting -= 1
        if task.waiting == 0:
            ready.push(edge.node)


def arrive(task: Task, edge: Edge, grad: Any, owned: bool) -> None:
    """Add a gradient to what has arrived at an output of a node."""
    known: Any = task.grad if task.grads is None else task.grads[edge.nr]
    if known is None:
        task.owned = owned
    elif grad is None:
        return
    else:
        grad = join(known, grad, task.owned and task.grads is None)
        task.owned = True
    if task.grads is None:
        task.grad = grad
    else:
        task.grads[edge.nr] = grad


def join(known: Tensor, grad: Tensor, owned: bool) -> Any:
    """The sum of two gradients, in the memory of the first if that is the engine's own."""
    modes: Modes = current()
    plain: bool = (known._flags_ | grad._flags_) & flags.UNUSUAL == 0
    if owned and plain and not modes.grad and not modes.word & ~flags.NOTES and is_writable(known):
        add_into(known._array_, grad._array_, modes)
        return known
    return slots.table.add.call2(known, grad)


def is_writable(tensor: Tensor) -> bool:
    """Whether a tensor sees no element of its memory twice."""
    return door.has_rows(tensor._array_) or not overlaps(tensor._array_)


def project(grad: Any, edge: Edge, node: Node, index: int) -> Any:
    """Bring a gradient into the space of the tensor that it belongs to: sum to its shape, real part, dtype.

    Raises:
        RuntimeError: its shape cannot be summed to the wanted one, or the node may not leave that to the engine.
    """
    given: Tensor = grad
    if given._flags_ & flags.POSTPONED:  # gradients are plain, whatever a custom Function or a hook returns
        given = grad = plain(grad)
    if edge.shape is None or door.in_space(given._array_, edge.shape, edge.dtype):
        return grad
    array: Any = given._array_
    if array.shape != edge.shape:
        larger: bool = node.allows_larger() or isinstance(edge, WideEdge)
        if not larger or not expandable(edge.shape, array.shape):
            raise RuntimeError(errors.bad_gradient(title(node), index, array.shape, edge.shape))
        if edge.dtype is not None and array.dtype.kind == "c" and edge.dtype.kind != "c":
            given = given.real  # type: ignore[attr-defined]
        given = sum_to(given, edge.shape)
        array = given._array_
    return given if edge.dtype is None else in_dtype(given, edge.dtype)


def sum_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo a broadcast: sum over what it added and stretched."""
    given = grad._array_.shape
    if not shape:
        return grad.sum()
    lead = len(given) - len(shape)
    dims = list(range(lead))
    dims += [lead + at for at in range(len(shape)) if shape[at] == 1 and given[lead + at] != 1]
    if dims:
        grad = grad.sum(dims, True)
    return grad.reshape(shape) if lead else grad

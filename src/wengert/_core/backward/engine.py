"""The backward pass: each node runs once all its gradients are there, newer nodes first.

It runs in the calling thread, so results are equal from run to run. Nothing here recurses over the graph.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import errors, flags
from ..graph import anomaly, hooks, origins
from ..graph.node import Edge, Node, new_edge, title
from ..leaves import hooked
from ..leaves.accumulate import (
    AccumulateGrad,
    accumulate,
    dtype_for,
    in_dtype,
    leaf_of,
    run_after_accumulate,
    run_leaf_hooks,
)
from ..profiling import kinds
from ..profiling.events import Event, Log
from ..recording.recorded import OpNode, ViewNode
from ..state.modes import Modes, Pass, current
from ..tensor import slots, tracing
from ..tensor.base import Tensor
from ..tensor.meta import AutogradMeta
from ..tensor.storage import next_serial
from ..writes.slices import add_to_part
from .arrivals import arrive, project
from .ready import Ready, new_ready
from .reentrant import DEEPEST, in_thread
from .task import Task, Tasks, count_uses, is_alone, is_own, mark_wanted

NEVER = -1


def run(sweep: Sweep, roots: list[Edge], grads: list[Any]) -> list[Any]:
    """Run a backward pass from `roots`, whose gradients are `grads`.

    Returns:
        The gradients at the edges of `sweep.captures`, None where nothing arrived.
    """
    modes: Modes = current()
    if modes.depth >= DEEPEST:
        return in_thread(run, (sweep, roots, grads))
    sweep.modes = modes
    if slots.taping:
        roots = fixed(roots)
    sweep.tasks = count_uses(roots)
    partial: bool = sweep.captures is not None
    if partial:
        mark_wanted(sweep.tasks, roots, sweep.captures, sweep.accumulating)
    begun: Pass = modes.new_pass(sweep.tasks, partial)
    swept: bool = False
    try:
        modes.passing = begun
        modes.depth += 1
        modes.set_grad(sweep.create_graph)
        sweep.seed(roots, grads)
        sweep.run()
        if sweep.origin is not None:
            tracing.ended(sweep.results, sweep.origin)
        swept = True
        begun.call_back()
    finally:  # interpreted, stores only, see `modes`
        if cython.compiled and not swept:
            sweep.tasks.end()
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
    return sweep.results


def fixed(roots: list[Edge]) -> list[Edge]:
    """Return edges that lead to the nodes at `roots` also if these come to lead to others, see `calls.taped`."""
    result: list[Any] = []
    edge: Edge
    for edge in roots:
        result.append(new_edge(edge.node, edge.nr, edge.shape, edge.dtype))
    return result


class Sweep:
    """State of one backward pass: its options, the nodes that are ready, and the results so far.

    Attributes:
        keep_graph: nodes keep what they saved, for another pass.
        create_graph: the pass is recorded itself.
        captures: the edges whose gradients are requested; None for a pass that fills the `.grad` of all leaves.
        accumulating: captured leaves get their `.grad` (`backward(inputs=...)`) rather than a place in `results`.
        results: the gradients at `captures`, None where nothing has arrived.
        tasks: the state of each node in this pass.
        ready: the nodes that wait for nothing more.
        modes: those of the thread in which it runs.
        born: storage with a greater serial number belongs to the node that runs now; NEVER if others may see it.
        origin: the place in the program that started the pass, for `set_debug`; None without.
    """

    keep_graph: bool
    create_graph: bool
    captures: list[Edge] | None
    accumulating: bool
    results: list[Any]
    tasks: Tasks
    ready: Ready
    modes: Modes
    born: int
    origin: Any

    __slots__ = (
        "accumulating",
        "born",
        "captures",
        "create_graph",
        "keep_graph",
        "modes",
        "origin",
        "ready",
        "results",
        "tasks",
    )
    __reduce__ = errors.refuse_pickling

    def seed(self, roots: list[Edge], grads: list[Any]) -> None:
        """Deliver the gradients to the roots; roots that wait for no other gradient become ready."""
        edge: Edge
        task: Task
        for at in range(len(roots)):
            edge = roots[at]
            arrive(self.tasks.find(edge.node), edge, project(grads[at], edge, edge.node, at), False)
        self.ready = new_ready()
        for edge in roots:
            task = self.tasks.find(edge.node)
            if task.waiting == 0:
                task.waiting = -1
                self.ready.push(edge.node)
        if self.modes.debug is not None:
            self.origin = tracing.begin_pass()

    def run(self) -> None:
        """Run all nodes reachable from the roots, newest first, each once all its gradients have arrived."""
        node: Node
        try:
            while (node := self.ready.pop()) is not None:
                task: Task = self.tasks.take(node)
                if self.modes.word & flags.PROFILED:
                    self.profiled(kinds.EVALUATE, node, task)
                else:
                    self.visit(node, task)
        except Exception as error:
            anomaly.report(error, node)
            raise

    def visit(self, node: Node, task: Task) -> None:
        """Run one node, and deliver the gradients that it returns."""
        plain: bool = node.trusted_gradients and node.node_hooks is None and not self.create_graph
        self.born = next_serial() if plain else NEVER
        profiled: bool = self.modes.word & flags.PROFILED != 0
        outgoing: Any = self.profiled(kinds.BACKWARD, node, task) if profiled else self.step(node, task)
        self.modes.settle(self.create_graph)
        if not self.keep_graph and task.runs:
            self.free(node)
        self.deliver(node, task, outgoing)

    def deliver(self, node: Node, done: Task, outgoing: Any) -> None:
        """Deliver the gradients that a node returned to the nodes that its edges lead to."""
        edges: tuple[Edge | None, ...] = node.next_edges
        if outgoing is not None and len(outgoing) != len(edges):
            raise RuntimeError(errors.wrong_count(title(node), len(outgoing), len(edges)))
        for at in range(len(edges)):
            edge: Edge = edges[at]
            if edge is None:
                continue
            task: Task = self.tasks.find(edge.node)
            grad: Any = None if outgoing is None else outgoing[at]
            if grad is not None and task.wanted:
                grad = project(grad, edge, node, at)
                owned: bool = task.grad is None and self.born != NEVER and is_own(grad, outgoing, done, self.born)
                arrive(task, edge, grad, owned)  # what is added to another gradient needs no memory of its own
            task.waiting -= 1
            if task.waiting == 0:
                self.ready.push(edge.node)

    def free(self, node: Node) -> None:
        """Free the saved values of a node."""
        node.release()
        if self.origin is not None:
            origins.freed(node, self.origin)

    def step(self, node: Node, task: Task) -> Any:
        """Run a node on the gradients that have arrived; return the gradients for its edges, or None."""
        if isinstance(node, AccumulateGrad):
            self.leaf(node, task)
            return None
        if self.modes.anomaly:
            return anomaly.watched(self.process, node, task, self.modes)
        if not self.create_graph and isinstance(node, ViewNode) and self.joined(node, task):
            return None
        return self.process(node, task)

    def process(self, node: Node, task: Task) -> Any:
        """Run the hooks of a node and the node itself; return its gradients, or None if none are to be delivered."""
        if task.spared:
            passing: Pass = self.modes.passing
            passing.sparing = node
            passing.spared = task.spared
        if node.node_hooks is None and task.captures is None and task.grads is None:
            if task.grad is None or not task.runs:
                return node.apply([None]) if task.runs and node.takes_nothing() else None
            return node.consume(task.grad, task.owned and not self.create_graph)
        grads: list[Any] = [task.grad] if task.grads is None else task.grads
        task.owned = False
        if node.node_hooks is not None and task.wanted:
            return hooked.run(node, grads, task.runs, task.captures, self.results)
        hooked.capture(task.captures, grads, self.results)
        if not task.runs or (is_empty(grads) and not node.takes_nothing()):
            return None
        return node.apply(grads)

    def joined(self, node: ViewNode, task: Task) -> bool:
        """Add the gradient of a view to that of its source, if its node does only that; return whether it did."""
        if node.node_hooks is not None or node.saved is None:
            return False
        if task.captures is not None or task.grad is None or not task.runs:
            return False
        edge: Edge = node.next_edges[0]
        if edge is None:  # the base was detached
            return False
        source: Task = self.tasks.find(edge.node)
        return source.owned and source.grad is not None and add_to_part(node, task.grad, source.grad)

    def leaf(self, node: AccumulateGrad, task: Task) -> None:
        """Deliver a gradient to a leaf; its hooks are called even if there is none."""
        if not task.wanted:
            return
        variable: Tensor = leaf_of(node)
        meta: AutogradMeta = variable._meta_
        if meta is not None and meta.grad_dtype is not None and task.grad is not None:
            task.grad = in_wanted_dtype(variable, task.grad)  # it may have been set after the graph was built
            task.owned = False
        if variable._edge_ is not None or (meta is not None and meta.hooks):
            task.grad = run_leaf_hooks(variable, task.grad)
            task.owned = False
        if task.captures is not None and not self.accumulating:
            hooked.capture(task.captures, [task.grad], self.results)
            return
        if node.node_hooks is not None:
            task.grad = hooks.run_before(node.node_hooks, [task.grad])[0]
            task.owned = False
        if task.grad is not None:
            first: bool = meta is None or meta.grad is None
            owned: bool = not self.create_graph and (task.owned or (first and is_alone(task)))
            accumulate(variable, task.grad, owned)
        elif meta is not None and meta.after_accumulate:
            run_after_accumulate(variable)
        if node.node_hooks is not None:
            hooks.run_after(node.node_hooks, (), [task.grad])
        if self.origin is not None:
            tracing.arrived(variable, task.grad, self.origin)

    def profiled(self, kind: int, node: Node, task: Task) -> Any:
        """Run `visit` (`kinds.EVALUATE`) or `step` (`kinds.BACKWARD`), noted in the log of this thread, if any."""
        log: Log = self.modes.profiling()
        event: Event = None if log is None else begin(log, kind, node, task)
        result: Any = None
        try:
            if kind == kinds.EVALUATE:
                self.visit(node, task)
            else:
                result = self.step(node, task)
        finally:
            if event is not None:
                log.end(event, grad_of(node) if kind == kinds.BACKWARD and isinstance(node, AccumulateGrad) else result)
        return result


def new_sweep(keep_graph: bool, create_graph: bool, captures: list[Edge] | None, accumulating: bool) -> Sweep:
    """Return a backward pass that has not begun; the arguments are the attributes of `Sweep` of those names."""
    sweep: Sweep = Sweep.__new__(Sweep)
    sweep.keep_graph = keep_graph
    sweep.create_graph = create_graph
    sweep.captures = captures
    sweep.accumulating = accumulating
    sweep.results = [None] * (0 if captures is None else len(captures))
    sweep.born = NEVER
    sweep.origin = None
    return sweep


def begin(log: Log, kind: int, node: Node, task: Task) -> Event:
    """Note that a node is about to run."""
    sequence: int = -1 if isinstance(node, AccumulateGrad) else node.sequence_number
    args: Any = None
    if kind == kinds.BACKWARD and log.shapes:
        args = [task.grad] if task.grads is None else task.grads
    event: Event = log.begin(kind, type(node) if isinstance(node, OpNode) else title(node), sequence, args)
    if log.several:
        event.node = id(node)
    return event


def grad_of(node: AccumulateGrad) -> Any:
    """Return the `.grad` of the leaf that a node belongs to."""
    return node.variable._meta_.grad


def is_empty(grads: list[Any]) -> bool:
    """Return whether no gradient has arrived at any output."""
    for grad in grads:
        if grad is not None:
            return False
    return True


def in_wanted_dtype(variable: Tensor, grad: Any) -> Any:
    """Return a gradient in the dtype that the program has chosen for gradients of a leaf (`grad_dtype`)."""
    dtype: Any = dtype_for(variable)
    return grad if dtype is None else in_dtype(grad, dtype)

"""What a node does with the gradients that have arrived at it: hooks, the node itself, the end at a leaf."""

from __future__ import annotations

from typing import Any

from ..graph import anomaly, hooks
from ..graph.node import Edge, Node, title
from ..leaves import hooked
from ..leaves.accumulate import AccumulateGrad, accumulate, dtype_for, in_dtype, run_after_accumulate, run_leaf_hooks
from ..profiling import kinds
from ..profiling.events import Event, Log
from ..recording.recorded import OpNode, ViewNode
from ..state.modes import Modes, Pass, current
from ..tensor import tracing
from ..tensor.base import Tensor
from ..tensor.meta import AutogradMeta
from ..writes.slices import add_to_part
from .task import Task, Tasks, is_alone


def step(
    node: Node,
    task: Task,
    tasks: Tasks,
    found: list[Any],
    create_graph: bool,
    accumulating: bool,
    by: Any,
    modes: Modes,
) -> Any:
    """Do what a node has to do with the gradients that have arrived at it; what it returns."""
    if isinstance(node, AccumulateGrad):
        leaf(node, task, create_graph, found, accumulating)
        if by is not None and task.wanted and (task.captures is None or accumulating):
            tracing.arrived(node.variable, task.grad, by)
        return None
    if modes.anomaly:
        return anomaly.watched(process, node, modes, task, found, create_graph)
    if not create_graph and isinstance(node, ViewNode) and joined(node, task, tasks):
        return None
    return process(node, task, found, create_graph)


def profiled(
    node: Node,
    task: Task,
    tasks: Tasks,
    found: list[Any],
    create_graph: bool,
    accumulating: bool,
    by: Any,
    modes: Modes,
    log: Log,
) -> Any:
    """`step`, noted in the log of this thread."""
    event: Event = begin(log, kinds.BACKWARD, node, task)
    made: Any = None
    try:
        made = step(node, task, tasks, found, create_graph, accumulating, by, modes)
    finally:
        log.end(event, node.variable._meta_.grad if made is None and isinstance(node, AccumulateGrad) else made)
    return made


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


def joined(node: ViewNode, task: Task, tasks: Tasks) -> bool:
    """Whether the gradient of a view could be added to its source's, which is then all that its node has to do."""
    if node.node_hooks is not None or node.saved is None:
        return False
    if task.captures is not None or task.grad is None or not task.runs:
        return False
    edge: Edge = node.next_edges[0]
    if edge is None:  # the base was detached
        return False
    source: Task = tasks.find(edge.node)
    return source.owned and source.grad is not None and add_to_part(node, task.grad, source.grad)


def process(node: Node, task: Task, found: list[Any], create_graph: bool) -> Any:
    """Run the hooks of a node and the node itself; what it returns, or None if nothing goes on from here."""
    if task.spared:
        passing: Pass = current().passing
        passing.sparing = node
        passing.spared = task.spared
    if node.node_hooks is None and task.captures is None and task.grads is None:
        if task.grad is None or not task.runs:
            return node.apply([None]) if task.runs and node.takes_nothing() else None
        return node.consume(task.grad, task.owned and not create_graph)
    grads: list[Any] = [task.grad] if task.grads is None else task.grads
    task.owned = False
    if node.node_hooks is not None and task.wanted:
        return hooked.run(node, grads, task.runs, task.captures, found)
    hooked.capture(task.captures, grads, found)
    if not task.runs or (is_empty(grads) and not node.takes_nothing()):
        return None
    return node.apply(grads)


def is_empty(grads: list[Any]) -> bool:
    """Whether no gradient has arrived at any output."""
    for grad in grads:
        if grad is not None:
            return False
    return True


def in_wanted_dtype(variable: Tensor, grad: Any) -> Any:
    """A gradient in the dtype that the program has chosen for those of a leaf."""
    dtype: Any = dtype_for(variable)
    return grad if dtype is None else in_dtype(grad, dtype)


def leaf(node: AccumulateGrad, task: Task, create_graph: bool, found: list[Any], accumulating: bool) -> Any:
    """The gradient of a leaf has arrived, or nothing: its hooks are called all the same."""
    if not task.wanted:
        return None
    variable: Tensor = node.variable
    meta: AutogradMeta = variable._meta_
    if meta is not None and meta.grad_dtype is not None and task.grad is not None:
        task.grad = in_wanted_dtype(variable, task.grad)  # the graph may be older than the wish
        task.owned = False
    if variable._edge_ is not None or (meta is not None and meta.hooks):
        task.grad = run_leaf_hooks(variable, task.grad)
        task.owned = False
    if task.captures is not None and not accumulating:
        hooked.capture(task.captures, [task.grad], found)
        return None
    if node.node_hooks is not None:
        task.grad = hooks.run_before(node.node_hooks, [task.grad])[0]
        task.owned = False
    if task.grad is not None:
        first: bool = meta is None or meta.grad is None
        owned: bool = not create_graph and (task.owned or (first and is_alone(task)))
        accumulate(variable, task.grad, owned)
    elif meta is not None and meta.after_accumulate:
        run_after_accumulate(variable)
    if node.node_hooks is not None:
        hooks.run_after(node.node_hooks, (), [task.grad])
    return None

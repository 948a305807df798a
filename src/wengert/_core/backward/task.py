"""State of a node in one run of the engine, and ownership of the gradient that waits there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import bits, door, errors
from ..graph.node import Edge, Node
from ..tensor.base import Tensor, wrap
from ..tensor.storage import Storage, next_serial


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Task:
    """State of one node in one run of the engine.

    Attributes:
        run: the number of the run.
        waiting: the number of edges over which nothing has arrived yet.
        grad: the gradient so far of the only output; `grads`: those of several outputs (None for a single one).
        owned: the memory of `grad` was allocated in this run, and nothing else uses it.
        wanted: a gradient is requested at the node, or beyond it.
        runs: a gradient is requested beyond the node, so that the node itself has to run.
        spared: bits of the gradients of the node that nothing needs.
        stage: progress of the walk that looks for captures, see `mark_wanted`.
        captures: (output number, place among the results) of the requested gradients at this node.
    """

    run: int
    waiting: int
    grad: Any
    grads: list[Any]
    captures: list[Any]
    owned: bool
    wanted: bool
    runs: bool
    spared: int
    stage: int

    __slots__ = ("captures", "grad", "grads", "owned", "run", "runs", "spared", "stage", "waiting", "wanted")
    __reduce__ = errors.refuse_pickling


class Tasks:
    """The tasks of one run, by node.

    Compiled, a node keeps its task itself, unless that of another run is there: passes nest, and threads share graphs.
    The dictionary has the others; interpreted, where another thread could come between look and note, it has all.

    Attributes:
        run: a number that no other run has.
        nodes: all nodes of the run, in the order in which they were found.
        others: the tasks that the nodes do not keep.
    """

    run: int
    nodes: list[Any]
    others: dict[Any, Any]

    __slots__ = ("nodes", "others", "run")
    __reduce__ = errors.refuse_pickling

    def find(self, node: Node) -> Task:
        """Return the task of a node; None if it is done, or not part of the run."""
        if cython.compiled:
            task: Task = node.running_task
            if task is not None and task.run == self.run:
                return task
            if not self.others:
                return None
        return self.others.get(node)

    def add(self, node: Node) -> Task:
        """Create the task of a node that has none."""
        task: Task = new_task(node, self.run)
        self.nodes.append(node)
        if cython.compiled and node.running_task is None:
            node.running_task = task
        else:
            self.others[node] = task
        return task

    def take(self, node: Node) -> Task:
        """Return the task of a node, and remove it."""
        if cython.compiled:
            task: Task = node.running_task
            if task is not None and task.run == self.run:
                node.running_task = None
                return task
        return self.others.pop(node)

    def end(self) -> None:
        """Remove the tasks of a run that did not finish from its nodes."""
        for node in self.nodes:
            if self.find(node) is not None:
                self.take(node)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: Node) -> bool:
        return node is not None and self.find(node) is not None

    def __getitem__(self, node: Node) -> Task:
        task: Task = self.find(node)
        if task is None:
            raise KeyError(node)
        return task


def new_tasks() -> Tasks:
    """Return the tasks of a new run, without any node."""
    tasks: Tasks = Tasks.__new__(Tasks)
    tasks.run = next_serial()
    tasks.nodes = []
    tasks.others = {}
    return tasks


def new_task(node: Node, run: int) -> Task:
    """Return a task that waits for nothing."""
    task: Task = Task.__new__(Task)
    task.run = run
    task.waiting = 0
    task.spared = 0
    task.stage = 0
    task.grad = None
    task.grads = None if node.output_count == 1 else [None] * node.output_count
    task.owned = False
    task.wanted = True
    task.runs = True
    task.captures = None
    return task


def count_uses(roots: list[Edge]) -> Tasks:
    """Create a task for every node reachable from the roots, with the number of edges into it."""
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


FOUND, ENTERED, LEFT = 0, 1, 2
"""The stages of a task in the walk of `mark_wanted`."""


def mark_wanted(tasks: Tasks, roots: list[Edge], captures: list[Edge], accumulating: bool) -> None:
    """Keep `wanted` and `runs` only for nodes that lead to a capture (a depth-first walk, children before parents).

    If gradients are accumulated, the nodes at the captures run, too, for their hooks.
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
    """Mark that a node runs if a node behind it leads to a capture; the gradients of the others are spared."""
    edge: Edge
    for at in range(len(node.next_edges)):
        edge = node.next_edges[at]
        if edge is not None and tasks.find(edge.node).wanted:
            task.wanted = True
            task.runs = True
        elif at < bits.MOST:
            task.spared |= bits.bit(at)


def is_own(grad: Tensor, outgoing: Any, task: Task, born: int) -> bool:
    """Return whether only the engine uses the memory of a gradient.

    True if a card's rule allocated it in this step (its storage is younger than `born`), or passed on the memory of the
    only gradient that had arrived, which was itself owned; and no other gradient of the step shares it.
    """
    storage: Storage = grad._storage_
    if storage.serial <= born and not (task.owned and passed_on(storage, task)):
        return False
    shared: int = 0
    other: Tensor
    for outgoing_grad in outgoing:
        if outgoing_grad is not None:
            other = outgoing_grad
            if other._storage_ is storage:
                shared += 1
    return shared == 1


def passed_on(storage: Storage, task: Task) -> bool:
    """Return whether the memory is that of the only gradient that had arrived."""
    arrived: Tensor = task.grad
    return arrived is not None and arrived._storage_ is storage


def sole(grad: Any) -> Task:
    """Return a task that holds a gradient."""
    task: Task = Task.__new__(Task)
    task.grad = grad
    return task


ALONE = sole(wrap(np.empty(0)))
"""A task with a gradient that nothing else refers to, to measure its numbers of references."""


def is_alone(task: Task) -> bool:
    """Return whether only the task refers to its gradient, and to anything else on its memory.

    This holds for a gradient that a program's own function created and did not store; also for one that it returned
    twice, once the other place has used it. One reference too many only costs a copy.
    """
    grad: Tensor = task.grad
    if not door.owns_memory(grad._array_):
        return False
    grad = None  # the numbers below are compared with those of a gradient without this name
    return (
        door.references(task.grad) == door.references(ALONE.grad)
        and door.references(task.grad._storage_) == door.references(ALONE.grad._storage_)
        and door.references(task.grad._array_) == door.references(ALONE.grad._array_)
    )

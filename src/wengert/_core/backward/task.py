"""What a run of the engine knows of a node, and who else sees the gradient that waits there."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython  # type: ignore[no-redef]

from .. import errors
from ..graph.node import Node
from ..tensor.base import Tensor, wrap
from ..tensor.storage import Storage


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Task:
    """What one run of the engine knows of one node.

    Attributes:
        waiting: edges over which something is still to arrive.
        grad: the gradient so far of the only output; `grads`: those of several outputs (None for a single one).
        owned: `grad` was made in this run and is seen by nobody else.
        wanted: the run was asked for a gradient at the node, or beyond it.
        runs: it was asked for one beyond it, so that the node itself has to run.
        captures: (output number, place among the results) of the gradients that the run was asked for.
    """

    waiting: int
    grad: Any
    grads: list[Any]
    captures: list[Any]
    owned: bool
    wanted: bool
    runs: bool

    __slots__ = ("captures", "grad", "grads", "owned", "runs", "waiting", "wanted")
    __reduce__ = errors.refuse_pickling


def new_task(node: Node) -> Task:
    """A task that waits for nothing."""
    task: Task = Task.__new__(Task)
    task.waiting = 0
    task.grad = None
    task.grads = None if node.output_count == 1 else [None] * node.output_count
    task.owned = False
    task.wanted = True
    task.runs = True
    task.captures = None
    return task


def is_own(grad: Tensor, outgoing: Any, task: Task, born: int) -> bool:
    """Whether nobody but the engine sees a gradient's memory.

    True if a card's rule made it in this step (its storage is younger than `born`), or passed on the memory of the one
    gradient that had arrived and was itself so; and no other gradient of the step shares it.
    """
    storage: Storage = grad._storage_
    if storage.serial <= born and not (task.owned and passed_on(storage, task)):
        return False
    shared: int = 0
    other: Tensor
    for each in outgoing:
        if each is not None:
            other = each
            if other._storage_ is storage:
                shared += 1
    return shared == 1


def passed_on(storage: Storage, task: Task) -> bool:
    """Whether the memory is that of the only gradient that had arrived."""
    arrived: Tensor = task.grad
    return arrived is not None and arrived._storage_ is storage


def sole(grad: Any) -> Task:
    """A task that holds a gradient."""
    task: Task = Task.__new__(Task)
    task.grad = grad
    return task


ALONE = sole(wrap(np.empty(0)))
"""A task with a gradient of which nobody else knows, for the numbers of references that such a one has."""


def is_alone(task: Task) -> bool:
    """Whether nobody but the task holds its gradient, or anything else on its memory.

    So it is with what a program's own function made and kept no hold of; also with what it returned twice, once the
    other place has used it. A reference more, wherever it comes from, only costs a copy.
    """
    grad: Tensor = task.grad
    if not grad._array_.flags.owndata:
        return False
    grad = None  # type: ignore[assignment]  # the numbers below are compared with those of a gradient without this name
    return (
        getrefcount(task.grad) == getrefcount(ALONE.grad)
        and getrefcount(task.grad._storage_) == getrefcount(ALONE.grad._storage_)
        and getrefcount(task.grad._array_) == getrefcount(ALONE.grad._array_)
    )

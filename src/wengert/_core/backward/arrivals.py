"""Arrival of gradients at a node: each is reduced to the shape and dtype of its tensor, and added to the others."""

from __future__ import annotations

from typing import Any

from .. import door, errors, flags
from ..graph.node import Edge, Node, WideEdge, expandable, title
from ..leaves.accumulate import add_into, in_dtype
from ..operators.overlap import overlaps
from ..state.modes import Modes, current
from ..tensor import slots
from ..tensor.base import Tensor
from ..tensor.standins import plain
from .task import Task


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
    """Return the sum of two gradients, in the memory of the first if only the engine has that."""
    modes: Modes = current()
    plain: bool = (known._flags_ | grad._flags_) & flags.UNUSUAL == 0
    if owned and plain and not modes.grad and not modes.word & ~flags.NOTES and is_writable(known):
        if modes.log is not None:
            modes.log.see(grad)
        add_into(known._array_, grad._array_, modes)
        return known
    return slots.table.add.call2(known, grad)


def is_writable(tensor: Tensor) -> bool:
    """Return whether no two elements of a tensor share memory."""
    return door.has_rows(tensor._array_) or not overlaps(tensor._array_)


def project(grad: Any, edge: Edge, node: Node, index: int) -> Any:
    """Reduce a gradient to the tensor that it belongs to: sum to its shape, take the real part, convert to its dtype.

    Raises:
        RuntimeError: if its shape cannot be summed to the wanted one, or the node may not leave that to the engine.
    """
    tensor: Tensor = grad
    if tensor._flags_ & flags.POSTPONED:  # gradients are plain, whatever a custom Function or a hook returns
        tensor = grad = plain(grad)
    if edge.shape is None or door.in_space(tensor._array_, edge.shape, edge.dtype):
        return grad
    array: Any = tensor._array_
    if array.shape != edge.shape:
        larger: bool = node.allows_larger() or isinstance(edge, WideEdge)
        if not larger or not expandable(edge.shape, array.shape):
            raise RuntimeError(errors.bad_gradient(title(node), index, array.shape, edge.shape))
        if edge.dtype is not None and array.dtype.kind == "c" and edge.dtype.kind != "c":
            tensor = tensor.real
        tensor = sum_to(tensor, edge.shape)
        array = tensor._array_
    return tensor if edge.dtype is None else in_dtype(tensor, edge.dtype)


def sum_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo a broadcast: sum over the dimensions that it added or stretched."""
    grad_shape = grad._array_.shape
    if not shape:
        return grad.sum()
    lead = len(grad_shape) - len(shape)
    dims = list(range(lead))
    dims += [lead + at for at in range(len(shape)) if shape[at] == 1 and grad_shape[lead + at] != 1]
    if dims:
        grad = grad.sum(dims, True)
    return grad.reshape(shape) if lead else grad

"""The end of every path in the graph: gradients of leaves, kept in `.grad`."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ImportError:
    from . import plain as cython  # type: ignore[no-redef]

from . import door, hooks, slots
from .base import AutogradMeta, Tensor, meta_of, wrap
from .modes import Modes, current
from .node import Edge, Node, new_edge, set_up

LAST = (1 << 62) - 1
"""Sequence number of all accumulators: they run before any other node that is ready."""


@cython.no_gc
@cython.freelist(32)
@cython.cclass
class AccumulateGrad(Node):
    """Adds what arrives to `variable.grad`.

    It owns the leaf; the leaf knows it by a weak reference only, so it lives as long as some graph leads to it.

    Attributes:
        array, edge_shape, edge_dtype: shape and dtype for edges to here, as they were for that array of the leaf.
    """

    variable: Tensor
    array: Any
    edge_dtype: Any
    edge_shape: tuple[Any, ...]

    __slots__ = ("array", "edge_dtype", "edge_shape", "variable")

    def apply(self, grads: list[Any]) -> Any:
        accumulate(self.variable, grads[0], False)
        return ()


def accumulator(tensor: Tensor) -> AccumulateGrad:
    """The one `AccumulateGrad` of a leaf, made on first use."""
    meta: AutogradMeta = meta_of(tensor)
    node: AccumulateGrad
    if meta.accumulator is not None:
        node = door.referent(meta.accumulator)
        if node is not None:
            return node
    node = AccumulateGrad.__new__(AccumulateGrad)
    set_up(node, (), LAST, 1)
    node.variable = tensor
    node.array = None
    meta.accumulator = door.weak(node)
    return node


def gradient_edge(tensor: Tensor) -> Edge:
    """Where the gradient of a tensor that requires one goes."""
    if tensor.edge is not None:
        return tensor.edge
    node: AccumulateGrad = accumulator(tensor)
    if node.array is not tensor.array:
        node.array = tensor.array
        node.edge_shape = door.shape_of(tensor.array)
        node.edge_dtype = door.dtype_of(tensor.array)
    return new_edge(node, 0, node.edge_shape, node.edge_dtype)


def accumulate(leaf: Tensor, grad: Any, owned: bool) -> None:
    """Add `grad` to `leaf.grad`.

    Layout (torch's "default gradient layouts"): a first gradient gets the strides of a dense leaf, row-major otherwise;
    a later one is added in place, or, while the backward pass is itself recorded, replaces `.grad` by the sum.

    Args:
        owned: nobody else sees the gradient's memory, so it may become `.grad` without a copy.
    """
    meta: AutogradMeta = meta_of(leaf)
    modes: Modes = current()
    if meta.grad is None:
        meta.grad = first_gradient(leaf, grad, owned, modes)
    elif modes.grad:
        meta.grad = slots.table.add.call2(meta.grad, grad)
    else:
        known: Tensor = meta.grad
        np.add(known.array, grad.array, out=known.array)
        known.storage.version += 1
    if meta.after_accumulate:
        for hook in tuple(meta.after_accumulate.values()):
            hook(leaf)


def first_gradient(leaf: Tensor, grad: Tensor, owned: bool, modes: Modes) -> Tensor:
    """What becomes `.grad` when there is none."""
    array = grad.array
    if modes.grad:
        return grad.clone()
    if owned and array.strides == leaf.array.strides and array.nbytes == grad.storage.array.nbytes:
        return grad
    copied = (
        np.empty_like(leaf.array)
        if is_dense(leaf.array)
        else np.empty(door.shape_of(leaf.array), door.dtype_of(leaf.array))
    )
    copied[...] = array
    return wrap(copied)


def is_dense(array: Any) -> bool:
    """Whether the elements fill one piece of memory without gaps and overlaps, in any order of the dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    expected = array.itemsize
    for stride, length in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != expected:
            return False
        expected *= length
    return True


def run_leaf_hooks(leaf: Tensor, grad: Any) -> Any:
    """The leaf's own hooks, before anything is accumulated."""
    meta: AutogradMeta = leaf.meta
    if meta is None or not meta.hooks:
        return grad
    return hooks.run_tensor_hooks(meta.hooks, grad)

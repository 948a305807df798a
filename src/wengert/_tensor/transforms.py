"""Transforms of functions (`func.grad`, `vmap`, ...) that follow a tensor while they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._core.backward.passes import edge_of
from .._core.calls.forward import adopt_one
from .._core.graph.facts import Notes
from .._core.graph.node import Edge, Node
from .._core.leaves.accumulate import AccumulateGrad
from .._core.tensor.base import Tensor, share
from .._core.tensor.batches import levels_of
from .._core.tensor.tangents import first_of


def layers(tensor: Tensor) -> dict[int, bool]:
    """The depths of the transforms that follow a tensor, and whether each is a batch."""
    depths = dict.fromkeys((*scopes_of(tensor), *forward_depths(tensor)), False)
    for at, batch in enumerate(reversed(levels_of(tensor)), 1):
        depths[batch.depth or at] = True
    return depths


def refuse_data(tensor: Tensor) -> None:
    """Refuse `.data =` for a tensor that a transform follows.

    Raises:
        RuntimeError: if a transform follows the tensor.
    """
    if layers(tensor):
        raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")


def without_transforms(tensor: Tensor) -> Tensor:
    """The tensor without the transforms that follow it, on the same memory."""
    array: Any = tensor._array_
    while hasattr(array, "whole"):
        tensor = array.whole
        array = tensor._array_
    return share(tensor._array_, tensor._storage_)


def forward_depths(tensor: Tensor) -> Iterator[int]:
    """The depths of the transforms of forward mode at which a tensor has a tangent."""
    adopt_one(tensor)
    tangent: Any = first_of(tensor)
    while tangent is not None:
        if tangent.tensor is not None and tangent.level.depth:
            yield tangent.level.depth
        tangent = tangent.outer


def nodes_behind(tensors: Iterable[Tensor], start: int = 0) -> Iterator[Node]:
    """Yield the nodes that tensors depend on, each once, without those behind nodes older than number `start`."""
    edges: list[Edge | None] = [edge_of(tensor) for tensor in tensors if tensor.requires_grad]
    seen = set()
    while edges:
        edge = edges.pop()
        if edge is None or edge.node in seen:
            continue
        node = edge.node
        seen.add(node)
        yield node
        if not isinstance(node, AccumulateGrad) and node.sequence_number >= start:
            edges += node.next_edges


def scopes_of(tensor: Tensor) -> set[int]:
    """The depths of the transforms of reverse mode whose variables a tensor depends on."""
    depths = set()
    for node in nodes_behind([tensor]):
        if isinstance(node, AccumulateGrad):
            scope = getattr(node.variable, "_scope_", None)
        else:
            notes = node.node_notes
            scope = notes.metadata.get("scope_") if isinstance(notes, Notes) else None
        if scope is not None and scope.alive and scope.depth:
            depths.add(scope.depth)
    return depths

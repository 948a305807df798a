"""The graph, as programs see it: nodes and edges, hooks for several gradients, hooks for saved tensors."""

from __future__ import annotations

from collections.abc import Iterable

from .._core import flags
from .._core.graph.node import Node
from .._core.tensor.base import Tensor
from .._core.tensor.storage import count_write
from .edges import GradientEdge, get_gradient_edge
from .multi_grad import register_multi_grad_hook
from .mutation import allow_mutation_on_saved_tensors
from .saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write to the memory of tensors that no operator has made, e.g. one through a pointer.

    Saved tensors on that memory are then refused by the backward pass, rather than silently wrong. Inference tensors
    have no version and are passed over.

    >>> import wengert as wg
    >>> x = wg.ones(2)
    >>> wg.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    tensors = (tensor,) if isinstance(tensor, Tensor) else tuple(tensor)
    if not all(isinstance(tensor, Tensor) for tensor in tensors):
        raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
    for each in tensors:
        if not each._flags_ & flags.INFERENCE:
            count_write(each._storage_, "increment_version")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Nothing: gradients are accumulated in the thread that runs the backward pass, and there are no streams."""


__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]

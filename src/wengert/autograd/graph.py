"""Public names of the graph: nodes and edges, hooks for several gradients, hooks for saved tensors."""

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
    """Count a write to the memory of tensors that was not made by an operator, e.g. through a pointer.

    The backward pass then refuses saved tensors on that memory, instead of using wrong values. Inference tensors have
    no version and are ignored.

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
    for leaf in tensors:
        if not leaf._flags_ & flags.INFERENCE:
            count_write(leaf._storage_, "increment_version")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Do nothing: gradients are accumulated in the thread that runs the backward pass; there are no streams."""


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

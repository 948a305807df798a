"""Gradients of several outputs at once, or of the elements of one output: the rows of a Jacobian."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

from ..._core.backward import passes
from ..._core.cards.card import registered
from ..differentiate import batched, grad
from .arguments import Tensors

zeros_like: Any = registered("zeros_like").public

BLOCK = 1 << 16
"""Number of elements of cotangents that are made together, unless a single one has more."""


def gradients(
    outputs: Tensors, inputs: Tensors, cotangents: Tensors | None, create_graph: bool, is_grads_batched: bool = False
) -> Tensors:
    """Return the gradients of the outputs that have a history; None for inputs that no output depends on."""
    recorded = [output is not None and output.requires_grad for output in outputs]
    if not all(recorded):
        outputs = tuple(compress(outputs, recorded))
        cotangents = cotangents and tuple(compress(cotangents, recorded))
    if not outputs:
        return (None,) * len(inputs)
    if is_grads_batched:
        return batched(outputs, inputs, cotangents, None, create_graph, True, False)
    return passes.grad(outputs, inputs, cotangents, None, create_graph, True)


def filled(grads: Tensors, like: Tensors) -> Tensors:
    """Return gradients with zeros in place of None."""
    return tuple([zeros_like(other) if grad is None else grad for grad, other in zip(grads, like)])


def rows_of(output: Any, inputs: Tensors, create_graph: bool) -> Iterator[Tensors]:
    """Yield for each element of an output, in row-major order, its gradients with respect to the inputs, or None.

    Raises:
        RuntimeError: if the output is complex: its elements have no gradient of their own.
    """
    if not output.requires_grad:
        yield from [(None,) * len(inputs)] * output.numel()
        return
    for cotangent in one_hots(output):
        yield grad(output, inputs, cotangent, True, create_graph, allow_unused=True)


def one_hots(output: Any) -> Iterator[Any]:
    """Yield for each element of an output the cotangent that selects it, so that no operator has to.

    Raises:
        RuntimeError: if the output is complex, see `rows_of`.
    """
    count = output.numel()
    if count and output.is_complex():
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
    together = max(1, BLOCK // max(1, count))
    for start in range(0, count, together):
        basis = output.new_zeros((min(together, count - start), count))
        basis.diagonal(start).fill_(1)
        yield from basis.view((len(basis), *output.shape)).unbind(0)

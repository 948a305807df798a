"""Gradients of several outputs at once, and of the elements of one output one by one: the rows of a Jacobian."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

from ..._core.backward import passes
from ..._core.cards.card import registered
from ..differentiate import batched, grad
from .arguments import Tensors

zeros_like: Any = registered("zeros_like").public  # type: ignore[union-attr]

BLOCK = 1 << 16
"""How many elements the cotangents that are made together have, unless one alone has more."""


def gradients(
    outputs: Tensors, inputs: Tensors, cotangents: Tensors | None, create_graph: bool, is_grads_batched: bool = False
) -> Tensors:
    """The gradients of those of `outputs` that have a history, None for inputs that none of them depends on."""
    recorded = [each is not None and each.requires_grad for each in outputs]
    if not all(recorded):
        outputs = tuple(compress(outputs, recorded))
        cotangents = cotangents and tuple(compress(cotangents, recorded))
    if not outputs:
        return (None,) * len(inputs)
    if is_grads_batched:
        return batched(outputs, inputs, cotangents, None, create_graph, True, False)
    return passes.grad(outputs, inputs, cotangents, None, create_graph, True)


def filled(grads: Tensors, like: Tensors) -> Tensors:
    """Gradients with zeros in the place of None."""
    return tuple([zeros_like(other) if each is None else each for each, other in zip(grads, like)])


def rows_of(output: Any, inputs: Tensors, create_graph: bool) -> Iterator[Tensors]:
    """For each element of an output, in row-major order, its gradients by the inputs, None for those it is free of.

    Raises:
        RuntimeError: the output is complex, and its elements have no gradient alone.
    """
    if not output.requires_grad:
        yield from [(None,) * len(inputs)] * output.numel()
        return
    for cotangent in one_hots(output):
        yield grad(output, inputs, cotangent, True, create_graph, allow_unused=True)


def one_hots(output: Any) -> Iterator[Any]:
    """For each element of an output the cotangent that picks it, so that none has to be taken out by an operator.

    Raises:
        RuntimeError: the output is complex, see `rows_of`.
    """
    count = output.numel()
    if count and output.is_complex():
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
    together = max(1, BLOCK // max(1, count))
    for start in range(0, count, together):
        basis = output.new_zeros((min(together, count - start), count))
        basis.diagonal(start).fill_(1)
        yield from basis.view((len(basis), *output.shape)).unbind(0)

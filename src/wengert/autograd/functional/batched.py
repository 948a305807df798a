"""`vectorize=True`: all rows or columns of a Jacobian by one pass over a batch of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..batches import BatchLevel
from .arguments import Tensors, as_tuple
from .rows import gradients, zeros_like


def pulled_back(outputs: Tensors, inputs: Tensors, cotangents: Tensors, create_graph: bool) -> Tensors:
    """Return the gradients of `rows.gradients` for a batch of cotangents, as a batch."""
    return gradients(outputs, inputs, cotangents, create_graph, is_grads_batched=True)


def pushed_forward(push: Callable[[Tensors], Tensors], tangents: Tensors) -> Tensors:
    """Return the results of `push` for a batch of tangents, as a batch."""
    with BatchLevel(tangents[0].shape[0], directions=True) as level:
        results = push(tuple([level.enter(tangent) for tangent in tangents]))
    return tuple([level.leave(result) for result in results])


def standard_basis(tensors: Tensors, counts: list[int]) -> Tensors:
    """Return the unit vectors of the space of all elements of all tensors: for each tensor its part, in rows.

    Raises:
        AssertionError: if there is no tensor.
    """
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    total, start = sum(counts), 0
    parts = []
    for tensor, count in zip(tensors, counts):
        part = tensor.new_zeros((total, count))
        part.diagonal(-start).fill_(1)
        start += count
        parts.append(part)
    return tuple(parts)


def reverse(outputs: Tensors, inputs: Tensors, create_graph: bool) -> tuple[Tensors, ...]:
    """Return the Jacobians of all outputs from a single batched backward pass."""
    counts = [output.numel() for output in outputs]
    flat = tuple(output.reshape(-1) for output in outputs)
    jacobians: Tensors = (None,) * len(inputs)
    if any(counts) or not outputs:  # a pass for no row at all is refused, as in torch; so is one without outputs
        jacobians = pulled_back(flat, inputs, standard_basis(outputs, counts), create_graph)
    columns = []
    for rows, tensor in zip(jacobians, inputs):
        if rows is None:
            rows = zeros_like(tensor).expand((sum(counts), *tensor.shape))
        parts = rows.split(counts, 0)
        columns.append([part.view((*output.shape, *tensor.shape)) for part, output in zip(parts, outputs)])
    return tuple(zip(*columns))


def forward(function: Callable[..., Any], inputs: Tensors) -> tuple[bool, tuple[Tensors, ...]]:
    """Return whether the function has several outputs, and their Jacobians, from a single batched forward pass."""
    counts = [input_.numel() for input_ in inputs]
    seen: list[Any] = []

    def push(tangents: Tensors) -> Tensors:
        from .. import forward_ad

        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(input_, part.view_as(input_)) for input_, part in zip(inputs, tangents)]
            several, outputs = as_tuple(function(*duals), "outputs", "jacobian")
            parts = [forward_ad.unpack_dual(output) for output in outputs]
        seen[:] = several, [part.primal.shape for part in parts]
        return tuple(zeros_like(part.primal) if part.tangent is None else part.tangent for part in parts)

    columns_of_inputs = pushed_forward(push, standard_basis(inputs, counts))
    several, shapes = seen
    results = []
    for columns, shape in zip(columns_of_inputs, shapes):
        parts = columns.split(counts, 0)
        turned = [part.permute((*range(1, part.ndim), 0)) for part in parts]
        results.append(tuple(part.reshape((*shape, *input_.shape)) for part, input_ in zip(turned, inputs)))
    return several, tuple(results)

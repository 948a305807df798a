"""Variants of a sample's call: other memory layouts, broadcast, 0-dim and empty operands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.cards.card import Card
from .._core.tensor.base import Tensor, share
from .._core.tensor.storage import Storage
from .calls import Call, inside, leaf
from .differences import Wrong, random_like
from .seeds import reseed
from .values import check_close, drawn, largest


def transposed(tensor: Tensor) -> Tensor:
    """Return the same values in column-major memory."""
    memory = np.empty(tensor._array_.shape[::-1], tensor._array_.dtype)
    return inside(tensor, memory, memory.T)


def strided(tensor: Tensor) -> Tensor:
    """Return the same values in every second element of a larger array."""
    shape = tensor._array_.shape
    if not shape:
        memory = np.zeros(3, tensor._array_.dtype)
        return inside(tensor, memory, memory[1, ...])
    memory = np.zeros((*shape[:-1], 2 * shape[-1] + 1), tensor._array_.dtype)
    return inside(tensor, memory, memory[..., 1::2])


LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {"transposed": transposed, "strided": strided}
SIDES = (0, -1)
"""The dimensions along which `expanded` and `repeated` repeat."""


def expanded(tensor: Tensor, dim: int) -> Tensor:
    """Return the first elements along a dimension, expanded by a stride of zero."""
    array = tensor._array_
    if not is_repeatable(array):
        return tensor
    short = array.take([0], dim)
    strides = [0 if axis == dim % array.ndim else step for axis, step in enumerate(short.strides)]
    result = share(np.lib.stride_tricks.as_strided(short, array.shape, strides), Storage(short))
    if tensor.requires_grad:
        result.requires_grad = True
    return result


def repeated(tensor: Tensor, dim: int) -> Tensor:
    """Return the values of `expanded` in contiguous memory."""
    array = tensor._array_
    return leaf(np.repeat(array.take([0], dim), array.shape[dim], dim), tensor) if is_repeatable(array) else tensor


def is_repeatable(array: Any) -> bool:
    """Return whether an array has a dimension and elements, and is not an index or a mask."""
    return bool(array.ndim and array.size and array.dtype.kind in "fc")


def results_and_gradients(
    call: Call, cotangent: Callable[[Tensor], Tensor] | None = None
) -> tuple[list[Any], list[Any]]:
    """Return the results of a call, and the gradients of its inputs at fixed cotangents, changed by `cotangent`."""
    inputs = call.differentiable()
    reseed()
    outputs = call.outputs()
    recorded = [output for output in outputs if output.requires_grad]
    grads: list[Any] = []
    if recorded and inputs:
        random = np.random.default_rng(1)
        cotangents = [leaf(random_like(random, output._array_)) for output in recorded]
        if cotangent is not None:
            cotangents = [cotangent(value) for value in cotangents]
        grads = list(passes.grad(recorded, inputs, cotangents, None, False, True))
    return [output._array_ for output in outputs], [None if grad is None else grad._array_ for grad in grads]


def check_layout(call: Call, layout: str) -> None:
    """Check that values and gradients do not depend on the memory layout of the inputs.

    Raises:
        Wrong: if they do.
    """
    check_alike(call, call.exchanged(LAYOUTS[layout]))


def check_expanded(call: Call, dim: int) -> None:
    """Check that values and gradients do not depend on whether inputs are expanded, or repeated in memory.

    Raises:
        Wrong: if they do.
    """
    check_alike(
        call.exchanged(lambda tensor: repeated(tensor, dim)), call.exchanged(lambda tensor: expanded(tensor, dim))
    )


def check_alike(call: Call, other: Call) -> None:
    """Check that a call with inputs of the same values in other memory has the same results and gradients.

    Raises:
        Wrong: if they differ.
    """
    wanted, wanted_grads = results_and_gradients(call)
    results, got_grads = results_and_gradients(other)
    try:
        for actual, expected in zip(results, wanted):
            check_close(other, actual, expected, largest(call))
    except Wrong:
        if drawn(call, [leaf(value) for value in wanted]):
            return
        raise
    check_gradients(other, got_grads, wanted_grads)


def check_cotangents(call: Call) -> None:
    """Check that gradients do not depend on the memory layout of cotangents.

    Raises:
        Wrong: if they do.
    """
    _, wanted = results_and_gradients(call)
    for form in LAYOUTS.values():
        check_gradients(call, results_and_gradients(call, form)[1], wanted)
    for dim in SIDES:
        _, wanted = results_and_gradients(call, partial(repeated, dim=dim))
        check_gradients(call, results_and_gradients(call, partial(expanded, dim=dim))[1], wanted)


def check_gradients(call: Call, grads: list[Any], wanted: list[Any]) -> None:
    """Check that the gradients of a call equal those for another layout.

    Raises:
        Wrong: if they differ.
    """
    for grad, expected in zip(grads, wanted):
        if (grad is None) != (expected is None):
            raise Wrong(f"{call} has a gradient or not, depending on the memory layout")
        if grad is not None:
            check_close(call, grad, expected, 1.0)


def operands(call: Call) -> list[Tensor]:
    """Return the tensor operands of a pointwise call."""
    card: Card = call.operator
    return list(call.tensors()) if card.promotion is not None else []


def check_scalars(call: Call) -> None:
    """Check that a pointwise operator on 0-dim operands returns the same element as on larger ones.

    Raises:
        Wrong: if the element differs.
    """
    single = call.exchanged(lambda tensor: leaf(tensor._array_[(0,) * tensor._array_.ndim], tensor))
    check_part(call, single, lambda array: array[(0,) * array.ndim])


def check_empty(call: Call) -> None:
    """Check that a pointwise operator on empty operands has an empty result and empty gradients.

    Raises:
        Wrong: if a result or gradient is not empty.
    """
    empty = call.exchanged(lambda tensor: leaf(np.empty((0, 3), tensor._array_.dtype), tensor))
    results, grads = results_and_gradients(empty)
    for array in (*results, *(grad for grad in grads if grad is not None)):
        if array.shape != (0, 3):
            raise Wrong(f"{empty} gives the shape {array.shape} where every operand is empty, of shape (0, 3)")


def check_part(call: Call, part: Call, take: Callable[[Any], Any]) -> None:
    """Check that the results of a call on a part of the operands are that part of the results."""
    expected, _ = results_and_gradients(call)
    results, grads = results_and_gradients(part)
    for actual, wanted in zip(results, expected):
        check_close(part, np.asarray(actual), np.asarray(take(wanted)), largest(call))
    for tensor, grad in zip(part.differentiable(), grads):
        if grad is not None and grad.shape != tensor._array_.shape:
            raise Wrong(f"{part}: gradient of shape {grad.shape} for an input of shape {tensor._array_.shape}")


def check_broadcast(call: Call, narrow: int) -> None:
    """Check that broadcasting operand `narrow` along the last dimension equals repeating it; its gradient is summed.

    Raises:
        Wrong: if results or gradients differ.
    """
    tensors = call.tensors()
    short = tensors[narrow]._array_[..., :1].copy()
    long = np.broadcast_to(short, tensors[narrow]._array_.shape).copy()
    thin, full = (
        call.with_tensors([leaf(array, tensor) if at == narrow else tensor for at, tensor in enumerate(tensors)])
        for array in (short, long)
    )
    (wanted, wanted_grads), (results, got_grads) = results_and_gradients(full), results_and_gradients(thin)
    for actual, expected in zip(results, wanted):
        check_close(thin, actual, expected, largest(call))
    for grad, wanted_grad, tensor in zip(got_grads, wanted_grads, thin.differentiable()):
        if grad is not None:
            summed = wanted_grad
            if wanted_grad.shape != tensor._array_.shape:
                summed = wanted_grad.sum(-1, keepdims=True)
            check_close(thin, grad, summed, 1.0)

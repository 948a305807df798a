"""Products of derivatives with several directions at once, for compressed evaluation.

All directions form one batch, so each operator is called once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ...autograd.batches import BatchLevel
from ...autograd.forward_levels import ForwardLevel
from ...autograd.grad_mode import no_grad
from ...autograd.variables import gradients
from ...ops.create.interchange import from_numpy
from ..forward import tangent_of


def split(vectors: Any, like: list[Tensor]) -> list[Tensor]:
    """Split a vector, or each row of an array, into parts with the shapes and dtypes of tensors."""
    parts, start, rows = [], 0, vectors.shape[:-1]
    for tensor in like:
        array = tensor._array_
        part = np.array(vectors[..., start : start + array.size], array.dtype)
        parts.append(from_numpy(part.reshape((*rows, *array.shape))))
        start += array.size
    return parts


def joined(tensors: list[Tensor], rows: tuple[int, ...] = ()) -> Any:
    """Concatenate the elements of all tensors to a vector, or with `rows` as their first dimension to an array."""
    arrays = [tensor._array_ for tensor in tensors]
    return np.concatenate([array.reshape((*rows, math.prod(array.shape[len(rows) :]))) for array in arrays], -1)


def pushed(func: Callable[[list[Any]], list[Any]], primals: list[Tensor], seeds: Any) -> Any:
    """Return the derivatives of a function along several directions, by forward mode.

    Args:
        func: function from a list of tensors to a list of tensors.
        seeds: an array with a direction in each column.

    Returns:
        An array with a column for each direction.
    """
    with no_grad(), BatchLevel(seeds.shape[1], "same", True) as batch, ForwardLevel() as level:
        directions = [batch.enter(direction) for direction in split(seeds.T, primals)]
        outputs = func([level.dual(primal, direction) for primal, direction in zip(primals, directions)])
        moved = [batch.leave(tangent_of(level, output, False)) for output in outputs]
        return joined(moved, seeds.shape[1:]).T


def pulled(outputs: list[Tensor], variables: list[Tensor], seeds: Any) -> Any:
    """Return the gradients with respect to variables for several cotangents, by reverse mode.

    Args:
        seeds: an array with a cotangent in each row.

    Returns:
        An array with a row for each cotangent.
    """
    with BatchLevel(len(seeds), directions=True) as batch:
        cotangents = [batch.enter(cotangent) for cotangent in split(seeds, outputs)]
        grads = gradients(outputs, variables, cotangents, True, False)
        return joined([batch.leave(grad) for grad in grads], seeds.shape[:1])

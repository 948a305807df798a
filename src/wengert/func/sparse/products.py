"""Products of derivatives with several directions at once: what compressed evaluation asks for.

This is the one place that knows how: one direction after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.forward_levels import ForwardLevel
from ...autograd.grad_mode import no_grad
from ...autograd.variables import gradients
from ...ops.create.interchange import from_numpy
from ...tensor import Tensor
from ..forward import tangent_of


def split(vector: Any, like: list[Tensor]) -> list[Tensor]:
    """Parts of a vector, with the shapes and dtypes of tensors."""
    parts, start = [], 0
    for each in like:
        array = each._array_
        parts.append(from_numpy(np.array(vector[start : start + array.size], array.dtype).reshape(array.shape)))
        start += array.size
    return parts


def joined(tensors: list[Tensor]) -> Any:
    """The elements of all tensors, as one vector."""
    return np.concatenate([each._array_.ravel() for each in tensors])


def pushed(func: Callable[[list[Any]], list[Any]], primals: list[Tensor], seeds: Any) -> Any:
    """The derivative of a function along several directions, by forward mode.

    Args:
        func: takes and gives a list of tensors.
        seeds: an array with a direction in each column.

    Returns:
        An array with a column for each of them.
    """
    found = []
    with no_grad():
        for seed in seeds.T:
            with ForwardLevel() as level:
                outputs = func([level.dual(each, way) for each, way in zip(primals, split(seed, primals))])
                ways = [tangent_of(level, each, False) for each in outputs]
            found.append(joined(ways))
    return np.stack(found, axis=-1)


def pulled(outputs: list[Tensor], variables: list[Tensor], seeds: Any) -> Any:
    """The gradients by variables for several cotangents, by reverse mode.

    Args:
        seeds: an array with a cotangent in each row.

    Returns:
        An array with a row for each of them.
    """
    return np.stack([joined(gradients(outputs, variables, split(seed, outputs), True, False)) for seed in seeds])

"""Conversion of parameters to one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...ops.shapes.join import cat

__all__ = ["parameters_to_vector", "vector_to_parameters"]


@boundary
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters flattened and concatenated; differentiable."""
    return cat([parameter.reshape(-1) for parameter in parameters])


@boundary
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Replace the parameters by slices of a vector, whose memory they then share.

    Args:
        vec: 1-D tensor, as `parameters_to_vector` returns it.
        parameters: tensors whose `.data` is replaced.

    Raises:
        TypeError: if `vec` or a parameter is not a tensor.
        RuntimeError: if `vec` is too short.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"expected parameters to be Tensors, but got: {type(parameter).__name__}")
        count = parameter._array_.size
        parameter.data = vec[start : start + count].view(parameter.shape).data
        start += count

"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...ops.shapes.join import cat


@boundary
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and joined; differentiable."""
    return cat([each.reshape(-1) for each in parameters])  # type: ignore[attr-defined, no-any-return]


@boundary
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let the parameters be slices of a vector, whose memory they then share.

    Args:
        vec: one-dimensional, as `parameters_to_vector` gives it.
        parameters: tensors whose `.data` is replaced.

    Raises:
        TypeError: not a tensor.
        RuntimeError: too short.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for each in parameters:
        if not isinstance(each, Tensor):
            raise TypeError(f"expected parameters to be Tensors, but got: {type(each).__name__}")
        count = each._array_.size
        each.data = vec[start : start + count].view(each.shape).data  # type: ignore[attr-defined]
        start += count

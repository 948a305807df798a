"""Gradients of maxima under torch's names: `torch.ops.aten.max_pool2d_with_indices_backward`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.cards.card import REALS, Bad, Sample, composite
from ..._core.errors import shown
from ..._core.tensor.base import Tensor
from ..create.factory import refuse_dtype
from ..family import describes
from .pool import max_pool2d_with_indices, scatter_planes
from .pool_volumes import max_pool3d_with_indices, scatter_volumes

Ints = int | Sequence[int]


def check_places(kernel: str, grad_output: Tensor, indices: Tensor) -> None:
    """Refuse a gradient that is not floating-point, and one without an index for each element.

    Raises:
        NotImplementedError: if the dtype of the gradient is not a real floating-point one.
        RuntimeError: if the shapes differ.
    """
    refuse_dtype(kernel, grad_output._array_, REALS)
    if grad_output.shape != indices.shape:
        raise RuntimeError(
            f"{kernel}: Expected grad_output of the shape {shown(indices.shape)} of indices, but got "
            f"{shown(grad_output.shape)}"
        )


SECTIONS = """
    Args:
        grad_output: gradient of the result of `max_pool{dims}d`.
        self: input of `max_pool{dims}d`; only its shape is used.
        kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool{dims}d`; those that computed `indices`.
        indices: indices of the maxima in their {where}.

    Returns:
        A new tensor of the shape of `self`.

    Raises:
        RuntimeError: if gradient and indices differ in shape.
    """


@composite(method=False, function=False)
@describes(SECTIONS, dims="2", where="planes")
def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    indices: Tensor,
) -> Any:
    """Gradient of `max_pool2d`: each element of `grad_output` at the index of the maximum."""
    check_places("max_pool2d_backward", grad_output, indices)
    return scatter_planes(grad_output, indices, tuple(self.shape), "", self)


@composite(method=False, function=False)
@describes(SECTIONS, dims="3", where="volumes")
def max_pool3d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    indices: Tensor,
) -> Any:
    """Gradient of `max_pool3d`: each element of `grad_output` at the index of the maximum."""
    check_places("max_pool3d_backward", grad_output, indices)
    return scatter_volumes(grad_output, indices, tuple(self.shape), "", self)


@max_pool2d_with_indices_backward.samples
def planes_samples(make: Any) -> Any:
    x = make(2, 4, 4)
    if x.dtype.is_complex or not x.dtype.is_floating_point:
        return
    _, indices = max_pool2d_with_indices(x.detach(), 2)
    yield Sample(make(2, 2, 2), x, 2, 2, 0, 1, False, indices)
    yield Bad(
        make(2, 1, 2), x, 2, 2, 0, 1, False, indices, raises=RuntimeError, says="Expected grad_output of the shape"
    )


@max_pool3d_with_indices_backward.samples
def volumes_samples(make: Any) -> Any:
    x = make(1, 2, 4, 4)
    if x.dtype.is_complex or not x.dtype.is_floating_point:
        return
    _, indices = max_pool3d_with_indices(x.detach(), 2)
    yield Sample(make(1, 1, 2, 2), x, 2, 2, 0, 1, False, indices)

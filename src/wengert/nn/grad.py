"""Gradients of convolutions as functions of their own."""

from __future__ import annotations

from collections.abc import Sequence

from .._tensor import Tensor
from ..ops.family import describes
from ..ops.images.conv import convolution_input, convolution_weight

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

Lengths = int | Sequence[int]

INPUT = """
    Args:
        input_size: shape of the input.
        weight: (O, C / groups, ...), the kernels.
        grad_output: the gradient by the result.
        stride, padding, dilation, groups: as of the convolution.

    Returns:
        A new tensor of shape `input_size`.

    Raises:
        RuntimeError: the shapes do not belong together.

    >>> import wengert as wg
    >>> weight, x = wg.ones({weight}), wg.ones({input}).requires_grad_()
    >>> result = wg.nn.functional.conv{count}d(x, weight)
    >>> (expected,) = wg.autograd.grad(result.sum(), x)
    >>> bool((wg.nn.grad.conv{count}d_input(x.shape, weight, wg.ones_like(result)) == expected).all())
    True
    """
WEIGHT = """
    Args:
        input: (N, C, ...).
        weight_size: shape of the kernels.
        grad_output: the gradient by the result.
        stride, padding, dilation, groups: as of the convolution.

    Returns:
        A new tensor of shape `weight_size`.

    Raises:
        RuntimeError: the shapes do not belong together.

    >>> import wengert as wg
    >>> weight, x = wg.ones({weight}).requires_grad_(), wg.ones({input})
    >>> result = wg.nn.functional.conv{count}d(x, weight)
    >>> (expected,) = wg.autograd.grad(result.sum(), weight)
    >>> bool((wg.nn.grad.conv{count}d_weight(x, weight.shape, wg.ones_like(result)) == expected).all())
    True
    """


def spread(count: int, *options: Lengths) -> list[tuple[int, ...]]:
    """Options with one number for each dimension."""
    return [(each,) * count if isinstance(each, int) else tuple(each) for each in options]


def shapes_of(count: int) -> dict[str, str]:
    """What the examples of a convolution of so many dimensions say."""
    return {"count": str(count), "weight": str((2, 1, *(3,) * count)), "input": str((1, 1, *(4,) * count))}


@describes(INPUT, **shapes_of(1))
def conv1d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` by its input."""
    steps = spread(1, stride, padding, dilation)
    return convolution_input(grad_output, weight, tuple(input_size), *steps, groups)


@describes(WEIGHT, **shapes_of(1))
def conv1d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` by its kernels."""
    steps = spread(1, stride, padding, dilation)
    return convolution_weight(grad_output, input, tuple(weight_size), *steps, groups)


@describes(INPUT, **shapes_of(2))
def conv2d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` by its input."""
    steps = spread(2, stride, padding, dilation)
    return convolution_input(grad_output, weight, tuple(input_size), *steps, groups)


@describes(WEIGHT, **shapes_of(2))
def conv2d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` by its kernels."""
    steps = spread(2, stride, padding, dilation)
    return convolution_weight(grad_output, input, tuple(weight_size), *steps, groups)


@describes(INPUT, **shapes_of(3))
def conv3d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` by its input."""
    steps = spread(3, stride, padding, dilation)
    return convolution_input(grad_output, weight, tuple(input_size), *steps, groups)


@describes(WEIGHT, **shapes_of(3))
def conv3d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` by its kernels."""
    steps = spread(3, stride, padding, dilation)
    return convolution_weight(grad_output, input, tuple(weight_size), *steps, groups)

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
        grad_output: the gradient with respect to the result.
        stride, padding, dilation, groups: the options of the convolution.

    Returns:
        A new tensor of shape `input_size`.

    Raises:
        RuntimeError: if the shapes do not match.

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
        grad_output: the gradient with respect to the result.
        stride, padding, dilation, groups: the options of the convolution.

    Returns:
        A new tensor of shape `weight_size`.

    Raises:
        RuntimeError: if the shapes do not match.

    >>> import wengert as wg
    >>> weight, x = wg.ones({weight}).requires_grad_(), wg.ones({input})
    >>> result = wg.nn.functional.conv{count}d(x, weight)
    >>> (expected,) = wg.autograd.grad(result.sum(), weight)
    >>> bool((wg.nn.grad.conv{count}d_weight(x, weight.shape, wg.ones_like(result)) == expected).all())
    True
    """


def spread(count: int, *options: Lengths) -> list[tuple[int, ...]]:
    """Options with one number for each dimension."""
    return [(option,) * count if isinstance(option, int) else tuple(option) for option in options]


def shapes_of(count: int) -> dict[str, str]:
    """Values for the placeholders of the docstrings, by the number of dimensions."""
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
    """Gradient of `conv1d` with respect to its input."""
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
    """Gradient of `conv1d` with respect to its kernels."""
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
    """Gradient of `conv2d` with respect to its input."""
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
    """Gradient of `conv2d` with respect to its kernels."""
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
    """Gradient of `conv3d` with respect to its input."""
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
    """Gradient of `conv3d` with respect to its kernels."""
    steps = spread(3, stride, padding, dilation)
    return convolution_weight(grad_output, input, tuple(weight_size), *steps, groups)

"""Gradients of convolutions as functions of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ..ops.images.conv import convolution_input, convolution_weight

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

Lengths = int | Sequence[int]

INPUT = """The gradient of `conv{count}d` by its input.

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
WEIGHT = """The gradient of `conv{count}d` by its kernels.

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


def described(function: Any, kind: str, count: int, text: str) -> Any:
    """The function under its name, with its docstring."""
    function.__name__ = function.__qualname__ = f"conv{count}d_{kind}"
    shapes = {"weight": (2, 1, *(3,) * count), "input": (1, 1, *(4,) * count)}
    function.__doc__ = text.format(count=count, **shapes)
    return function


def by_input(count: int) -> Any:
    """The gradient by the input, in so many dimensions."""

    def gradient(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Lengths = 1,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
    ) -> Tensor:
        steps = spread(count, stride, padding, dilation)
        return convolution_input(grad_output, weight, tuple(input_size), *steps, groups)  # type: ignore[no-any-return]

    return described(gradient, "input", count, INPUT)


def by_weight(count: int) -> Any:
    """The gradient by the kernels, in so many dimensions."""

    def gradient(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Lengths = 1,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
    ) -> Tensor:
        steps = spread(count, stride, padding, dilation)
        return convolution_weight(grad_output, input, tuple(weight_size), *steps, groups)  # type: ignore[no-any-return]

    return described(gradient, "weight", count, WEIGHT)


conv1d_input, conv2d_input, conv3d_input = map(by_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(by_weight, (1, 2, 3))

"""Pooling functions of `torch.nn.functional` composed of operators: power means, unpooling, fractional pooling."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

from .._tensor import Tensor
from ..ops import Truth, asking
from ..ops.family import describes
from ..ops.images import pool_functions
from ..ops.images.pool import avg_pool2d, avg_pool3d
from ..ops.images.pool_fractional import fractional_max_pool2d as fractional2d, fractional_max_pool3d as fractional3d
from ..ops.images.unpool import max_unpool2d as unpool2d, max_unpool3d as unpool3d
from ..ops.images.windows import LINE, PLANE, VOLUME
from ..ops.randomness.random import rand

in_module = functools.partial(asking, module="wengert.nn.functional")
"""Decorator of functions that are public in `torch.nn.functional`."""


MAXIMA = """
    Args:
        input: {input}, real.
        kernel_size, stride, padding, dilation, ceil_mode: as for `{function}`.
        return_indices: ignored.

    Returns:
        New tensors: values, and their places (int64).

    Raises:
        RuntimeError: if the windows do not fit the input.
    """
ADAPTIVE_MAXIMA = """
    Args:
        input: {input}, real.
        output_size: as for `{function}`.
        return_indices: ignored.

    Returns:
        New tensors: values, and their places (int64).

    Raises:
        RuntimeError: if a size is negative, or the input has another number of dimensions.
    """


@in_module
@describes(MAXIMA, **LINE, function="max_pool1d")
def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> tuple[Tensor, Tensor]:
    """Largest element of each window, and its place: `max_pool1d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> values, indices = wg.nn.functional.max_pool1d_with_indices(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        >>> indices
        tensor([[[1, 3]]])
    """
    return pool_functions.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_module
@describes(MAXIMA, **PLANE, function="max_pool2d")
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> tuple[Tensor, Tensor]:
    """Largest element of each window, and its place: `max_pool2d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> values, indices = wg.nn.functional.max_pool2d_with_indices(wg.arange(4.0).reshape(1, 1, 2, 2), 2)
        >>> indices
        tensor([[[[3]]]])
    """
    return pool_functions.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_module
@describes(MAXIMA, **VOLUME, function="max_pool3d")
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: Truth = False,
) -> tuple[Tensor, Tensor]:
    """Largest element of each window, and its place: `max_pool3d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> values, indices = wg.nn.functional.max_pool3d_with_indices(wg.arange(8.0).reshape(1, 1, 2, 2, 2), 2)
        >>> indices
        tensor([[[[[7]]]]])
    """
    return pool_functions.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_module
@describes(ADAPTIVE_MAXIMA, **LINE, function="adaptive_max_pool1d")
def adaptive_max_pool1d_with_indices(
    input: Any, output_size: Any, return_indices: Truth = False
) -> tuple[Tensor, Tensor]:
    """Largest elements and their places: `adaptive_max_pool1d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([[[1.0, 3.0, 2.0, 5.0]]])
        >>> values, indices = wg.nn.functional.adaptive_max_pool1d_with_indices(x, 2)
        >>> indices
        tensor([[[1, 3]]])
    """
    return pool_functions.adaptive_max_pool1d(input, output_size, True)


@in_module
@describes(ADAPTIVE_MAXIMA, **PLANE, function="adaptive_max_pool2d")
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: Truth = False
) -> tuple[Tensor, Tensor]:
    """Largest elements and their places: `adaptive_max_pool2d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> x = wg.arange(4.0).reshape(1, 1, 2, 2)
        >>> values, indices = wg.nn.functional.adaptive_max_pool2d_with_indices(x, 1)
        >>> indices
        tensor([[[[3]]]])
    """
    return pool_functions.adaptive_max_pool2d(input, output_size, True)


@in_module
@describes(ADAPTIVE_MAXIMA, **VOLUME, function="adaptive_max_pool3d")
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: Truth = False
) -> tuple[Tensor, Tensor]:
    """Largest elements and their places: `adaptive_max_pool3d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> x = wg.arange(8.0).reshape(1, 1, 2, 2, 2)
        >>> values, indices = wg.nn.functional.adaptive_max_pool3d_with_indices(x, 1)
        >>> indices
        tensor([[[[[7]]]]])
    """
    return pool_functions.adaptive_max_pool3d(input, output_size, True)


def spread(value: Any, count: int) -> tuple[Any, ...]:
    """One number for each of `count` dimensions."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


# ---- powers ----------------------------------------------------------------------------------------------------------


def powered(average: Any, largest: Any, count: int, arguments: tuple[Any, ...]) -> Tensor:
    """`lp_pool` in `count` dimensions."""
    input, norm_type, kernel_size, stride, ceil_mode = arguments
    if norm_type == math.inf:
        return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    mean = average(input**norm_type, kernel_size, stride, 0, ceil_mode)
    total = (mean.sign() * mean.abs().relu()) * math.prod(spread(kernel_size, count))
    return total ** (1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False
) -> Tensor:
    """The `norm_type`-norm of each window of (N, C, L) or (C, L); arguments as of `lp_pool2d`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.lp_pool1d(wg.tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2)
        tensor([[[ 5., 10.]]])
    """
    return powered(
        pool_functions.avg_pool1d, pool_functions.max_pool1d, 1, (input, norm_type, kernel_size, stride, ceil_mode)
    )


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-norm of each window.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        norm_type: p of the sum of p-th powers, of which the p-th root is taken; also infinite.
        kernel_size: rows and columns of the window; a number or a pair.
        stride: from window to window; None for `kernel_size`.
        ceil_mode: whether a last window may hang over the end.

    Returns:
        A new tensor.

    >>> import wengert as wg
    >>> wg.nn.functional.lp_pool2d(wg.tensor([[[3.0, 4.0]]]), 2, (1, 2))
    tensor([[[5.]]])
    """
    return powered(avg_pool2d, pool_functions.max_pool2d, 2, (input, norm_type, kernel_size, stride, ceil_mode))


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-norm of each window of (N, C, D, H, W) or (C, D, H, W); arguments as of `lp_pool2d`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.lp_pool3d(wg.ones(1, 1, 2, 2, 2), 2, 2).shape
        torch.Size([1, 1, 1, 1, 1])
    """
    return powered(avg_pool3d, pool_functions.max_pool3d, 3, (input, norm_type, kernel_size, stride, ceil_mode))


# ---- inverses --------------------------------------------------------------------------------------------------------


def unpooled_sizes(input: Tensor, steps: tuple[tuple[int, ...], ...], output_size: Any) -> tuple[int, ...]:
    """Lengths of the result of unpooling: `output_size`, or the default for the size of the input.

    Raises:
        IndexError: if an option has too few numbers.
        ValueError: if pooling of `output_size` does not have the size of the input, or its number of lengths is wrong.
    """
    kernel, stride, padding = steps
    count = len(kernel)
    lengths = input.shape[-count:] if count else ()
    usual = tuple((length - 1) * stride[at] + kernel[at] - 2 * padding[at] for at, length in enumerate(lengths))
    sizes = usual if output_size is None else tuple(output_size)
    sizes = sizes[2:] if len(sizes) == count + 2 else sizes
    if len(sizes) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it has a length of "
            f"'{len(sizes)}'"
        )
    for dim, (size, least, step) in enumerate(zip(sizes, usual, stride)):
        if output_size is not None and not least - step < size < least + step:
            raise ValueError(
                f'invalid output_size "{sizes}" (dim {dim} must be between {least - step} and {least + step})'
            )
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{dim}]={size}"
            )
    return sizes


def unpooling(count: int, kernel_size: Any, stride: Any, padding: Any) -> tuple[tuple[int, ...], ...]:
    """Kernel, stride and padding, one number for each dimension."""
    kernel = spread(kernel_size, count)
    return kernel, kernel if stride is None else spread(stride, count), spread(padding, count)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Partial inverse of `max_pool1d`, of (N, C, L) or (C, L); arguments as for `max_unpool2d`.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([[[1.0, 3.0, 2.0, 5.0]]])
        >>> wg.nn.functional.max_unpool1d(*wg.nn.functional.max_pool1d(x, 2, return_indices=True), 2)
        tensor([[[0., 3., 0., 5.]]])
    """
    sizes = unpooled_sizes(input, unpooling(1, kernel_size, stride, padding), output_size)
    result = unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1))
    return result.squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Partial inverse of `max_pool2d`: each value at its old place, zero elsewhere.

    Args:
        input: (N, C, H, W) or (C, H, W), values of `max_pool2d`.
        indices: their places, as returned by `max_pool2d`.
        kernel_size, stride, padding: the options of the pooling.
        output_size: the size of the pooled input, with or without the first two dimensions, where it is ambiguous.

    Returns:
        A new tensor (N, C, height, width) or (C, height, width).

    Raises:
        ValueError: if pooling of `output_size` does not have the size of the input.
        RuntimeError: if an index is outside of the result.

    >>> import wengert as wg
    >>> values, places = wg.nn.functional.max_pool2d(wg.arange(16.0).view(1, 4, 4), 2, return_indices=True)
    >>> wg.nn.functional.max_unpool2d(values, places, 2)
    tensor([[[ 0.,  0.,  0.,  0.],
             [ 0.,  5.,  0.,  7.],
             [ 0.,  0.,  0.,  0.],
             [ 0., 13.,  0., 15.]]])
    """
    sizes = unpooled_sizes(input, unpooling(2, kernel_size, stride, padding), output_size)
    return unpool2d(input, indices, sizes)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Partial inverse of `max_pool3d`; arguments as for `max_unpool2d`.

    Examples:
        >>> import wengert as wg
        >>> x = wg.ones(1, 1, 2, 2, 2)
        >>> wg.nn.functional.max_unpool3d(*wg.nn.functional.max_pool3d(x, 2, return_indices=True), 2).sum()
        tensor(1.)
    """
    steps = unpooling(3, kernel_size, stride, padding)
    sizes = unpooled_sizes(input, steps, output_size)
    return unpool3d(input, indices, sizes, steps[1], steps[2])


# ---- random places ---------------------------------------------------------------------------------------------------


def at_random(operator: Any, count: int, arguments: tuple[Any, ...]) -> Any:
    """Fractional pooling in `count` dimensions.

    Raises:
        ValueError: if there is neither size nor ratio.
    """
    input, kernel_size, output_size, output_ratio, return_indices, samples = arguments
    name = operator.name
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = spread(output_ratio, count)
        if len(ratios) != count:
            raise ValueError(
                f"{name} requires output_ratio to either be a single Int or tuple of Ints, one for each of {count} "
                f"dimensions; got {output_ratio}"
            )
        output_size = [int(length * ratio) for length, ratio in zip(input.shape[-count:], ratios)]
    if samples is None:
        items = 1 if input.ndim == count + 1 else input.shape[0]
        samples = rand(items, input.size(-count - 1), count, dtype=input.dtype)
    values, indices = operator(input, kernel_size, output_size, samples)
    return (values, indices) if return_indices else values


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Truth = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of each of a number of windows that begin at random places.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        kernel_size: rows and columns of the window; a number or a pair.
        output_size: rows and columns of the result; a number or a pair.
        output_ratio: instead, those of the result to those of the input, between 0 and 1.
        return_indices: also return where in its plane each value was (int64).
        _random_samples: (N, C, 2) numbers from [0, 1), which decide on the places; drawn by default.

    Returns:
        A new tensor, or a pair of them.

    Raises:
        ValueError: if there is neither size nor ratio.
        RuntimeError: if the windows do not fit the input.

    Source:
        Graham, Fractional max-pooling (2014).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.fractional_max_pool2d(wg.ones(1, 1, 5, 5), 2, output_size=3).shape
        torch.Size([1, 1, 3, 3])
    """
    arguments = (input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return at_random(fractional2d, 2, arguments)


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Truth = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """`fractional_max_pool2d` of volumes (N, C, D, H, W) or (C, D, H, W), with three numbers for two.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.fractional_max_pool3d(wg.ones(1, 1, 5, 5, 5), 2, output_size=3).shape
        torch.Size([1, 1, 3, 3, 3])
    """
    arguments = (input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return at_random(fractional3d, 3, arguments)


FRACTIONAL_MAXIMA = """
    Args:
        input: {input}, floating.
        kernel_size, output_size, output_ratio: as for `{function}`.
        return_indices: ignored.
        _random_samples: numbers that decide on the places; drawn by default.

    Returns:
        New tensors: values, and their places (int64).

    Raises:
        ValueError: if there is neither size nor ratio.
        RuntimeError: if the windows do not fit the input.
    """


@in_module
@describes(FRACTIONAL_MAXIMA, **PLANE, function="fractional_max_pool2d")
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Truth = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Largest elements and their places: `fractional_max_pool2d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> x = wg.ones(1, 1, 5, 5)
        >>> values, indices = wg.nn.functional.fractional_max_pool2d_with_indices(x, 2, output_size=3)
        >>> indices.shape
        torch.Size([1, 1, 3, 3])
    """
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


@in_module
@describes(FRACTIONAL_MAXIMA, **VOLUME, function="fractional_max_pool3d")
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: Truth = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Largest elements and their places: `fractional_max_pool3d` that always returns the indices.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> x = wg.ones(1, 1, 5, 5, 5)
        >>> values, indices = wg.nn.functional.fractional_max_pool3d_with_indices(x, 2, output_size=3)
        >>> indices.shape
        torch.Size([1, 1, 3, 3, 3])
    """
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)

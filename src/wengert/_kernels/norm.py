"""Batch and layer normalisation, forward and backward, in NumPy.

Statistics are formed in float64 and returned in the dtype of the input, float32 for half precision.
"""

from __future__ import annotations

import math

import numpy as np

from .results import Array, wide_dtype

OptionalArray = Array | None


def channel_shape(x: Array) -> tuple[int, ...]:
    """The shape in which one value per channel broadcasts with `x`."""
    return (1, x.shape[1]) + (1,) * (x.ndim - 2)


def all_but_channel(x: Array) -> tuple[int, ...]:
    """Every axis but the second."""
    return (0, *range(2, x.ndim))


def batch_norm_statistics(x: Array, eps: float) -> tuple[Array, Array, Array]:
    """Mean and spread of each channel.

    Args:
        x: (N, C, ...), floating.
        eps: added to the variance.

    Returns:
        mean, 1 / sqrt(variance + eps), and the variance (divided by the number of elements), each (C,).
    """
    wide, axes = x.astype(np.float64, copy=False), all_but_channel(x)
    count = np.float64(x.size / max(1, x.shape[1]))
    mean = np.sum(wide, axis=axes) / count
    distance = wide - mean.reshape(channel_shape(x))
    variance = np.sum(distance * distance, axis=axes) / count
    dtype = wide_dtype(x.dtype)
    return mean.astype(dtype), (1 / np.sqrt(variance + eps)).astype(dtype), variance.astype(dtype)


def batch_norm_apply(
    x: Array, mean: Array, invstd: Array, weight: OptionalArray = None, bias: OptionalArray = None
) -> Array:
    """(x - mean) * invstd * weight + bias, channel by channel.

    Args:
        x: (N, C, ...), floating.
        mean: (C,).
        invstd: (C,), 1 / standard deviation.
        weight: (C,) or None for 1.
        bias: (C,) or None for 0.

    Returns:
        A new array like `x`.
    """
    shape = channel_shape(x)
    scale = invstd if weight is None else invstd * weight
    result = (x - mean.reshape(shape)) * scale.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result.astype(x.dtype, copy=False)


def batch_norm_backward(
    grad: Array, x: Array, mean: Array, invstd: Array, weight: OptionalArray, training: bool
) -> tuple[Array, OptionalArray, OptionalArray]:
    """Gradients of batch normalisation.

    Args:
        grad: gradient of the result, (N, C, ...).
        x: the input of the forward pass.
        mean: (C,), as used there.
        invstd: (C,), as used there.
        weight: (C,) or None.
        training: whether mean and invstd came from `x` itself, so that the gradient flows through them too.

    Returns:
        Gradients of x, weight and bias; the last two None without weight.

    Source: Ioffe and Szegedy, Batch normalization, 2015, section 3.
    """
    shape, axes, dtype = channel_shape(x), all_but_channel(x), wide_dtype(x.dtype)
    count = dtype.type(x.size / max(1, x.shape[1]))
    distance = x - mean.reshape(shape)
    total = np.sum(grad, axis=axes, dtype=np.float64).astype(dtype)
    product = np.sum(grad * distance, axis=axes, dtype=np.float64).astype(dtype)
    scale = (invstd if weight is None else invstd * weight).reshape(shape)
    if training:
        factor = (product * invstd * invstd / count).reshape(shape)
        grad_x = (grad - (total / count).reshape(shape) - distance * factor) * scale
    else:
        grad_x = grad * scale
    grad_x = grad_x.astype(x.dtype, copy=False)
    if weight is None:
        return grad_x, None, None
    return grad_x, (product * invstd).astype(weight.dtype, copy=False), total.astype(weight.dtype, copy=False)


def trailing_axes(name: str, x: Array, count: int) -> tuple[int, ...]:
    """The last `count` axes, at least one.

    Raises:
        ValueError: if `count` is out of range; checked first, since a tuple of 2**45 numbers would fill the memory.
    """
    if not 0 < count <= x.ndim:
        raise ValueError(f"{name}: there are no {count} trailing axes in an array of {x.ndim} dimensions")
    return tuple(range(x.ndim - count, x.ndim))


def layer_norm(
    x: Array, normalized_ndim: int, weight: OptionalArray = None, bias: OptionalArray = None, eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    """Normalisation over the last axes.

    Args:
        x: floating.
        normalized_ndim: how many trailing axes are normalised together, at least 1.
        weight: of the shape of those axes, or None for 1.
        bias: of the same shape, or None for 0.
        eps: added to the variance.

    Returns:
        The result, the mean and 1 / sqrt(variance + eps); the last two with length 1 in the trailing axes.

    Source: Ba, Kiros and Hinton, Layer normalization, 2016.
    """
    axes = trailing_axes("layer_norm", x, normalized_ndim)
    wide = x.astype(np.float64, copy=False)
    count = np.float64(math.prod(x.shape[x.ndim - normalized_ndim :]))
    centre = np.sum(wide, axis=axes, keepdims=True) / count
    distance = wide - centre
    variance = np.sum(distance * distance, axis=axes, keepdims=True) / count
    dtype = wide_dtype(x.dtype)
    mean, invstd = centre.astype(dtype), (1 / np.sqrt(variance + eps)).astype(dtype)
    result = (x - mean) * invstd
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result.astype(x.dtype, copy=False), mean, invstd


def layer_norm_backward(
    grad: Array, x: Array, normalized_ndim: int, mean: Array, invstd: Array, weight: OptionalArray
) -> tuple[Array, OptionalArray, OptionalArray]:
    """Gradients of `layer_norm`.

    Args:
        grad: gradient of the result.
        x: the input of the forward pass.
        normalized_ndim: as there.
        mean: as returned there.
        invstd: as returned there.
        weight: as there.

    Returns:
        Gradients of x, weight and bias; the last two None without weight.
    """
    trailing = trailing_axes("layer_norm_backward", x, normalized_ndim)
    leading = tuple(range(x.ndim - normalized_ndim))
    dtype = wide_dtype(x.dtype)
    count = dtype.type(math.prod(x.shape[x.ndim - normalized_ndim :]))
    standard = (x - mean) * invstd
    inner = grad.astype(dtype, copy=False) if weight is None else grad * weight
    total = np.sum(inner, axis=trailing, keepdims=True) / count
    product = np.sum(inner * standard, axis=trailing, keepdims=True) / count
    grad_x = ((inner - total - standard * product) * invstd).astype(x.dtype, copy=False)
    if weight is None:
        return grad_x, None, None
    grad_weight = np.sum(grad * standard, axis=leading, dtype=np.float64)
    grad_bias = np.sum(grad, axis=leading, dtype=np.float64)
    return grad_x, grad_weight.astype(weight.dtype), grad_bias.astype(weight.dtype)

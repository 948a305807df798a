"""Layer normalisation and RMS normalisation: each item of a batch by itself."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.cards.card import REALS, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.operators.batch_rules import check_member, of_nobody, singled, with_batch
from ..._core.operators.layouts import channels_lie_inside
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels.results import wide_dtype
from ..axes import read_number
from ..dtype_checks import check_floating, check_inexact
from .grad_history import with_history

TITLE = "NativeLayerNormBackwardBackward0"


def check_shape(name: str, tensor: Any, normalized_shape: Any, *, star: str = "[*, ") -> tuple[int, ...]:
    """Return the shape that is normalised together.

    Raises:
        TypeError: if `normalized_shape` is not a sequence.
        RuntimeError: if it is empty, or the shape of `tensor` does not end with it.
    """
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(errors.wrong_type(name, "normalized_shape", 2, "tuple of ints", normalized_shape))
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if tensor.ndim < len(shape) or tuple(tensor.shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={errors.shown(shape)}, expected input with shape {star}{errors.shown(shape)[1:]}, "
            f"but got input of size{errors.shown(tensor.shape)}"
        )
    return shape


def check_factors(shape: tuple[int, ...], **factors: Any) -> None:
    """Refuse a weight or bias without the normalised shape.

    Raises:
        RuntimeError: if a shape differs.
    """
    for name, factor in factors.items():
        if factor is not None and tuple(factor.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{errors.shown(factor.shape)} and normalized_shape = {errors.shown(shape)}"
            )


def check_mixed(array: Any, *others: Any) -> None:
    """Refuse parameters of another dtype (float32 is allowed for half precision).

    Raises:
        RuntimeError: if a dtype differs.
    """
    kinds = [other.dtype for other in others if other is not None]
    wanted = np.dtype(np.float32) if array.itemsize <= 2 and np.float32 in kinds else array.dtype
    if any(kind != wanted for kind in kinds):
        raise RuntimeError(
            f"mixed dtype (CPU): expect parameter to have scalar type of {dtypes.from_numpy(wanted).legacy[:-6]}"
        )


def in_dtype_of(statistics: Any, array: Any, *factors: Any) -> Any:
    """Convert the statistics of `array` to the dtype of the parameters; to its own if there are none."""
    return statistics.astype(statistics_dtype(array, *factors), copy=False)


def statistics_dtype(array: Any, *factors: Any) -> Any:
    """Return the dtype of the statistics of a normalisation: that of the factors, if there are any."""
    return next((factor.dtype for factor in factors if factor is not None), array.dtype)


def fused(*tensors: Any) -> bool:
    """Return whether one kernel may compute a gradient: nothing is recorded, and all tensors are plain arrays."""
    word = 0
    for tensor in tensors:
        if tensor is not None:
            word |= tensor._flags_
    return not current().grad and not word & flags.UNUSUAL & ~flags.BATCHED


def unrecorded(*tensors: Tensor) -> bool:
    """Return whether a call needs its result alone: no history, and nobody observes the operators in it."""
    modes = current()
    word = modes.word
    for tensor in tensors:
        word |= tensor._flags_
    return not word & modes.mask & (flags.UNUSUAL & ~flags.PROFILED | flags.HISTORY)


def standard(tensor: Any, dims: Any, eps: float) -> tuple[Any, Any]:
    """Normalise to mean 0 and variance 1 over `dims`; return 1 / the standard deviation, too; differentiable."""
    centred = tensor - tensor.mean(dims, True)
    scale = ((centred * centred).mean(dims, True) + eps).rsqrt()
    return centred * scale, scale


def through_standard(grad: Any, normal: Any, scale: Any, dims: Any) -> Any:
    """Gradient of `standard`: without its mean and its component along the result."""
    return (grad - grad.mean(dims, True) - normal * (grad * normal).mean(dims, True)) * scale


def scaled(normal: Any, weight: Any, bias: Any, shape: tuple[int, ...]) -> Any:
    """Multiply the normalised tensors of all members of a batch by each one's `weight`, and add its `bias`.

    Args:
        normal: (B, ...).
        weight, bias: (B, ...), or None.
        shape: shape in which a member's weights broadcast with its normalised tensor.
    """
    result = normal
    if weight is not None:
        result = result * weight.reshape((weight.shape[0], *shape))
    if bias is not None:
        result = result + bias.reshape((bias.shape[0], *shape))
    return result.to(normal.dtype)


def summed(tensor: Any, dims: list[int]) -> Any:
    """Sum over `dims`, which may be empty."""
    return tensor.sum(dims) if dims else tensor


def layer_norm_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `native_layer_norm`: weights of each member are applied afterwards."""
    if not size:
        return of_nobody(op, args, carried)
    (input, shape, weight, bias, eps), in_batch = singled(args, carried)
    by_member = in_batch[2] or in_batch[3]
    lead = input.ndim - in_batch[0] - len(shape)
    if lead < 0 or (by_member and not fits(input, (weight, bias), in_batch[2:4], tuple(shape))):
        check_member(op, size, args, carried)
    if not by_member:
        return op.call((input, shape, weight, bias, eps))
    normal, mean, rstd = (with_batch(part, in_batch[0], size) for part in op.call((input, shape, None, None, eps)))
    weight, bias = with_batch(weight, in_batch[2], size), with_batch(bias, in_batch[3], size)
    return scaled(normal, weight, bias, (*(1,) * lead, *shape)), mean, rstd


def fits(input: Any, factors: Any, carried: Any, shape: tuple[int, ...]) -> bool:
    """Return whether factors have the shape and dtype of the tensor they scale, behind the batch if they carry it."""
    return all(
        factor is None or (factor.dtype is input.dtype and factor.shape[on:] == shape)
        for factor, on in zip(factors, carried)
    )


@op(
    dtypes=REALS,
    batching=layer_norm_of_batch,
    outputs={"normalised": True, "mean": False, "rstd": False},
    public="function",
    native=kernels.direct_function("native_layer_norm"),
)
def native_layer_norm(
    input: Array, normalized_shape: Any, weight: Array = None, bias: Array = None, eps: float = 1e-5
) -> Any:
    """Layer normalisation, with its statistics.

    Args:
        input, normalized_shape, weight, bias, eps: as for `layer_norm`.

    Returns:
        The result, and the mean and 1 / standard deviation of each item, with length 1 in the last dimensions and
        the dtype of the parameters, or of the input.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Source:
        Ba, Kiros and Hinton, Layer normalization, 2016.

    Examples:
        >>> import wengert as wg
        >>> wg.native_layer_norm(wg.tensor([[1.0, 2.0, 4.0]]), (3,), None, None, 0.0)[0]
        tensor([[-1.0690, -0.2673,  1.3363]])
    """
    shape = check_shape("native_layer_norm", input, normalized_shape)
    check_factors(shape, weight=weight, bias=bias)
    check_floating("native_layer_norm", "LayerNormKernelImpl", input)
    check_mixed(input, weight, bias)
    result, mean, rstd = kernels.layer_norm(input, len(shape), weight, bias, eps)
    return result, in_dtype_of(mean, input, weight, bias), in_dtype_of(rstd, input, weight, bias)


native_layer_norm.nodes.shown.update(result1="mean", result2="rstd")


@native_layer_norm.vjp("input", "weight", "bias")
def native_layer_norm_vjp(
    grads: Any, input: Any, normalized_shape: Any, weight: Any, mean: Any, rstd: Any, eps: float, wanted: Any
) -> Any:
    grad, count = grads[0], len(normalized_shape)
    lead = list(range(input.ndim - count))
    if fused(grad, input, weight):
        parts = layer_norm_backward(grad, input, mean, rstd, weight, count)
        if weight is not None:
            return parts
        return parts[0], None, summed(grad, lead) if wanted[2] else None
    last = list(range(-count, 0))
    normal, scale = standard(input, last, eps)
    first = through_standard(grad if weight is None else grad * weight, normal, scale, last) if wanted[0] else None
    second = summed(grad * normal, lead) if wanted[1] else None
    third = summed(grad, lead) if wanted[2] else None
    return tuple([with_history(part, TITLE, input, weight) for part in (first, second, third)])


@native_layer_norm.jvp("input")
def native_layer_norm_jvp_input(tangent: Any, input: Any, normalized_shape: Any, weight: Any, eps: float) -> Any:
    last = list(range(-len(normalized_shape), 0))
    moved = through_standard(tangent, *standard(input, last, eps), last)  # the Jacobian is symmetric
    return moved if weight is None else moved * weight, None, None


@native_layer_norm.jvp("weight")
def native_layer_norm_jvp_weight(tangent: Any, input: Any, normalized_shape: Any, eps: float) -> Any:
    return standard(input, list(range(-len(normalized_shape), 0)), eps)[0] * tangent, None, None


@native_layer_norm.jvp("bias")
def native_layer_norm_jvp_bias(tangent: Any) -> Any:
    return tangent, None, None


@native_layer_norm.samples
def native_layer_norm_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (4,), make(4), make(4), 1e-5)
    yield Sample(make(2, 3, 4), (3, 4), None, None, 0.1)


ONLY_FUSED = "called only where nothing is recorded; otherwise the rule is a formula of differentiable operators"
BY_KERNEL = "the gradient by one kernel"
"""Name in errors of what is `ONLY_FUSED`."""


fused_gradient = partial(op, dtypes=REALS, outputs=..., why=(ONLY_FUSED, BY_KERNEL), public="neither")
"""Gradients by one kernel, where nothing is recorded."""


@fused_gradient()
def layer_norm_backward(
    grad: Array, input: Array, mean: Array, rstd: Array, weight: Array = None, normalized_ndim: int = 1
) -> Any:
    """Gradients of layer normalisation for input, weight and bias; for the input alone without weight."""
    check_floating("layer_norm_backward", "layer_norm_backward", input)
    mean, rstd = (operand.astype(wide_dtype(input.dtype), copy=False) for operand in (mean, rstd))
    result = kernels.layer_norm_backward(grad, input, normalized_ndim, mean, rstd, weight)
    return result[:1] if weight is None else result


@layer_norm_backward.batched
def layer_norm_backward_batched(grad: Any, input: Any, mean: Any, rstd: Any, weight: Any, normalized_ndim: int) -> Any:
    lead = input.ndim - 1 - normalized_ndim
    factor = None if weight is None else weight.reshape((weight.shape[0], *(1,) * lead, *weight.shape[1:]))
    grad_normal = grad if weight is None else (grad * factor).to(grad.dtype)
    first = layer_norm_backward.call((grad_normal, input, mean, rstd, None, normalized_ndim))[0]
    if weight is None:
        return (first,)
    others = list(range(1, 1 + lead))
    normal = (input - mean) * rstd
    return first, summed(grad * normal, others).to(weight.dtype), summed(grad, others).to(weight.dtype)


@layer_norm_backward.samples
def layer_norm_backward_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), make(3, 1), make(3, 1, kind="positive"), make(4))


@composite(method=False)
def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    """Normalise over the last dimensions: mean 0 and variance 1, then times `weight` plus `bias`.

    Args:
        input: floating tensor (..., *normalized_shape).
        normalized_shape: the last lengths.
        weight: of that shape, or None.
        bias: of that shape, or None.
        eps: added to the variance.
        cudnn_enable: has no effect.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.layer_norm(wg.tensor([[1.0, 3.0], [10.0, 30.0]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


@layer_norm.samples
def layer_norm_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (4,), make(4), make(4))
    yield Sample(make(2, 3, 4), [3, 4])
    yield Bad(
        make(3, 4), (3,), raises=RuntimeError, says="Given normalized_shape=[3], expected input with shape [*, 3]"
    )
    yield Bad(make(3, 4), (4,), make(3), raises=RuntimeError, says="Expected weight to be of same shape as")


@composite(method=False)
def rms_norm(input: Any, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Any:
    """Divide by the root of the mean square over the last dimensions, then multiply by `weight`.

    Args:
        input: floating or complex tensor (..., *normalized_shape).
        normalized_shape: the last lengths.
        weight: of that shape, or None.
        eps: added to the mean square; default: the precision of the dtype.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        RuntimeError: if shapes do not fit.
        ValueError: if `input` has fewer dimensions than `normalized_shape`.

    Source:
        Zhang and Sennrich, Root mean square layer normalization, 2019.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.rms_norm(wg.tensor([[3.0, 4.0]]), (2,))
        tensor([[0.8485, 1.1314]])
    """
    if isinstance(normalized_shape, (tuple, list)) and normalized_shape:
        check_factors(tuple(normalized_shape), weight=weight)
        if input.ndim < (count := len(normalized_shape)):
            raise ValueError(f"Input tensor must have at least {count} dimensions, but got {input.ndim} (rms_norm)")
    shape = check_shape("rms_norm", input, normalized_shape, star="[*")
    check_inexact("rms_norm", "rms_norm", input._array_)
    wide = input.to(dtypes.float32) if input._array_.itemsize < 4 else input
    if eps is None:
        eps = float(np.finfo(wide.dtype.numpy).eps)
    eps = read_number("rms_norm", "eps", 4, eps)
    result = wide * (wide.pow(2).mean(list(range(-len(shape), 0)), True) + eps).rsqrt()
    result = (result if weight is None else result * weight).to(input.dtype)
    channels_last = input.ndim > 3 and channels_lie_inside(
        input._array_.shape, input._array_.strides
    )  # images and volumes
    return result if channels_last else result.contiguous()


@rms_norm.samples
def rms_norm_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (4,))
    yield Sample(make(3, 4), (4,), make(4), 1e-3)
    yield Bad(make(3, 4), (3,), raises=RuntimeError, says="Given normalized_shape=[3]")
    yield Bad(make(3, 4), (4,), None, (1, 2), raises=TypeError, says="argument 'eps' (position 4) must be float")


layer_norm = plain_case(layer_norm, native_layer_norm, then=(itemgetter(0),), module=FUNCTIONAL)

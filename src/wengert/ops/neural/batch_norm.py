"""Batch normalisation: each channel over all items of a batch; and instance normalisation, based on it."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.arguments import refuse_gradient
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.operators.batch_rules import full, merged, of_nobody, parted, singled, with_batch
from ..._core.out_errors import SCALAR_TYPE
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import has, levels_of
from ..._core.tensor.tangents import is_dual
from ..._core.types.sizes import normalise
from ..axes import read_number
from ..dtype_checks import check_floating
from ..memory.memory_formats import in_order_of
from .grad_history import with_history
from .group_norm import channel_view, check_batch
from .norm import check_mixed, fused, fused_gradient, standard, through_standard

TITLE = "NativeBatchNormBackwardBackward0"
SHARED_STATISTICS = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False, or give each member statistics of its own."
)


def check_channel_values(tensor: Any, **values: Any) -> None:
    """Refuse a tensor without one element for each channel.

    Raises:
        IndexError: if `tensor` has no channels.
        RuntimeError: if the number of elements differs.
    """
    channels = tensor.shape[normalise(1, tensor.ndim)]
    for name, value in values.items():
        if value is not None and value.shape != (channels,):
            raise RuntimeError(f"{name} should contain {channels} elements not {math.prod(value.shape)}")


def batch_norm_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `batch_norm_forward`: the members are more channels, or more items if statistics and weights are
    passed and the same for all."""
    if not size:
        return of_nobody(op, args, carried)
    operands, in_batch = singled(args, carried)
    if not any(in_batch[1:]) and not args[op.names.index("training")]:
        results = op.call((merged(operands[0], 0), *operands[1:]))
        return results[0].reshape(operands[0].shape), *[with_batch(part, False, size) for part in results[1:]]
    return as_channels(op, full(args, carried, size), size)


def as_channels(op: Any, operands: list[Any], size: int) -> Any:
    """Results of a call in which the members are more channels."""
    results = op.call(
        tuple(
            [merged(tensor, min(tensor.ndim - 2, 1)) if isinstance(tensor, Tensor) else tensor for tensor in operands]
        )
    )
    return tuple([parted(tensor, min(tensor.ndim - 1, 1), size) for tensor in results])


def batch_norm_backward_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `batch_norm_backward`: the members are more channels."""
    return as_channels(op, full(args, carried, size), size) if size else of_nobody(op, args, carried)


@op(
    layout="suggested",
    batching=batch_norm_of_batch,
    dtypes=REALS,
    outputs={"normalised": True, "mean": False, "invstd": False, "variance": False},
    public="neither",
    node="NativeBatchNormBackward0",
    native=kernels.direct_function("batch_norm_forward"),
)
def batch_norm_forward(
    input: Array,
    weight: Array = None,
    bias: Array = None,
    running_mean: Index = None,
    running_var: Index = None,
    training: bool = True,
    eps: float = 1e-5,
) -> Any:
    """Return the normalised tensor, the mean and 1 / standard deviation that were used, and the variance."""
    check_channel_values(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    check_floating("batch_norm", "batch_norm", input)
    check_mixed(input, weight, bias, running_mean, running_var)
    rows = channel_rows(input)
    if training:
        mean, invstd, variance = kernels.batch_norm_statistics(rows, eps)
    else:
        mean, variance = running_mean, running_var
        invstd = kernels.rsqrt(kernels.add(variance, eps))
    result = kernels.batch_norm_apply(rows, mean, invstd, weight, bias)
    return as_images(result, input), mean.copy(), invstd, variance.copy()


def channel_rows(images: Array) -> Any:
    """Return channels-last images as rows, (N * H * W, C), for which kernels are fast; others unchanged."""
    if images.ndim < 3 or images.flags.c_contiguous:
        return images
    last = np.moveaxis(images, 1, -1)
    return last.reshape(-1, images.shape[1]) if last.flags.c_contiguous else images


def as_images(rows: Array, images: Array) -> Any:
    """Return rows of `channel_rows` with the shape and strides of the images."""
    if rows.shape == images.shape:
        return rows
    return np.moveaxis(rows.reshape(images.shape[0], *images.shape[2:], images.shape[1]), -1, 1)


batch_norm_forward.nodes.shown.update(result1="mean", result2="invstd")


@batch_norm_forward.vjp("input", "weight", "bias")
def batch_norm_vjp(
    grads: Any, input: Any, weight: Any, mean: Any, invstd: Any, training: bool, eps: float, wanted: Any
) -> Any:
    grad, ndim = grads[0], input.ndim
    others, view = [0, *range(2, ndim)], channel_view(ndim)
    if fused(grad, input, weight):
        grad = in_order_of(grad, (input._array_.shape, input._array_.strides))
        parts = batch_norm_backward(grad, input, mean, invstd, weight, training)
        if weight is not None:
            return parts
        return parts[0], None, grad.sum(others) if wanted[2] else None
    normal, scale = normal_and_scale(input, mean, invstd, training, eps)
    grad_normal = grad if weight is None else grad * weight.view(view)
    first = None
    if wanted[0]:
        first = through_standard(grad_normal, normal, scale, others) if training else grad_normal * scale
    second = (grad * normal).sum(others) if wanted[1] else None
    third = grad.sum(others) if wanted[2] else None
    return tuple([with_history(part, TITLE, input, weight) for part in (first, second, third)])


def normal_and_scale(input: Any, mean: Any, invstd: Any, training: bool, eps: float) -> tuple[Any, Any]:
    """Return the input with mean 0 and variance 1 in each channel, and 1 / its standard deviation, as formulas."""
    if training:
        return standard(input, [0, *range(2, input.ndim)], eps)
    view = channel_view(input.ndim)
    return (input - mean.view(view)) * invstd.view(view), invstd.view(view)


@batch_norm_forward.jvp("input")
def batch_norm_jvp_input(
    tangent: Any, input: Any, weight: Any, mean: Any, invstd: Any, training: bool, eps: float
) -> Any:
    normal, scale = normal_and_scale(input, mean, invstd, training, eps)
    others = [0, *range(2, input.ndim)]
    moved = through_standard(tangent, normal, scale, others) if training else tangent * scale
    return moved if weight is None else moved * weight.view(channel_view(input.ndim)), None, None, None


@batch_norm_forward.jvp("weight")
def batch_norm_jvp_weight(tangent: Any, input: Any, mean: Any, invstd: Any, training: bool, eps: float) -> Any:
    normal, _ = normal_and_scale(input, mean, invstd, training, eps)
    return normal * tangent.view(channel_view(input.ndim)), None, None, None


@batch_norm_forward.jvp("bias")
def batch_norm_jvp_bias(tangent: Any, input_shape: Any) -> Any:
    return tangent.view(channel_view(len(input_shape))), None, None, None


@batch_norm_forward.samples
def batch_norm_forward_samples(make: Any) -> Any:
    yield Sample(make(4, 3), make(3), make(3))
    yield Sample(make(2, 3, 4), None, None)
    yield Sample(
        make(4, 3), make(3), make(3), make(3, requires_grad=False), make(3, kind="positive", requires_grad=False), False
    )


@fused_gradient(layout="suggested", batching=batch_norm_backward_of_batch)
def batch_norm_backward(
    grad: Array, input: Array, mean: Array, invstd: Array, weight: Array = None, training: bool = True
) -> Any:
    """Gradients of batch normalisation for input, weight and bias; for the input alone without weight."""
    check_floating("batch_norm_backward", "batch_norm_backward", input)
    grads, rows = channel_rows(grad), channel_rows(input)
    if grads.shape != rows.shape:
        grads, rows = grad, input
    results = kernels.batch_norm_backward(grads, rows, mean, invstd, weight, training)
    results = (as_images(results[0], input), *results[1:])
    return results[:1] if weight is None else results


@batch_norm_backward.samples
def batch_norm_backward_samples(make: Any) -> Any:
    yield Sample(make(4, 3), make(4, 3), make(3), make(3, kind="positive"), make(3))


def follow(running: Any, statistics: Any, momentum: float) -> None:
    """Move a running statistic in place towards the measured one; a volatile input leaves no history."""
    statistics = statistics.data if statistics.volatile else statistics
    running.mul_(1 - momentum).add_(statistics, alpha=momentum)


def check_statistics(input: Any, *statistics: Any) -> None:
    """Refuse running statistics that all members of a batch share and that would become different.

    Raises:
        RuntimeError: if the members share a running statistic.
    """
    if any(running is not None and not has(running, level) for level in levels_of(input) for running in statistics):
        raise RuntimeError(SHARED_STATISTICS)


def of_nothing(input: Any, weight: Any, bias: Any) -> Any:
    """Normalise an empty tensor: it keeps its history, and the running statistics stay unchanged."""
    if input.ndim > 1:
        check_channel_values(input, weight=weight, bias=bias)
    result = input.clone()
    for factor, product in ((weight, True), (bias, False)):
        if factor is not None and factor.numel():
            result = result * factor[0] if product else result + factor[0]
    return result, input.new_empty(0), input.new_empty(0)


def by_formula(input: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> tuple[Any, Any, Any]:
    """Results of `batch_norm_forward` in evaluation with statistics that have tangents, composed of operators."""
    refuse_gradient("native_batch_norm", running_mean=mean, running_var=var)
    check_channel_values(input, running_mean=mean, running_var=var, weight=weight, bias=bias)
    check_mixed(*[None if operand is None else operand._array_ for operand in (input, weight, bias, mean, var)])
    view, invstd = channel_view(input.ndim), (var + eps).rsqrt()
    result = (input - mean.view(view)) * invstd.view(view)
    if weight is not None:
        result = result * weight.view(view)
    if bias is not None:
        result = result + bias.view(view)
    return result.to(input.dtype), mean.detach().clone(), invstd.detach()


def normalised(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: Any, eps: float
) -> Any:
    """Return all results of `batch_norm_forward`; the running statistics are updated in training.

    Raises:
        RuntimeError: if there are no running statistics to use.
        TypeError: if `momentum` is not a number.
    """
    momentum = float(read_number("batch_norm", "momentum", 7, momentum))  # True counts as 1
    if not input.numel():
        return of_nothing(input, weight, bias)
    if not training:
        for name, value in (("running_mean", running_mean), ("running_var", running_var)):
            if value is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        if is_dual(running_mean) or is_dual(running_var):
            return by_formula(input, weight, bias, running_mean, running_var, eps)
        return batch_norm_forward(input, weight, bias, running_mean, running_var, False, eps)
    if running_mean is not None or running_var is not None:
        check_statistics(input, running_mean, running_var)
    check_channel_values(input, running_mean=running_mean, running_var=running_var)
    unused = [
        operand.detach() if operand is not None and is_dual(operand) else operand
        for operand in (running_mean, running_var)
    ]
    results = batch_norm_forward(input, weight, bias, *unused, True, eps)
    if running_mean is not None:
        follow(running_mean, results[1], momentum)
    if running_var is not None:
        count = input.numel() // max(1, input.shape[1])
        follow(running_var, results[3] * (count / (count - 1) if count > 1 else math.nan), momentum)
    return results


@composite(method=False)
def native_batch_norm(
    input: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    *,
    out: Any = None,
) -> Any:
    """Batch normalisation, with its statistics.

    Args:
        input, weight, bias, running_mean, running_var, training, momentum, eps: as for `nn.functional.batch_norm`.
        out: a tuple of tensors to write into.

    Returns:
        The result, and the mean and 1 / standard deviation of each channel (empty unless `training`).

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([[1.0], [3.0]])
        >>> wg.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[0]
        tensor([[-1.],
                [ 1.]])
    """
    if training and not input.numel():
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(input.shape)}")
    results = normalised(input, weight, bias, running_mean, running_var, training, momentum, eps)
    dtype = next(tensor.dtype for tensor in (weight, bias, running_mean, running_var, input) if tensor is not None)
    saved = [(tensor if training else tensor.new_empty(0)).to(dtype) for tensor in results[1:3]]
    return put("native_batch_norm", out, (results[0], *saved), words=SCALAR_TYPE)


@native_batch_norm.samples
def native_batch_norm_samples(make: Any) -> Any:
    yield Sample(make(4, 3), make(3), make(3), None, None, True, 0.1, 1e-5)


@composite(method=False, function=False)
def batch_norm(
    input: Any,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalise each channel over all items: mean 0 and variance 1, then times `weight` plus `bias`.

    Args:
        input: floating tensor (N, C, ...).
        running_mean: mean of each channel; updated in place in training, used otherwise.
        running_var: variance of each channel; updated in place in training, used otherwise.
        weight: factor of each channel, or None.
        bias: shift of each channel, or None.
        training: take the statistics from `input`.
        momentum: fraction by which the running statistics move.
        eps: added to the variance.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        ValueError: if each channel has one value, in training; if `eps` is negative, or 0 in training.
        RuntimeError: if shapes or dtypes do not fit, or there are no running statistics to use.

    Source:
        Ioffe and Szegedy, Batch normalization, 2015.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([[1.0], [3.0]])
        >>> wg.nn.functional.batch_norm(x, None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    if training:
        check_batch(input.shape)
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    return normalised(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@batch_norm.samples
def batch_norm_samples(make: Any) -> Any:
    yield Sample(make(4, 3), None, None, make(3), make(3), True)
    yield Sample(make(2, 3, 4), None, None, training=True)
    yield Bad(make(1, 3), None, None, training=True, raises=ValueError, says="Expected more than 1 value per channel")
    yield Bad(make(4, 3), None, None, raises=RuntimeError, says="running_mean must be defined in evaluation mode")


batch_norm = plain_case(
    batch_norm,
    batch_norm_forward,
    places=(0, 3, 4, 1, 2, 5, 7),
    native=kernels.direct_function("batch_norm"),
    then=(itemgetter(0),),
    module=FUNCTIONAL,
)


def repeated(values: Any, items: int) -> Any:
    """Repeat the value of each channel for each item."""
    return None if values is None else values.repeat(items)


@composite(method=False, function=False)
def instance_norm(
    input: Any,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalise each channel of each item over its places.

    Args:
        input: floating tensor (N, C, ...).
        running_mean, running_var, weight, bias, momentum, eps: as for `batch_norm`.
        use_input_stats: take the statistics from `input`.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        ValueError: if a channel has one place.

    Source:
        Ulyanov, Vedaldi and Lempitsky, Instance normalization, 2016.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.instance_norm(wg.tensor([[[1.0, 3.0]]]))
        tensor([[[-1.0000,  1.0000]]])
    """
    shape = tuple(input.shape)
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    items, channels = shape[:2]
    check_channel_values(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    dtype = input.dtype if weight is None else weight.dtype
    means, variances = (
        None if operand is None else repeated(operand, items).to(dtype, copy=True)
        for operand in (running_mean, running_var)
    )
    flat = input.contiguous().view((1, items * channels, *shape[2:]))
    result = normalised(
        flat, repeated(weight, items), repeated(bias, items), means, variances, use_input_stats, momentum, eps
    )[0]
    if use_input_stats:
        for running, statistics in ((running_mean, means), (running_var, variances)):
            if running is not None and statistics is not None:
                running.copy_(statistics.view(items, channels).mean(0))
    return result.view(shape)


(without_statistics,) = kernels.natives("batch_norm")


def normalised_array(
    input: Any, mean: Any, var: Any, weight: Any, bias: Any, use_input_stats: Any, momentum: Any, eps: Any
) -> Any:
    """`instance_norm` without weights, if nothing is recorded; each channel of each item is a channel."""
    if not (mean is None is var is weight is bias and use_input_stats is True and type(momentum) is float):
        return NotImplemented
    shape = input.shape
    if type(eps) is not float or len(shape) < 3 or math.prod(shape[2:]) == 1 or not input.flags.c_contiguous:
        return NotImplemented
    flat = input.reshape((1, shape[0] * shape[1], *shape[2:]))
    return without_statistics(flat, None, None, None, None, True, eps)[0]


def of_items(result: Any, args: tuple[Any, ...]) -> Any:
    """Reshape the result of `normalised_array` to that of the input."""
    return result.view(args[0]._array_.shape)


@instance_norm.samples
def instance_norm_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4))
    yield Sample(make(2, 3, 4), None, None, make(3), make(3))
    yield Bad(make(2, 3, 1), raises=ValueError, says="Expected more than 1 spatial element when training")

"""Group normalisation: the channels of each item in groups."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import REALS, Array, Bad, Sample, composite, op
from ..._core.cards.node_classes import shape_of_input
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.operators.batch_rules import check_member, merged, of_nobody, singled, with_batch
from ..._core.tensor.base import Tensor
from ..._kernels.results import wide_dtype
from ..dtype_checks import check_floating
from .norm import check_mixed, fits, fused, fused_gradient, in_dtype_of, scaled, standard, through_standard


def check_channels(tensor: Any, channels: int, groups: int, **factors: Any) -> None:
    """Refuse channels that do not form groups, and weights without one element for each channel.

    Raises:
        RuntimeError: if the channels or a weight do not fit.
    """
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{errors.shown(tensor.shape)} and num_groups={groups}"
        )
    for name, factor in factors.items():
        if factor is not None and tuple(factor.shape) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {errors.shown(factor.shape)} and input of shape {errors.shown(tensor.shape)}"
            )


def check_items(tensor: Any, items: int, channels: int, places: int) -> None:
    """Refuse a tensor whose sizes are not those passed to `native_group_norm`.

    Raises:
        RuntimeError: if they differ.
    """
    if math.prod(tensor.shape) != items * channels * places:
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false: input of shape "
            f"{errors.shown(tensor.shape)}, N={items}, C={channels}, HxW={places}"
        )
    if tuple(tensor.shape[:2]) != (items, channels):
        raise RuntimeError(
            f"native_group_norm(): expected input of shape [{items}, {channels}, ...] as N and C say, but got "
            f"{errors.shown(tensor.shape)}"
        )


def check_batch(shape: Any) -> None:
    """Refuse batches with one value for each channel, whose variance is 0.

    Raises:
        ValueError: if each channel has one value.
    """
    if shape and shape[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")


def channel_view(ndim: int) -> tuple[int, ...]:
    """Return the shape in which one value for each channel broadcasts with `ndim` dimensions."""
    return (1, -1, *(1,) * (ndim - 2))


def group_norm_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `native_group_norm`: members are more items; weights of each member are applied afterwards."""
    if not size:
        return of_nobody(op, args, carried)
    (input, weight, bias, items, *sizes), in_batch = singled(args, carried)
    by_member = in_batch[1] or in_batch[2]
    if by_member and not fits(
        input, (weight, bias), in_batch[1:3], tuple(input.shape[1 + in_batch[0] : 2 + in_batch[0]])
    ):
        check_member(op, size, args, carried)
    rows, lead = (merged(input, 0), (size,)) if in_batch[0] else (input, ())
    factors = (None, None) if by_member else (weight, bias)
    results = op.call((rows, *factors, math.prod(lead) * items, *sizes))
    normal, mean, rstd = (
        with_batch(part.reshape((*lead, items, *part.shape[1:])), in_batch[0], size) for part in results
    )
    if not by_member:
        return normal, mean, rstd
    weight, bias = with_batch(weight, in_batch[1], size), with_batch(bias, in_batch[2], size)
    return scaled(normal, weight, bias, (1, rows.shape[1], *(1,) * (rows.ndim - 2))), mean, rstd


@op(
    layout="suggested",
    dtypes=REALS,
    batching=group_norm_of_batch,
    outputs={"normalised": True, "mean": True, "rstd": True},
    public="function",
    native=kernels.direct_function("native_group_norm"),
)
def native_group_norm(
    input: Array,
    weight: Array = None,
    bias: Array = None,
    N: int = 1,  # noqa: N803 - torch's
    C: int = 1,  # noqa: N803 - torch's
    HxW: int = 1,  # noqa: N803 - torch's
    group: int = 1,
    eps: float = 1e-5,
) -> Any:
    """Group normalisation, with its statistics.

    Args:
        input: floating tensor (N, C, ...).
        weight: factor of each channel, or None.
        bias: shift of each channel, or None.
        N: number of items.
        C: number of channels.
        HxW: number of places of each channel.
        group: number of groups.
        eps: added to the variance.

    Returns:
        The result, and the mean and 1 / standard deviation of each group, (N, group), in the dtype of the parameters,
        or of the input.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Source:
        Wu and He, Group normalization, 2018.

    Examples:
        >>> import wengert as wg
        >>> wg.native_group_norm(wg.arange(4.0).reshape(1, 4), None, None, 1, 4, 1, 2, 0.0)[0]
        tensor([[-1.,  1., -1.,  1.]])
    """
    check_channels(input, C, group, weight=weight, bias=bias)
    check_items(input, N, C, HxW)
    check_floating("native_group_norm", "GroupNormKernelImpl", input)
    check_mixed(input, weight, bias)
    rows = input.reshape(N, group, math.prod(input.shape[1:]) // group)
    result, mean, rstd = kernels.layer_norm(rows, 1, None, None, eps)
    result = result.reshape(input.shape)
    view = channel_view(input.ndim)
    if weight is not None:
        result = kernels.multiply(result, weight.reshape(view).astype(input.dtype, copy=False))
    if bias is not None:
        result = kernels.add(result, bias.reshape(view).astype(input.dtype, copy=False))
    mean, rstd = (in_dtype_of(operand.reshape(N, group), input, weight, bias) for operand in (mean, rstd))
    return result, mean, rstd


def pixels_of_input(node: Any) -> int | None:
    """Return the number of elements of a channel of the input."""
    shape = shape_of_input(node, 0)
    return None if shape is None else math.prod(shape[2:])


native_group_norm.shows(
    N=lambda node: shape_of_input(node, 0, 0), C=lambda node: shape_of_input(node, 0, 1), HxW=pixels_of_input
)


native_group_norm.nodes.shown.update(result1="mean", result2="rstd")


@native_group_norm.vjp("input", "weight", "bias")
def native_group_norm_vjp(
    grads: Any, input: Any, weight: Any, mean: Any, rstd: Any, group: int, eps: float, wanted: Any
) -> Any:
    grad, shape = grads[0], input.shape
    if grads[1] is not None or grads[2] is not None:
        plain_grads = native_group_norm_vjp((grad, None, None), input, weight, mean, rstd, group, eps, wanted)
        return with_statistics(plain_grads[0], grads, input, group, eps) if wanted[0] else None, *plain_grads[1:]
    if grad is None:
        return None, None, None
    others = [0, *range(2, len(shape))]
    if fused(grad, input, weight):
        first, second, third = group_norm_backward(grad, input, mean, rstd, weight, group)
        return first, weight_gradient(rstd, second, shape) if wanted[1] else None, third if wanted[2] else None
    third = grad.sum(others) if wanted[2] else None
    view = channel_view(len(shape))
    rows = rows_of(shape, group)
    normal, scale = standard(input.reshape(rows), [-1], eps)
    grad_normal = (grad if weight is None else grad * weight.view(view)).reshape(rows)
    first = through_standard(grad_normal, normal, scale, [-1]).reshape(shape) if wanted[0] else None
    second = weight_gradient(rstd, (grad * normal.reshape(shape)).sum(others), shape) if wanted[1] else None
    return first, second, third


def with_statistics(grad: Any, grads: Any, input: Any, group: int, eps: float) -> Any:
    """Add the gradients through the mean and 1 / standard deviation of each group to that of the input."""
    rows = rows_of(input.shape, group)
    normal, scale = standard(input.reshape(rows), [-1], eps)
    of_mean, of_rstd = (0 if part is None else part.unsqueeze(-1) for part in grads[1:])
    added = ((of_mean - of_rstd * scale * scale * normal) / rows[-1]).expand(rows).reshape(input.shape)
    return added if grad is None else grad + added


def rows_of(shape: tuple[int, ...], group: int) -> tuple[int, int, int]:
    """Return the numbers of items, of groups, and of elements of a group."""
    return shape[0], group, math.prod(shape[1:]) // group


def weight_gradient(rstd: Any, grad: Any, shape: tuple[int, ...]) -> Any:
    """Gradient of the weights; torch computes it from the statistics, and it is NaN for groups without elements."""
    return grad if math.prod(shape[2:]) else grad + (rstd * 0).sum()


@native_group_norm.jvp("input")
def native_group_norm_jvp_input(tangent: Any, input: Any, weight: Any, group: int, eps: float) -> Any:
    shape = input.shape
    rows = rows_of(shape, group)
    along, (normal, scale) = tangent.reshape(rows), standard(input.reshape(rows), [-1], eps)
    moved = through_standard(along, normal, scale, [-1]).reshape(shape)
    of_rstd = -(normal * along).mean(-1) * scale.squeeze(-1).square()
    return moved if weight is None else moved * weight.view(channel_view(len(shape))), along.mean(-1), of_rstd


@native_group_norm.jvp("weight")
def native_group_norm_jvp_weight(tangent: Any, input: Any, group: int, eps: float) -> Any:
    shape = input.shape
    normal = standard(input.reshape(rows_of(shape, group)), [-1], eps)[0].reshape(shape)
    return normal * tangent.view(channel_view(len(shape))), None, None


@native_group_norm.jvp("bias")
def native_group_norm_jvp_bias(tangent: Any, input_shape: Any) -> Any:
    return tangent.view(channel_view(len(input_shape))), None, None


@native_group_norm.samples
def native_group_norm_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3), make(4), make(4), 2, 4, 3, 2, 1e-5)
    yield Bad(make(2, 4, 3), None, None, 2, 4, 4, 2, 1e-5, raises=RuntimeError, says="X.numel() == N * C * HxW")
    yield Bad(
        make(2, 4, 3), make(4), None, 2, 3, 4, 1, 1e-5, raises=RuntimeError, says="Expected weight to be a vector"
    )
    yield Bad(make(2, 4, 3), None, None, 4, 2, 3, 1, 1e-5, raises=RuntimeError, says="expected input of shape [4, 2,")
    yield Bad(
        make(2, 4, 3), None, None, 2, 4, 3, 0, 1e-5, raises=RuntimeError, says="Expected num groups to be greater"
    )


@fused_gradient(layout="suggested", native=kernels.direct_function("group_norm_backward"))
def group_norm_backward(
    grad: Array, input: Array, mean: Array, rstd: Array, weight: Array = None, group: int = 1
) -> Any:
    """Gradients of group normalisation with respect to input, weight and bias."""
    check_floating("group_norm_backward", "group_norm_backward", input)
    items, shape = input.shape[0], input.shape
    rows = input.reshape(items, group, math.prod(shape[1:]) // group)
    wide = wide_dtype(input.dtype)
    mean, rstd = (operand.reshape(items, group, 1).astype(wide, copy=False) for operand in (mean, rstd))
    normal = ((rows - mean) * rstd).reshape(shape)
    grad_normal = grad if weight is None else grad * weight.reshape(channel_view(len(shape)))
    first = kernels.layer_norm_backward(grad_normal.reshape(rows.shape).astype(input.dtype), rows, 1, mean, rstd, None)[
        0
    ]
    others, kind = (0, *range(2, len(shape))), input.dtype if weight is None else weight.dtype
    second, third = (
        np.sum(operand, axis=others).astype(kind) for operand in (grad * normal, grad.astype(wide, copy=False))
    )
    return first.reshape(shape), second, third


@group_norm_backward.batched
def group_norm_backward_batched(grad: Any, input: Any, mean: Any, rstd: Any, weight: Any, group: int) -> Any:
    shape = input.shape
    grad_normal = grad
    if weight is not None:
        grad_normal = (grad * weight.reshape((shape[0], 1, shape[2], *(1,) * (len(shape) - 3)))).to(grad.dtype)
    items = [merged(operand, 0) for operand in (grad_normal, input, mean, rstd)]
    first = group_norm_backward.call((*items, None, group))[0].reshape(shape)
    rows = items[1].reshape((shape[0] * shape[1], group, math.prod(shape[2:]) // group))
    normal = ((rows - items[2].unsqueeze(-1)) * items[3].unsqueeze(-1)).reshape(shape)
    others, kind = (1, *range(3, len(shape))), input.dtype if weight is None else weight.dtype
    return first, (grad * normal).sum(others).to(kind), grad.sum(others).to(kind)


@group_norm_backward.samples
def group_norm_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3), make(2, 4, 3), make(2, 2), make(2, 2, kind="positive"), make(4), 2)


@composite(method=False)
def group_norm(
    input: Any,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    """Normalise groups of channels: mean 0 and variance 1, then times `weight` plus `bias`.

    Args:
        input: floating tensor (N, C, ...).
        num_groups: number of groups that the channels are divided into.
        weight: factor of each channel, or None.
        bias: shift of each channel, or None.
        eps: added to the variance.
        cudnn_enabled: has no effect.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        ValueError: if each group has one value.
        RuntimeError: if shapes or dtypes do not fit, or the number of channels is not a multiple of `num_groups`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.group_norm(wg.tensor([[1.0, 3.0, 10.0, 20.0]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = tuple(input.shape)
    if len(shape) > 1 and num_groups > 0:
        check_batch([shape[0] * shape[1] // num_groups, num_groups, *shape[2:]])
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    check_channels(input, shape[1], num_groups, weight=weight, bias=bias)
    items, channels, *places = shape
    return native_group_norm(input, weight, bias, items, channels, math.prod(places), num_groups, eps)[0]


@group_norm.samples
def group_norm_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3), 2, make(4), make(4))
    yield Sample(make(2, 4, 3, 2), 1)
    yield Bad(
        make(2, 3), 2, raises=RuntimeError, says="Expected number of channels in input to be divisible by num_groups"
    )


group_norm = plain_case(
    group_norm,
    native_group_norm,
    translate=kernels.direct_function("group_norm_arguments"),
    then=(itemgetter(0),),
    module=FUNCTIONAL,
)

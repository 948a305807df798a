"""Gradient clipping, and norms of gradients."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...autograd import no_grad
from ...ops.create.create import tensor
from ...ops.reductions.vector_norm import vector_norm
from ...ops.shapes.join import stack

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return one or several tensors as a list.

    Raises:
        TypeError: if `tensors` is neither a tensor nor an iterable.
    """
    if isinstance(tensors, Tensor):
        return [tensors]
    if not hasattr(tensors, "__iter__"):
        raise TypeError(f"expected a Tensor or an iterable of Tensors, but got {type(tensors).__name__}")
    return list(tensors)


def gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return the gradients of the parameters that have one."""
    return [parameter.grad for parameter in listed(parameters) if parameter.grad is not None]


def number(name: str, value: Any) -> float:
    """Convert an option to a float.

    Raises:
        ValueError, TypeError: if `float` refuses `value`; the message contains `name`.
    """
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} should be a number, but got {value!r}") from None


@boundary
@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all elements of all tensors together.

    Args:
        tensors: one tensor or several.
        norm_type: order of the norm; inf for the largest, -inf for the smallest absolute value.
        error_if_nonfinite: refuse a norm that is infinite or NaN.
        foreach: accepted for torch's users, without effect.

    Returns:
        A 0-dim tensor, the norm of the tensors' norms, of their promoted real dtype.

    Raises:
        RuntimeError: if `error_if_nonfinite` and the norm is not finite, or if a tensor has no elements and the order
            is infinite or negative.
    """
    order = number("norm_type", norm_type)
    items = listed(tensors)
    if not items:
        return tensor(0.0)
    total: Tensor = vector_norm(stack([vector_norm(gradient, order) for gradient in items]), order)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


@boundary
@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Multiply all gradients by `min(1, max_norm / total_norm)`.

    Args:
        parameters: tensors whose `.grad` is changed in place.
        max_norm: upper bound of the norm.
        total_norm: norm of the gradients.
        foreach: accepted for torch's users, without effect.
    """
    factor = (number("max_norm", max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in gradients(parameters):
        grad.mul_(factor)


@boundary
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients so that their total norm is at most `max_norm`.

    Args:
        parameters: tensors whose `.grad` is changed in place.
        max_norm: upper bound of the norm.
        norm_type: order of the norm; inf for the largest, -inf for the smallest absolute value.
        error_if_nonfinite: refuse a norm that is infinite or NaN.
        foreach: accepted for torch's users, without effect.

    Returns:
        The total norm before scaling.

    Raises:
        RuntimeError: if `error_if_nonfinite` and the norm is not finite.
    """
    tensors = listed(parameters)
    total = get_total_norm(gradients(tensors), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(tensors, max_norm, total)
    return total


@boundary
@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp all elements of the gradients to [-clip_value, clip_value].

    Args:
        parameters: tensors whose `.grad` is changed in place.
        clip_value: upper bound of the absolute values.
        foreach: accepted for torch's users, without effect.
    """
    bound = number("clip_value", clip_value)
    for grad in gradients(parameters):
        grad.clamp_(-bound, bound)


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Alias of `clip_grad_norm_`, deprecated."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)

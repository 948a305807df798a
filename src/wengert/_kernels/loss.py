"""Losses in NumPy. `reduction` is "none", "mean" or "sum". Half precision computes in float32."""

from __future__ import annotations

import numpy as np

from . import positions
from .results import Array, as_array, wide_dtype


def reduced(loss: Array, reduction: str, dtype: np.dtype) -> Array:
    """The elements, their mean or their sum, in `dtype`."""
    if reduction == "mean":
        loss = as_array(np.sum(loss) / loss.dtype.type(loss.size))
    elif reduction == "sum":
        loss = as_array(np.sum(loss))
    return as_array(loss).astype(dtype, copy=False)


def class_rows(logp: Array, target: Array) -> tuple[Array, Array]:
    """Log-probabilities with the classes last, as (items, classes), and targets as (items,)."""
    classes_last = np.moveaxis(logp, 1, -1) if logp.ndim > 1 else logp
    return classes_last.reshape(target.size, logp.shape[1 if logp.ndim > 1 else 0]), target.reshape(-1)


def item_weights(rows: Array, flat: Array, weight: Array | None, ignore_index: int) -> tuple[Array, Array]:
    """Weight of each item, 0 for ignored ones, and its class, 0 for ignored ones.

    Raises:
        IndexError: if a target is neither a class nor `ignore_index`.
    """
    used = flat != ignore_index
    wrong = used & ((flat < 0) | (flat >= rows.shape[1]))
    if wrong.any():
        raise IndexError(f"Target {int(flat[wrong][0])} is out of bounds.")
    classes = np.where(used, flat, 0)
    if weight is None:
        return used.astype(wide_dtype(rows.dtype)), classes
    return np.where(used, weight[classes], 0).astype(wide_dtype(rows.dtype)), classes


def nll_loss(
    logp: Array,
    target: Array,
    weight: Array | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> tuple[Array, Array]:
    """Negative log-likelihood of the target classes.

    Args:
        logp: log-probabilities (N, C), (C,) or (N, C, d1, ...).
        target: integer classes (N,), () or (N, d1, ...).
        weight: of each class, (C,), or None for 1.
        reduction: "mean" divides by the sum of the weights used.
        ignore_index: targets of this value have weight 0.

    Returns:
        The loss, and the sum of the weights used (0 for "none"), 0-dim.

    Raises:
        IndexError: if a target is neither a class nor `ignore_index`.
    """
    total_weight = np.zeros((), logp.dtype)
    if target.size == 0:
        empty = np.zeros(target.shape if reduction == "none" else (), logp.dtype)
        return (empty / empty if reduction == "mean" else empty), total_weight
    rows, flat = class_rows(logp, target)
    weights, classes = item_weights(rows, flat, weight, ignore_index)
    chosen = rows[positions.arange(flat.size), classes]
    losses = np.where(flat == ignore_index, 0, -chosen * weights)
    if reduction == "none":
        return losses.reshape(target.shape).astype(logp.dtype, copy=False), total_weight
    divisor = np.sum(weights)
    loss = np.sum(losses) / divisor if reduction == "mean" else np.sum(losses)
    return as_array(loss).astype(logp.dtype), as_array(divisor).astype(logp.dtype)


def nll_loss_backward(
    grad: Array,
    logp: Array,
    target: Array,
    weight: Array | None,
    reduction: str,
    ignore_index: int,
    total_weight: Array,
) -> Array:
    """Gradient of `nll_loss` for the log-probabilities.

    Args:
        grad: 0-dim, or of the shape of `target` for "none".
        logp: as there.
        target: as there.
        weight: as there.
        reduction: as there.
        ignore_index: as there.
        total_weight: as returned there.

    Returns:
        A new array like `logp`.
    """
    result = np.zeros_like(logp, order="C")
    if target.size == 0:
        return result
    rows, flat = class_rows(logp, target)
    weights, classes = item_weights(rows, flat, weight, ignore_index)
    item_grads = -weights * np.broadcast_to(grad, target.shape).reshape(-1)
    if reduction == "mean":
        item_grads = item_grads / total_weight
    filled = np.zeros(rows.shape, logp.dtype)
    filled[positions.arange(flat.size), classes] = np.where(flat == ignore_index, 0, item_grads)
    if logp.ndim > 1:
        spread = (*target.shape, logp.shape[1])
        return np.ascontiguousarray(np.moveaxis(filled.reshape(spread), -1, 1))
    return filled.reshape(logp.shape)


def mse_loss(x: Array, target: Array, reduction: str = "mean") -> Array:
    """Squared difference of `x` and `target`, which broadcast."""
    wide = wide_dtype(x.dtype)
    difference = x.astype(wide, copy=False) - target.astype(wide, copy=False)
    return reduced(as_array(difference * difference), reduction, x.dtype)


def bce_with_logits(
    x: Array,
    target: Array,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: str = "mean",
) -> Array:
    """Binary cross-entropy of sigmoid(x), computed from the logits so that nothing overflows.

    Args:
        x: logits, any shape.
        target: probabilities, same shape.
        weight: of each element, broadcasts, or None.
        pos_weight: of the positive part, broadcasts, or None.
        reduction: "none", "mean" or "sum".

    Returns:
        A new array.
    """
    wide = wide_dtype(x.dtype)
    logit, probability = x.astype(wide, copy=False), target.astype(wide, copy=False)
    small = np.log1p(np.exp(-np.abs(logit)))  # the loss where the sign of the logit is right
    positive = probability
    if pos_weight is not None:
        small, positive = small * (1 + (pos_weight - 1) * probability), pos_weight * probability
    share = np.where(logit > 0, 1 - probability, -positive)
    loss = np.where(share == 0, 0, share * logit) + small  # an infinite logit that is right has no loss
    if weight is not None:
        loss = loss * weight
    return reduced(as_array(loss), reduction, x.dtype)

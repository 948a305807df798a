"""Losses of scores of classes: soft margins, and margins between right classes and others."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import refuse_gradient
from ..._core.cards.card import FLOATS, Array, Bad, Index, Number, Sample, composite, op
from ..._core.errors import shown
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..._kernels import direct_function as native, margins
from ..dtype_checks import refuse
from .loss_backward import gathered, share
from .loss_margins import WORDS, reduce_losses
from .loss_pairs import collected, loss

Ints = tuple[int, ...]


def signs(make: Any) -> Any:
    """Samples of a loss of scores and classes 1 and -1."""
    yield Sample(make(3, 4), make(3, 4, kind="index").mul(2).sub(1))
    yield Sample(make(3, 4), make(3, 4, kind="index").mul(2).sub(1), "none")


@loss(
    name="_soft_margin_loss", node="SoftMarginLossBackward0", dtypes=FLOATS, samples=signs, native=native("soft_margin")
)
def soft_margin(self: Array, target: Index, reduction: str = "mean") -> Any:
    """log(1 + exp(-target * self))."""
    with np.errstate(over="ignore"):
        return collected(np.log1p(np.exp(-target * self)), reduction, self.dtype)


def soft_margin_derivative(self: Any, target: Any, reduction: str) -> Any:
    """Derivative of each score's contribution to the loss."""
    return (-target * self).sigmoid() * -target * share(reduction, self._array_.size)


@soft_margin.vjp("self")
def soft_margin_vjp(grad: Any, self: Any, target: Any, reduction: str) -> Any:
    return grad * conjugate(soft_margin_derivative(self, target, reduction))


@soft_margin.jvp("self")
def soft_margin_jvp(tangent: Any, self: Any, target: Any, reduction: str) -> Any:
    return gathered(soft_margin_derivative(self, target, reduction) * tangent, reduction)


@soft_margin.jvp("target")
def soft_margin_jvp_target(tangent: Any, self: Any, target: Any, reduction: str) -> Any:
    return gathered(soft_margin_derivative(target, self, reduction) * tangent, reduction)


@composite(method=False, function=False)
def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Any:
    """log(1 + exp(-target * self)), for scores of the two classes 1 and -1.

    Args:
        self: scores, floating or complex.
        target: 1 and -1, of a shape that broadcasts to that of `self`.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the shape of `self`.

    Raises:
        RuntimeError: if the shape of `target` does not broadcast, or `target` requires a gradient.
    """
    refuse_gradient("soft_margin_loss", target=target)
    if self.dtype.category < dtypes.FLOAT:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {self.dtype.legacy[:-6]}")
    if target.dtype.category > self.dtype.category:
        raise RuntimeError(errors.uncastable(dtypes.promote_types(self.dtype, target.dtype), self.dtype))
    wanted: Any = target
    if self.shape != target.shape:
        shape = broadcast(self.shape, target.shape)
        if shape != self.shape:
            raise RuntimeError(errors.target_shape(self.shape, shape))
        wanted = wanted.expand(shape)
    return soft_margin(self, wanted.to(self.dtype), WORDS[reduction])


def rows_of(shape: Ints) -> tuple[int, int]:
    """Return the number of rows of scores, and the number of classes.

    Raises:
        RuntimeError: if there are no classes, or more than two dimensions.
    """
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shown(shape)}"
        )
    return (shape[0] if len(shape) == 2 else 1), (shape[-1] if shape else 1)


def check_scores(title: str, scores: Any, target: Any) -> None:
    """Refuse scores that are not of single or double precision, and classes that are not int64."""
    if scores.dtype not in (np.float32, np.float64):
        refuse(title, title, scores)
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {dtypes.from_numpy(target.dtype).legacy[:-6]}")


def gathered_rows(losses: Any, reduction: str, shape: Ints) -> Any:
    """Return the losses of rows in a shape, or their mean or sum."""
    return losses.reshape(shape) if reduction == "none" else collected(losses, reduction, losses.dtype)


def weighed(grads: Any, grad: Any, reduction: str) -> Any:
    """Multiply the derivatives of rows of scores by the gradients of the rows' losses."""
    rows = grads._array_.shape[0]
    return grads * (grad.reshape((rows, 1)) if reduction == "none" else grad * share(reduction, rows))


def of_tangents(grads: Any, tangent: Any, reduction: str, shape: Ints) -> Any:
    """Tangent of a loss from those of the scores."""
    losses = (grads * tangent.reshape(grads._array_.shape)).sum(1)
    return losses.reshape(shape) if reduction == "none" else reduce_losses(losses, WORDS.index(reduction))


rowwise = partial(op, dtypes=(dtypes.float32, dtypes.float64), public="neither")
"""Card decorator for a loss of rows of scores."""


@rowwise(name="_multi_margin_loss", linear="weight", node="MultiMarginLossBackward0", native=native("multi_margin"))
def multi_margin(
    self: Array, target: Index, p: int = 1, margin: Number = 1, weight: Index = None, reduction: str = "mean"
) -> Any:
    """The mean over classes of max(0, margin - self[right] + self[other]) ** p."""
    rows, classes = check_margins(self, target, weight)
    if ((target < 0) | (target >= classes)).any():
        raise RuntimeError("target out of range")
    flat = None if weight is None else weight.reshape(-1)
    losses = margins.multi_margin(self.reshape(rows, classes), target.reshape(-1), int(p), float(margin), flat)
    return gathered_rows(losses, reduction, target.shape)


def check_margins(self: Any, target: Any, weight: Any) -> tuple[int, int]:
    """Return the numbers of rows and classes of `multi_margin_loss`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    rows, classes = rows_of(self.shape)
    if target.ndim > 1 or target.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size {shown((rows,))}, but got {shown(target.shape)}. Input has shape "
            f"{shown(self.shape)}."
        )
    if weight is not None and (weight.ndim > 1 or weight.size != classes):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {shown(weight.shape)}")
    check_scores("multi_margin_loss_cpu_kernel", self, target)
    if weight is not None and weight.dtype != self.dtype:
        wanted, types = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (self, weight))
        raise RuntimeError(f"expected scalar type {wanted} but found {types}")
    return rows, classes


def margin_derivatives(self: Any, target: Any, p: int, margin: float, weight: Any) -> Any:
    """Derivatives of each row's loss with respect to its scores."""
    rows, classes = rows_of(self._array_.shape)
    scores, right = self.reshape((rows, classes)), target.reshape((rows, 1))
    missed = (scores - scores.gather(1, right) + margin).clamp_min(0).scatter(1, right, 0)
    grads = (missed > 0).to(self.dtype) if p == 1 else missed * 2
    grads = grads.scatter_add(1, right, -grads.sum(1, keepdim=True)) / classes
    if weight is None:
        return grads
    weighed = grads * weight.reshape((classes,)).expand((rows, classes)).gather(1, right)
    return weighed.where(grads != 0, 0)


@multi_margin.vjp("self", native=native("multi_margin_rule"))
def multi_margin_vjp(
    grad: Any, self: Any, self_shape: Any, target: Any, p: int, margin: float, weight: Any, reduction: str
) -> Any:
    return weighed(margin_derivatives(self, target, p, margin, weight), grad, reduction).reshape(self_shape)


@multi_margin.jvp("self")
def multi_margin_jvp(
    tangent: Any, self: Any, target: Any, p: int, margin: float, weight: Any, reduction: str, out: Any
) -> Any:
    return of_tangents(margin_derivatives(self, target, p, margin, weight), tangent, reduction, out._array_.shape)


@multi_margin.batched
def multi_margin_batched(self: Any, target: Any, p: int, margin: float, weight: Any, reduction: str) -> Any:
    size, *shape = self.shape
    rows, classes = rows_of(tuple(shape))
    if target.ndim > 2 or target.numel() != size * rows:
        raise RuntimeError(f"multi_margin_loss: target tensor should be 1-D with size [{rows}], got {target.shape[1:]}")
    right = target.reshape((size * rows,))
    losses = multi_margin.call((self.reshape((size * rows, classes)), right, p, margin, None, "none"))
    losses = losses.reshape((size, rows))
    if weight is not None:
        losses = losses * weight.reshape((size, classes)).gather(1, target.reshape((size, rows)))
    return of_batch(losses, reduction, (size, *(target.shape[1:] if shape else ())))


def of_batch(losses: Any, reduction: str, shape: Ints) -> Any:
    """Return the losses (members, rows) in a shape, or their mean or sum for each member."""
    if reduction == "none":
        return losses.reshape(shape)
    return losses.mean(1) if reduction == "mean" else losses.sum(1)


def uneven(op: Any, scores: Any, *args: Any, **kwargs: Any) -> Any:
    """Loss of scores whose differences are not whole numbers: the margin has its kinks there."""
    return op(scores * 1.0371, *args, **kwargs)


@multi_margin.samples
def multi_margin_samples(make: Any) -> Any:
    right = make(3, kind="index", high=4)
    yield Sample(make(3, 4), right, through=uneven)
    yield Sample(make(3, 4), right, 2, 0.5, make(4, requires_grad=False), "none", through=uneven)
    yield Sample(make(4), make(1, kind="index", high=4), reduction="sum", through=uneven)
    yield Bad(make(3, 4), make(2, kind="index"), raises=RuntimeError, says="Expected target size [3], but got [2]")
    yield Bad(make(3, 4), make(3, kind="index") + 9, raises=RuntimeError, says="target out of range")


@rowwise(
    name="_multilabel_margin_loss", node="MultilabelMarginLossBackward0", outputs={"loss": True, "is_target": False}
)
def multilabel_margin(self: Array, target: Index, reduction: str = "mean") -> Any:
    """Mean over classes of max(0, 1 - self[named] + self[other]), summed over named classes; and a mask of these."""
    rows, classes = check_labels(self, target)
    if ((target < -1) | (target >= classes)).any():
        raise RuntimeError("argument #2 'target' is out of range")
    losses, named = margins.multilabel_margin(self.reshape(rows, classes), target.reshape(rows, classes))
    return gathered_rows(losses, reduction, (rows,) if self.ndim == 2 else ()), named.reshape(target.shape)


def check_labels(self: Any, target: Any) -> tuple[int, int]:
    """Return the numbers of rows and classes of `multilabel_margin_loss`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    rows, classes = rows_of(self.shape)
    if target.shape != self.shape and (target.ndim > 1 or self.ndim > 1 or target.size != classes):
        raise RuntimeError(f"inconsistent target size: {shown(target.shape)} for input of size: {shown(self.shape)}")
    check_scores("multilabel_margin_loss_forward_out_frame", self, target)
    return rows, classes


def label_derivatives(self: Any, target: Any, is_target: Any) -> Any:
    """Derivatives of each row's loss with respect to its scores; a temporary has rows * classes ** 2 elements."""
    rows, classes = rows_of(self._array_.shape)
    scores, labels = self.reshape((rows, classes)), target.reshape((rows, classes))
    counted = (labels >= 0).cumprod(1)
    places = labels.clamp_min(0)
    near = 1 - scores.gather(1, places).unsqueeze(2) + scores.unsqueeze(1) > 0
    other = (is_target.reshape((rows, 1, classes)) == 0).expand((rows, classes, classes))
    active = (near & other).to(self.dtype) * counted.to(self.dtype).unsqueeze(2)
    return active.sum(1).scatter_add(1, places, -active.sum(2)) / classes


@multilabel_margin.vjp("self")
def multilabel_margin_vjp(grads: Any, self: Any, self_shape: Any, target: Any, is_target: Any, reduction: str) -> Any:
    return weighed(label_derivatives(self, target, is_target), grads[0], reduction).reshape(self_shape)


@multilabel_margin.jvp("self")
def multilabel_margin_jvp(tangent: Any, self: Any, target: Any, is_target: Any, reduction: str, loss: Any) -> Any:
    return of_tangents(label_derivatives(self, target, is_target), tangent, reduction, loss._array_.shape), None


@multilabel_margin.batched
def multilabel_margin_batched(self: Any, target: Any, reduction: str) -> Any:
    size, *shape = self.shape
    rows, classes = rows_of(tuple(shape))
    merged = (size * rows, classes)
    losses, named = multilabel_margin.call((self.reshape(merged), target.reshape(merged), "none"))
    losses_of_members = of_batch(losses.reshape((size, rows)), reduction, (size, rows) if len(shape) == 2 else (size,))
    return losses_of_members, named.reshape(target.shape)


@multilabel_margin.samples
def multilabel_margin_samples(make: Any) -> Any:
    labels = make(3, 4, kind="index", high=5) - 1
    yield Sample(make(3, 4), labels, through=uneven)
    yield Sample(make(3, 4), labels, "none", through=uneven)
    yield Sample(make(4), make(4, kind="index", high=5) - 1, "sum", through=uneven)
    yield Bad(make(3, 4), make(2, 4, kind="index"), raises=RuntimeError, says="inconsistent target size: [2, 4]")
    yield Bad(make(3, 4), make(3, 4, kind="index") + 9, raises=RuntimeError, says="'target' is out of range")


@composite(method=False, function=False)
def multi_margin_loss(
    self: Tensor, target: Tensor, p: int = 1, margin: Number = 1, weight: Tensor | None = None, reduction: int = 1
) -> Any:
    """Mean over other classes of `margin` minus the lead of the right class's score, at least 0, to the power `p`.

    Args:
        self: scores (N, C), or (C,).
        target: the right classes as int64, (N,) or ().
        p: 1 or 2, the exponent.
        margin: smallest lead without loss.
        weight: weight of each class, (C,).
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the shape of `target`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or a target is not a class.
    """
    refuse_gradient("multi_margin_loss", weight=weight)
    return multi_margin(self, target, p, margin, weight, WORDS[reduction])


@composite(method=False, function=False)
def multilabel_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Any:
    """Mean over classes of 1 minus the lead of a target class's score over any other class's, at least 0.

    Args:
        self: scores (N, C), or (C,).
        target: target classes as int64, of the same shape; those behind the first -1 do not count.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or (N,).

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or a target is not a class.
    """
    return multilabel_margin(self, target, WORDS[reduction])[0]


@soft_margin_loss.samples
def soft_margin_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="index").mul(2).sub(1))
    yield Sample(make(3, 4), make(4, kind="index").mul(2).sub(1), 0)
    yield Bad(make(4), make(3, 4, kind="index"), raises=RuntimeError, says="doesn't match the broadcast shape [3, 4]")


@multi_margin_loss.samples
def multi_margin_loss_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, kind="index", high=4), 2, reduction=2, through=uneven)


@multilabel_margin_loss.samples
def multilabel_margin_loss_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="index", high=5) - 1, through=uneven)

"""Losses of classes: negative log-likelihood and cross-entropy."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import refuse_gradient
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, nodes, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..dtype_checks import check_floating
from ..pointwise.binary import over, times
from .softmax import log_softmax_along

native = kernels.direct_function

REDUCTIONS = ("none", "mean", "sum")


def read_reduction(reduction: str, size_average: Any = None, reduce: Any = None) -> str:
    """Return the reduction, from the present argument and the two older ones.

    Raises:
        ValueError: if the reduction is not "none", "mean" or "sum".
    """
    if size_average is not None or reduce is not None:
        averaged, reduced = (True if flag is None else flag for flag in (size_average, reduce))
        reduction = ("mean" if averaged else "sum") if reduced else "none"
        anomaly.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def constant_weights(input: Tensor, weight: Any) -> Any:
    """Return weights of classes, those of places row-major. The operator gets half precision widened.

    Raises:
        TypeError: if the weights are not a tensor.
        RuntimeError: if the weights require a gradient, or have another dtype.
    """
    refuse_gradient("nll_loss2d_forward" if input.ndim > 2 else "nll_loss_forward", weight=weight)
    if weight.dtype is not input.dtype:
        wanted, types = (operand.dtype.legacy[:-6] for operand in (input, weight))
        raise RuntimeError(f"expected scalar type {wanted} but found {types}")
    return weight.flatten() if input.ndim > 2 else weight


def spatial(args: tuple[Any, ...]) -> int:
    """Return 0 for one class for each item, 1 for one class for each place of each item."""
    return 1 if args[0].ndim > 2 else 0


def check_loss(self: Any, target: Any, weight: Any) -> None:
    """Check the arguments of `nll_loss`, regardless of their values.

    Raises:
        ValueError, RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if the dtype of the scores is not floating-point.
    """
    check_classes(self.shape, target.shape)
    check_class_dtype(target)
    check_floating("nll_loss", "nll_loss2d_forward_out_frame" if self.ndim > 2 else "nll_loss_out_frame", self)
    if weight is not None:
        check_class_weights(self, weight, self.shape, weight.shape)
    if target.dtype == np.uint8 and self.ndim > 2:
        raise RuntimeError("expected scalar type Long but found Byte: classes of places must be int64")


@op(
    dtypes=REALS,
    outputs={"loss": True, "total_weight": False},
    public="neither",
    node=nodes("NllLossBackward0", "NllLoss2DBackward0", by=spatial),
    native=native("nll_loss"),
)
def nll_loss_forward(
    self: Array, target: Index, weight: Index = None, reduction: str = "mean", ignore_index: int = -100
) -> Any:
    """Return the loss, and the sum of the weights that it was divided by."""
    check_loss(self, target, weight)
    target = as_classes(target)
    if self.ndim == 1:
        target = target.reshape(())
    loss, total = kernels.nll_loss(self, target, weight, reduction, ignore_index)
    return loss, total


@nll_loss_forward.vjp("self", native=native("nll_loss_rule"))
def nll_loss_vjp(
    grads: Any, self: Any, target: Any, total_weight: Any, weight: Any, reduction: str, ignore_index: int
) -> Any:
    return nll_loss_backward(grads[0], self, target, total_weight, weight, reduction, ignore_index)


@nll_loss_forward.jvp("self")
def nll_loss_jvp(tangent: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    return nll_loss_forward(tangent, target, weight, reduction, ignore_index)[0], None


@nll_loss_forward.jvp("weight")
def nll_loss_jvp_weight(tangent: Any, self: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    if reduction != "mean":
        return nll_loss_forward(self, target, tangent, reduction, ignore_index)[0], None
    total = counted(self, target, weight, ignore_index)
    loss = nll_loss_forward(self, target, weight, "sum", ignore_index)[0] / total
    moved = nll_loss_forward(self, target, tangent, "sum", ignore_index)[0]
    return (moved - loss * counted(self, target, tangent, ignore_index)) / total, None


def counted(logp: Any, target: Any, weight: Any, ignore_index: int) -> Any:
    """Return the sum of the targets' weights, with its derivative: the operator's own sum has none."""
    return nll_loss_forward(-logp.new_ones(logp.shape), target, weight, "sum", ignore_index)[0]


@nll_loss_forward.batched
def nll_loss_forward_batched(self: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    check_classes(self.shape[1:], target.shape[1:])
    if weight is not None:
        check_class_weights(self._array_, weight._array_, self.shape[1:], weight.shape[1:])
    items, classes = items_of(self, target)
    target = classes if self.ndim == 2 else target
    losses = nll_loss_forward.call((items, classes, None, "none", ignore_index))[0].reshape(target.shape)
    shares = shares_of(target, weight, ignore_index, self.dtype)
    if weight is not None:
        losses = losses * shares
    if reduction == "none":
        return losses, self.new_zeros((self.shape[0],))
    total = of_members(shares)
    return of_members(losses) / total if reduction == "mean" else of_members(losses), total


def items_of(logp: Any, target: Any) -> tuple[Any, Any]:
    """Return log-probabilities and classes of the items of all members of a batch."""
    size, *shape = logp.shape
    if len(shape) == 1:
        return logp, target.reshape((size,))
    return logp.reshape((size * shape[0], *shape[1:])), target.reshape((size * shape[0], *shape[2:]))


def shares_of(target: Any, weight: Any, ignore_index: int, dtype: Any) -> Any:
    """Return the weight of each target's class, or 1, for all members; 0 for ignored targets."""
    used = target.to(dtypes.int64) != ignore_index
    if weight is None:
        return used.to(dtype)
    size = target.shape[0]
    classes = target.to(dtypes.int64).where(used, 0).reshape((size, target.numel() // max(size, 1)))
    return weight.gather(1, classes).reshape(target.shape).where(used, 0)


def of_members(losses: Any) -> Any:
    """Return the sum for each member of a batch."""
    dims = tuple(range(1, losses.ndim))
    return losses.sum(dims) if dims else losses


@op(
    dtypes=REALS,
    linear="grad",
    public="neither",
    node=nodes("NllLossBackwardBackward0", "NllLoss2DBackwardBackward0", by=lambda args: spatial(args[1:])),
)
def nll_loss_backward(
    grad: Array,
    self: Array,
    target: Index,
    total_weight: Index,
    weight: Index = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Any:
    """Gradient of the loss with respect to the log-probabilities. `total_weight`, the sum of the targets' weights, has
    no derivative of its own: its dependence on `weight` belongs to the derivative by `weight`.
    """
    check_floating("nll_loss_backward", "nll_loss_backward", grad)
    target = as_classes(target)
    return kernels.nll_loss_backward(grad, self, target, weight, reduction, ignore_index, total_weight)


nll_loss_backward.constant_in("total_weight")


@nll_loss_backward.vjp("grad")
def nll_loss_backward_vjp(grad: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    # The loss is linear in the log-probabilities, so it is the adjoint of its own adjoint.
    return nll_loss_forward(grad, target, weight, reduction, ignore_index)[0]


@nll_loss_backward.vjp("self")
def nll_loss_backward_vjp_self(grad_output: Any) -> Any:
    return grad_output.new_zeros(grad_output.shape)


@nll_loss_backward.jvp("self")
def nll_loss_backward_jvp_self(tangent: Any) -> Any:
    return None


@nll_loss_backward.jvp("weight")
def nll_loss_backward_jvp_weight(
    tangent: Any, grad: Any, self: Any, target: Any, weight: Any, reduction: str, ignore_index: int
) -> Any:
    none = grad.new_zeros(())
    if reduction != "mean":
        return nll_loss_backward(grad, self, target, none, tangent, reduction, ignore_index)
    total = counted(self, target, weight, ignore_index)
    result = nll_loss_backward(grad / total, self, target, none, weight, "sum", ignore_index)
    moved = nll_loss_backward(grad / total, self, target, none, tangent, "sum", ignore_index)
    return moved - result * (counted(self, target, tangent, ignore_index) / total)


@nll_loss_backward.batched
def nll_loss_backward_batched(
    grad: Any, self: Any, target: Any, total_weight: Any, weight: Any, reduction: str, ignore_index: int
) -> Any:
    items, classes = items_of(self, target)
    target = classes if self.ndim == 2 else target
    scaled = grad / total_weight if reduction == "mean" else grad
    if reduction != "none":
        scaled = scaled.reshape((self.shape[0], *(1,) * (target.ndim - 1))).expand(target.shape)
    if weight is not None:
        scaled = scaled * shares_of(target, weight, ignore_index, self.dtype)
    operands = (scaled.reshape(classes.shape), items, classes, grad.new_zeros(()), None, "none", ignore_index)
    return nll_loss_backward.call(operands).reshape(self.shape)


@nll_loss_backward.samples
def nll_loss_backward_samples(make: Any) -> Any:
    yield Sample(make(), make(3, 4), make(3, kind="index", high=4), make(), None, "sum")
    weight = make(4, kind="positive", requires_grad=False)
    yield Sample(make(), make(3, 4), make(3, kind="index", high=4), make(), weight, "sum")


@composite(method=False, function=False)
def nll_loss(
    input: Any,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Negative log-likelihood of the right classes.

    Args:
        input: log-probabilities (N, C), (C,) or (N, C, d1, ...).
        target: classes as int64, (N,), () or (N, d1, ...); or uint8 with one for each item.
        weight: weight of each class, (C,).
        size_average: an older form of `reduction`.
        ignore_index: targets of this value do not count.
        reduce: an older form of `reduction`.
        reduction: "none", "mean" (divides by the sum of the weights of the targets) or "sum".

    Returns:
        A new tensor, 0-dim, or of the shape of `target` for "none".

    Raises:
        ValueError, RuntimeError: if shapes or dtypes do not fit.
        IndexError: if a target is not a class.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.nll_loss(wg.tensor([[-0.5, -1.0], [-2.0, -0.1]]), wg.tensor([0, 1]))
        tensor(0.3000)
    """
    reduction = read_reduction(reduction, size_average, reduce)
    if weight is not None:
        weight = constant_weights(input, weight)
    return nll_loss_forward(input, target, weight, reduction, ignore_index)[0]


@nll_loss_forward.samples
@nll_loss.samples
def nll_loss_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, kind="index", high=4))
    yield Sample(make(4), make(kind="index", high=4))
    yield Sample(make(4), make(1, kind="index", high=4), reduction="none")
    yield Sample(make(3, 4), make(3, kind="index", high=4), make(4, kind="positive", requires_grad=False))
    yield Sample(make(2, 3, 4), make(2, 4, kind="index", high=3), reduction="none")
    yield Sample(make(3, 4), make(3, kind="index", high=4), reduction="sum", ignore_index=1)
    yield Bad(make(3, 4), make(2, kind="index", high=4), raises=ValueError, says="to match target batch_size (2)")
    planes = make(2, 4, kind="index", high=3).byte()
    yield Bad(make(2, 3, 4), planes, raises=RuntimeError, says="expected scalar type Long but found Byte")


def finished(losses: Any, reduction: str) -> Any:
    """Return the losses of the elements, their mean or their sum."""
    if reduction == "mean":
        return losses.mean()
    return losses.sum() if reduction == "sum" else losses


def over_classes(weight: Any, ndim: int) -> Any:
    """Return weights of classes in the shape that broadcasts with log-probabilities of `ndim` dimensions."""
    return weight if ndim == 1 else weight.view((1, -1, *(1,) * (ndim - 2)))


def smoothed(logp: Any, target: Any, weight: Any, reduction: str, ignore_index: int, smoothing: float, dim: int) -> Any:
    """Cross-entropy with a fraction `smoothing` of the target spread over all classes."""
    right = nll_loss(logp, target, weight, ignore_index=ignore_index, reduction=reduction)
    spread = -(logp if weight is None else logp * over_classes(weight, logp.ndim)).sum(dim)
    ignored = target == ignore_index
    spread = spread.masked_fill(ignored, 0)
    if reduction == "mean":
        used = ignored.logical_not()
        divisor = (
            used.sum()
            if weight is None
            else shares_of(target.unsqueeze(0), weight.unsqueeze(0), ignore_index, None).sum()
        )
        spread = spread.sum() / divisor
    elif reduction == "sum":
        spread = spread.sum()
    return times(right, 1 - smoothing) + times(spread, share(smoothing, logp.shape[dim]))


def share(smoothing: float, classes: int) -> float:
    """Return the fraction that smoothing assigns to each class; infinite without classes."""
    return smoothing / classes if classes else math.inf


def of_probabilities(logp: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int) -> Any:
    """Cross-entropy with probabilities as target."""
    if not logp.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    classes = logp.shape[dim]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {errors.shown(weight.shape)}"
        )
    if smoothing > 0:
        target = times(target, 1 - smoothing) + share(smoothing, classes)
    product = logp * target
    if weight is not None:
        product = product * over_classes(weight, logp.ndim)
    if reduction == "none":
        return -product.sum(dim)
    if reduction == "sum":
        return -product.sum()
    items = logp.numel() // classes if classes else 0
    return over(-product.sum(), items) if items else -product.sum() * 0 + float("nan")


def check_probabilities(target: Any, ignore_index: int) -> None:
    """Refuse targets with the shape of probabilities that are not probabilities.

    Raises:
        RuntimeError: if the targets are integers, or `ignore_index` is given.
    """
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.legacy[:-6]}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")


@composite(method=False, function=False)
def cross_entropy(
    input: Any,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Cross-entropy between logits and classes, or probabilities of classes.

    Args:
        input: logits (N, C), (C,) or (N, C, d1, ...).
        target: classes as int64, (N,), () or (N, d1, ...), or probabilities of the shape of `input`.
        weight: weight of each class, (C,).
        size_average, reduce: older forms of `reduction`.
        ignore_index: targets of this value do not count.
        reduction: "none", "mean" or "sum".
        label_smoothing: fraction of the target, from 0 to 1, that is spread over all classes.

    Returns:
        A new tensor, 0-dim, or one loss for each item or place for "none".

    Raises:
        ValueError, RuntimeError, IndexError: if shapes or dtypes do not fit, or a target is not a class.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.cross_entropy(wg.tensor([[2.0, 0.0], [0.0, 3.0]]), wg.tensor([0, 1]))
        tensor(0.0878)
    """
    reduction = read_reduction(reduction, size_average, reduce)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input.ndim <= 1 else 1
    if input._array_.shape == target._array_.shape:
        check_probabilities(target, ignore_index)
        return of_probabilities(log_softmax_along(input, dim), target, weight, reduction, label_smoothing, dim)
    logp = log_softmax_along(input, dim)
    if label_smoothing > 0:
        return smoothed(logp, target, weight, reduction, ignore_index, label_smoothing, dim)
    if weight is not None:
        weight = constant_weights(input, weight)
    return nll_loss_forward(logp, target, weight, reduction, ignore_index)[0]


@cross_entropy.samples
def cross_entropy_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, kind="index", high=4))
    yield Sample(make(3, 4), make(3, kind="index", high=4), label_smoothing=0.1)
    yield Sample(make(2, 3, 4), make(2, 4, kind="index", high=3), reduction="none")
    yield Sample(make(3, 4), make(3, 4))
    yield Bad(make(3, 4), make(2, kind="index", high=4), raises=ValueError, says="to match target batch_size (2)")


WITHOUT_WEIGHT = (0, 1, -1, 6, 4)
"""Positions of the operator's arguments among those of the two losses."""

nll_loss = plain_case(nll_loss, nll_loss_forward, places=WITHOUT_WEIGHT, then=(itemgetter(0),), module=FUNCTIONAL)
cross_entropy = plain_case(
    cross_entropy,
    nll_loss_forward,
    places=WITHOUT_WEIGHT,
    prepare=((0, log_softmax_along, (1,)),),
    guard=native("takes_classes"),
    then=(itemgetter(0),),
    module=FUNCTIONAL,
)


# ---- checks of classes -----------------------------------------------------------------------------------------------


Ints = tuple[int, ...]


def as_classes(target: Any) -> Any:
    """Convert class indices to int64.

    Raises:
        RuntimeError: if the dtype is neither int64 nor uint8.
    """
    check_class_dtype(target)
    return target if target.dtype == np.int64 else target.astype(np.int64)


def check_class_dtype(target: Any) -> None:
    """Refuse class indices that are neither int64 nor uint8.

    Raises:
        RuntimeError: if the dtype is neither.
    """
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {dtypes.from_numpy(target.dtype).legacy[:-6]}"
        )


def check_classes(logp: Ints, target: Ints) -> None:
    """Refuse targets whose shape does not fit the log-probabilities.

    Raises:
        ValueError, RuntimeError: if it does not fit.
    """
    if not logp:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(logp) == 1:
        if len(target) == 1 and target[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target[0]}")
    elif not target or logp[0] != target[0]:
        rows = target[0] if target else 0
        raise ValueError(f"Expected input batch_size ({logp[0]}) to match target batch_size ({rows}).")
    if len(logp) <= 2:
        if len(target) > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return
    if len(logp) == 4 and len(target) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(target)}"
        )
    wanted = (logp[0], *logp[2:])
    if target != wanted:
        raise RuntimeError(f"Expected target size {errors.shown(wanted)}, got {errors.shown(target)}")


def check_class_weights(logp: Any, weight: Any, shape: Ints, weight_shape: Ints) -> None:
    """Refuse weights without one element for each class, or of another dtype.

    Raises:
        RuntimeError: if shape or dtype do not fit.
    """
    classes = shape[1 if len(shape) > 1 else 0]
    if weight_shape != (classes,):
        if len(shape) > 2:
            raise RuntimeError("weight tensor should be defined either for all or no classes")
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {errors.shown(weight_shape)}"
        )
    if weight.dtype != logp.dtype:
        wanted, types = (dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (logp, weight))
        raise RuntimeError(f"expected scalar type {wanted} but found {types}")

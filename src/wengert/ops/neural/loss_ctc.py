"""CTC loss: label sequences whose alignment with the input is unknown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.card import Array, Bad, Index, Sample, composite, op
from ..._core.errors import shown
from ..._core.tensor import batches
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._kernels import ctc as kernel, positions
from ..dtype_checks import refuse
from ..shapes.batches import enter_batch, leave_batch
from ..shapes.join import cat, stack
from .loss_margins import reduce_losses

Ints = tuple[int, ...]
LOW = -1e30
"""Stands for minus infinity if derivatives are recorded."""


def ctc_rule(
    grads: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Ints,
    target_lengths: Ints,
    blank: int,
    zero_infinity: bool,
    loss: Any,
) -> Any:
    """Reverse rule of `ctc` if nothing is recorded."""
    gradient = kernel.logits_grad(log_probs, targets, input_lengths, target_lengths, blank)
    if zero_infinity:
        gradient[:, np.isinf(loss)] = 0
    return gradient * grads[0][:, None]


@op(
    dtypes=(dtypes.float32, dtypes.float64),
    outputs={"loss": True, "log_alpha": False},
    name="_ctc_loss",
    node="CtcLossBackward0",
    public="neither",
)
def ctc(
    log_probs: Array,
    targets: Index,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    zero_infinity: bool = False,
) -> Any:
    """Loss of each item of (T, N, C), whose labels are the first ones of a row of (N, S)."""
    if log_probs.dtype not in (np.float32, np.float64):
        refuse("_ctc_loss", "ctc_loss_cpu", log_probs)
    check_range(targets, target_lengths, log_probs.shape[2])
    return kernel.loss(log_probs, targets, input_lengths, target_lengths, blank)


def check_range(targets: Any, lengths: Ints, classes: int) -> None:
    """Refuse labels that are out of range.

    Raises:
        IndexError: if a label is below 0 or not below the number of classes.
    """
    counted = positions.arange(targets.shape[1]) < np.asarray(lengths, np.int64).reshape(-1, 1)
    wrong = counted & ((targets < 0) | (targets >= classes))
    if wrong.any():
        raise IndexError(f"ctc_loss: target {int(targets[wrong][0])} is out of bounds: there are {classes} labels")


def fixed(like: Any, values: Any) -> Any:
    """Values that do not depend on the tensors, on the device of one."""
    return constant_beside(like, wrap(values))


def beside(values: Any, by: int) -> Any:
    """Return the values `by` states before each one (behind it, if negative); `LOW` beyond the ends."""
    rows, count = values.shape
    nothing = values.new_full((rows, min(abs(by), count)), LOW)
    if abs(by) >= count:
        return nothing
    return cat(
        [nothing, values.narrow(1, 0, count - by)] if by > 0 else [values.narrow(1, -by, count + by), nothing], 1
    )


def log_sum_of_three(stay: Any, step: Any, leap: Any) -> Any:
    """Return the logarithm of the sum of three probabilities."""
    return stay.logaddexp(step).logaddexp(leap)


def shares_of_states(seen: Any, passing: Any, times: Ints, lengths: Ints) -> Any:
    """Probability that the right alignment is in a state at a time, in operators: (T, N, L); NaN if none fits."""
    steps, items, count = seen.shape
    ends = fixed(seen, kernel.last_states(count, lengths))
    leaving = passing.roll(-2, 1).where(fixed(seen, positions.arange(count) < count - 2), False)
    first = seen[0].where(fixed(seen, positions.arange(count) < 2).expand(items, count), LOW)
    alphas, betas = [first], []
    for time in range(1, steps):
        last = alphas[-1]
        alphas.append(log_sum_of_three(last, beside(last, 1), beside(last, 2).where(passing, LOW)) + seen[time])
    until = np.asarray(times, np.int64).reshape(-1, 1)
    beta = seen.new_full((items, count), LOW)
    ending = seen.new_zeros((items, count)).where(ends, LOW)
    for time in reversed(range(steps)):
        went = log_sum_of_three(beta, beside(beta, -1), beside(beta, -2).where(leaving, LOW))
        beta = ending.where(fixed(seen, until == time + 1), went) + seen[time]
        beta = beta.where(fixed(seen, until > time), LOW)
        betas.append(beta)
    together = stack(alphas) + stack(betas[::-1]) - seen
    total = together.logsumexp(2, keepdim=True)
    return (together - total).exp().where(total > LOW / 10, math.nan)


def grads_of(log_probs: Any, targets: Any, times: Ints, lengths: Ints, blank: int) -> Any:
    """`_kernels.ctc.logits_grad` in operators."""
    steps, items, _ = log_probs.shape
    length = targets.shape[1]
    labels = targets.new_full((items, length + 1, 2), blank)
    labels = labels.select_scatter(padded(targets, blank), 2, 1).reshape((items, 2 * length + 2))
    states = labels.narrow(1, 0, 2 * length + 1)
    before = labels.roll(2, 1).narrow(1, 0, 2 * length + 1)
    passing = (states != blank) & (states != before) & fixed(states, positions.arange(2 * length + 1) >= 2)
    places = states.unsqueeze(0).expand((steps, items, 2 * length + 1))
    seen = log_probs.gather(2, places).clamp_min(LOW)
    shares = shares_of_states(seen, passing, times, lengths)
    expected = (log_probs * 0).where(log_probs.isfinite(), 0).scatter_add(2, places, shares)
    expected = expected + shares.sum(2, keepdim=True) * 0  # NaN for all labels if one is NaN
    counted = fixed(log_probs, (positions.arange(steps)[:, None] < np.asarray(times, np.int64))[..., None])
    return (log_probs.exp() - expected).where(counted, 0)


def padded(targets: Any, blank: int) -> Any:
    """Append a blank to the labels."""
    return cat([targets, targets.new_full((targets.shape[0], 1), blank)], 1)


@ctc.vjp("log_probs", native=ctc_rule)
def ctc_vjp(
    grads: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    zero_infinity: bool,
    loss: Any,
) -> Any:
    gradient = grads_of(log_probs, targets, input_lengths, target_lengths, blank)
    if zero_infinity:
        gradient = gradient.where(~loss.isinf().unsqueeze(1), 0)
    return gradient * grads[0].unsqueeze(1)


@ctc.jvp("log_probs")
def ctc_jvp(
    tangent: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int,
    zero_infinity: bool,
    loss: Any,
) -> Any:
    ones = (loss.new_ones(loss.shape),)
    gradient = ctc_vjp(ones, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, loss)
    return (gradient * tangent).sum((0, 2)), None


@ctc.batched
def ctc_batched(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int, zero_infinity: bool
) -> Any:
    size, steps, items, classes = log_probs.shape
    merged = log_probs.transpose(0, 1).reshape((steps, size * items, classes))
    lengths = tuple(input_lengths) * size, tuple(target_lengths) * size
    rows = targets.reshape((size * items, targets.shape[2]))
    loss, alpha = ctc.call((merged, rows, *lengths, blank, zero_infinity))
    return loss.reshape((size, items)), alpha.reshape((size, items, *alpha.shape[1:]))


def lengths_of(name: str, value: Any) -> Ints:
    """Return lengths as integers, from a tensor or a sequence.

    Raises:
        TypeError, RuntimeError: if they are not integers.
    """
    if isinstance(value, Tensor):
        if value.dtype.category >= dtypes.FLOAT:
            raise RuntimeError(f"{name} must be integral")
        lengths = value.tolist()
        return tuple(lengths) if isinstance(lengths, list) else (lengths,)
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"ctc_loss(): argument '{name}' must be tuple of ints or a tensor, not {type(value).__name__}")
    return tuple(int(item) for item in value)


def check_lengths(name: str, lengths: Ints, batch: int, most: int | None) -> None:
    """Refuse lengths that are negative, greater than `most`, or not one for each item."""
    if len(lengths) != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    for length in lengths:
        for wrong, bound, limit in ((length < 0, "least", 0), (most is not None and length > most, "most", most)):
            if wrong:
                raise RuntimeError(
                    f"Expected {name} to have value at {bound} {limit}, but got value {length} (while checking "
                    "arguments for ctc_loss_allocate_outputs)"
                )


def rows_of(targets: Any, lengths: Ints) -> Any:
    """Return labels as rows (N, S), each as long as the longest.

    Raises:
        RuntimeError: if the number of labels is not the sum of the lengths.
    """
    doing = "for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)"
    longest = max(lengths, default=0)
    if targets.ndim not in (1, 2):
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor {doing}")
    wanted = sum(lengths) if targets.ndim == 1 else len(lengths)
    if targets.shape[0] != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size {targets.shape[0]} {doing}"
        )
    labels = targets.to(dtypes.int64)
    if targets.ndim == 2:
        if targets.shape[1] < longest:
            raise RuntimeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {targets.shape[1]} "
                f"{doing}"
            )
        return labels.narrow(1, 0, longest)
    begins = positions.cumsum((0, *lengths))[:-1]
    places = np.minimum(begins[:, None] + positions.arange(longest), max(wanted - 1, 0))
    if not wanted:
        return labels.new_zeros(places.shape)
    return labels.index_select(0, fixed(labels, places.reshape(-1))).reshape(places.shape)


@composite(method=False)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Any:
    """Minus the logarithm of the probability of label sequences, over all their alignments with the input.

    Args:
        log_probs: logarithms of probabilities (T, N, C) or (T, C).
        targets: labels (N, S) or (S,), or those of all items, concatenated.
        input_lengths: number of steps of T that count, for each item: integers or a tensor.
        target_lengths: number of labels of each item.
        blank: label of a blank.
        reduction: 0 for one loss each, 1 for the mean of losses divided by their numbers of labels, 2 for the sum.
        zero_infinity: loss and gradient are 0, not infinite, if labels do not fit into the input.

    Returns:
        A new tensor, 0-dim, or (N,).

    Raises:
        RuntimeError: if shapes or lengths do not fit.
        IndexError: if a label is out of range.

    Derivative:
        That of the input of a log-softmax: correct only if `log_probs` is the result of one, as it should be.

    Source:
        Graves et al., Connectionist temporal classification (2006).

    Examples:
        >>> import wengert as wg
        >>> log_probs = wg.log_softmax(wg.zeros(4, 1, 3), 2)
        >>> wg.ctc_loss(log_probs, wg.tensor([[1, 2]]), wg.tensor([4]), wg.tensor([2]))
        tensor(0.8432)
    """
    level = batches.level_of(input_lengths) or batches.level_of(target_lengths)
    if level is not None:
        operands = (log_probs, targets, input_lengths, target_lengths)
        return member_by_member(level, operands, blank, reduction, zero_infinity)
    times = lengths_of("input_lengths", input_lengths)
    lengths = lengths_of("target_lengths", target_lengths)
    probs: Any = log_probs
    labels: Any = targets
    alone = probs.ndim == 2
    if alone:
        probs, labels = probs.unsqueeze(1), labels if labels.ndim == 2 else labels.unsqueeze(0)
    check_inputs(probs, times, lengths, blank)
    rows = rows_of(labels, lengths)
    losses = ctc(probs, rows, times, lengths, blank, zero_infinity)[0]
    if zero_infinity:
        losses = losses.where(losses != math.inf, 0)
    if reduction == 1:
        counts = np.maximum(np.asarray(lengths), 1).astype(losses._array_.dtype)
        return (losses / fixed(losses, counts)).mean()
    losses = losses.squeeze(0) if alone else losses
    return reduce_losses(losses, reduction)


def member_by_member(level: Any, operands: tuple[Any, ...], *options: Any) -> Any:
    """Return the losses of members of a batch with lengths of their own, one after the other.

    Args:
        level: the batch.
        operands: the tensors and lengths, some of which carry it.
        options: all other arguments.
    """
    carried = [batches.has(tensor, level) for tensor in operands]
    opened = [leave_batch(tensor, level, 0) if within else tensor for tensor, within in zip(operands, carried)]
    losses = [
        ctc_loss(*[tensor.select(0, at) if within else tensor for tensor, within in zip(opened, carried)], *options)
        for at in range(level.size)
    ]
    return enter_batch(stack(losses), level, 0)


def check_inputs(probs: Any, times: Ints, lengths: Ints, blank: int) -> None:
    """Refuse anything but sequences of probabilities, lengths that do not fit, and a blank that is not a label."""
    if not probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {probs.ndim}-dimensional tensor for argument #1 'log_probs' "
            f"(while checking arguments for ctc_loss_allocate_outputs): {shown(probs.shape)}"
        )
    steps, items, classes = probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    check_lengths("input_lengths", times, items, steps)
    check_lengths("target_lengths", lengths, items, None)


def normalised(loss: Any, log_probs: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the loss of scores after a log-softmax, for which the derivative is correct."""
    return loss(log_probs.log_softmax(-1), *args, **kwargs)


@ctc.samples
def ctc_samples(make: Any) -> Any:
    labels = make(2, 3, kind="index", high=3) + 1
    yield Sample(make(6, 2, 4), labels, (6, 5), (3, 2), through=normalised)
    yield Sample(make(3, 1, 4), make(1, 0, kind="index"), (2,), (0,), 1, True, through=normalised)
    yield Bad(make(3, 1, 2), make(1, 1, kind="index") + 7, (2,), (1,), raises=IndexError, says="is out of bounds")


@ctc_loss.samples
def ctc_loss_samples(make: Any) -> Any:
    labels = make(2, 3, kind="index", high=3) + 1
    yield Sample(make(6, 2, 4), labels, (6, 5), (3, 2), through=normalised)
    yield Sample(make(6, 2, 4), make(3, kind="index"), (6, 5), (1, 2), 3, 0, through=normalised)
    yield Bad(make(6, 2, 4), labels, (7, 5), (3, 2), raises=RuntimeError, says="to have value at most 6")
    yield Bad(make(6, 2, 4), labels, (6, 5), (4, 2), raises=RuntimeError, says="size at least 4 at dimension 1")

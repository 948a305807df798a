"""Losses of `torch.nn.functional`: `reduction` is "none", "mean" or "sum"; its older forms are accepted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd import no_grad
from ..ops import FUNCTIONAL, Truth, plain_case
from ..ops.neural import loss_ctc, loss_margins, loss_rates, loss_scores
from ..ops.neural.loss import read_reduction
from ..ops.neural.loss_margins import WORDS, check_triplet
from ..ops.neural.similarity import pairwise_distance
from ..ops.pointwise.smooth import log_sigmoid
from ..ops.warned import warn


def number_of(reduction: str, size_average: Any = None, reduce: Any = None) -> int:
    """Return the number of a reduction in `torch.*`, from the present argument and the two older ones.

    Raises:
        ValueError: if `reduction` is none of "none", "mean" and "sum".
    """
    return WORDS.index(read_reduction(reduction, size_average, reduce))


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """One minus the cosine of two vectors where `target` is 1, and `max(0, cosine - margin)` where it is -1.

    Args:
        input1, input2: the vectors, (n,) or (N, n).
        target: 1 or -1 for each pair.
        margin: cosine of different vectors that counts as far enough.
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Examples:
        >>> import wengert as wg
        >>> a, b = wg.tensor([[1.0, 0.0]]), wg.tensor([[3.0, 4.0]])
        >>> wg.nn.functional.cosine_embedding_loss(a, b, wg.tensor([1.0]))
        tensor(0.4000)
    """
    number = number_of(reduction, size_average, reduce)
    return loss_margins.cosine_embedding_loss(input1, input2, target, margin, number)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`input` where `target` is 1, and `max(0, margin - input)` where `target` is -1.

    Args:
        input: floating tensor, usually distances.
        target: 1 or -1, of the shape of `input`.
        margin: least distance of what is different.
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.hinge_embedding_loss(wg.tensor([0.5, 0.25]), wg.tensor([1.0, -1.0]))
        tensor(0.6250)
    """
    number = number_of(reduction, size_average, reduce)
    return loss_margins.hinge_embedding_loss(input, target, margin, number)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, -target * (input1 - input2) + margin)` of two scores and a target of 1 or -1.

    Args:
        input1, input2: scores.
        target: 1 if the first should be the larger one, else -1.
        margin: the difference to reach.
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        RuntimeError: if the numbers of dimensions differ.

    Examples:
        >>> import wengert as wg
        >>> a, b, y = wg.tensor([1.0, 2.0]), wg.tensor([2.0, 1.0]), wg.tensor([1.0, 1.0])
        >>> wg.nn.functional.margin_ranking_loss(a, b, y, margin=0.5)
        tensor(0.7500)
    """
    number = number_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return loss_margins.margin_ranking_loss(input1, input2, target, margin, number)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin + d(anchor, positive) - d(anchor, negative))` with the distance `d` in a norm.

    Args:
        anchor, positive, negative: vectors (N, D) or (D,).
        margin: least difference of the distances without a loss.
        p: the order of the norm.
        eps: added to the differences.
        swap: use the distance between positive and negative where it is smaller.
        size_average, reduce: older forms of `reduction`.
        reduction: "none", "mean" or "sum".

    Raises:
        ValueError: if `margin` is not positive.

    Examples:
        >>> import wengert as wg
        >>> a, p, n = wg.tensor([[0.0, 0.0]]), wg.tensor([[3.0, 4.0]]), wg.tensor([[0.0, 4.5]])
        >>> wg.nn.functional.triplet_margin_loss(a, p, n)
        tensor(1.5000)
    """
    number = number_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return loss_margins.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: Truth = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any function as distance.

    Args:
        anchor, positive, negative: arguments of `distance_function`.
        distance_function: the distance; None for the Euclidean one.
        margin, swap, reduction: as for `triplet_margin_loss`.

    Raises:
        ValueError: if `margin` is not positive, or `reduction` is unknown.
        RuntimeError: if the numbers of dimensions differ.

    Examples:
        >>> import wengert as wg
        >>> a, p, n = wg.tensor([[0.0, 0.0]]), wg.tensor([[3.0, 4.0]]), wg.tensor([[0.0, 4.5]])
        >>> wg.nn.functional.triplet_margin_with_distance_loss(a, p, n, margin=2.0)
        tensor(2.5000)
    """
    number = number_of(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_triplet(anchor, positive, negative)
    distance: Any = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return loss_margins.reduce_losses((margin + near - far).clamp_min(0), number)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: float = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Mean over the classes of `max(0, margin - score of the target + score) ** p`, without the target class.

    Args:
        input: scores, (N, C) or (C,).
        target: the class of each sample.
        p: the power, 1 or 2.
        margin: the difference to reach.
        weight: a weight for each class, (C,).
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: if `p` is neither 1 nor 2, or `weight` is not a vector.

    >>> wg.nn.functional.multi_margin_loss(wg.tensor([[0.5, 1.0, 0.25]]), wg.tensor([1]))
    tensor(0.2500)
    """
    number = number_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    return loss_scores.multi_margin_loss(input, target, int(p), margin, weight, number)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Sum of `max(0, 1 - score of a named class + score of another one)` over all such pairs, divided by C.

    Args:
        input: scores, (N, C) or (C,).
        target: the classes of each sample, ended by -1, of the shape of `input`.
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.multilabel_margin_loss(wg.tensor([[0.1, 0.2, 0.8]]), wg.tensor([[2, -1, -1]]))
        tensor(0.2333)
    """
    number = number_of(reduction, size_average, reduce)
    return loss_scores.multilabel_margin_loss(input, target, number)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`log(1 + exp(-target * input))`, for the two classes 1 and -1.

    Args:
        input: floating tensor.
        target: 1 or -1, of the shape of `input`.
        size_average, reduce: older words for `reduction`.
        reduction: "mean", "sum" or "none".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.soft_margin_loss(wg.tensor([0.5, 2.0]), wg.tensor([1.0, -1.0]))
        tensor(1.3005)
    """
    number = number_of(reduction, size_average, reduce)
    return loss_scores.soft_margin_loss(input, target, number)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of the binary cross-entropy between scores and targets.

    Args:
        input: scores (..., C).
        target: 0 or 1 for each, of the same shape.
        weight: of each class, broadcasts.
        size_average, reduce: older forms of `reduction`.
        reduction: "none" (a loss for each row), "mean" or "sum".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.multilabel_soft_margin_loss(wg.tensor([[0.5, -2.0]]), wg.tensor([[1.0, 0.0]]))
        tensor(0.3005)
    """
    if size_average is not None or reduce is not None:
        reduction = read_reduction(reduction, size_average, reduce)
    scores: Any = input
    losses = -(target * log_sigmoid(scores) + (1 - target) * log_sigmoid(-scores))
    if weight is not None:
        losses = losses * weight
    rows = losses.sum(input.ndim - 1) / scores.size(input.ndim - 1)
    if reduction not in WORDS:
        raise ValueError(f"{reduction} is not valid")
    return loss_margins.reduce_losses(rows, WORDS.index(reduction))


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Truth | None = None,
    eps: float = 1e-8,
    reduce: Truth | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of counts under Poisson distributions.

    Args:
        input: expected counts, or their logarithms (`log_input`).
        target: counts.
        log_input: whether `input` holds logarithms.
        full: add Stirling's approximation of the part that does not depend on `input`.
        size_average, reduce: older forms of `reduction`.
        eps: added before the logarithm.
        reduction: "none", "mean" or "sum".

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.poisson_nll_loss(wg.tensor([0.0, 1.0]), wg.tensor([1.0, 2.0]))
        tensor(0.8591)
    """
    number = number_of(reduction, size_average, reduce)
    return loss_rates.poisson_nll_loss(input, target, log_input, full, eps, number)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: Truth = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Negative log-likelihood of values under normal distributions.

    Args:
        input: means.
        target: values.
        var: variances, of the shape of `input`, or with the last dimension of length 1, or without it; or a number.
        full: add the constant part.
        eps: the least variance; without influence on the gradient.
        reduction: "none", "mean" or "sum".

    Raises:
        ValueError: if a variance is negative, `var` has a wrong shape, or `reduction` is unknown.
        RuntimeError: if `var` holds integers.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.gaussian_nll_loss(wg.tensor([0.0, 1.0]), wg.tensor([1.0, 1.0]), wg.tensor([1.0, 4.0]))
        tensor(0.5966)
    """
    mean: Any = input
    variance: Any = var
    if not isinstance(var, float):
        if not isinstance(var, Tensor):
            raise TypeError(f"gaussian_nll_loss(): argument 'var' must be Tensor or float, not {type(var).__name__}")
        if (variance < 0).any():
            raise ValueError("var has negative entry/entries")
        variance = spread_variance(variance, input.shape)
    elif var < 0:
        raise ValueError("var has negative entry/entries")
    else:
        variance = mean.new_full(mean.shape, var)
    if reduction not in WORDS:
        raise ValueError(f"{reduction} is not valid")
    variance = variance.clone()
    with no_grad():
        variance.clamp_(min=eps)
    losses = 0.5 * (variance.log() + (mean - target) ** 2 / variance)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return loss_margins.reduce_losses(losses, WORDS.index(reduction))


def spread_variance(var: Any, shape: tuple[int, ...]) -> Any:
    """Reshape variances so that they broadcast with the means.

    Raises:
        ValueError: if the shapes do not match.
    """
    if var.shape == shape:
        return var
    if var.shape == tuple(shape[:-1]):
        return var.unsqueeze(-1)
    if len(shape) == var.ndim and sum(size for length, size in zip(shape, var.shape) if length != size) == 1:
        return var
    raise ValueError("var is of incorrect size")


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Truth | None = None,
    reduce: Truth | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Kullback-Leibler divergence, element by element: `target * (log(target) - input)`.

    Args:
        input: logarithms of probabilities.
        target: probabilities, or their logarithms, of the same shape.
        size_average, reduce: older forms of `reduction`.
        reduction: "none", "mean", "sum" or "batchmean" (the sum divided by the first length: the divergence itself).
        log_target: whether `target` holds logarithms.

    Raises:
        RuntimeError: if `input` or `target` holds integers.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.kl_div(wg.tensor([0.5, 0.5]).log(), wg.tensor([0.25, 0.75]), reduction="sum")
        tensor(0.1308)
    """
    word = "sum" if reduction == "batchmean" else reduction
    number = number_of(word, size_average, reduce)
    if reduction == "mean" and size_average is None and reduce is None:
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    total = loss_rates.kl_div(input, target, number, log_target=log_target)
    return total / input.shape[0] if reduction == "batchmean" and input.ndim else total


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Negative log-probability of label sequences over all alignments: connectionist temporal classification.

    Args:
        log_probs: logarithms of probabilities (T, N, C) or (T, C).
        targets: labels (N, S), or all sequences concatenated.
        input_lengths: number of valid steps of each item, at most T.
        target_lengths: lengths of the label sequences.
        blank: the label that stands for none.
        reduction: "none", "mean" (of the losses divided by the lengths of the labels) or "sum".
        zero_infinity: whether the loss is 0 where labels do not fit into the input.

    Examples:
        >>> import wengert as wg
        >>> log_probs = wg.log_softmax(wg.zeros(4, 1, 3), 2)
        >>> wg.nn.functional.ctc_loss(log_probs, wg.tensor([[1, 2]]), wg.tensor([4]), wg.tensor([2]))
        tensor(0.8432)
    """
    number = number_of(reduction)
    return loss_ctc.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)


multi_margin_loss = plain_case(
    multi_margin_loss, loss_scores.multi_margin, places=(0, 1, 2, 3, -1, 7), module=FUNCTIONAL
)

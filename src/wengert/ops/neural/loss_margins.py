"""Losses with a margin between vectors or scores."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.errors import shown
from ..._core.tensor.base import Tensor
from ..axes import read_number
from .loss import finished
from .similarity import pairwise_distance

TINY = 1e-12
"""Number that keeps the cosine of a zero vector finite."""
WORDS = ("none", "mean", "sum")
"""The reductions in the order of torch's numbers."""


def reduce_losses(losses: Any, reduction: int) -> Any:
    """Return the losses of the elements, their mean (1) or their sum (2)."""
    return finished(losses, WORDS[reduction]) if 0 < reduction < 3 else losses


def product(first: Any, second: Any, dim: int) -> Any:
    """Product of vectors along a dimension."""
    return (first * second).sum(dim)


@composite(method=False)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Any:
    """One minus the cosine of like vectors; the excess of the cosine over `margin` for unlike ones.

    Args:
        input1: vectors (N, D), or one (D,).
        input2: of the same shape.
        target: 1 for like vectors and -1 for unlike ones, (N,) or ().
        margin: largest cosine of unlike vectors without loss.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the shape of `target`.

    Raises:
        RuntimeError: if the shapes do not fit.

    Examples:
        >>> import wengert as wg
        >>> a, b = wg.tensor([[1.0, 0.0]]), wg.tensor([[3.0, 4.0]])
        >>> wg.cosine_embedding_loss(a, b, wg.tensor([1.0]))
        tensor(0.4000)
    """
    margin = float(read_number("cosine_embedding_loss", "margin", 4, margin))
    check_vectors(input1, input2, target)
    first: Any = input1
    second: Any = input2
    dim = target.ndim
    squares = (product(first, first, dim) + TINY) * (product(second, second, dim) + TINY)
    cosine = product(first, second, dim) / squares.sqrt()
    of_alike = (1 - cosine).where(target == 1, 0)
    of_unlike = (cosine - margin).clamp_min(0).where(target == -1, 0)
    return reduce_losses(of_alike + of_unlike, reduction)


def check_vectors(input1: Tensor, input2: Tensor, target: Tensor) -> None:
    """Refuse targets without one element for each pair of vectors."""
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    wanted = target.ndim + 1
    if input1.ndim != wanted or input2.ndim != wanted:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {wanted}D input tensors, but found inputs with sizes "
            f"{shown(input1.shape)} and {shown(input2.shape)}."
        )


@cosine_embedding_loss.samples
def cosine_embedding_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), make(3, kind="index").mul(2).sub(1))
    yield Sample(make(4), make(4), make(kind="index"), 0.5, 2)
    yield Bad(make(3, 4), make(3, 4), make(3, 4), raises=RuntimeError, says="0D or 1D target tensor expected")
    yield Bad(make(4), make(4), make(1), raises=RuntimeError, says="1D target tensor expects 2D input tensors")


@composite(method=False)
def hinge_embedding_loss(self: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Any:
    """`self` where `target` is 1; `margin` minus `self`, at least 0, where `target` is -1.

    Args:
        self: floating tensor, usually distances.
        target: 1 and -1, of the same shape.
        margin: distance above which unlike pairs have no loss.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the common shape.

    Examples:
        >>> import wengert as wg
        >>> wg.hinge_embedding_loss(wg.tensor([0.5, 0.25]), wg.tensor([1.0, -1.0]))
        tensor(0.6250)
    """
    margin = float(read_number("hinge_embedding_loss", "margin", 3, margin))
    distance: Any = self
    inexact = distance.is_floating_point() or distance.is_complex()
    room = margin if inexact else distance.new_full(distance.shape, margin)  # integers stay integers
    of_unlike = (room - distance).clamp_min(0).where(target != 1, 0)
    return reduce_losses(of_unlike + distance.where(target != -1, 0), reduction)


@hinge_embedding_loss.samples
def hinge_embedding_samples(make: Any) -> Any:
    yield Sample(make(3), make(3, kind="index").mul(2).sub(1))
    yield Sample(make(3), make(3, kind="index").mul(2).sub(1), 0.5, 0)
    yield Bad(
        make(3), make(3), (1, 2), raises=TypeError, says="argument 'margin' (position 3) must be float, not tuple"
    )


@composite(method=False)
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1) -> Any:
    """`margin` minus the difference of two scores, at least 0; `target` is the sign of the difference.

    Args:
        input1: scores.
        input2: of a shape that broadcasts with it.
        target: 1 where the first score is to be greater, -1 where the second one is.
        margin: smallest difference without loss.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the common shape.

    Examples:
        >>> import wengert as wg
        >>> wg.margin_ranking_loss(wg.tensor([1.0, 2.0]), wg.tensor([2.0, 1.0]), wg.tensor([1.0, 1.0]), 0.5)
        tensor(0.7500)
    """
    margin = float(read_number("margin_ranking_loss", "margin", 4, margin))  # integers become floats, too
    direction: Any = target
    return reduce_losses((-direction * (input1 - input2) + margin).clamp_min(0), reduction)


@margin_ranking_loss.samples
def margin_ranking_samples(make: Any) -> Any:
    yield Sample(make(3), make(3), make(3, kind="index").mul(2).sub(1))
    yield Sample(make(3), make(2, 3), make(3, kind="index").mul(2).sub(1), 0.5, 0)
    yield Bad(
        make(3), make(3), make(3), "a", raises=TypeError, says="argument 'margin' (position 4) must be float, not str"
    )


@composite(method=False)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 1,
) -> Any:
    """Distance to the positive minus distance to the negative, plus `margin`, at least 0.

    Args:
        anchor: vectors (N, D), or one (D,).
        positive: vectors that are to be near, of the same shape.
        negative: vectors that are to be farther away, of the same shape.
        margin: smallest difference of the distances without loss.
        p: order of the norm that is the distance.
        eps: added to each difference.
        swap: use the distance between positive and negative where it is smaller than that from the anchor.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the shape without the last dimension.

    Raises:
        RuntimeError: if the numbers of dimensions differ.

    Source:
        Balntas et al., Learning shallow convolutional feature descriptors with triplet losses (2016).

    Examples:
        >>> import wengert as wg
        >>> wg.triplet_margin_loss(wg.tensor([[0.0, 0.0]]), wg.tensor([[3.0, 4.0]]), wg.tensor([[0.0, 4.5]]))
        tensor(1.5000)
    """
    check_triplet(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return reduce_losses((margin + near - far).clamp_min(0), reduction)


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    """Refuse tensors of different numbers of dimensions."""
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


@triplet_margin_loss.samples
def triplet_margin_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="unit"), make(3, 4, kind="positive"))
    yield Sample(make(4), make(4, kind="unit"), make(4, kind="positive"), 0.5, 1, swap=True, reduction=0)
    yield Bad(make(3), make(3), make(1, 3), raises=RuntimeError, says="and negative 2D inputs")

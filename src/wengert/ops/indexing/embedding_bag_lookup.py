"""Embedding bags with the arguments of `torch.nn.functional`: concatenated, or as bags of one length."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..create.ranges import arange
from .embedding import shorten
from .embedding_bag import MODES, check_factors, check_lookup, embedding_bag as bags_at, numbers, row_number


def check_bags(input: Any, weight: Any, offsets: Any, mode: str, per_sample_weights: Any) -> None:
    """Refuse shapes and modes that do not fit.

    Raises:
        ValueError: if a shape or mode does not fit.
        NotImplementedError: if there are factors of rows without a sum.
    """
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            "sequences. However, found offsets of type <class 'torch.Tensor'>"
        )
    if input.ndim == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if input.ndim == 1 and offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )


@composite(method=False, function=False, name="embedding_bag_lookup")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Reduce rows of a table bag by bag, without storing all rows.

    Args:
        input: row numbers, int64 or int32: (n,), or (bags, length).
        weight: (rows, width).
        offsets: start of each bag in (n,).
        max_norm: rows in use with a larger norm are first scaled down to it, in place.
        norm_type: order of that norm.
        scale_grad_by_freq: divide gradients by the number of uses of their row; not for maxima.
        mode: "sum", "mean" or "max".
        sparse: the gradient of the table is a sparse tensor, with a row for each use.
        per_sample_weights: factors of the rows of sums, of the shape of `input`.
        include_last_offset: whether `offsets` includes the end of the last bag.
        padding_idx: row that does not count; negative numbers count from the end.

    Returns:
        A new tensor (bags, width); zeros for an empty bag.

    Raises:
        ValueError: if shapes or options do not fit.
        NotImplementedError: if `per_sample_weights` is given without a sum.
        RuntimeError: if a number is out of range, or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.embedding_bag(wg.tensor([[0, 1], [1, 1]]), wg.tensor([[0.0, 1.0], [2.0, 3.0]]), mode="sum")
        tensor([[2., 4.],
                [4., 6.]])
    """
    if weight.dtype == dtypes.int64 and input.dtype.is_floating_point:
        anomaly.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    check_bags(input, weight, offsets, mode, per_sample_weights)
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if input.ndim == 2:
        length = input.shape[1]
        offsets = constant_beside(input, arange(0, input.numel(), length, dtype=input.dtype))
        include_last_offset, input = False, input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if max_norm is not None:
        check_factors(weight, per_sample_weights)
        places = input._array_, offsets._array_  # type: ignore[union-attr]
        check_lookup(weight._array_, *places, row_number(padding_idx, weight.shape[0]))
        shorten(weight, input, float(max_norm), float(norm_type))
    options = (scale_grad_by_freq, MODES.index(mode), sparse, per_sample_weights, include_last_offset, padding_idx)
    return bags_at(weight, input, offsets, *options)[0]


@embedding_bag.samples
def embedding_bag_samples(make: Any) -> Any:
    yield Sample(numbers(0, 2, 3), make(4, 3), numbers(0, 0))
    yield Sample(numbers(0, 2, 3, 1).reshape(2, 2), make(4, 3), mode="max")
    yield Sample(numbers(0, 2, 3), make(4, 3), numbers(0), mode="sum", per_sample_weights=make(3))
    yield Bad(numbers(0, 2, 3), make(4, 3), raises=ValueError, says="offsets has to be a 1D Tensor but got None")
    yield Bad(numbers(0, 2), make(4, 3), numbers(0), mode="x", raises=ValueError, says="mode has to be one of sum")
    places = numbers(0).bool()
    yield Bad(numbers(0, 2), make(4, 3), places, 0.1, raises=RuntimeError, says="one of the following scalar types")
    yield Bad(
        *(numbers(0, 2), make(4, 3), numbers(0)),
        per_sample_weights=make(2),
        raises=NotImplementedError,
        says="per_sample_weights is only supported for mode='sum'",
    )


__all__ = ["embedding_bag"]

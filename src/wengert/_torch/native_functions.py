"""Operators of `nn.functional` as torch has them at its top: `reduction` is a number, indices always come along."""

from __future__ import annotations

from typing import Any

from wengert._tensor import Tensor
from wengert.nn import functional
from wengert.ops import asking

_IN_PACKAGE = ("adaptive_max_pool1d", "binary_cross_entropy_with_logits", "max_pool1d_with_indices")

REDUCTIONS = {1: "mean", 2: "sum"}


@asking
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest value of each window, and where it was.

    Args:
        input: (N, C, L) or (C, L).
        kernel_size: of the windows.
        stride: between windows; their size if empty.
        padding: places of minus infinity at both ends.
        dilation: between places of a window.
        ceil_mode: also windows that reach beyond the end.

    Returns:
        Values and indices, both (N, C, L') or (C, L').

    Examples:
        >>> import wengert as wg
        >>> values, indices = wg.max_pool1d_with_indices(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        >>> indices
        tensor([[[1, 3]]])
    """
    step = None if isinstance(stride, (tuple, list)) and not stride else stride
    return functional.max_pool1d_with_indices(input, kernel_size, step, padding, dilation, ceil_mode)


@asking
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows of (N, C, L) or (C, L), and where it was.

    Examples:
        >>> import wengert as wg
        >>> values, indices = wg.adaptive_max_pool1d(wg.tensor([[[1.0, 3.0, 2.0, 5.0]]]), 2)
        >>> values
        tensor([[[3., 5.]]])
    """
    return functional.adaptive_max_pool1d_with_indices(input, output_size)


@asking
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    """See `nn.functional.binary_cross_entropy_with_logits`.

    Args:
        input: logits.
        target: probabilities, of the same shape.
        weight: of each element.
        pos_weight: of the class against its absence.
        reduction: 1 for the mean, 2 for the sum, others for none.

    Examples:
        >>> import wengert as wg
        >>> wg.binary_cross_entropy_with_logits(wg.tensor([2.0, -1.0]), wg.tensor([1.0, 0.0]))
        tensor(0.2201)
    """
    reduction_name = REDUCTIONS.get(reduction, "none")
    return functional.binary_cross_entropy_with_logits(
        input, target, weight, reduction=reduction_name, pos_weight=pos_weight
    )

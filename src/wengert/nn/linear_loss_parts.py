"""Cross-entropy of the scores of a linear layer, some items at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import is_grad_enabled
from ..autograd.recomputation import Inputs, Region
from ..ops.linalg.linear import linear
from ..ops.neural.loss import cross_entropy
from ..ops.shapes.join import cat


def loss_in_parts(
    input: Any, table: Any, target: Any, bias: Any, weight: Any, reduction: str, ignore_index: int, size: int
) -> Any:
    """Return the loss, from the scores of `size` items at a time, which are computed again for gradients.

    Args:
        input: (N, D); `target`: (N,), classes.
        table, bias: of the linear layer; `weight` of each class.
        size: number of items of a part.

    Raises:
        ValueError: if there is not one target for each item.
    """
    if target.shape != input.shape[:1]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({tuple(target.shape)})."
        )

    def part(rows: Any, classes: Any, table: Any, bias: Any, weight: Any) -> Any:
        scores = linear(rows, table, bias)
        return cross_entropy(scores, classes, weight=weight, ignore_index=ignore_index, reduction="none")

    starts = range(0, max(1, input.shape[0]), size)
    losses = cat([again(part, input[at : at + size], target[at : at + size], table, bias, weight) for at in starts])
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    used = target != ignore_index
    shares = used.to(losses.dtype) if weight is None else weight[target.where(used, 0)].where(used, 0)
    return losses.sum() / shares.sum()


def again(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function without saving tensors for backward: it runs again in the backward pass."""
    if not is_grad_enabled():
        return function(*args)
    inputs = Inputs(args, {})
    region = Region(lambda: function(*inputs.unpack()[0]), early_stop=True, check="default", debug=False)
    return region.record(lambda: function(*args))

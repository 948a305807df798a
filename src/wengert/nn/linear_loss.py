"""Cross-entropy of the scores of a linear layer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..autograd import is_grad_enabled
from ..autograd.recomputation import Inputs, Region
from ..ops.linalg.linear import linear
from ..ops.neural.loss import cross_entropy
from ..ops.shapes.join import cat


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`.

    Args:
        input: vectors (N, D) or (D,).
        linear_weight: (C, D), or (C, d1, ..., D) for several places of each item.
        target: as for `cross_entropy` of scores (N, C, d1, ...).
        linear_bias: (C, d1, ...), or None.
        weight: of each class.
        reduction: "none", "mean" or "sum".
        ignore_index: targets of this class have weight 0; -100 by default.
        label_smoothing: the share of the target that is spread over all classes.
        options: `nn.LinearCrossEntropyOptions`, to compute the scores of some items at a time; only for int64 classes,
            one for each item, and without smoothing. None: as a whole.

    Raises:
        RuntimeError: if the shapes do not match, or `ignore_index` is passed with probabilities as target.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.linear_cross_entropy(wg.tensor([[1.0, 2.0]]), wg.eye(2), wg.tensor([1]))
        tensor(0.3133)
    """
    shape = scores_shape(input, linear_weight, linear_bias)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    table: Any = linear_weight
    bias: Any = linear_bias
    number = -100 if ignore_index is None else ignore_index
    if options is not None and goes_in_parts(shape, input, target, reduction, label_smoothing):
        rows = input if input.ndim == 2 else input.unsqueeze(0)
        classes = target if input.ndim == 2 else target.unsqueeze(0)
        size = options.part(*rows.shape, table.shape[0], input.dtype)
        loss = loss_in_parts(rows, table, classes, bias, weight, reduction, number, size)
        return loss.squeeze(0) if input.ndim == 1 and reduction == "none" else loss
    if len(linear_weight.shape) > 2:
        rows = math.prod(linear_weight.shape[:-1])
        table = table.reshape((rows, input.shape[-1]))
        bias = None if bias is None else bias.reshape(rows)
    scores = linear(input, table, bias).reshape(shape)
    return cross_entropy(
        scores, target, weight=weight, reduction=reduction, ignore_index=number, label_smoothing=label_smoothing
    )


def goes_in_parts(shape: Any, input: Tensor, target: Tensor, reduction: str, smoothing: float) -> bool:
    """Return whether a loss can be computed some items at a time; warn if not."""
    can = reduction in ("mean", "sum", "none") and smoothing == 0 and target.dtype is dtypes.int64
    if can and len(shape) == input.ndim:
        return True
    warnings.warn(
        "linear_cross_entropy: ``options`` ignored; parts need reduction in {'mean', 'sum', 'none'}, label_smoothing "
        f"== 0, int64 classes and scores of shape (N, C). Got {reduction=}, label_smoothing={smoothing}, "
        f"target.dtype={target.dtype}, scores of shape {tuple(shape)}.",
        stacklevel=3,
    )
    return False


def scores_shape(input: Tensor, weight: Tensor, bias: Tensor | None) -> tuple[int, ...]:
    """Return the shape of the scores.

    Raises:
        RuntimeError: if the shapes of input, weight and bias do not match.
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.ndim}")
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {weight.shape[-1]}, respectively"
        )
    wanted = tuple(weight.shape[:-1])
    if bias is not None and tuple(bias.shape) != wanted:
        raise RuntimeError(f"expected linear_bias shape {wanted}, got {tuple(bias.shape)}")
    if len(wanted) > 1 and input.ndim == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
    return (*input.shape[:-1], *wanted)


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

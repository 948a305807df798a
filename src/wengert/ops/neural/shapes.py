"""The shapes of what layers give: softmax, normalisations, dropout, attention and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import FLOATS
from ..._core.operators import layouts
from ..create.factory import refuse_dtype
from ..dtype_checks import check_floating
from ..shape_rules import BOOL, common_shape, kind_of_second, like_first, real, reduced, shape_of, with_length
from .attention_blocks import _scaled_dot_product_flash_attention_for_cpu, blocks_backward, check_blocks
from .attention_weights import causal_softmax, safe_softmax
from .batch_norm import batch_norm_backward, batch_norm_forward, check_channel_values
from .dropout import dropout_noise, dropped
from .gates import channel_shuffle, check_groups, check_half, glu, glu_backward, rrelu_noise
from .grad_history import slope_with_history
from .group_norm import check_channels, check_items, group_norm_backward, native_group_norm
from .loss import check_loss, nll_loss_backward, nll_loss_forward
from .loss_binary import of_logits, of_probabilities
from .loss_ctc import ctc
from .loss_pairs import huber, smooth_l1, squared
from .loss_scores import check_labels, check_margins, multi_margin, multilabel_margin, soft_margin
from .norm import check_factors, check_mixed, check_shape, layer_norm_backward, native_layer_norm, statistics_dtype
from .similarity import distance_norm
from .softmax import log_softmax_along, log_softmax_backward, softmax_along, softmax_backward

shape_of(softmax_along, log_softmax_along, softmax_backward, log_softmax_backward, safe_softmax, causal_softmax)(
    like_first
)
shape_of(glu_backward, nll_loss_backward)(kind_of_second)
rrelu_noise.shape(like_first)


@channel_shuffle.shape
def channel_shuffle_shape(self: Any, groups: Any) -> Any:
    check_groups(self.shape, int(groups))
    return self.shape, self.dtype


@glu.shape
def glu_shape(self: Any, dim: int, out: Any = None) -> Any:
    axis = check_half(self, dim)
    return with_length(self.shape, axis, self.shape[axis] // 2), self.dtype


@dropout_noise.shape
def noise_shape(input: Any, shape: Any, p: float, value: Any) -> Any:
    refuse_dtype("dropout", input, FLOATS)
    return tuple(shape), BOOL if value is None else real(input.dtype)


@dropped.shape
def dropped_shape(input: Any, *others: Any) -> Any:
    refuse_dtype("native_dropout", input, FLOATS)
    return [(input.shape, input.dtype), (input.shape, BOOL)]


@slope_with_history.shape
def slope_with_history_shape(grad: Any, *others: Any) -> Any:
    return grad.shape, grad.dtype, layouts.preserved(grad)


@distance_norm.shape
def distance_norm_shape(self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    return reduced(self, dim, keepdim)


# ---- normalisations --------------------------------------------------------------------------------------------------


@native_layer_norm.shape
def layer_norm_shape(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    shape = check_shape("native_layer_norm", input, normalized_shape)
    check_factors(shape, weight=weight, bias=bias)
    check_floating("native_layer_norm", "LayerNormKernelImpl", input)
    check_mixed(input, weight, bias)
    statistics = (*input.shape[: input.ndim - len(shape)], *(1,) * len(shape))
    return [(input.shape, input.dtype), *[(statistics, statistics_dtype(input, weight, bias))] * 2]


def like_operands(input: Any, weight: Any) -> Any:
    """Return shapes and dtypes of the gradients of a normalisation with respect to its input and its factors."""
    factors = [] if weight is None else [(weight.shape, weight.dtype)] * 2
    return [(input.shape, input.dtype), *factors]


@layer_norm_backward.shape
def layer_norm_backward_shape(grad: Any, input: Any, mean: Any, rstd: Any, weight: Any, normalized_ndim: int) -> Any:
    return like_operands(input, weight)


@native_group_norm.shape
def group_norm_shape(
    input: Any, weight: Any, bias: Any, items: int, channels: int, places: int, group: int, eps: float
) -> Any:
    check_channels(input, channels, group, weight=weight, bias=bias)
    check_items(input, items, channels, places)
    check_floating("native_group_norm", "GroupNormKernelImpl", input)
    check_mixed(input, weight, bias)
    return [(input.shape, input.dtype), *[((items, group), statistics_dtype(input, weight, bias))] * 2]


@group_norm_backward.shape
def group_norm_backward_shape(grad: Any, input: Any, mean: Any, rstd: Any, weight: Any, group: int) -> Any:
    kind = input.dtype if weight is None else weight.dtype
    return [(input.shape, input.dtype), *[(input.shape[1:2], kind)] * 2]


@batch_norm_forward.shape
def batch_norm_shape(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, eps: float
) -> Any:
    check_channel_values(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    check_floating("batch_norm", "batch_norm", input)
    check_mixed(input, weight, bias, running_mean, running_var)
    return [(input.shape, input.dtype), *[(input.shape[1:2], input.dtype)] * 3]


@batch_norm_backward.shape
def batch_norm_backward_shape(grad: Any, input: Any, mean: Any, invstd: Any, weight: Any, training: bool) -> Any:
    return like_operands(input, weight)


# ---- attention -------------------------------------------------------------------------------------------------------


@_scaled_dot_product_flash_attention_for_cpu.shape
def blocks_shape(
    query: Any, key: Any, value: Any, dropout_p: float, is_causal: bool, attn_mask: Any, scale: Any
) -> Any:
    check_blocks(query, key, value, dropout_p, attn_mask)
    wide = np.dtype(np.float32) if query.itemsize == 2 else query.dtype
    return [(query.shape, query.dtype), (query.shape[:3], wide)]


@blocks_backward.shape
def blocks_backward_shape(*operands: Any) -> Any:
    _, query, key, value, _, _, dropout_p, _, attn_mask, _ = operands
    check_blocks(query, key, value, dropout_p, attn_mask)
    return [(tensor.shape, tensor.dtype) for tensor in (query, key, value)]


# ---- losses ----------------------------------------------------------------------------------------------------------


def of_pairs(card: Any) -> None:
    """Give the rule of a loss that is computed element by element and then reduced."""
    place = card.names.index("reduction")

    @card.shape
    def loss_shape(*args: Any) -> Any:
        shape = common_shape(*args)
        return shape if args[place] == "none" else ()


for loss in (squared, smooth_l1, huber, of_probabilities, soft_margin):
    of_pairs(loss)


@of_logits.shape
def logits_shape(self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    shape = common_shape(self, target, weight, pos_weight)
    if reduction != "none":
        return (), target.dtype
    if shape == target.shape:
        return shape, target.dtype, layouts.iterated(shape, [target])
    return shape, target.dtype


@nll_loss_forward.shape
def class_loss_shape(self: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    check_loss(self, target, weight)
    shape = target.shape if reduction == "none" and self.ndim > 1 else ()
    return [(shape, self.dtype), ((), self.dtype)]


@multi_margin.shape
def multi_margin_shape(self: Any, target: Any, p: Any, margin: Any, weight: Any, reduction: str) -> Any:
    check_margins(self, target, weight)
    return target.shape if reduction == "none" else (), self.dtype


@multilabel_margin.shape
def multilabel_margin_shape(self: Any, target: Any, reduction: str) -> Any:
    check_labels(self, target)
    shape = self.shape[:1] if self.ndim == 2 and reduction == "none" else ()
    return [(shape, self.dtype), (target.shape, self.dtype)]


@ctc.shape
def ctc_shape(log_probs: Any, targets: Any, *others: Any) -> Any:
    steps, items, _ = log_probs.shape
    return [((items,), log_probs.dtype), ((items, steps, 2 * targets.shape[1] + 1), log_probs.dtype)]

"""Attention block by block, as one operator, for the cases in which torch's CPU does so, too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import flags
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, op
from ..._core.state.modes import current
from ..._core.types import dtypes
from ..._kernels.attention import attention, attention_backward
from ..._kernels.results import wide_dtype
from .attention_weights import causal_softmax, safe_softmax
from .norm import fused, fused_gradient

NAME = "scaled_dot_product_attention_flash_attention"
SEEN = flags.VOLATILE | flags.DUAL | flags.BATCHED | flags.OBSERVED | flags.LEVELS | flags.BATCHES | flags.OVERRIDDEN
"""Modes and flags in which attention consists of several operators: observed, or transformed one by one."""

in_blocks = kernels.direct_function("attention_in_blocks")
backward_in_blocks = kernels.direct_function("attention_in_blocks_backward")


def is_plain(query: Any, key: Any, value: Any, attn_mask: Any, grouped: bool) -> bool:
    """Return whether attention is this operator, as in torch: heads of one size in four dimensions, a mask that fits.

    Args:
        query, key, value: tensors of one dtype.
        attn_mask: a tensor or None.
        grouped: whether a head of the keys may serve several heads of the queries.
    """
    if not query.ndim == key.ndim == value.ndim == 4 or query.dtype not in REALS:
        return False
    word = current().word
    for operand in (query, key, value):
        word |= operand._flags_
        if operand.stride(-1) != 1 or not operand.numel():
            return False
    batch, heads, steps, size = query.shape
    wanted, keys = (batch, heads, steps, key.shape[2]), tuple(key.shape)
    if keys != tuple(value.shape) or keys[0] != batch or keys[3] != size or word & SEEN:
        return False
    if keys[1] != heads and (not grouped or heads % keys[1]):
        return False
    if attn_mask is None:
        return True
    if attn_mask.ndim not in (2, 4) or attn_mask.requires_grad or attn_mask._flags_ & SEEN:
        return False
    return all(length in (1, other) for length, other in zip(attn_mask.shape, wanted[-attn_mask.ndim :], strict=True))


def check_blocks(query: Any, key: Any, value: Any, dropout_p: float, attn_mask: Any) -> None:
    """Check the arguments: heads without dropout.

    Raises:
        RuntimeError: if dtypes or dimensions do not fit, or there is dropout.
    """
    kind = dtypes.from_numpy(query.dtype)
    if kind not in REALS:
        raise RuntimeError(f"{NAME}: Expected data type in FP32, FP64, BF16, FP16, but got {kind} instead.")
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(f"{NAME}: expected query, key and value of one dtype, got {query.dtype} and {key.dtype}")
    if not query.ndim == key.ndim == value.ndim == 4:
        raise RuntimeError(f"{NAME}: Accept only 4 dims inputs shape of {{B, H, T, K}}")
    if dropout_p > 0:
        raise RuntimeError(f"{NAME}: Currently do not support dropout > 0")
    if not query.shape[3] == key.shape[3] == value.shape[3]:
        raise RuntimeError(f"{NAME}: Q/K/V should have the same head size")
    if key.shape != value.shape or key.shape[0] != query.shape[0] or not key.shape[1] or query.shape[1] % key.shape[1]:
        raise RuntimeError(f"{NAME}: batches, heads or keys do not fit: {query.shape}, {key.shape} and {value.shape}")
    if attn_mask is not None and attn_mask.dtype != query.dtype:
        raise RuntimeError(f"{NAME}: Attention mask is the same data type as query")
    if attn_mask is not None and attn_mask.ndim not in (2, 4):
        raise RuntimeError(f"{NAME}: Attention mask dim in {{2, 4}}")


def merged(tensor: Any) -> Any:
    """Merge the dimensions of members and items."""
    return tensor.reshape((tensor.shape[0] * tensor.shape[1], *tensor.shape[2:]))


def merged_mask(attn_mask: Any, items: int) -> Any:
    """Merge the dimensions of members and items of the masks."""
    if attn_mask is None:
        return None
    if attn_mask.ndim == 3:
        attn_mask = attn_mask.unsqueeze(1).unsqueeze(1)
    return merged(attn_mask.expand((attn_mask.shape[0], items, *attn_mask.shape[2:])))


def wide(*arrays: Any) -> list[Any]:
    """Convert half precision to float32."""
    return [array if array is None else array.astype(wide_dtype(array.dtype), copy=False) for array in arrays]


@op(
    dtypes=REALS,
    layout="like",
    outputs={"output": True, "logsumexp": False},
    public="function",
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    takes_halves=True,
)
def _scaled_dot_product_flash_attention_for_cpu(
    query: Array,
    key: Array,
    value: Array,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Index = None,
    scale: float | None = None,
) -> Any:
    """Return softmax(query @ key.T * scale + mask) @ value, and the logarithms of the sums in the softmax.

    Args:
        query: (batch, heads, steps, size).
        key: (batch, heads of keys, keys, size).
        value: of the shape of `key`.
        dropout_p: 0.
        is_causal: query i attends to the values up to i.
        attn_mask: added to the scores; broadcasts to (batch, heads, steps, keys), of two or four dimensions.
        scale: factor of the scores; 1 / sqrt(size) by default.

    Returns:
        The result, of the shape of `query`, and the logarithms, (batch, heads, steps).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Source:
        Dao, Fu, Ermon, Rudra and Ré, FlashAttention (2022).
    """
    check_blocks(query, key, value, dropout_p, attn_mask)
    dtype = query.dtype
    query, key, value, attn_mask = wide(query, key, value, attn_mask)
    result: Any = NotImplemented
    if in_blocks is not None:
        result = in_blocks(query, key, value, dropout_p, is_causal, attn_mask, scale)
    if result is NotImplemented:
        result = attention(query, key, value, attn_mask, is_causal, scale)
    return result[0].astype(dtype, copy=False), result[1]


blocks = _scaled_dot_product_flash_attention_for_cpu


def weights_and_heads(query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: Any) -> tuple[Any, ...]:
    """Return weights, keys and values for each head of the query, and the factor of the scores, as formulas."""
    group = query.shape[1] // key.shape[1]
    if group > 1:
        key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
    factor = 1 / math.sqrt(query.shape[3]) if scale is None else float(scale)
    scores = (query * factor).matmul(key.transpose(-2, -1))
    if attn_mask is not None:
        scores = scores + attn_mask
    return causal_softmax(scores) if is_causal else safe_softmax(scores, -1), key, value, factor


def through_softmax(grad: Any, weights: Any) -> Any:
    """Convert the gradient (or tangent) of weights to that of scores, and the reverse."""
    return weights * (grad - (weights * grad).sum(-1, True))


@blocks.vjp("query", "key", "value")
def blocks_vjp(
    grads: Any,
    query: Any,
    key: Any,
    value: Any,
    output: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Any,
    scale: Any,
) -> Any:
    grad = grads[0]
    if fused(grad, query, key, value):
        return blocks_backward(grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale)
    count = key.shape[1]
    weights, key, value, factor = weights_and_heads(query, key, value, is_causal, attn_mask, scale)
    grad_scores = through_softmax(grad.matmul(value.transpose(-2, -1)), weights)
    first = grad_scores.matmul(key) * factor
    others = (grad_scores.transpose(-2, -1).matmul(query) * factor, weights.transpose(-2, -1).matmul(grad))
    if key.shape[1] != count:
        others = tuple(other.unflatten(1, (count, -1)).sum(2) for other in others)
    return (first, *others)


@blocks.jvp("query")
def blocks_jvp_query(
    tangent: Any, query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: Any
) -> Any:
    weights, key, value, factor = weights_and_heads(query, key, value, is_causal, attn_mask, scale)
    return through_softmax(tangent.matmul(key.transpose(-2, -1)) * factor, weights).matmul(value), None


@blocks.jvp("key")
def blocks_jvp_key(tangent: Any, query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: Any) -> Any:
    weights, _, value, factor = weights_and_heads(query, key, value, is_causal, attn_mask, scale)
    if tangent.shape[1] != query.shape[1]:
        tangent = tangent.repeat_interleave(query.shape[1] // tangent.shape[1], 1)
    return through_softmax(query.matmul(tangent.transpose(-2, -1)) * factor, weights).matmul(value), None


@blocks.jvp("value")
def blocks_jvp_value(
    tangent: Any, query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: Any
) -> Any:
    weights, _, tangent, _ = weights_and_heads(query, key, tangent, is_causal, attn_mask, scale)
    return weights.matmul(tangent), None


@blocks.batched
def blocks_batched(
    query: Any, key: Any, value: Any, dropout_p: float, is_causal: bool, attn_mask: Any, scale: Any
) -> Any:
    shape = query.shape
    result = blocks.call(
        (merged(query), merged(key), merged(value), dropout_p, is_causal, merged_mask(attn_mask, shape[1]), scale)
    )
    return result[0].reshape(shape), result[1].reshape(shape[:-1])


@blocks.samples
def blocks_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3, 4), make(2, 2, 5, 4), make(2, 2, 5, 4))
    yield Sample(make(1, 2, 4, 3), make(1, 2, 4, 3), make(1, 2, 4, 3), 0.0, True)
    yield Sample(make(1, 4, 3, 2), make(1, 2, 3, 2), make(1, 2, 3, 2), 0.0, False, scale=0.5)
    mask = make(3, 2, requires_grad=False)
    yield Sample(make(1, 2, 3, 2), make(1, 2, 2, 2), make(1, 2, 2, 2), 0.0, False, attn_mask=mask)
    yield Bad(
        make(2, 3, 4), make(2, 3, 4), make(2, 3, 4), raises=RuntimeError, says="Accept only 4 dims inputs shape of"
    )
    yield Bad(
        make(1, 2, 3, 4),
        make(1, 2, 3, 4),
        make(1, 2, 3, 4),
        0.5,
        raises=RuntimeError,
        says="Currently do not support dropout > 0",
    )
    yield Bad(
        make(1, 2, 3, 4),
        make(1, 2, 3, 4),
        make(1, 2, 3, 2),
        raises=RuntimeError,
        says="Q/K/V should have the same head size",
    )


@fused_gradient(
    takes_halves=True, name="_scaled_dot_product_flash_attention_for_cpu_backward", native=backward_in_blocks
)
def blocks_backward(
    grad: Array,
    query: Array,
    key: Array,
    value: Array,
    output: Array,
    logsumexp: Array,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: Array = None,
    scale: float | None = None,
) -> Any:
    """Gradients of attention block by block, with respect to query, key and value."""
    check_blocks(query, key, value, dropout_p, attn_mask)
    dtype = query.dtype
    grad, query, key, value, output, logsumexp, attn_mask = wide(grad, query, key, value, output, logsumexp, attn_mask)
    tensors = (grad, query, key, value, output, logsumexp)
    result: Any = NotImplemented
    if backward_in_blocks is not None:
        result = backward_in_blocks(*tensors, dropout_p, is_causal, attn_mask, scale)
    if result is NotImplemented:
        result = attention_backward(*tensors, attn_mask, is_causal, scale)
    return tuple(np.ascontiguousarray(part.astype(dtype, copy=False)) for part in result)


@blocks_backward.batched
def blocks_backward_batched(*operands: Any) -> Any:
    *tensors, dropout_p, is_causal, attn_mask, scale = operands
    query, shapes = tensors[1], [tensor.shape for tensor in tensors[1:4]]
    mask = merged_mask(attn_mask, query.shape[1])
    results = blocks_backward.call((*map(merged, tensors), dropout_p, is_causal, mask, scale))
    return tuple(tensor.reshape(shape) for tensor, shape in zip(results, shapes, strict=True))


@blocks_backward.samples
def blocks_backward_samples(make: Any) -> Any:
    same = [make(1, 2, 3, 4) for _ in range(5)]
    yield Sample(*same, make(1, 2, 3))
    yield Sample(*same, make(1, 2, 3), 0.0, True)


__all__ = ["_scaled_dot_product_flash_attention_for_cpu"]

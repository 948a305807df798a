"""Scaled dot-product attention: means of values, weighted by the products of their keys with a query."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls import attempts
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast, normalise
from .attention_blocks import blocks, is_plain
from .attention_weights import causal_softmax, safe_softmax
from .dropout import dropout
from .norm import unrecorded


def check_inputs(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse tensors without a dimension of steps, and different dtypes.

    Raises:
        RuntimeError: if a tensor has too few dimensions, or the dtypes differ.
    """
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.ndim} "
            f"key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype} key.dtype: "
            f"{key.dtype} and value.dtype: {value.dtype} instead."
        )


def check_mask(query: Tensor, attn_mask: Tensor | None, is_causal: bool) -> None:
    """Refuse two masks, and a mask of an unsupported dtype.

    Raises:
        RuntimeError: if there are two masks, or the dtype is not supported.
    """
    if attn_mask is None:
        return
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask.dtype not in (dtypes.bool_, dtypes.float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{attn_mask.dtype} and  query.dtype: {query.dtype} instead."
        )


def with_heads_of(query: Any, other: Any) -> Any:
    """Repeat the heads of keys or values, each of which serves as many heads of the query.

    Raises:
        IndexError: if there are no heads.
        RuntimeError: if the number of heads of the query is not a multiple of the keys'.
    """
    normalise(-3, query.ndim)
    normalise(-3, other.ndim)
    wanted, count = query.shape[-3], other.shape[-3]
    if not count or wanted % count:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query, got {count} and {wanted}"
        )
    return other if wanted == count else other.repeat_interleave(wanted // count, -3)


def weights_of(scores: Any, attn_mask: Any, is_causal: bool) -> Any:
    """Return the softmax of the scores that count."""
    if is_causal:
        return causal_softmax(scores)
    return safe_softmax(scores if attn_mask is None else scores + as_shift(attn_mask, scores.dtype), -1)


def as_shift(attn_mask: Any, dtype: Any) -> Any:
    """Return a mask as numbers that are added to scores: bools become 0 and -inf."""
    if attn_mask is None or attn_mask.dtype != dtypes.bool_:
        return attn_mask if attn_mask is None else attn_mask.to(dtype)
    return attn_mask.new_zeros(attn_mask.shape, dtype=dtype).masked_fill(attn_mask.logical_not(), -math.inf)


def of_nothing(query: Any, key: Any, value: Any, enable_gqa: bool) -> Any:
    """Attention without queries, values or members of the batch: zeros, connected to all three in the graph."""
    lead = query.shape[:-2]
    if not enable_gqa:
        lead = broadcast(broadcast(lead, key.shape[:-2]), value.shape[:-2])
    result = query.new_zeros((*lead, query.shape[-2], value.shape[-1]))
    if query.requires_grad or key.requires_grad or value.requires_grad:
        return result + (query.sum() + key.sum() + value.sum()) * 0
    return result


few_steps = kernels.direct_function("attention")
"""Attention of arrays with few steps in one call; NotImplemented for others. None without the extension."""


def has_nan(array: Any) -> bool:
    """Return whether an element is NaN."""
    return math.isnan(array.sum())


@composite(method=False, function=False)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    """Return softmax(query @ key.T * scale) @ value.

    Args:
        query: (..., heads, L, size).
        key: (..., heads, S, size).
        value: (..., heads, S, width).
        attn_mask: broadcasts to (..., heads, L, S): bools, True where a query may attend to a value, or numbers
            that are added to the scores. The result is zero for a query that may attend to no value.
        dropout_p: probability of dropout of weights, in training or not.
        is_causal: query i attends to the values up to i.
        scale: factor of the scores; 1 / sqrt(size) by default.
        enable_gqa: each head of key and value serves several heads of the query.

    Returns:
        A new tensor (..., heads, L, width).

    Raises:
        RuntimeError: if shapes or dtypes do not fit, there are two masks, or `dropout_p` is not a probability.

    Source:
        Vaswani et al., Attention is all you need (2017).

    Examples:
        >>> import wengert as wg
        >>> q = wg.tensor([[1.0, 0.0]])
        >>> k, v = wg.tensor([[1.0, 0.0], [0.0, 1.0]]), wg.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> wg.nn.functional.scaled_dot_product_attention(q, k, v)
        tensor([[0.6698, 0.3302]])
    """
    check_inputs(query, key, value)
    check_mask(query, attn_mask, is_causal)
    usual = attn_mask is None and scale is None and not (dropout_p or is_causal or enable_gqa)
    if usual and few_steps is not None and unrecorded(query, key, value):
        result = attempts.unrecorded(few_steps, (query, key, value))
        if result is not NotImplemented and not decided(has_nan, (result,)):  # a query may be opposed to all keys
            return result
    if not value._array_.size or (not query._array_.size and query.shape[-1]):
        return of_nothing(query, key, value, enable_gqa)
    if not dropout_p and is_plain(query, key, value, attn_mask, enable_gqa):
        return blocks(query, key, value, 0.0, is_causal, attn_mask=as_shift(attn_mask, query.dtype), scale=scale)[0]
    dtype: Any = query.dtype
    if dtype in dtypes.HALVES:  # intermediate sums are float32
        query, key, value = (operand.float() for operand in (query, key, value))
    if enable_gqa:
        key, value = with_heads_of(query, key), with_heads_of(query, value)
    size = query.shape[-1]
    factor = float(scale) if scale is not None else 1 / math.sqrt(size) if size else 1.0
    scores = (query * factor).matmul(key.transpose(-2, -1))
    weights = weights_of(scores, attn_mask, is_causal)
    if dropout_p > 0:  # NaN and negative numbers mean no dropout, as in torch
        if dropout_p > 1:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
        weights = dropout(weights, dropout_p, True)
    result = weights.matmul(value)
    return result.to(dtype) if dtype in dtypes.HALVES else result


@scaled_dot_product_attention.samples
def attention_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), make(2, 5, 4), make(2, 5, 3))
    yield Sample(make(2, 4), make(3, 4), make(3, 4), None, 0.0, True)
    yield Sample(make(2, 4), make(3, 4), make(3, 4), wrap(np.array([[True, False, True], [False] * 3])))
    yield Sample(make(2, 4), make(3, 4), make(3, 4), make(2, 3), 0.0, False, scale=0.5)
    yield Sample(make(4, 2, 3), make(2, 3, 3), make(2, 3, 3), None, 0.0, False, enable_gqa=True)
    yield Bad(make(4), make(3, 4), make(3, 4), raises=RuntimeError, says="at least 2 dimensional")
    yield Bad(
        *(make(2, 4), make(3, 4), make(3, 4), make(2, 3), 0.0, True),
        raises=RuntimeError,
        says="Explicit attn_mask should not be set when is_causal=True",
    )
    yield Bad(
        *(make(3, 2, 3), make(2, 3, 3), make(2, 3, 3), None, 0.0, False),
        enable_gqa=True,
        raises=RuntimeError,
        says="Number of heads in key and value must divide the number of heads in query",
    )


__all__ = ["scaled_dot_product_attention"]

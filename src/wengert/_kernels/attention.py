"""Attention and its gradients, in NumPy: all scores at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import positions
from .results import Array


def attention(
    query: Array, key: Array, value: Array, attn_mask: Array | None, is_causal: bool, scale: float | None
) -> tuple[Array, Array]:
    """softmax(query @ key.T * scale + mask) @ value.

    Args:
        query: (batch, heads, steps, size).
        key: (batch, heads of keys, keys, size); each head serves as many neighbours among those of the query.
        value: of the shape of `key`.
        attn_mask: is added to the scores, (batch, heads, steps, keys) or what broadcasts to it; or None.
        is_causal: query i sees the first i + 1 keys.
        scale: 1 / sqrt(size) if None.

    Returns:
        The result, of the shape of `query`, and the logarithm of the sum of the exponentials of each query's scores,
        (batch, heads, steps). Both are 0 for a query that sees no key.
    """
    scores = scores_of(query, key, attn_mask, is_causal, scale)
    greatest = scores.max(-1, keepdims=True)
    greatest = np.where(greatest == -np.inf, greatest.dtype.type(0), greatest)
    weights = np.exp(scores - greatest)
    totals = weights.sum(-1, keepdims=True)
    hidden = totals == 0
    totals[hidden] = 1
    result = weights @ for_heads(value, query.shape[1]) / totals
    return result, np.where(hidden, greatest.dtype.type(0), greatest + np.log(totals))[..., 0]


def attention_backward(
    grad: Array,
    query: Array,
    key: Array,
    value: Array,
    out: Array,
    logsumexp: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
) -> tuple[Array, Array, Array]:
    """Gradients of `attention` with respect to query, key and value.

    Args:
        grad: gradient of the result.
        out, logsumexp: the results of `attention`.
        query, key, value, attn_mask, is_causal, scale: the arguments of `attention`.
    """
    heads, factor = query.shape[1], query.dtype.type(factor_of(query, scale))
    weights = np.exp(scores_of(query, key, attn_mask, is_causal, scale) - logsumexp[..., None])
    grad_scores = grad @ for_heads(value, heads).swapaxes(-2, -1)
    grad_scores = weights * (grad_scores - (grad * out).sum(-1, keepdims=True))
    grad_query = grad_scores @ for_heads(key, heads) * factor
    grad_key = grad_scores.swapaxes(-2, -1) @ query * factor
    grad_value = weights.swapaxes(-2, -1) @ grad
    return grad_query, of_heads(grad_key, key.shape[1]), of_heads(grad_value, key.shape[1])


def scores_of(query: Array, key: Array, attn_mask: Array | None, is_causal: bool, scale: float | None) -> Array:
    """Scaled and masked scores (batch, heads, steps, keys); -inf at keys that a query may not see."""
    scaled = query * query.dtype.type(factor_of(query, scale))
    scores: Array = scaled @ for_heads(key, query.shape[1]).swapaxes(-2, -1)
    if attn_mask is not None:
        scores = scores + attn_mask
    if is_causal:
        seen = positions.arange(scores.shape[-2])[:, None] >= positions.arange(scores.shape[-1])
        scores = np.where(seen, scores, scores.dtype.type(-np.inf))
    return scores


def factor_of(query: Array, scale: float | None) -> float:
    """Return the factor of the scores: `scale`, or 1 / sqrt(size) if that is None."""
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def for_heads(array: Array, heads: int) -> Array:
    """Repeat the heads of keys or values, so that there is one for each head of the query."""
    return array if array.shape[1] == heads else positions.repeat(array, heads // array.shape[1], 1)


def of_heads(array: Array, heads: int) -> Array:
    """Sum a gradient over the heads of the query that share a head of the keys."""
    if array.shape[1] == heads:
        return array
    parts: Any = array.reshape(array.shape[0], heads, array.shape[1] // heads, *array.shape[2:])
    summed: Array = parts.sum(2)
    return summed


__all__ = ["attention", "attention_backward"]

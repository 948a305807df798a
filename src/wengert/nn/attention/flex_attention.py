"""Attention with user-defined functions of scores and masks: `torch.nn.attention.flex_attention`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..._tensor.attributes import dtypes
from .block_mask import (
    DEFAULT_SIZE as _DEFAULT_SPARSE_BLOCK_SIZE,  # noqa: F401  (torch's name for it, which libraries import)
    BlockMask,
    Mod,
    and_masks,
    create_block_mask,
    create_mask,
    everywhere,
    noop_mask,
    or_masks,
)

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

Tensor = Any


class AuxRequest(NamedTuple):
    """Request for further results: the logarithms of the sums of exponentials, the greatest scores."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Further results; None for those that were not requested."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def check(query: Tensor, key: Tensor, value: Tensor, mask: BlockMask | None, enable_gqa: bool) -> None:
    """Refuse operands that do not fit together.

    Raises:
        NotImplementedError: if an operand is not 4-D.
        ValueError: if lengths differ, or the mask is for other lengths.
    """
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, others = query.shape[1], key.shape[1]
    if not enable_gqa and heads != others:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={others}. Try "
            "setting enable_gqa=True for GQA."
        )
    if heads % others:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={others}."
        )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension but got "
            f"E={query.shape[-1]} and E={key.shape[-1]}."
        )
    if query.shape[0] != key.shape[0] and (mask is None or key.shape[0] != 1):
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got "
            f"block_mask={mask}, Bq={query.shape[0]}, and Bkv={key.shape[0]}."
        )
    if mask is not None and mask.seq_lengths != (query.shape[-2], key.shape[-2]):
        raise ValueError(
            f"block_mask was created for block_mask.shape={mask.shape} but got q_len={query.shape[-2]} and "
            f"kv_len={key.shape[-2]}: create a new block mask for these lengths, or adjust one of a larger length by "
            "block_mask._adjust(q_len, kv_len)"
        )


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Mod | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Any = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Attention with a function that changes the scores, and a block mask.

    Args:
        query: (B, heads, queries, E), of real numbers.
        key: (B, heads, keys, E); with `enable_gqa` fewer heads, each for several of the query's.
        value: (B, as many heads as `key`, keys, Ev).
        score_mod: a function (score, batch, head, query, key) of 0-dim tensors, called for all positions at once
            (`vmap`); it may refer to other tensors.
        block_mask: the mask, see `create_block_mask`.
        scale: factor of the scores; 1/sqrt(E) by default.
        enable_gqa: see `key`.
        return_lse: also return the logarithms of the sums of exponentials, (B, heads, queries).
        kernel_options: accepted for torch's users, without effect.
        return_aux: request for further results, instead of `return_lse`.

    Returns:
        (B, heads, queries, Ev); zeros for queries whose keys are all masked. With `return_lse` a pair, with
        `return_aux` a pair with `AuxOutput`.

    Raises:
        NotImplementedError: if an operand is not 4-D, or `return_aux` asks for the greatest scores.
        ValueError: if lengths differ, the mask is for other lengths, or both `return_lse` and `return_aux` are used.

    Derivative:
        Of any order; torch has none on the CPU.

    Source:
        Dong et al., Flex Attention: a programming model for generating optimized attention kernels (2024).

    >>> import wengert as wg
    >>> from wengert.nn.attention.flex_attention import flex_attention
    >>> x = wg.ones(1, 1, 3, 2)
    >>> flex_attention(x, x, x, score_mod=lambda score, b, h, q, kv: score - (q - kv).abs()).shape
    torch.Size([1, 1, 3, 2])
    """
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    check(query, key, value, block_mask, enable_gqa)
    if key.shape[1] != query.shape[1]:
        repeats = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(repeats, 1), value.repeat_interleave(repeats, 1)
    scores = scores_of(query, key, score_mod, block_mask, scale)
    lse = scores.logsumexp(-1)
    weights = scores.masked_fill(lse.isneginf()[..., None], 0.0).softmax(-1)
    result = weights.masked_fill(lse.isneginf()[..., None], 0.0).to(query.dtype) @ value.to(query.dtype)
    if return_aux is not None:
        return result, AuxOutput(lse if return_aux.lse else None)
    return (result, lse) if return_lse else result


def scores_of(
    query: Tensor, key: Tensor, score_mod: Mod | None, block_mask: BlockMask | None, scale: float | None
) -> Tensor:
    """Return the scores (B, heads, queries, keys), float32 at least, -inf where masked."""
    precise = dtypes.promote_types(query.dtype, dtypes.float32)
    scores = query.to(precise) @ key.to(precise).transpose(-2, -1)
    scores = scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if score_mod is not None:
        scores = everywhere(score_mod, tuple(scores.shape), scores)
    if block_mask is None:
        return scores
    return scores.masked_fill(~everywhere(block_mask.mask_mod, tuple(scores.shape)), -math.inf)

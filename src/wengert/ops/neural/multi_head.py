"""Multi-head attention: each head attends to its own projections."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..._core.cards.arguments import Truth
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..linalg.linear import linear
from ..shapes.join import cat
from .attention import scaled_dot_product_attention
from .dropout import dropout
from .masks import Masks, masks_as_numbers


class Further(NamedTuple):
    """Steps appended to keys and values, or replacements of these, see `multi_head_attention_forward`."""

    bias_k: Any
    bias_v: Any
    static_k: Any
    static_v: Any
    zero: bool


def check_dimensions(query: Any, key: Any, value: Any, key_padding_mask: Any, attn_mask: Any, num_heads: int) -> None:
    """Refuse numbers of dimensions that do not fit each other.

    Raises:
        AssertionError: if they do not fit.
    """
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    kind = "batched (3-D)" if query.ndim == 3 else "unbatched (2-D)"
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {query.ndim}-D but found {key.ndim}-D and "
            f"{value.ndim}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.ndim != query.ndim - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {query.ndim - 1}-D but found "
            f"{key_padding_mask.ndim}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.ndim}-D tensor "
            "instead"
        )
    if attn_mask is not None and query.ndim == 2 and attn_mask.ndim == 3:
        wanted = (num_heads, query.shape[0], key.shape[0])
        if tuple(attn_mask.shape) != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {tuple(attn_mask.shape)}")


def as_batch(inputs: tuple[Any, Any, Any], key_padding_mask: Any) -> tuple[tuple[Any, Any, Any], Any, bool]:
    """Return the inputs as a batch (equal inputs stay one tensor), the mask of keys, and whether the batch is new."""
    query, key, value = inputs
    if query.ndim == 3:
        return inputs, key_padding_mask, False
    lifted = {id(tensor): tensor.unsqueeze(1) for tensor in inputs}
    mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    return (lifted[id(query)], lifted[id(key)], lifted[id(value)]), mask, True


def masks_of(
    key_padding_mask: Any, attn_mask: Any, is_causal: bool, need_weights: bool, dtype: Any
) -> tuple[Masks, bool]:
    """Return both masks as numbers, and whether the hint of a causal mask replaces the mask.

    Raises:
        RuntimeError: if there is a hint, but no mask.
    """
    of_keys, of_pairs = masks_as_numbers(key_padding_mask, attn_mask, dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    hinted = is_causal and of_keys is None and not need_weights
    return (of_keys, None if hinted else of_pairs), hinted


def check_sizes(query: Any, key: Any, value: Any, embed_dim: Any, num_heads: int, separate: bool) -> None:
    """Refuse sizes that do not fit.

    Raises:
        AssertionError: if they do not fit.
    """
    size = query.shape[2]
    if size != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {size}")
    if num_heads == 0 or size % num_heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def project(inputs: tuple[Any, Any, Any], weights: Any, bias: Any, separate: bool) -> tuple[Any, ...]:
    """Project query, key and value for the heads.

    Raises:
        AssertionError: if there is no weight.
    """
    if separate:
        return project_apart(inputs, weights, bias)
    if weights is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    return project_together(inputs, weights, bias)


def project_together(inputs: tuple[Any, Any, Any], weight: Any, bias: Any) -> tuple[Any, ...]:
    """Project query, key and value by the three parts of one weight; in one product if they are the same tensor."""
    query, key, value = inputs
    if query is key and key is value:
        return tuple(linear(query, weight, bias).chunk(3, -1))
    if key is not value:
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        return tuple(linear(*part) for part in zip(inputs, weight.chunk(3), biases, strict=True))
    size = query.shape[-1]
    of_query, others = weight.split((size, 2 * size))
    own_bias, other_bias = (None, None) if bias is None else bias.split((size, 2 * size))
    return linear(query, of_query, own_bias), *linear(key, others, other_bias).chunk(2, -1)


def project_apart(inputs: tuple[Any, Any, Any], weights: tuple[Any, Any, Any], bias: Any) -> tuple[Any, ...]:
    """Project query, key and value by separate weights.

    Raises:
        AssertionError: if a weight is missing, or has another shape.
    """
    size = inputs[0].shape[-1]
    for name, tensor, weight in zip(("query", "key", "value"), inputs, weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name[0]}_proj_weight is None")
        wanted = (size, tensor.shape[-1])
        if tuple(weight.shape) != wanted:
            raise AssertionError(f"expecting {name} weights shape of {wanted}, but got {weight.shape}")
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(linear(*tensor) for tensor in zip(inputs, weights, biases, strict=True))


def by_heads(projected: Any, static: Any, heads: int, name: str) -> Any:
    """Reshape (steps, N, size) to (N * heads, steps, size of a head); static keys and values have this shape already.

    Raises:
        AssertionError: if a static tensor has another shape.
    """
    steps, batch, size = projected.shape
    wanted = {0: batch * heads, 2: size // heads}
    if static is None:
        return projected.reshape(steps, wanted[0], wanted[2]).transpose(0, 1)
    for dim, length in wanted.items():
        if static.shape[dim] != length:
            raise AssertionError(f"expecting static_{name}.size({dim}) of {length}, but got {static.shape[dim]}")
    return static


def extended(masks: Masks) -> Masks:
    """Extend the masks by one step, which counts."""
    longer = (mask if mask is None else cat([mask, mask.new_zeros((*mask.shape[:-1], 1))], -1) for mask in masks)
    return tuple(longer)  # type: ignore[return-value]


def check_bias(further: Further) -> bool:
    """Return whether a learned step is appended.

    Raises:
        AssertionError: if only one of keys and values has a learned step, or they are static.
    """
    bias_k, bias_v, static_k, static_v, _ = further
    if bias_k is None and bias_v is None:
        return False
    for name, value, other in (("bias_k", bias_k, "bias_v"), ("bias_v", bias_v, "bias_k")):
        if value is None:
            raise AssertionError(f"{other} is set but {name} is None")
    for name, value in (("key", static_k), ("value", static_v)):
        if value is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    return True


def checked_mask(attn_mask: Any, batch: int, steps: int, sources: int) -> Any:
    """Return a mask as (N * heads or 1, L, S).

    Raises:
        RuntimeError: if it has another shape.
    """
    wanted = (steps, sources) if attn_mask.ndim == 2 else (batch, steps, sources)
    if tuple(attn_mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {attn_mask.ndim}D attn_mask is {attn_mask.shape}, but should be {wanted}."
        )
    return attn_mask.unsqueeze(0) if attn_mask.ndim == 2 else attn_mask


def merged(masks: Masks, batch: int, heads: int, sources: int) -> Any:
    """Merge the mask of keys and the other one to one mask (N * heads or 1, L or 1, S), or None.

    Raises:
        AssertionError: if the mask of the keys has another shape.
    """
    key_padding_mask, attn_mask = masks
    if key_padding_mask is None:
        return attn_mask
    for dim, wanted in enumerate((batch, sources)):
        size = key_padding_mask.shape[dim]
        if size != wanted:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {size}")
    spread = key_padding_mask.view(batch, 1, 1, sources).expand(-1, heads, -1, -1)
    spread = spread.reshape(batch * heads, 1, sources)
    return spread if attn_mask is None else attn_mask + spread


def divided(projected: tuple[Any, ...], masks: Masks, heads: int, further: Further) -> tuple[tuple[Any, ...], Any]:
    """Return query, keys and values of each head, (N * heads, steps, size of a head), and one mask for all."""
    queries, *others = projected
    steps, batch, _ = queries.shape
    if masks[1] is not None:
        masks = masks[0], checked_mask(masks[1], batch * heads, steps, others[0].shape[0])
    if check_bias(further):
        learnt = (tensor.repeat(1, batch, 1) for tensor in (further.bias_k, further.bias_v))
        others, masks = [cat(tensor) for tensor in zip(others, learnt, strict=True)], extended(masks)
    queries = by_heads(queries, None, heads, "q")
    others = [by_heads(others[0], further.static_k, heads, "k"), by_heads(others[1], further.static_v, heads, "v")]
    if further.zero:
        zeros = others[0].new_zeros((queries.shape[0], 1, queries.shape[2]))
        others, masks = [cat([tensor, zeros], 1) for tensor in others], extended(masks)
    return (queries, *others), merged(masks, batch, heads, others[0].shape[1])


def attend(heads: tuple[Any, ...], mask: Any, rate: float, need_weights: bool, is_causal: bool) -> tuple[Any, Any]:
    """Return the means of the values, and the weights if they are needed."""
    query, key, value = heads
    if not need_weights:
        return scaled_dot_product_attention(query, key, value, mask, rate, is_causal), None
    scores = (query * math.sqrt(1 / query.shape[-1])).bmm(key.transpose(-2, -1))
    weights = (scores if mask is None else scores + mask).softmax(-1)
    if rate > 0:
        weights = dropout(weights, rate, True)
    return weights.bmm(value), weights


def put_together(
    result: Any, shown: Any, shape: Any, heads: int, out: tuple[Any, Any], average: bool, alone: bool
) -> tuple[Any, Any]:
    """Concatenate and map the results of all heads; return the weights, too, (N, L, S) or (N, heads, L, S)."""
    steps, batch, size = shape
    result = linear(result.transpose(0, 1).reshape(steps * batch, size), *out)
    result = result.view(steps, batch, result.shape[1])
    if shown is not None:
        shown = shown.view(batch, heads, *shown.shape[1:])
        shown = shown.mean(1) if average else shown
    if not alone:
        return result, shown
    return result.squeeze(1), None if shown is None else shown.squeeze(0)


@composite(method=False, function=False)
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int | float | Tensor,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: Truth,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: Truth = True,
    key_padding_mask: Tensor | None = None,
    need_weights: Truth = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: Truth = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: Truth = True,
    is_causal: Truth = False,
) -> tuple[Tensor, Any]:
    """Multi-head attention, as in `nn.MultiheadAttention`.

    Args:
        query: (L, N, size), or (L, size).
        key, value: (S, N, size), or (S, size).
        embed_dim_to_check: size that the query must have.
        num_heads: number of heads, among which the size is divided.
        in_proj_weight: (3 * size, size), for query, key and value; None if they have weights of their own.
        in_proj_bias: (3 * size,), or None.
        bias_k, bias_v: (1, 1, size), a learned step that is appended; or None.
        add_zero_attn: append a step of zeros.
        dropout_p: probability of dropout of weights in training.
        out_proj_weight, out_proj_bias: (size, size) and (size,) or None: map of the result.
        training: whether there is dropout.
        key_padding_mask: (N, S), or (S,): bools, True for a value that does not count, or numbers added to scores.
        need_weights: return the weights, too.
        attn_mask: (L, S), or (N * heads, L, S): bools, True where a query may not attend, or numbers added to scores.
        use_separate_proj_weight: whether query, key and value have separate weights.
        q_proj_weight, k_proj_weight, v_proj_weight: the separate weights, (size, length of the input).
        static_k, static_v: (N * heads, S, size of a head), instead of the projections of `key` and `value`.
        average_attn_weights: return the mean of the weights over the heads.
        is_causal: hint that `attn_mask` restricts query i to the values up to i.

    Returns:
        A new tensor like `query`; the weights (N, L, S), without N if the query has none, with heads after N if
        they are not averaged, or None.

    Raises:
        AssertionError: if shapes or options do not fit.
        RuntimeError: if `attn_mask` has another shape, or is missing although `is_causal` is set.

    Source:
        Vaswani et al., Attention is all you need (2017).

    Examples:
        >>> import wengert as wg
        >>> x, weights = wg.ones(3, 1, 2), (wg.ones(6, 2), None, None, None, False, 0.0, wg.eye(2), None)
        >>> output, shares = wg.nn.functional.multi_head_attention_forward(x, x, x, 2, 1, *weights)
        >>> output.shape, shares[0, 0]
        (torch.Size([3, 1, 2]), tensor([0.3333, 0.3333, 0.3333]))
    """
    check_dimensions(query, key, value, key_padding_mask, attn_mask, num_heads)
    inputs, key_padding_mask, alone = as_batch((query, key, value), key_padding_mask)
    masks, hinted = masks_of(key_padding_mask, attn_mask, is_causal, need_weights, query.dtype)
    check_sizes(*inputs, embed_dim_to_check, num_heads, use_separate_proj_weight)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight
    projected = project(inputs, weights, in_proj_bias, use_separate_proj_weight)
    further = Further(bias_k, bias_v, static_k, static_v, add_zero_attn)
    heads, mask = divided(projected, masks, num_heads, further)
    result, shown = attend(heads, mask, dropout_p if training else 0.0, need_weights, hinted)
    out = (out_proj_weight, out_proj_bias)
    return put_together(result, shown, projected[0].shape, num_heads, out, average_attn_weights, alone)


@multi_head_attention_forward.samples
def multi_head_samples(make: Any) -> Any:
    def options(bias: bool = True) -> Any:
        biases = (make(12), None, None) if bias else (None, make(1, 1, 4), make(1, 1, 4))
        return 4, 2, make(12, 4), *biases, not bias, 0.0, make(4, 4), make(4) if bias else None

    query, key, value = make(2, 3, 4), make(5, 3, 4), make(5, 3, 4)
    yield Sample(query, key, value, *options())
    yield Sample(query, key, value, *options(False), attn_mask=make(2, 5))
    yield Sample(make(2, 4), make(5, 4), make(5, 4), *options(), average_attn_weights=False)
    yield Bad(make(4), key, value, *options(), raises=AssertionError, says="query should be unbatched 2D or batched 3D")
    yield Bad(
        query, key, value, *options(), is_causal=True, raises=RuntimeError, says="Need attn_mask if specifying the"
    )
    yield Bad(
        query, key, value, *options(), attn_mask=make(2, 4), raises=RuntimeError, says="The shape of the 2D attn_mask"
    )
    yield Bad(make(2, 3, 6), key, value, *options(), raises=AssertionError, says="was expecting embedding dimension")
    yield Bad(query, key, value, 4, 0, *options()[2:], raises=AssertionError, says="4 not divisible by num_heads 0")


__all__ = ["multi_head_attention_forward"]

"""Multi-head attention as a layer."""

from __future__ import annotations

from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from ...ops.create.placed import empty
from ...ops.neural.masks import masks_as_numbers
from ...ops.neural.multi_head import multi_head_attention_forward
from .. import init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


class MultiheadAttention(Module):
    """Multi-head attention; each head attends to its own projections of query, key and value.

    Args:
        embed_dim: length of the vectors; it is divided among the heads.
        num_heads: number of heads.
        dropout: probability of dropout of weights, in training.
        bias: whether the projections have biases.
        add_bias_kv: append a learned step to keys and values.
        add_zero_attn: append a step of zeros to keys and values.
        kdim: length of the keys' vectors, `embed_dim` if not given.
        vdim: length of the values' vectors, `embed_dim` if not given.
        batch_first: whether inputs and output are (N, steps, size) instead of (steps, N, size).
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        in_proj_weight: (3 * embed_dim, embed_dim), the projections of query, key and value, stacked; None if their
            lengths differ, which then have `q_proj_weight`, `k_proj_weight` and `v_proj_weight`.
        in_proj_bias: (3 * embed_dim,), or None.
        out_proj: linear map of the concatenated results of all heads.
        bias_k, bias_v: (1, 1, embed_dim), or None.

    Raises:
        ValueError: if `embed_dim` or `num_heads` is not positive.
        AssertionError: if `embed_dim` is not divisible by `num_heads`.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    >>> import wengert as wg
    >>> attention = wg.nn.MultiheadAttention(4, 2)
    >>> output, weights = attention(wg.ones(3, 1, 4), wg.ones(5, 1, 4), wg.ones(5, 1, 4))
    >>> output.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim == self.vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._add_projections(bias, device, dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype))
            self.bias_v = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _add_projections(self, bias: bool, device: Any, dtype: Any) -> None:
        """Register the projection weights of query, key and value: one joint weight, or three."""
        size, same = self.embed_dim, self._qkv_same_embed_dim
        shapes = {"q": (size, size), "k": (size, self.kdim), "v": (size, self.vdim)}
        if same:
            self.in_proj_weight = Parameter(empty((3 * size, size), device=device, dtype=dtype))
        for name, shape in shapes.items():
            self.register_parameter(
                f"{name}_proj_weight", None if same else Parameter(empty(shape, device=device, dtype=dtype))
            )
        if not same:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter(
            "in_proj_bias", Parameter(empty(3 * size, device=device, dtype=dtype)) if bias else None
        )

    def _reset_parameters(self) -> None:
        """Draw new values."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """Return the weighted means of the values, and the weights.

        Args:
            query: (L, N, embed_dim), (N, L, embed_dim) if `batch_first`, or (L, embed_dim).
            key, value: (S, N, size), (N, S, size), or (S, size).
            key_padding_mask: (N, S), or (S,): bools, True for a value to ignore, or numbers added to scores.
            need_weights: also return the weights.
            attn_mask: (L, S), or (N * num_heads, L, S): bools, True where a query may not attend, or numbers added
                to scores.
            average_attn_weights: return the mean of the weights over the heads.
            is_causal: a hint that `attn_mask` lets query i attend to the values up to i.

        Returns:
            A tensor like `query`; the weights (N, L, S), without N where the query has none, with heads after N if
            they are not averaged, or None.

        Raises:
            AssertionError: if shapes or options do not fit.
            RuntimeError: if `attn_mask` has another shape, or is missing although `is_causal` is set.
        """
        key_padding_mask, attn_mask = masks_as_numbers(key_padding_mask, attn_mask, query.dtype)
        transposed = self.batch_first and query.ndim == 3
        if transposed:  # identical tensors must stay identical
            swapped = {id(tensor): tensor.transpose(0, 1) for tensor in (query, key, value)}
            query, key, value = swapped[id(query)], swapped[id(key)], swapped[id(value)]
        output, weights = multi_head_attention_forward(
            *(query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias),
            *(self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias),
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(0, 1) if transposed else output, weights


at_home("wengert.nn.modules.activation", MultiheadAttention)

"""Layers of a transformer: attention, then a small network for each step, each with a residual connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..._start.loading import at_home
from ..._tensor import Tensor
from ...ops.neural.masks import masks_as_numbers
from .. import functional
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation: TypeAlias = str | Callable[[Tensor], Tensor]


def activation_called(activation: Activation) -> Any:
    """Return the activation function of a name; a function is returned unchanged.

    Raises:
        RuntimeError: if there is no function of that name.
    """
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(functional, activation)


class TransformerLayer(Module):
    """Base of both kinds of layers: the network for each step, and the order of norms."""

    self_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    dropout: Dropout

    def _add_network(
        self, count: int, sizes: tuple[int, int], dropout: float, eps: float, bias: bool, where: dict[str, Any]
    ) -> None:
        """Register the network, and `count` norms and dropouts; `where` holds their device and dtype."""
        self.linear1 = Linear(*sizes, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(*sizes[::-1], bias, **where)
        for number in range(1, count + 1):
            setattr(self, f"norm{number}", LayerNorm(sizes[0], eps=eps, bias=bias, **where))
        for number in range(1, count + 1):
            setattr(self, f"dropout{number}", Dropout(dropout))

    def _around(self, norm: Any, block: Callable[[Any], Any], x: Any) -> Any:
        """Add the result of a block to its input, with the norm before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _attend(self, attention: Any, query: Any, key: Any, mask: Any, of_keys: Any, is_causal: bool) -> Any:
        """Return the result of attention without its weights."""
        return attention(
            query, key, key, attn_mask=mask, key_padding_mask=of_keys, is_causal=is_causal, need_weights=False
        )[0]

    def _ff_block(self, x: Any) -> Any:
        """Apply the network to each step."""
        return self._last_dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _last_dropout(self, x: Any) -> Any:
        raise NotImplementedError


class TransformerEncoderLayer(TransformerLayer):
    """Attention of a sequence to itself, then a network of one hidden layer for each step.

    Args:
        d_model: length of the vectors.
        nhead: number of heads.
        dim_feedforward: width of the hidden layer.
        dropout: probability of dropout.
        activation: activation of the hidden layer: "relu", "gelu", or a function.
        layer_norm_eps: `eps` of the norms.
        batch_first: whether input and output are (N, S, d_model) instead of (S, N, d_model).
        norm_first: whether norms come before attention and network, or after the residual sums.
        bias: whether linear maps and norms have biases.
        device: "cpu".
        dtype: of the parameters.

    Raises:
        RuntimeError: if the activation is unknown.
        ValueError, AssertionError: if `MultiheadAttention` refuses the arguments.

    Source: Vaswani et al., Attention Is All You Need, 2017; norms first: Xiong et al., On Layer Normalization in the
    Transformer Architecture, 2020.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self._add_network(2, (d_model, dim_feedforward), dropout, layer_norm_eps, bias, where)
        self.norm_first = norm_first
        self.activation = activation_called(activation)
        kinds = ((functional.relu, ReLU), (functional.gelu, GELU))
        known = [self.activation is function or isinstance(self.activation, kind) for function, kind in kinds]
        self.activation_relu_or_gelu = known.index(True) + 1 if any(known) else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Any:
        """Return the result of the layer.

        Args:
            src: (S, N, d_model), (N, S, d_model) if `batch_first`, or (S, d_model).
            src_mask: (S, S), or (N * nhead, S, S): bools, True where a step may not attend, or numbers added to scores.
            src_key_padding_mask: (N, S), or (S,): bools, True for a step to ignore, or numbers.
            is_causal: a hint that `src_mask` lets each step attend to those up to itself.

        Returns:
            A tensor like `src`.

        Raises:
            AssertionError, RuntimeError: if shapes or masks do not fit.
        """
        of_keys, mask = masks_as_numbers(src_key_padding_mask, src_mask, src.dtype, "src_")
        x = self._around(self.norm1, lambda x: self._sa_block(x, mask, of_keys, is_causal), src)
        return self._around(self.norm2, self._ff_block, x)

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Attention of the sequence to itself."""
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _last_dropout(self, x: Any) -> Any:
        return self.dropout2(x)


class TransformerDecoderLayer(TransformerLayer):
    """Attention of a sequence to itself, then to another one, then a network of one hidden layer for each step.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype: as for `TransformerEncoderLayer`.

    Raises:
        RuntimeError: if the activation is unknown.
        ValueError, AssertionError: if `MultiheadAttention` refuses the arguments.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self._add_network(3, (d_model, dim_feedforward), dropout, layer_norm_eps, bias, where)
        self.norm_first = norm_first
        self.activation = activation_called(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """Return the result of the layer.

        Args:
            tgt: (T, N, d_model), (N, T, d_model) if `batch_first`, or (T, d_model).
            memory: the other sequence, with S steps: usually the result of an encoder.
            tgt_mask: (T, T), or (N * nhead, T, T): bools, True where a step may not attend, or numbers added to scores.
            memory_mask: the same for attention to the other sequence, (T, S), or (N * nhead, T, S).
            tgt_key_padding_mask: (N, T), or (T,): bools, True for a step to ignore, or numbers.
            memory_key_padding_mask: the same of the other sequence, (N, S), or (S,).
            tgt_is_causal, memory_is_causal: hints that the mask lets each step attend to those up to itself.

        Returns:
            A tensor like `tgt`.

        Raises:
            AssertionError, RuntimeError: if shapes or masks do not fit.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = self._around(self.norm1, lambda x: self._sa_block(x, *own), tgt)
        x = self._around(self.norm2, lambda x: self._mha_block(x, memory, *other), x)
        return self._around(self.norm3, self._ff_block, x)

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Attention of the sequence to itself."""
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Attention to the other sequence."""
        return self.dropout2(self._attend(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _last_dropout(self, x: Any) -> Any:
        return self.dropout3(x)


at_home("wengert.nn.modules.transformer", TransformerEncoderLayer, TransformerDecoderLayer)

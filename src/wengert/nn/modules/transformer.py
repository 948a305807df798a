"""Transformers: stacks of layers that encode a sequence, or decode one while attending to another."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, TypeAlias

from ..._tensor import Tensor
from ...autograd import is_grad_enabled
from ...ops.create.create import full
from ...ops.neural.masks import masks_as_numbers
from ...ops.warned import warn
from .. import functional, init
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm
from .utils import name_constructor

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


_get_activation_fn = activation_called
"""The name under which libraries import it."""


class _TransformerLayer(Module):
    """Base of both kinds of layers: attention, the network for each step, and the order of norms."""

    __init_subclass__: Any = classmethod(name_constructor)

    _attentions: tuple[str, ...]
    """Names of the layers of attention."""

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
        where: Any = {"device": device, "dtype": dtype}
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        parts = range(1, len(self._attentions) + 2)
        for number in parts:
            setattr(self, f"norm{number}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where))
        for number in parts:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.norm_first = norm_first
        self._set_activation(activation)

    def _set_activation(self, activation: Activation) -> None:
        """Set the activation of the network."""
        self.activation = activation_called(activation)

    def _around(self, norm: Any, block: Callable[[Any], Any], x: Any) -> Any:
        """Add the result of a block to its input, with the norm before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _attend(self, attention: Any, query: Any, key: Any, mask: Any, of_keys: Any, is_causal: bool) -> Any:
        """Return the result of attention without its weights."""
        return attention(
            query, key, key, attn_mask=mask, key_padding_mask=of_keys, is_causal=is_causal, need_weights=False
        )[0]

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Attention of the sequence to itself."""
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x: Any) -> Any:
        """Apply the network to each step."""
        return self._last_dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _last_dropout(self, x: Any) -> Any:
        raise NotImplementedError


class TransformerEncoderLayer(_TransformerLayer):
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

    _attentions = ("self_attn",)

    def _set_activation(self, activation: Activation) -> None:
        super()._set_activation(activation)
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

    def _last_dropout(self, x: Any) -> Any:
        return self.dropout2(x)


class TransformerDecoderLayer(_TransformerLayer):
    """Attention of a sequence to itself, then to another one, then a network of one hidden layer for each step.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype: as for `TransformerEncoderLayer`.

    Raises:
        RuntimeError: if the activation is unknown.
        ValueError, AssertionError: if `MultiheadAttention` refuses the arguments.
    """

    _attentions = ("self_attn", "multihead_attn")

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
        masks = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = self._around(self.norm1, lambda x: self._sa_block(x, *masks), tgt)
        x = self._around(self.norm2, lambda x: self._mha_block(x, memory, *other), x)
        return self._around(self.norm3, self._ff_block, x)

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Attention to the other sequence."""
        return self.dropout2(self._attend(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _last_dropout(self, x: Any) -> Any:
        return self.dropout3(x)


# ---- stacks ----------------------------------------------------------------------------------------------------------


def causal_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
    """Return a (sz, sz) mask with -inf above the diagonal and zeros elsewhere."""
    return full((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)


def is_causal_mask(mask: Any, is_causal: bool | None, steps: int) -> bool:
    """Return the hint `is_causal`; if it is None, whether the mask is the causal one."""
    if is_causal is not None or mask is None:
        return bool(is_causal)
    wanted = causal_mask(steps, dtype=mask.dtype)
    return mask.shape == wanted.shape and bool((mask == wanted).all())


def steps_of(sequence: Tensor, layer: Any) -> int:
    """Number of steps of a sequence, in the layout of a layer."""
    return sequence.shape[1 if sequence.ndim == 3 and layer.self_attn.batch_first else 0]


def why_padding_stays(layer: Any) -> str:
    """Reason why torch's encoder of such layers has no fast path, which sets results of padding to zero; else ""."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        "encoder_layer.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class TransformerEncoder(Module):
    """A stack of layers that are equal at first.

    Args:
        encoder_layer: the layer to copy.
        num_layers: number of copies.
        norm: module applied to the result, or None.
        enable_nested_tensor: in evaluation without gradients, set the results of padding at the ends of sequences to
            zero (torch does not compute them); warn if the layers do not support that.
        mask_check: check whether padding is at the ends.

    Attributes:
        layers: the copies.
    """

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = why_padding_stays(encoder_layer)
        if enable_nested_tensor and why:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}")
            self.use_nested_tensor = False

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:
        """Return the result of the last layer.

        Args:
            src: (S, N, size), (N, S, size) if the layers are `batch_first`, or (S, size).
            mask: (S, S), or (N * heads, S, S): bools, True where a step may not attend, or numbers added to scores.
            src_key_padding_mask: (N, S), or (S,): bools, True for a step to ignore, or numbers.
            is_causal: a hint that `mask` lets each step attend to those up to itself; None: find out from the mask.

        Returns:
            A tensor like `src`.

        Raises:
            AssertionError, RuntimeError: if shapes or masks do not fit.
        """
        padding_mask, own_mask = src_key_padding_mask, mask
        of_keys, mask = masks_as_numbers(src_key_padding_mask, mask, src.dtype, "encoder")
        causal = is_causal_mask(mask, is_causal, steps_of(src, self.layers[0]))
        output: Any = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=of_keys)
        if padding_mask is not None and own_mask is None and self._drops_padding(src):
            hidden = of_keys != 0
            if not self.mask_check or not bool((hidden[:, :-1] & ~hidden[:, 1:]).any()):
                output = output.masked_fill(hidden.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _drops_padding(self, src: Tensor) -> bool:
        """Return whether torch would not compute the results of padding."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.ndim != 3:
            return False
        tensors = (src, *first.parameters())
        return not (is_grad_enabled() and any(tensor.requires_grad for tensor in tensors))


class TransformerDecoder(Module):
    """A stack of layers that are equal at first, all of which also attend to another sequence.

    Args:
        decoder_layer: the layer to copy.
        num_layers: number of copies.
        norm: module applied to the result, or None.

    Attributes:
        layers: the copies.
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """Return the result of the last layer.

        Args:
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, memory_is_causal: as for
                `TransformerDecoderLayer`.
            tgt_is_causal: the same; None: find out from the mask.

        Returns:
            A tensor like `tgt`.

        Raises:
            AssertionError, RuntimeError: if shapes or masks do not fit.
        """
        causal = is_causal_mask(tgt_mask, tgt_is_causal, steps_of(tgt, self.layers[0]))
        output: Any = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another sequence that attends to the encoder's result.

    Args:
        d_model, nhead: length of the vectors and number of heads.
        num_encoder_layers, num_decoder_layers: numbers of layers.
        dim_feedforward, dropout, activation: as for `TransformerEncoderLayer`.
        custom_encoder, custom_decoder: modules to use instead.
        layer_norm_eps, batch_first, norm_first, bias, device, dtype: as for `TransformerEncoderLayer`.

    Source: Vaswani et al., Attention Is All You Need, 2017.

    >>> import wengert as wg
    >>> model = wg.nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> model(wg.rand(3, 5, 8), wg.rand(3, 4, 8)).shape
    torch.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def stack(kind: Any, layer: Any, count: int) -> Any:
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            return kind(layer(*options, device=device, dtype=dtype), count, norm)

        if custom_encoder is None:
            custom_encoder = stack(TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = stack(TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        """Draw new values for all matrices."""
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return a mask that lets each of `sz` steps attend to those up to itself: -inf above the diagonal, else 0."""
        return causal_mask(sz, device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """Encode `src`; return the result of the decoder for `tgt` and the encoded sequence.

        Args:
            src, src_mask, src_key_padding_mask, src_is_causal: as for `TransformerEncoder`.
            tgt, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal:
                as for `TransformerDecoder`.

        Returns:
            A tensor like `tgt`.

        Raises:
            RuntimeError: if the batch sizes of `src` and `tgt` differ, or their vectors do not have length `d_model`.
        """
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )


__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

"""Attention and transformers: values, gradients, masks, options, errors."""

from __future__ import annotations

import warnings

from tests.parity.programs.common import caught, filled, values, worked


def attended(torch, query, key, value, *args, **options):
    """Attention, and the gradients of a weighted sum of its result by all three."""
    leaves = [values(torch, *shape, shift=at) for at, shape in enumerate((query, key, value))]
    made = torch.nn.functional.scaled_dot_product_attention(*leaves, *args, **options)
    loss = (made * values(torch, *made.shape, shift=3)).sum()
    return made.detach(), torch.autograd.grad(loss, leaves)


def masks(torch):
    return torch.tensor([[True, False, True], [False, True, True], [False, False, False], [True, True, True]])


def attention_plain(torch):
    return [
        attended(torch, (4, 2), (3, 2), (3, 5)),
        attended(torch, (2, 4, 2), (2, 3, 2), (2, 3, 2)),
        attended(torch, (2, 1, 4, 2), (2, 3, 3, 2), (2, 3, 3, 5), scale=0.25),
    ]


def attention_masked(torch):
    numbers = torch.where(masks(torch), torch.tensor(0.5, dtype=torch.float64), -torch.inf)
    return [
        attended(torch, (2, 4, 2), (2, 3, 2), (2, 3, 2), mask) for mask in (masks(torch), numbers, masks(torch)[None])
    ]


def attention_causal(torch):
    return [attended(torch, shape, (2, 3, 2), (2, 3, 2), is_causal=True) for shape in ((2, 3, 2), (2, 2, 2), (2, 5, 2))]


def attention_grouped(torch):
    return attended(torch, (1, 4, 3, 2), (1, 2, 3, 2), (1, 2, 3, 2), enable_gqa=True)


def attention_mask_with_gradient(torch):
    mask, leaves = values(torch, 4, 3), [values(torch, *shape) for shape in ((4, 2), (3, 2), (3, 2))]
    made = torch.nn.functional.scaled_dot_product_attention(*leaves, mask)
    return torch.autograd.grad((made * values(torch, 4, 2, shift=3)).sum(), [mask, *leaves])


def attention_refused(torch):
    attention = torch.nn.functional.scaled_dot_product_attention
    q, k, double = torch.ones(2, 4, 2), torch.ones(2, 3, 2), torch.ones(2, 3, 2, dtype=torch.float64)
    return [
        caught(action)
        for action in (
            lambda: attention(q[0, 0], k, k),
            lambda: attention(q, double, k),
            lambda: attention(q, k, k, torch.ones(4, 3, dtype=torch.bool), is_causal=True),
            lambda: attention(q, k, k, torch.ones(4, 3, dtype=torch.int32)),
            lambda: attention(q, k, k, torch.ones(4, 2)),
            lambda: attention(q, torch.ones(2, 3, 4), k),
            lambda: attention(torch.ones(2, 3, 4, 2), torch.ones(2, 2, 4, 2), torch.ones(2, 2, 4, 2), enable_gqa=True),
        )
    ]


def heads(torch, *args, **options):
    return filled(torch, torch.nn.MultiheadAttention(*args, **options))


def multi_head_self(torch):
    x, mask = values(torch, 3, 2, 4), torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    attention = heads(torch, 4, 2)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    return [
        worked(torch, lambda_of(attention, **options), x)
        for options in (
            {},
            {"need_weights": False},
            {"average_attn_weights": False},
            {"attn_mask": mask},
            {"attn_mask": mask, "is_causal": True, "need_weights": False},
            {"key_padding_mask": padding},
            {"key_padding_mask": padding, "attn_mask": mask, "need_weights": False},
            {"attn_mask": mask.expand(4, 3, 3)},
        )
    ]


class lambda_of:  # noqa: N801 - stands for a function
    """A layer of attention applied to one sequence with fixed options, as a module."""

    def __init__(self, attention, **options):
        self.attention, self.options, self.parameters = attention, options, attention.parameters

    def __call__(self, x):
        return self.attention(x, x, x, **self.options)


def multi_head_of_others(torch):
    query, key, value = values(torch, 2, 2, 4), values(torch, 3, 2, 4), values(torch, 3, 2, 4, shift=1)
    alone = values(torch, 2, 4), values(torch, 3, 4), values(torch, 3, 4)
    return [
        worked(torch, heads(torch, 4, 2), query, key, key),
        worked(torch, heads(torch, 4, 2, bias=False), query, key, value),
        worked(torch, heads(torch, 4, 1, add_bias_kv=True, add_zero_attn=True), query, key, value),
        worked(torch, heads(torch, 4, 2), *alone),
    ]


def multi_head_of_other_lengths(torch):
    query, key, value = values(torch, 2, 2, 4), values(torch, 2, 3, 3), values(torch, 2, 3, 5, shift=1)
    return worked(torch, heads(torch, 4, 2, kdim=3, vdim=5, batch_first=True), query, key, value)


def multi_head_masks_with_appended_steps(torch):
    query, key = values(torch, 2, 2, 4), values(torch, 3, 2, 4)
    padding = torch.tensor([[False, False, True], [False, True, False]])
    mask = torch.tensor([[False, True, False], [True, False, False]])
    attention = heads(torch, 4, 2, add_bias_kv=True, add_zero_attn=True)
    made, weights = attention(query, key, key, key_padding_mask=padding, attn_mask=mask)
    return made.detach(), weights.detach()


def multi_head_results_lie_as_in_torch(torch):
    x = values(torch, 3, 2, 4)
    found = []
    for options in ({}, {"batch_first": True}):
        for need in (True, False):
            made, weights = heads(torch, 4, 2, **options)(x, x, x, need_weights=need)
            found.append((made.stride(), None if weights is None else weights.stride()))
    return found


def multi_head_prints_and_names(torch):
    nn = torch.nn
    made = [nn.MultiheadAttention(4, 2), nn.MultiheadAttention(4, 2, bias=False, add_bias_kv=True, kdim=3)]
    return [(repr(each), [(name, tuple(p.shape)) for name, p in each.state_dict().items()]) for each in made]


def multi_head_refused(torch):
    nn, ones = torch.nn, torch.ones
    attention = nn.MultiheadAttention(4, 2)
    x = ones(3, 2, 4)
    return [
        caught(action)
        for action in (
            lambda: nn.MultiheadAttention(0, 2),
            lambda: nn.MultiheadAttention(4, 3),
            lambda: attention(ones(3, 2, 2, 4), x, x),
            lambda: attention(x, x[0], x[0]),
            lambda: attention(x[0], x, x),
            lambda: attention(ones(3, 2, 5), x, x),
            lambda: attention(x, x, ones(4, 2, 4)),
            lambda: attention(x, x, x, is_causal=True),
            lambda: attention(x, x, x, attn_mask=ones(3, 2)),
            lambda: attention(x, x, x, attn_mask=ones(2, 3, 3)),
            lambda: attention(x, x, x, attn_mask=ones(3)),
            lambda: attention(x, x, x, attn_mask=ones(3, 3, dtype=torch.int64)),
            lambda: attention(x, x, x, key_padding_mask=ones(2)),
            lambda: attention(x, x, x, key_padding_mask=ones(2, 2)),
            lambda: attention(x, x, x, key_padding_mask=ones(3, 3)),
        )
    ]


def multi_head_warns_of_two_kinds_of_masks(torch):
    x, attention = torch.ones(3, 2, 4), torch.nn.MultiheadAttention(4, 2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        attention(x, x, x, key_padding_mask=torch.zeros(2, 3, dtype=torch.bool), attn_mask=torch.zeros(3, 3))
        torch.nn.TransformerEncoderLayer(4, 2, 8)(x, torch.zeros(3, 3), torch.zeros(2, 3, dtype=torch.bool))
    return [str(each.message) for each in told]


def layer(torch, kind, *args, **options):
    return filled(torch, getattr(torch.nn, kind)(*args, dropout=0.0, **options))


def encoder_layer(torch):
    x, mask = values(torch, 3, 2, 4), torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    kind = "TransformerEncoderLayer"
    return [
        worked(torch, layer(torch, kind, 4, 2, 6), x),
        worked(torch, layer(torch, kind, 4, 2, 6, norm_first=True, activation="gelu"), x, mask),
        worked(torch, layer(torch, kind, 4, 2, 6, activation=torch.tanh, bias=False), x, None, padding),
        worked(torch, layer(torch, kind, 4, 2, 6, batch_first=True, layer_norm_eps=0.1), values(torch, 2, 3, 4)),
        worked(torch, layer(torch, kind, 4, 2, 6), values(torch, 3, 4)),
        worked(torch, lambda_layer(layer(torch, kind, 4, 2, 6), src_mask=mask, is_causal=True), x),
    ]


class lambda_layer:  # noqa: N801 - stands for a function
    """A layer with fixed options, as a module."""

    def __init__(self, module, **options):
        self.module, self.options, self.parameters = module, options, module.parameters

    def __call__(self, *args):
        return self.module(*args, **self.options)


def decoder_layer(torch):
    x, memory = values(torch, 3, 2, 4), values(torch, 2, 2, 4, shift=4)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)
    padding = torch.tensor([[False, True], [False, False]])
    kind = "TransformerDecoderLayer"
    return [
        worked(torch, layer(torch, kind, 4, 2, 6), x, memory),
        worked(torch, layer(torch, kind, 4, 2, 6, norm_first=True, activation=torch.nn.GELU()), x, memory, mask),
        worked(torch, lambda_layer(layer(torch, kind, 4, 2, 6), memory_key_padding_mask=padding), x, memory),
        worked(torch, lambda_layer(layer(torch, kind, 4, 2, 6), tgt_mask=mask, tgt_is_causal=True), x, memory),
    ]


def transformer_whole(torch):
    src, tgt = values(torch, 3, 2, 4), values(torch, 2, 2, 4, shift=4)
    model = layer(torch, "Transformer", 4, 2, 2, 2, 6)
    mask = model.generate_square_subsequent_mask(2, dtype=torch.float64)
    first = layer(torch, "Transformer", 4, 2, 1, 1, 6, norm_first=True, batch_first=True, activation="gelu")
    alone = values(torch, 3, 4), values(torch, 2, 4)
    return [
        worked(torch, model, src, tgt),
        worked(torch, lambda_layer(model, tgt_mask=mask), src, tgt),
        worked(torch, lambda_layer(model, tgt_mask=mask, tgt_is_causal=True), src, tgt),
        worked(torch, first, values(torch, 2, 3, 4), values(torch, 2, 2, 4)),
        worked(torch, model, *alone),
    ]


def transformer_names_and_prints(torch):
    model = torch.nn.Transformer(4, 2, 2, 1, 6, activation=torch.nn.GELU())
    return repr(model), [(name, tuple(p.shape)) for name, p in model.state_dict().items()]


def transformer_padding_in_evaluation(torch):
    nn = torch.nn
    encoder = nn.TransformerEncoder(layer(torch, "TransformerEncoderLayer", 4, 2, 6, batch_first=True), 2)
    x, found = values(torch, 2, 3, 4).detach(), []
    for padding in ([[False, False, True], [False, False, False]], [[True, False, False], [False, False, False]]):
        mask = torch.tensor(padding)
        with torch.no_grad():
            found.append(encoder.train()(x, src_key_padding_mask=mask)[~mask])
            made = encoder.eval()(x, src_key_padding_mask=mask)
            found += [made[~mask], made[mask] == 0]
        found.append((encoder(x, src_key_padding_mask=mask)[mask] == 0).tolist())
    return found


def transformer_warns_of_useless_option(torch):
    nn = torch.nn
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for options in ({}, {"batch_first": True}, {"batch_first": True, "norm_first": True}):
            nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, **options), 1)
        nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 1, 8, batch_first=True), 1)
    return [str(each.message) for each in told]


def transformer_refused(torch):
    nn, ones = torch.nn, torch.ones
    model = nn.Transformer(4, 2, 1, 1, 6)
    return [
        caught(action)
        for action in (
            lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="tanh"),
            lambda: nn.TransformerDecoderLayer(4, 3, 8),
            lambda: model(ones(3, 2, 4), ones(3, 3, 4)),
            lambda: model(ones(3, 2, 4), ones(3, 2, 5)),
            lambda: model.encoder(ones(3, 2, 4), mask=ones(3, 3, dtype=torch.int64)),
        )
    ]


def transformer_masks(torch):
    make = torch.nn.Transformer.generate_square_subsequent_mask
    return make(3), make(2, dtype=torch.float64)


def transformer_trained(torch):
    nn = torch.nn
    model = layer(torch, "TransformerEncoderLayer", 4, 2, 6, batch_first=True)
    x, wanted = values(torch, 2, 3, 4).detach(), values(torch, 2, 3, 4, shift=2).detach()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        loss = nn.functional.mse_loss(model(x), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses

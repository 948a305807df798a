"""Attention with scores and masks that are functions; torch refuses its derivatives on the CPU."""

from __future__ import annotations

import importlib
import warnings

from tests.parity.programs.common import caught, values


def module_of(torch, name="nn.attention.flex_attention"):
    warnings.simplefilter("ignore")  # torch advises to compile, and names what is deprecated
    return importlib.import_module(f"{torch.__name__}.{name}")


def operands(torch, heads=2, keys=5):
    with torch.no_grad():
        return [
            values(torch, 2, length, count, 4, shift=shift) / 7
            for length, count, shift in ((2, 5, 0), (heads, keys, 3), (heads, keys, 1))
        ]


def causal(b, h, q, kv):
    return q >= kv


def scores_that_a_function_changes(torch):
    flex, (q, k, v) = module_of(torch), operands(torch)
    documents = torch.tensor([0, 0, 1, 1, 1])
    return [
        flex.flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j).abs() * 0.1 * (h + 1) + b),
        flex.flex_attention(
            q, k, v, score_mod=lambda s, b, h, i, j: torch.where(documents[i] == documents[j], s, -float("inf"))
        ),
        flex.flex_attention(q, k, v, scale=0.3, return_lse=True),
    ]


def masks_by_blocks(torch):
    flex, (q, k, v) = module_of(torch), operands(torch)
    none_for_some = flex.create_block_mask(lambda b, h, i, j: (i < 2) & (j < 3), None, None, 5, 5, device="cpu")
    whole = flex.create_block_mask(causal, None, 2, 5, 5, device="cpu", BLOCK_SIZE=2)
    return [
        flex.flex_attention(q, k, v, block_mask=none_for_some, return_lse=True),
        flex.flex_attention(q, k, v, block_mask=whole),
        flex.flex_attention(q, *[each[:, :1] for each in (k, v)], enable_gqa=True, block_mask=whole),
    ]


def what_a_mask_tells(torch):
    flex = module_of(torch)
    mask = flex.create_block_mask(causal, None, 2, 30, 20, device="cpu", BLOCK_SIZE=(8, 4))
    one = flex.create_block_mask(causal, 1, 1, 16, 16, device="cpu", BLOCK_SIZE=8, separate_full_blocks=False)
    names = [
        f"{full}{kind}_{word}" for full in ("", "full_") for kind in ["q", "kv"] for word in ("num_blocks", "indices")
    ]
    given = torch.tensor([[[1, 2]]], dtype=torch.int32), torch.tensor([[[[0, 1], [0, 1]]]], dtype=torch.int32)
    return [
        [getattr(mask, name) for name in names],
        mask.to_dense(),
        str(mask),
        repr(mask),
        [mask.shape, mask.numel(), mask.sparsity(), mask.BLOCK_SIZE, mask.seq_lengths],
        [mask[0].shape, mask[:, 1].shape, str(mask._adjust(10, 10))],
        [one.full_kv_num_blocks, one.kv_num_blocks, str(one)],
        str(flex.BlockMask.from_kv_blocks(*given, BLOCK_SIZE=4)),
        str(flex.create_block_mask(causal, 6, None, 512, 512, device="cpu", BLOCK_SIZE=8)),
    ]


def masks_of_functions(torch):
    flex, t = module_of(torch), torch.tensor
    near = lambda b, h, q, kv: q - kv < 2  # noqa: E731
    both, either = flex.and_masks(causal, near), flex.or_masks(causal, near)
    places = [(3, 1), (1, 1), (0, 1)]
    return [
        [[mask(t(0), t(0), t(i), t(j)) for i, j in places] for mask in (both, either, flex.noop_mask)],
        flex.create_mask(causal, None, 2, 2, 3, device="cpu"),
        flex.create_mask(lambda s, b, h, i, j: torch.where(i == j, s, -float("inf")), None, None, 2, 3, device="cpu"),
    ]


def mistakes(torch):
    flex, (q, k, v) = module_of(torch), operands(torch)
    return [
        caught(lambda: flex.flex_attention(q, k[:, :1], v[:, :1])),
        caught(lambda: flex.flex_attention(q[0], k, v)),
        caught(lambda: flex.flex_attention(q, k[..., :3], v)),
        caught(lambda: flex.flex_attention(q, k[:1], v[:1])),
        caught(lambda: flex.flex_attention(q, k, v, return_lse=True, return_aux=flex.AuxRequest(lse=True))),
        caught(lambda: flex.flex_attention(q, k, v, return_aux=flex.AuxRequest(max_scores=True))),
        caught(lambda: flex.and_masks(3)),
        type(caught(lambda: flex.create_mask(lambda s: s, None, None, 2, 3, device="cpu"))).__name__,
    ]

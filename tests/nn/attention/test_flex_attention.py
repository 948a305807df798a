"""Attention with functions of the program: its derivatives, which torch does not have on the CPU."""

import math

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention


def operands(batch, heads, queries, keys, width=3):
    wg.manual_seed(batch * 100 + heads * 10 + queries + keys)
    shapes = ((queries, width), (keys, width), (keys, 2))
    return [wg.randn(batch, heads, *shape, dtype=wg.float64, requires_grad=True) for shape in shapes]


@settings(max_examples=25, deadline=None)
@given(*[st.integers(1, 4) for _ in range(4)], st.booleans())
def test_results_and_gradients_are_those_of_the_same_formula_written_out(batch, heads, queries, keys, masked):
    q, k, v = operands(batch, heads, queries, keys)
    slope = wg.tensor(0.3, dtype=wg.float64, requires_grad=True)
    mask = (
        create_block_mask(lambda b, h, i, j: j <= i + b, batch, None, queries, keys, BLOCK_SIZE=2) if masked else None
    )
    found = flex_attention(q, k, v, lambda s, b, h, i, j: s + slope * (i - j) * (h + 1), mask)
    at = [
        wg.arange(n).reshape([-1 if d == dim else 1 for d in range(4)])
        for dim, n in enumerate((batch, heads, queries, keys))
    ]
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + slope * (at[2] - at[3]) * (at[1] + 1)
    hidden = at[3] > at[2] + at[0] if masked else wg.zeros(1, dtype=wg.bool)
    wanted = scores.masked_fill(hidden, -math.inf).softmax(-1) @ v
    leaves = (q, k, v, slope)
    wg.testing.assert_close(found, wanted)
    ours, theirs = (wg.autograd.grad(each.sin().sum(), leaves) for each in (found, wanted))
    for one, other in zip(ours, theirs):
        wg.testing.assert_close(one, other)


def test_queries_that_see_nothing_get_zeros_and_no_gradient():
    q, k, v = operands(1, 1, 3, 3)
    mask = create_block_mask(lambda b, h, i, j: i < 1, None, None, 3, 3)
    result, lse = flex_attention(q, k, v, block_mask=mask, return_lse=True)
    assert not result[0, 0, 1:].any() and lse[0, 0].isneginf().tolist() == [False, True, True]
    result.sum().backward()
    assert not q.grad[0, 0, 1:].any() and all(each.grad.isfinite().all() for each in (q, k, v))


def test_second_derivatives_pass_gradgradcheck():
    q, k, v = operands(1, 2, 2, 2, width=2)
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 2, 2)
    assert wg.autograd.gradgradcheck(lambda *each: flex_attention(*each, lambda s, *at: s.sin(), mask), (q, k, v))


def test_a_mask_for_other_lengths_is_refused_with_its_size():
    q, k, v = operands(1, 1, 3, 3)
    with pytest.raises(ValueError, match=r"block_mask.shape=\(1, 1, 4, 4\) but got q_len=3 and kv_len=3"):
        flex_attention(q, k, v, block_mask=create_block_mask(lambda b, h, i, j: i >= j, None, None, 4, 4))
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        BlockMask.from_kv_blocks(wg.tensor([1]), wg.tensor([0]))

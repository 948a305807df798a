"""Attention: masks, heads and queries of nothing, and rates of dropout."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert.nn import functional

inf, nan = math.inf, math.nan


@pytest.mark.parametrize("shape", [(3, 4), (1, 3, 4)])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_query_that_is_opposed_to_all_keys_gets_zeros(shape, recorded):
    query, key = wg.ones(shape), wg.ones(shape)
    query[..., 0, 0] = -inf
    query.requires_grad_(recorded)
    made = wg.nn.functional.scaled_dot_product_attention(query, key, key)
    assert made[..., 0, :].eq(0).all() and made[..., 1:, :].eq(1).all()
    if recorded:
        assert any(each.name() == "SafeSoftmaxBackward0" for each in nodes(made.grad_fn))


def test_a_mask_does_not_hide_scores_that_are_no_numbers():
    query, key = wg.ones(3, 4), wg.ones(3, 4)
    key[2, 0] = nan
    mask = wg.tensor([[True, True, False]])
    assert wg.nn.functional.scaled_dot_product_attention(query, key, wg.ones(3, 2), mask).isnan().all()


def test_heads_are_shared_only_where_there_are_some():
    x = wg.ones(3, 4)
    with pytest.raises(IndexError, match="Dimension out of range"):
        wg.nn.functional.scaled_dot_product_attention(x, x, x, enable_gqa=True)


def nodes(node):
    while node is not None:
        yield node
        node = node.next_functions[0][0] if node.next_functions else None


@pytest.mark.parametrize("rate", [math.nan, -0.5, -math.inf])
def test_attention_drops_nothing_at_a_rate_that_is_not_positive(rate):
    x = wg.ones(2, 3, 4)
    assert F.scaled_dot_product_attention(x, x, x, dropout_p=rate).allclose(x)


@pytest.mark.parametrize("shapes", [((2, 0, 4), (2, 3, 4)), ((2, 3, 4), (2, 0, 4)), ((0, 4), (3, 4))])
def test_attention_without_queries_or_values_is_zero(shapes):
    query, key, value = (wg.ones(shape, requires_grad=True) for shape in (shapes[0], shapes[1], shapes[1]))
    made = functional.scaled_dot_product_attention(query, key, value)
    made.sum().backward()
    assert made.grad_fn.name() == "AddBackward0"
    assert not made.any()
    assert not any(each.grad.any() for each in (query, key, value))


def test_attention_without_members_of_the_batch_looks_at_the_others():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(0\) must match the size of tensor b \(4\)"):
        F.scaled_dot_product_attention(wg.ones(4, 0, 3, 8), wg.ones(4, 4, 6, 8), wg.ones(4, 4, 6, 8))

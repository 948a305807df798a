"""Attention block by block: as with all scores at once, to the bit for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert import _kernels
from wengert._kernels.attention import attention, attention_backward

blocks = _kernels.direct_function("attention_in_blocks")
slopes = _kernels.direct_function("attention_in_blocks_backward")
SIZES = [
    (1, 1, 1, 1, 1, 1),
    (2, 3, 3, 5, 7, 4),
    (1, 4, 2, 33, 130, 16),
    (2, 2, 1, 300, 129, 9),
    (1, 1, 1, 17, 600, 270),
]
"""Batches, heads, heads of keys, queries, keys, size."""


def drawn(sizes, dtype=np.float64):
    batches, heads, key_heads, queries, keys, size = sizes
    random = np.random.default_rng(3)
    shapes = ((batches, heads, queries, size), (batches, key_heads, keys, size), (batches, key_heads, keys, size))
    return [random.standard_normal(shape).astype(dtype) for shape in shapes]


def masks(sizes, dtype):
    batches, heads, _, queries, keys, _ = sizes
    random = np.random.default_rng(4)
    for shape in ((queries, keys), (batches, 1, 1, keys), (batches, heads, queries, 1)):
        mask = random.standard_normal(shape).astype(dtype)
        mask[..., 0, :] = -np.inf  # the first query sees nothing, or, where the mask repeats, nobody sees anything
        yield mask


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_blocks_agree_with_the_twin(sizes, is_causal, dtype, native, close):
    query, key, value = drawn(sizes, dtype)
    grad = np.random.default_rng(5).standard_normal(query.shape).astype(dtype)
    for mask in (None, *masks(sizes, dtype)):
        made = blocks(query, key, value, 0.0, is_causal, mask, 0.3)
        expected = attention(query, key, value, mask, is_causal, 0.3)
        close(made, expected, 50)
        found = slopes(grad, query, key, value, *made, 0.0, is_causal, mask, 0.3)
        close(found, attention_backward(grad, query, key, value, *expected, mask, is_causal, 0.3), 50)


def test_heads_may_lie_in_any_order(native, close):
    query, key, value = (each.transpose(0, 2, 1, 3) for each in drawn((2, 20, 20, 3, 3, 5)))
    made = blocks(query, key[:, :, ::-1], value[:, :, ::-1], 0.0, False, None, None)
    close(made[0], attention(query, key, value, None, False, None)[0])
    assert made[0].transpose(0, 2, 1, 3).flags.c_contiguous


def test_the_result_is_the_same_to_the_bit_for_any_number_of_threads(native):
    query, key, value = drawn((2, 4, 2, 300, 200, 32), np.float32)
    before, results = _kernels.get_num_threads(), []
    try:
        for count in (1, 2, 5):
            _kernels.set_num_threads(count)
            made = blocks(query, key, value, 0.0, True, None, None)
            results.append([*made, *slopes(query, query, key, value, *made, 0.0, True, None, None)])
    finally:
        _kernels.set_num_threads(before)
    for other in results[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(results[0], other, strict=True))


def leaves(*shape):
    random = np.random.default_rng(7)
    return [wg.tensor(random.standard_normal(shape), requires_grad=True) for _ in range(3)]


def test_attention_of_heads_is_the_operator_that_torch_shows():
    tensors = leaves(2, 3, 5, 4)
    made = wg.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)
    assert made.grad_fn.name() == "ScaledDotProductFlashAttentionForCpuBackward0"
    assert made.grad_fn._saved_logsumexp.shape == (2, 3, 5)
    assert made.grad_fn._saved_query is tensors[0]


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        ([(3, 5, 4)] * 3, {}),
        ([(2, 3, 5, 4), (2, 3, 5, 4), (2, 3, 5, 6)], {}),
        ([(2, 3, 5, 4), (1, 3, 5, 4), (1, 3, 5, 4)], {}),
        ([(2, 3, 5, 4)] * 3, {"dropout_p": 0.5}),
        ([(2, 3, 5, 4)] * 3, {"attn_mask": (3, 5, 5)}),
        ([(2, 3, 5, 4)] * 3, {"attn_mask": (5, 5)}),
    ],
)
def test_what_is_unusual_is_made_of_operators_as_in_torch(shapes, options):
    tensors = [wg.ones(*shape, requires_grad=True) for shape in shapes]
    if "attn_mask" in options:  # one that wants a gradient, or of a strange number of dimensions
        shape = options["attn_mask"]
        options = {"attn_mask": wg.zeros(*shape, requires_grad=len(shape) == 2)}
    made = wg.nn.functional.scaled_dot_product_attention(*tensors, **options)
    assert made.grad_fn.name() == "UnsafeViewBackward0"


def test_a_mask_of_bools_hides_keys_and_a_query_that_sees_nothing_gets_zeros():
    query, key, value = leaves(1, 2, 3, 4)
    mask = wg.tensor([[False] * 3, [True, False, True], [True] * 3])
    made = wg.nn.functional.scaled_dot_product_attention(query, key, value, mask)
    assert made[:, :, 0].eq(0).all()
    made.sum().backward()
    assert query.grad[:, :, 0].eq(0).all()
    assert value.grad.isfinite().all()


def test_each_head_of_the_keys_may_serve_several_of_the_queries():
    query, key, value = leaves(1, 4, 3, 2)
    few = [each.detach()[:, :2].requires_grad_() for each in (key, value)]
    many = [each.repeat_interleave(2, 1) for each in few]
    attention_of = wg.nn.functional.scaled_dot_product_attention
    ours, theirs = attention_of(query, *few, enable_gqa=True), attention_of(query, *many)
    assert ours.allclose(theirs)
    for one, two in zip(wg.autograd.grad(ours.sum(), few), wg.autograd.grad(theirs.sum(), few), strict=True):
        assert one.allclose(two)


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"attn_mask": wg.tensor([[True, False], [True, True]])}])
def test_second_derivatives_of_attention_are_those_of_its_formula(options):
    def attend(*tensors):
        return wg.nn.functional.scaled_dot_product_attention(*tensors, **options)

    assert wg.autograd.gradcheck(attend, leaves(1, 2, 2, 3))
    assert wg.autograd.gradgradcheck(attend, leaves(1, 2, 2, 3))


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_halves_are_computed_in_float32(dtype):
    tensors = [each.detach().to(dtype).requires_grad_() for each in leaves(1, 2, 9, 4)]
    wide = [each.detach().float().requires_grad_() for each in tensors]
    made, expected = (wg.nn.functional.scaled_dot_product_attention(*each) for each in (tensors, wide))
    assert made.dtype == dtype
    assert made.grad_fn._saved_logsumexp.dtype == wg.float32
    assert made.float().allclose(expected, atol=1e-2)
    made.sum().backward()
    expected.sum().backward()
    for one, two in zip(tensors, wide, strict=True):
        assert one.grad.dtype == dtype
        assert one.grad.float().allclose(two.grad, atol=3e-2)

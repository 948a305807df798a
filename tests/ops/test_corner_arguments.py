"""Corners of arguments: tensors for dimensions, empty indices and offsets, infinite points, edges of halves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert.nn import functional

NONE = wg.tensor([], dtype=wg.int64)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, dim: wg.argmax(x, dim),
        lambda x, dim: wg.all(x, dim),
        lambda x, dim: wg.count_nonzero(x, dim),
        lambda x, dim: wg.aminmax(x, dim=dim),
        lambda x, dim: wg.flatten(x, dim),
        lambda x, dim: wg.unflatten(x, dim, (1, -1)),
        lambda x, dim: wg.diff(x, dim=dim),
        lambda x, dim: wg.gradient(x, dim=dim),
        lambda x, dim: wg.chunk(x, 1, dim),
    ],
)
def test_one_dimension_may_be_a_tensor_without_dimensions_but_no_vector(call):
    x = wg.arange(6.0).reshape(2, 3)
    call(x, wg.tensor(0))
    for dim in (wg.tensor([0]), wg.tensor([0, 1])):
        with pytest.raises(TypeError, match=r"must be|not int"):
            call(x, dim)


def test_several_dimensions_and_sizes_may_be_a_vector_of_one_integer():
    x = wg.arange(6.0).reshape(2, 3)
    assert wg.sum(x, wg.tensor([0])).tolist() == [3, 5, 7]
    assert wg.topk(x, wg.tensor([1])).values.tolist() == [[2], [5]]
    with pytest.raises(TypeError, match=r"'chunks' .* must be int, not Tensor"):
        wg.chunk(x, wg.tensor([1]))


@pytest.mark.parametrize("dim", [True, 0.0, "0", {0}])
def test_gradient_refuses_what_is_no_dimension(dim):
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.gradient(wg.arange(6.0).reshape(2, 3), dim=dim)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_without_offsets_there_are_no_bags(mode):
    table = wg.ones(5, 3, requires_grad=True)
    made = functional.embedding_bag(wg.tensor([0, 1]), table, NONE, mode=mode)
    made.sum().backward()
    assert made.shape == (0, 3)
    assert table.grad.tolist() == wg.zeros(5, 3).tolist()
    with pytest.raises(RuntimeError, match="include_last_offset: number of offset should be at least 1"):
        functional.embedding_bag(NONE, table, NONE, mode=mode, include_last_offset=True)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("shape, slope", [((2, 4, 0), math.nan), ((0, 4, 3), 0.0)])
def test_weights_of_groups_without_elements_have_no_gradient_that_is_a_number(shape, slope, create_graph):
    weight, bias = wg.ones(4, requires_grad=True), wg.ones(4, requires_grad=True)
    made = functional.group_norm(wg.ones(shape, requires_grad=True), 2, weight, bias)
    grads = wg.autograd.grad(made.sum(), (weight, bias), create_graph=create_graph)
    np.testing.assert_array_equal([each.detach().numpy() for each in grads], [[slope] * 4, [0.0] * 4])


@pytest.mark.parametrize("dtype", [wg.uint8, wg.bool, wg.float32])
def test_nothing_is_scattered_by_an_empty_index_of_any_dtype(dtype):
    x, index = wg.arange(3.0), wg.tensor([], dtype=dtype)
    for made in (x.scatter(0, index, wg.tensor([])), x.scatter(0, index, 1.0), x.scatter_add(0, index, wg.tensor([]))):
        assert made.tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64 for index"):
        x.scatter(0, wg.tensor([0]).to(dtype), 1.0)


def test_the_largest_difference_has_no_slope_where_it_is_infinite():
    rows = wg.tensor([[math.inf, 1.0], [0.0, 2.0]], requires_grad=True)
    made = wg.cdist(rows, wg.tensor([[1.0, 1.0], [0.0, 2.0]]), math.inf)
    made.sum().backward()
    np.testing.assert_array_equal(rows.grad.numpy(), [[math.nan, 0], [-1, 1]])


@pytest.mark.parametrize("shapes", [((2, 0, 4), (2, 3, 4)), ((2, 3, 4), (2, 0, 4)), ((0, 4), (3, 4))])
def test_attention_without_queries_or_values_is_zero(shapes):
    query, key, value = (wg.ones(shape, requires_grad=True) for shape in (shapes[0], shapes[1], shapes[1]))
    made = functional.scaled_dot_product_attention(query, key, value)
    made.sum().backward()
    assert made.grad_fn.name() == "AddBackward0"
    assert not made.any()
    assert not any(each.grad.any() for each in (query, key, value))


def test_bins_of_halves_are_found_by_numbers_rounded_to_halves():
    x = wg.arange(100) / 10
    assert wg.histc(x.bfloat16(), 10, 0.1, 9.7).tolist() == [10, 10, 9, 10, 9, 9, 10, 10, 10, 10]
    assert wg.histc(x.half(), 10, 0.1, 9.7).tolist() == [10, 10, 9, 10, 10, 9, 10, 9, 10, 10]


def test_gels_refuses_what_is_not_of_full_rank_and_gives_residuals_of_all_else():
    sides = wg.ones(3, 1)
    for matrix, place in (([[1.0, 0], [0, 0], [0, 0]], 2), ([[0.0, 1], [0, 1], [0, 2]], 1)):
        with pytest.raises(wg.linalg.LinAlgError, match=rf"does not have full rank \(error code: {place}\)"):
            wg.linalg.lstsq(wg.tensor(matrix), sides, driver="gels")
    with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): .*full rank \(error code: 2\)"):
        wg.linalg.lstsq(wg.stack([wg.eye(3, 2), wg.eye(3, 1) @ wg.eye(1, 2)]), wg.ones(2, 3, 1), driver="gels")
    made = wg.linalg.lstsq(wg.zeros(3, 2), sides * 0, driver="gels")
    assert made.solution.tolist() == [[0], [0]]
    assert made.residuals.tolist() == [0]

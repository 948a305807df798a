"""What fuzzing torch's samples beside torch showed: arguments a little beside those that everybody gives."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F


@pytest.mark.parametrize("function", [F.elu, F.celu, F.selu])
def test_the_second_derivative_of_elu_is_zero_at_zero(function):
    x = wg.tensor([0.0, -0.0, -1.0], requires_grad=True)
    (first,) = wg.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert second.tolist()[:2] == [0, 0] and second[2] > 0.3


def test_the_gradient_of_atan2_is_zero_at_the_origin():
    x, y = (wg.zeros(2, requires_grad=True) for _ in range(2))
    assert [each.tolist() for each in wg.autograd.grad(wg.atan2(x, y).sum(), [x, y])] == [[0, 0], [0, 0]]


def test_a_margin_makes_floats_of_integer_scores():
    scores, target = wg.tensor([5, 1]), wg.tensor([1, -1])
    assert F.margin_ranking_loss(scores, scores.flip(0), target, margin=9).dtype is wg.float32


def test_a_source_without_dimensions_may_be_added_by_an_index_of_one_element():
    x, source = (wg.tensor(2.0, requires_grad=True) for _ in range(2))
    made = x.scatter_add(0, wg.tensor([0]), source)
    assert [each.item() for each in wg.autograd.grad(made, [x, source])] == [1, 1]


@pytest.mark.parametrize("dim", [0.0, True, "a", None])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, dim: x.gather(dim, wg.tensor([0])),
        lambda x, dim: x.index_select(dim, wg.tensor([0])),
        lambda x, dim: x.index_fill(dim, wg.tensor([0]), 1.0),
        lambda x, dim: wg.scatter(x, dim, wg.tensor([0]), 1.0),
        lambda x, dim: wg.cummax(x, dim),
    ],
)
def test_a_dimension_is_an_int(call, dim):
    with pytest.raises(TypeError, match="must be int, not"):
        call(wg.ones(3), dim)


def test_integers_of_numpy_and_of_tensors_are_ints():
    import numpy as np

    x = wg.arange(6.0).reshape(2, 3)
    for dim in (np.int64(1), np.uint8(1), wg.tensor(1)):
        assert x.index_select(dim, wg.tensor([2])).tolist() == [[2], [5]]


def test_none_is_no_wish_to_record():
    assert not wg.zeros(2, requires_grad=None).requires_grad
    assert not wg.eye(2, requires_grad=None).requires_grad
    with pytest.raises(TypeError, match="must be bool, not str"):
        wg.zeros(2, requires_grad="yes")


def test_meshgrid_of_no_indexing_is_that_of_matrices():
    with pytest.warns(UserWarning, match="required to pass the indexing argument"):
        assert wg.meshgrid(wg.ones(2), wg.ones(3), indexing=None)[0].shape == (2, 3)


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16])
@pytest.mark.parametrize("dim", [None, 0, 1])
def test_a_deviation_may_be_in_range_where_the_variance_is_not(dtype, dim):
    x = wg.tensor([[1e25, 2e25, -1e25], [3e25, 0.0, 1e25]], dtype=dtype)
    wanted = x.double().std(dim)
    for found in (x.std(dim), wg.std_mean(x, dim)[0]):
        assert wg.allclose(found.double(), wanted, rtol=1e-2 if dtype is wg.bfloat16 else 1e-6)


@pytest.mark.parametrize("order", [1, 2, 3, 0.5, -1, -math.inf])
def test_the_norm_of_one_element_is_its_size_whatever_its_range(order):
    x = wg.tensor([[1e30, -2.0], [-3e-30, 0.0]])
    for made in (wg.linalg.vector_norm(x.unsqueeze(1), order, 1), wg.linalg.vector_norm(x.t()[:, None], order, (1,))):
        assert made.tolist() in (x.abs().tolist(), x.t().abs().tolist())
    assert wg.linalg.vector_norm(x[0, :1], order).item() == x[0, 0].item()


def test_means_of_integers_are_refused_before_their_dimensions():
    numbers = wg.tensor([248, 255], dtype=wg.uint8)
    with pytest.raises(RuntimeError, match="std_mean only support floating point and complex dtypes"):
        wg.std_mean(numbers, 1)
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        wg.mean(numbers, 5)
    with pytest.raises(IndexError, match="Dimension out of range"):
        wg.mean(wg.ones(2), 5)


@pytest.mark.parametrize(("factor", "error"), [(float("nan"), ValueError), (float("inf"), OverflowError)])
def test_areas_of_no_size_are_refused_by_their_lengths(factor, error):
    with pytest.raises(error, match="to integer"):
        wg.nn.functional.interpolate(wg.ones(2, 3, 4), scale_factor=factor, mode="area")

"""What fuzzing beside torch showed of reductions, order, linalg and fft: what counts as a bool, an int, a dimension."""

from __future__ import annotations

import math

import pytest

import wengert as wg

TABLE = wg.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("value", [1, 0, "a"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, value: x.sort(stable=value),
        lambda x, value: x.argsort(stable=value),
        lambda x, value: x.topk(1, sorted=value),
        lambda x, value: x.std(0, value),
        lambda x, value: wg.var_mean(x, 0, unbiased=value),
    ],
)
def test_a_switch_takes_a_bool(call, value):
    with pytest.raises(TypeError, match=r"must be bool, not|a bool"):
        call(TABLE, value)


def test_none_stands_for_a_sort_without_wish_but_for_no_bool():
    assert wg.tensor([2, 1]).sort(stable=None).indices.tolist() == [1, 0]
    with pytest.raises(TypeError, match="must be bool, not NoneType"):
        wg.tensor([2, 1]).argsort(stable=None)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.cumsum(wg.tensor([1])),
        lambda x: x.max(wg.tensor([1]), True),
        lambda x: wg.polygamma(wg.tensor([1]), x),
        lambda x: x.round(decimals=wg.tensor([1])),
        lambda x: x.round(decimals=0.5),
    ],
)
def test_an_int_is_no_tensor_with_a_dimension_and_no_float(call):
    with pytest.raises(TypeError, match="must be int, not"):
        call(TABLE)


def test_a_size_may_be_a_tensor_of_one_element():
    assert TABLE.topk(wg.tensor([2])).values.tolist() == [[2, 1], [5, 4]]
    assert TABLE.round(decimals=wg.tensor(1)).equal(TABLE)


def test_only_the_first_of_several_dimensions_may_be_no_bool():
    assert TABLE.sum([0, True]) == 15
    with pytest.raises(TypeError, match="must be int, not bool"):
        TABLE.sum([True, 0])


@pytest.mark.parametrize("call", [wg.fft.fftn, wg.fft.rfft2, wg.fft.hfftn, wg.fft.fftshift])
def test_a_transform_has_no_dimension_true(call):
    with pytest.raises(TypeError, match="argument 'dim' must be tuple of ints, not bool"):
        call(TABLE, dim=True)


def test_a_transform_along_two_dimensions_names_them():
    with pytest.raises(TypeError, match="argument 'dim' must be tuple of ints, not NoneType"):
        wg.fft.fft2(TABLE, dim=None)


def test_a_kept_dimension_is_one_that_is_reduced():
    for call in (wg.prod, wg.max, wg.min):
        with pytest.raises(TypeError, match=r"dim"):
            call(TABLE, keepdim=True)


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16])
@pytest.mark.parametrize("call", [wg.var, wg.std])
def test_nothing_has_no_variance_whatever_the_correction(call, dtype):
    assert call(wg.ones(0, dtype=dtype), correction=-1).isnan()
    assert call(wg.ones(0, 2, dtype=dtype), 0, correction=-1).isnan().all()


def test_bits_of_floats_are_refused_in_the_words_of_the_function_or_the_sign():
    with pytest.raises(NotImplementedError, match="\"bitwise_not_cpu\" not implemented for 'Float'"):
        wg.bitwise_not(TABLE)
    with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented"):
        _ = ~TABLE


def test_nan_is_no_limit_no_order_and_no_weight():
    for p, most in ((math.nan, 1), (2, math.nan)):
        with pytest.raises(RuntimeError, match="renorm: "):
            TABLE.renorm(p, 0, most)
    with pytest.raises(RuntimeError, match="aweights cannot be negative"):
        wg.cov(TABLE, aweights=wg.tensor([1.0, math.nan, 1.0]))


def test_the_slope_of_logit_is_positive_at_negative_zero():
    x = wg.tensor([-0.0, 0.0], requires_grad=True)
    assert wg.autograd.grad(wg.logit(x).sum(), x)[0].tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("upper", [False, True])
def test_a_matrix_with_nan_is_not_positive_definite(upper):
    x = wg.eye(3).expand(2, 3, 3).clone()
    x[1, 1, 1] = math.nan
    assert wg.linalg.cholesky_ex(x, upper=upper).info.tolist() == [0, 2]
    with pytest.raises(wg.linalg.LinAlgError, match=r"Batch element 1\): .* minor of order 2 is not"):
        wg.linalg.cholesky(x, upper=upper)


def test_the_older_lu_tells_of_no_zero_pivot():
    assert wg.lu(wg.zeros(3, 3))[0].tolist() == [[0, 0, 0]] * 3


@pytest.mark.parametrize("bins", [True, 4.0])
def test_a_histogram_counts_its_bins(bins):
    with pytest.raises(TypeError, match=f"bins must not be {type(bins).__name__}"):
        wg.histogram(TABLE, bins)


@pytest.mark.parametrize("value", [-math.inf, math.inf, math.nan, 1.0])
def test_the_running_sum_of_one_element_has_the_slope_one(value):
    x = wg.tensor(value, requires_grad=True)
    assert wg.autograd.grad(x.logcumsumexp(0), x)[0] == 1


@pytest.mark.parametrize("ord", [1, 2, math.inf, "nuc", "fro"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 3, 0)])
def test_the_norm_of_an_empty_matrix_is_zero(shape, ord):
    assert wg.linalg.matrix_norm(wg.ones(shape), ord).tolist() in (0, [0, 0])
    assert wg.linalg.matrix_norm(wg.ones(shape), ord, keepdim=True).shape == (*shape[:-2], 1, 1)


def test_a_tolerance_with_a_dimension_leaves_the_gradient_in_the_shape_of_the_matrix():
    x = wg.eye(2).requires_grad_()
    made = wg.linalg.pinv(x, rtol=wg.tensor([0.1]))
    assert made.shape == (1, 2, 2) and wg.autograd.grad(made.sum(), x)[0].tolist() == [[-1, -1], [-1, -1]]


@pytest.mark.parametrize("factor", [math.nan, math.inf])
def test_integers_are_not_multiplied_by_what_no_integer_is(factor):
    table, line = wg.tensor([[1, 2], [3, 4]]), wg.tensor([1, 2])
    for given in ({"alpha": factor}, {"beta": factor}):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
            wg.addmv(line, table, line, **given)

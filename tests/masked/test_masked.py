"""Masked reductions beside NumPy's masked arrays."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg


def drawn(seed, shape=(3, 4)):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape), rng.random(size=shape) < 0.6


PAIRS = {
    "sum": (np.ma.sum, 0),
    "prod": (np.ma.prod, 1),
    "amax": (np.ma.max, -np.inf),
    "amin": (np.ma.min, np.inf),
    "mean": (np.ma.mean, np.nan),
}


@pytest.mark.parametrize("name", PAIRS)
@given(seed=st.integers(0, 1000), dim=st.sampled_from([0, 1, None]))
def test_reductions_are_those_of_numpys_masked_arrays(name, seed, dim):
    values, mask = drawn(seed)
    reduce, empty = PAIRS[name]
    expected = np.ma.filled(reduce(np.ma.array(values, mask=~mask), axis=dim), empty)
    found = getattr(wg.masked, name)(wg.tensor(values), dim, mask=wg.tensor(mask))
    np.testing.assert_allclose(found.numpy(), expected)


@given(seed=st.integers(0, 1000))
def test_what_the_mask_hides_changes_nothing(seed):
    values, mask = drawn(seed)
    other = np.where(mask, values, 1e3)
    for name in ("sum", "prod", "amax", "amin", "mean", "var", "std", "norm", "logsumexp"):
        arguments = (2.0, 1) if name == "norm" else (1,)
        results = [
            getattr(wg.masked, name)(wg.tensor(each), *arguments, mask=wg.tensor(mask)).numpy()
            for each in (values, other)
        ]
        np.testing.assert_array_equal(*results)


@given(seed=st.integers(0, 1000))
def test_gradients_of_hidden_elements_are_zero(seed):
    values, mask = drawn(seed)
    mask[:, 0] = True
    x = wg.tensor(values, requires_grad=True)
    for name in ("sum", "prod", "mean", "logsumexp", "softmax", "cumsum"):
        (grad,) = wg.autograd.grad(getattr(wg.masked, name)(x, 1, mask=wg.tensor(mask)).square().sum(), x)
        assert not grad.numpy()[~mask].any()


def test_softmax_shares_among_what_is_left():
    mask = wg.tensor([[True, True, False], [False, False, False]])
    found = wg.masked.softmax(wg.zeros(2, 3), 1, mask=mask)
    assert found[0].tolist() == [0.5, 0.5, 0.0]
    assert bool(found[1].isnan().all())


def test_a_mask_of_more_dimensions_is_refused():
    with pytest.raises(IndexError, match="mask dimensionality higher than of the input"):
        wg.masked.sum(wg.ones(2), mask=wg.ones(1, 2) > 0)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "cumsum", "cumprod", "median"])
def test_what_works_along_one_dimension_takes_the_first_of_several(name):
    values, mask = (wg.tensor(each) for each in drawn(1))
    function = getattr(wg.masked, name)
    for several, one in ((None, 0), ((), 0), ((1, 0), 0), ((-1,), 1), (True, 1)):
        found, expected = function(values, dim=several, mask=mask), function(values, dim=one, mask=mask)
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", [wg.uint8, wg.int16, wg.int32, wg.float16])
def test_running_sums_and_products_keep_the_dtype(name, dtype):
    x, mask = wg.tensor([2, 3, 4]).to(dtype), wg.tensor([True, False, True])
    found = getattr(wg.masked, name)(x, 0, mask=mask)
    assert found.dtype is dtype
    assert found[2] == (6 if name == "cumsum" else 8)
    assert getattr(wg.masked, name)(x, 0, dtype=wg.float64).dtype is wg.float64


def test_dimensions_are_refused_that_are_not_there_or_named_twice():
    for name in ("sum", "prod", "amax", "mean", "norm", "softmax", "cumsum", "median"):
        function, order = getattr(wg.masked, name), (2.0,) if name == "norm" else ()
        with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 1"):
            function(wg.tensor(1.0), *order, 1)
    with pytest.raises(RuntimeError, match="dim=-1 appears multiple times"):
        wg.masked.sum(wg.ones(2, 3), (1, -1))
    assert wg.masked.prod(wg.tensor(3.0), -1) == 3


def test_any_truth_says_whether_dimensions_are_kept():
    x = wg.ones(2, 3)
    for name in ("sum", "prod", "amax", "amin", "mean", "std", "argmax"):
        function = getattr(wg.masked, name)
        assert function(x, 1, keepdim=None).shape == (2,)
        assert function(x, 1, keepdim=1).shape == (2, 1)


def test_results_have_the_dtype_of_the_input_or_the_one_asked_for():
    whole, mask = wg.tensor([3, 4]), wg.tensor([True, False])
    assert wg.masked.logsumexp(whole, mask=mask).dtype is wg.int64
    assert wg.masked.logaddexp(wg.ones(2, dtype=wg.float16), wg.ones(2, dtype=wg.float64)).dtype is wg.float16
    assert wg.masked.median(whole, 0, dtype=wg.float64, mask=mask).dtype is wg.float64
    assert wg.masked.amax(whole, dtype=wg.float32, mask=mask).dtype is wg.float32
    complex_ones = wg.ones(3, dtype=wg.complex128)
    assert wg.masked.var(complex_ones).dtype is wg.complex128
    assert wg.masked.logsumexp(complex_ones, mask=wg.tensor([True, False, True])).isclose(complex_ones[:2].logsumexp(0))


def test_a_correction_is_subtracted_in_the_dtype_of_the_result():
    x = wg.tensor([1.0, 2.0, 4.0], dtype=wg.float64)
    assert float(wg.masked.var(x, correction=1.3)) == pytest.approx(float(x.var(correction=1.3)), rel=1e-15)
    with pytest.raises(AssertionError, match="Only one of"):
        wg.masked.var(x, unbiased=True, correction=1)


def test_what_has_no_least_value_is_refused_where_a_mask_needs_one():
    with pytest.raises(NotImplementedError, match=r"identity of amax on torch\.bool input"):
        wg.masked.amax(wg.tensor([True]), mask=wg.tensor([True]))
    assert wg.masked.amax(wg.tensor([True]))
    for name in ("cumsum", "cumprod"):
        with pytest.raises(NotImplementedError, match=f"\"{name}_out_cpu\" not implemented for 'Bool'"):
            getattr(wg.masked, name)(wg.tensor([True, False]), 0)

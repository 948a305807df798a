"""Means, deviations and variances: ranges, corrections, and dtypes."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16])
@pytest.mark.parametrize("dim", [None, 0, 1])
def test_a_deviation_may_be_in_range_where_the_variance_is_not(dtype, dim):
    x = wg.tensor([[1e25, 2e25, -1e25], [3e25, 0.0, 1e25]], dtype=dtype)
    wanted = x.double().std(dim)
    for found in (x.std(dim), wg.std_mean(x, dim)[0]):
        assert wg.allclose(found.double(), wanted, rtol=1e-2 if dtype is wg.bfloat16 else 1e-6)


def test_means_of_integers_are_refused_before_their_dimensions():
    numbers = wg.tensor([248, 255], dtype=wg.uint8)
    with pytest.raises(RuntimeError, match="std_mean only support floating point and complex dtypes"):
        wg.std_mean(numbers, 1)
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        wg.mean(numbers, 5)
    with pytest.raises(IndexError, match="Dimension out of range"):
        wg.mean(wg.ones(2), 5)


def test_a_correction_may_stand_in_a_complex_tensor():
    x = wg.tensor([1.0, 2.0, 4.0, 9.0])
    for reduce in (wg.var, wg.std):
        wanted = reduce(x, correction=2).item()
        assert reduce(x, correction=wg.tensor(2 + 0j)).item() == reduce(x, correction=2 + 0j).item() == wanted
        with pytest.raises(RuntimeError, match="without overflow"):
            reduce(x, correction=2 + 1j)


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16])
@pytest.mark.parametrize("call", [wg.var, wg.std])
def test_nothing_has_no_variance_whatever_the_correction(call, dtype):
    assert call(wg.ones(0, dtype=dtype), correction=-1).isnan()
    assert call(wg.ones(0, 2, dtype=dtype), 0, correction=-1).isnan().all()


def test_the_real_part_of_a_complex_mean_along_a_dimension_may_be_written():
    numbers, out = wg.tensor([1 + 2j, 3 + 0j]), wg.empty(0)
    with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary part"):
        assert wg.mean(numbers, 0, out=out) is out
    assert out.dtype is wg.float32 and out.item() == 2
    words = r"mean.dtype_out\(\): input types can't be cast to the desired output type"
    with pytest.raises(RuntimeError, match=f"{words} Float"):
        wg.mean(numbers, out=wg.empty(0))
    with pytest.raises(RuntimeError, match=f"{words} Long"):
        wg.mean(wg.ones(2), out=wg.empty(0, dtype=wg.int64))
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        wg.mean(wg.ones(2), 0, out=wg.empty(0, dtype=wg.int64))
    assert wg.mean(wg.tensor([1.0, 2.0]), out=wg.empty(0, dtype=wg.complex128)).item() == 1.5

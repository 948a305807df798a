"""Fourier transforms beside NumPy's, with arguments made at random; what the samples of cards do not reach."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
TWO = ("fft2", "ifft2", "rfft2", "irfft2")
ANY = ("fftn", "ifftn", "rfftn", "irfftn")
REAL_ONLY = ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn")
NORMS = (None, "backward", "ortho", "forward")


def values(shape, complex_ones, seed, kind=np.float64):
    """Random numbers."""
    draw = np.random.default_rng(seed)
    found = draw.standard_normal(shape)
    if complex_ones:
        found = found + 1j * draw.standard_normal(shape)
    return found.astype(np.result_type(kind, np.complex64) if complex_ones else kind)


def close(found, wanted, digits=1e-11):
    assert found.numpy().dtype == wanted.dtype
    np.testing.assert_allclose(found.numpy(), wanted, rtol=digits, atol=digits)


shapes = st.lists(st.integers(2, 5), min_size=1, max_size=3).map(tuple)


@given(st.data(), st.sampled_from(ONE), shapes, st.sampled_from(NORMS), st.booleans(), st.integers(0, 99))
def test_a_transform_along_one_dimension_is_numpys(data, name, shape, norm, complex_ones, seed):
    array = values(shape, complex_ones and name not in REAL_ONLY, seed)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = data.draw(st.none() | st.integers(1, 8))
    close(getattr(wg.fft, name)(wg.tensor(array), n, dim, norm), getattr(np.fft, name)(array, n, dim, norm))


@given(st.data(), st.sampled_from(TWO + ANY), shapes, st.sampled_from(NORMS), st.booleans(), st.integers(0, 99))
def test_a_transform_along_several_dimensions_is_numpys(data, name, shape, norm, complex_ones, seed):
    shape = (*shape, 3) if name in TWO else shape
    array = values(shape, complex_ones and name not in REAL_ONLY, seed)
    count = 2 if name in TWO else data.draw(st.integers(1, len(shape)))
    axes = tuple(data.draw(st.permutations(range(len(shape))))[:count])
    s = data.draw(st.none() | st.tuples(*[st.integers(2, 7)] * count))
    close(getattr(wg.fft, name)(wg.tensor(array), s, axes, norm), getattr(np.fft, name)(array, s, axes, norm))


@given(shapes, st.sampled_from(NORMS), st.integers(0, 99))
def test_transforms_of_hermitian_signals_are_inverses_of_each_other(shape, norm, seed):
    """NumPy has them along one dimension only."""
    x = wg.tensor(values(shape, False, seed))
    half = wg.fft.ihfftn(x, norm=norm)
    close(wg.fft.hfftn(half, s=shape, norm=norm), x.numpy())
    whole = wg.fft.ifftn(x, norm=norm)
    close(half, whole.narrow(-1, 0, half.shape[-1]).numpy())


@given(st.data(), shapes, st.integers(0, 99))
def test_the_gradient_is_the_adjoint_along_any_dimensions_of_any_layout(data, shape, seed):
    """<F x, g> = <x, F* g> for the real inner product, for inputs whose dimensions lie in any order."""
    order = data.draw(st.permutations(range(len(shape))))
    dims = tuple(data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(1, len(shape)))])
    for name in (*ANY, "hfftn", "ihfftn"):
        x = wg.tensor(values(shape, name not in REAL_ONLY, seed)).permute(order).detach().requires_grad_()
        y = getattr(wg.fft, name)(x, dim=tuple(order.index(dim) for dim in dims))
        g = wg.tensor(values(tuple(y.shape), y.is_complex(), seed + 1))
        (back,) = wg.autograd.grad(y, x, g)
        one = (y.detach().conj() * g).sum().real if y.is_complex() else (y.detach() * g).sum()
        other = (x.detach().conj() * back).sum()
        assert np.isclose(float(one), float(other.real if other.is_complex() else other))


@given(st.sampled_from((*ANY, "hfftn", "ihfftn")), st.integers(0, 99))
def test_single_precision_stays_single(name, seed):
    array = values((4, 6), name not in REAL_ONLY, seed)
    exact = getattr(wg.fft, name)(wg.tensor(array)).numpy()
    single = getattr(wg.fft, name)(wg.tensor(array).to(wg.complex64 if array.dtype.kind == "c" else wg.float32))
    assert single.numpy().dtype in (np.complex64, np.float32)
    np.testing.assert_allclose(single.numpy(), exact, rtol=1e-4, atol=1e-4)


@given(st.integers(1, 30), st.floats(0.1, 9))
def test_frequencies_are_numpys_and_shifts_order_them(n, d):
    close(wg.fft.fftfreq(n, d, dtype=wg.float64), np.fft.fftfreq(n, d))
    close(wg.fft.rfftfreq(n, d, dtype=wg.float64), np.fft.rfftfreq(n, d))
    sorted_ones = wg.fft.fftshift(wg.fft.fftfreq(n, d, dtype=wg.float64))
    assert sorted_ones.tolist() == sorted(sorted_ones.tolist())
    assert wg.fft.ifftshift(sorted_ones).tolist() == wg.fft.fftfreq(n, d, dtype=wg.float64).tolist()


def test_out_is_written_and_must_be_of_the_right_kind():
    x = wg.ones(4)
    found = wg.empty(0, dtype=wg.complex128)
    assert wg.fft.fft(x, out=found) is found
    assert found.tolist() == [4, 0, 0, 0]
    with pytest.raises(RuntimeError, match="fft expects a complex output tensor, but got Float"):
        wg.fft.fft(x, out=wg.empty(4))
    with pytest.raises(RuntimeError, match="irfftn expects a floating point output tensor, but got ComplexFloat"):
        wg.fft.irfft2(wg.ones(2, 2), out=wg.empty(2, 2, dtype=wg.complex64))
    with pytest.raises(TypeError, match="argument 'out' must be Tensor"):
        wg.fft.fft(x, out=3)


def test_what_has_no_transform_is_refused_in_torchs_words():
    with pytest.raises(RuntimeError, match="rfft expects a real input tensor, but got ComplexFloat"):
        wg.fft.rfft(wg.ones(3, dtype=wg.complex64))
    with pytest.raises(RuntimeError, match="rfftn expects a real-valued input tensor, but got ComplexFloat"):
        wg.fft.rfft2(wg.ones(3, 3, dtype=wg.complex64))
    with pytest.raises(RuntimeError, match="irfftn must transform at least one axis"):
        wg.fft.irfftn(wg.ones(3), dim=())
    with pytest.raises(RuntimeError, match="Got shape with 3 values but input tensor only has 2 dimensions"):
        wg.fft.fftn(wg.ones(3, 3), (1, 2, 3))
    with pytest.raises(TypeError, match=r"argument 'input' \(position 1\) must be Tensor, not int"):
        wg.fft.fft(3)
    with pytest.raises(TypeError, match="argument 'norm' must be str, not int"):
        wg.fft.fft(wg.ones(3), norm=3)
    with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
        wg.fft.fftn(wg.ones(3, dtype=wg.float16))
    for huge in (2**40, 2**62):
        with pytest.raises((RuntimeError, MemoryError)):
            wg.fft.fft(wg.ones(3), huge)


def test_functions_are_pickled_by_the_name_that_programs_know():
    for function in (wg.fft.fft, wg.fft.irfft, wg.fft.hfft2):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", ["ihfft2", "ihfftn"])
def test_transforms_of_real_numbers_refuse_complex_ones(name):
    with pytest.raises(RuntimeError, match="Only supports floating-point dtypes, but found: ComplexFloat"):
        getattr(wg.fft, name)(wg.ones(2, 2, dtype=wg.complex64))


TABLE = wg.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("call", [wg.fft.fftn, wg.fft.rfft2, wg.fft.hfftn, wg.fft.fftshift])
def test_a_transform_has_no_dimension_true(call):
    with pytest.raises(TypeError, match="argument 'dim' must be tuple of ints, not bool"):
        call(TABLE, dim=True)


def test_a_transform_along_two_dimensions_names_them():
    with pytest.raises(TypeError, match="argument 'dim' must be tuple of ints, not NoneType"):
        wg.fft.fft2(TABLE, dim=None)

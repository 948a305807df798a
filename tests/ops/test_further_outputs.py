"""Outputs beside torch: complex means into real ones, products of one number, layouts that differ, and histories."""

from __future__ import annotations

import pytest

import wengert as wg


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


def test_an_inner_product_with_one_number_is_written_as_a_product_is():
    one, several = wg.tensor(2.0), wg.tensor([1.0, 2.0])
    out = wg.empty(2, dtype=wg.float64)
    assert wg.inner(one, several, out=out).tolist() == [2, 4] and out.dtype is wg.float64
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        wg.inner(one, several, out=wg.empty(2, dtype=wg.int64))
    with pytest.raises(RuntimeError, match=r"^mul\(\): functions with out="):
        wg.inner(one.requires_grad_(), several, out=wg.empty(2))
    with pytest.raises(RuntimeError, match="tensordot: Expected the output tensor to have dtype Float"):
        wg.inner(several, several, out=wg.empty((), dtype=wg.float64))


MAKERS = {
    "zeros": (2,), "ones": (2,), "empty": (2,), "full": ((2,), 1.0), "arange": (2,), "eye": (2,),
    "linspace": (0, 1, 2), "logspace": (0, 1, 2), "rand": (2,), "randn": (2,), "normal": (0.0, 1.0, (2,)),
    "randint": (3, (2,)), "randperm": (2,),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("layout", "title"), [("sparse_coo", "Sparse"), ("sparse_csr", "SparseCsr")])
def test_factories_refuse_another_layout_than_that_of_the_output(name, layout, title):
    dtype = wg.int64 if name.startswith("rand") and len(name) > 5 else wg.float32
    words = rf"layout {title} does not match layout of out parameter \(Strided\)"
    out = wg.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=words):
        getattr(wg, name)(*MAKERS[name], out=out, layout=getattr(wg, layout))
    assert out.tolist() == [1, 1]
    assert getattr(wg, name)(*MAKERS[name], out=out, layout=wg.strided) is out


def test_a_conjugate_of_real_numbers_that_is_written_has_a_history_that_refuses():
    points = wg.tensor([1.0, 2.0], requires_grad=True)
    written = wg.conj_physical(points, out=wg.empty(0))
    assert written.requires_grad and wg.conj_physical(points) is points
    with pytest.raises(RuntimeError, match="derivative for aten::conj_physical is not implemented"):
        written.sum().backward()


@pytest.mark.parametrize("name", ["ihfft2", "ihfftn"])
def test_transforms_of_real_numbers_refuse_complex_ones(name):
    with pytest.raises(RuntimeError, match="Only supports floating-point dtypes, but found: ComplexFloat"):
        getattr(wg.fft, name)(wg.ones(2, 2, dtype=wg.complex64))

"""Sizes, dtypes, limits, NumPy's scalars and factories of odd arguments; what is expected is what torch does."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg


def test_sizes_hold_integers_only():
    assert wg.Size([True, np.int64(2), wg.tensor(3)]) == (1, 2, 3)
    assert repr(wg.Size([wg.tensor([1])])) == "torch.Size([1])"
    with pytest.raises(TypeError, match=r"takes an iterable of 'int' \(item 1 is 'float'\)"):
        wg.Size([1, 1.5])
    assert wg.Tensor(wg.Size([2, 3])).shape == (2, 3)


def test_tensors_are_reversed_along_the_first_dimension():
    assert reversed(wg.tensor([[1, 2], [3, 4]])).tolist() == [[3, 4], [1, 2]]
    assert reversed(wg.tensor(3)).item() == 3


def test_integers_have_no_complex_dtype():
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Int"):
        wg.int32.to_complex()
    with pytest.raises(TypeError, match="invalid dtype object: only floating-point types are supported"):
        wg.set_default_dtype("float64")


def test_limits_of_one_dtype_are_equal():
    assert wg.finfo(wg.float32) == wg.finfo(wg.float32) != wg.finfo(wg.float64)
    assert wg.iinfo(wg.int8) == wg.iinfo(wg.int8) != wg.iinfo(wg.uint8)


@pytest.mark.parametrize("scalar", [np.float64(2), np.float32(2)])
def test_scalars_of_numpy_on_the_left_are_numbers(scalar):
    x = wg.tensor([1, 2])
    for made in (scalar + x, scalar - x, scalar * x, scalar / x, scalar**x, scalar // x, scalar % x):
        assert made.dtype is wg.float32
    assert (np.int8(3) & wg.tensor([True, False])).dtype is wg.int64
    assert wg.result_type(wg.tensor([True]), np.int8(3)) is wg.int64


def test_factors_of_sums_are_numbers_of_the_dtype():
    assert wg.tensor([7], dtype=wg.uint8).add_(1, alpha=np.int8(3)).tolist() == [10]
    assert wg.tensor([7], dtype=wg.uint8).add_(1, alpha=np.int64(-2)).tolist() == [5]
    with pytest.raises(RuntimeError, match="must not be a floating point number"):
        wg.tensor([7]).add_(1, alpha=np.float32(2.5))
    with pytest.raises(RuntimeError, match="without overflow"):
        wg.tensor([7], dtype=wg.int8).add_(1, alpha=wg.tensor(200, dtype=wg.uint8))


def test_asarray_reads_buffers_in_the_dtype_wanted():
    assert wg.asarray(bytearray(b"abcd"), dtype=wg.int16).tolist() == [25185, 25699]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        wg.asarray(bytearray(b"abcde"), dtype=wg.int16)


def test_asarray_keeps_whether_a_gradient_is_required():
    x = wg.ones(2, requires_grad=True)
    assert wg.asarray(x).requires_grad
    assert not wg.asarray(x, requires_grad=False).requires_grad


def test_empty_lies_in_the_memory_format_wanted():
    assert wg.empty(2, 3, 4, 5, memory_format=wg.channels_last).stride() == (60, 1, 15, 3)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        wg.empty(2, 3, memory_format=wg.channels_last)
    with pytest.raises(RuntimeError, match="unsupported memory format Preserve"):
        wg.empty(2, memory_format=wg.preserve_format)
    with pytest.raises(TypeError, match=r"must be torch\.memory_format, not str"):
        wg.empty(2, memory_format="channels_last")


def test_a_new_tensor_of_a_tensor_has_the_dtype_of_the_model():
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert wg.ones(1).new_tensor(wg.tensor([1, 2])).dtype is wg.float32


def test_errors_name_the_kernels_of_torch():
    for function, kernel in (
        (lambda: wg.tensor([1.5]) << 1, "lshift_cpu"),
        (lambda: wg.tensor([True]) // True, "div_floor_cpu"),
        (lambda: wg.tensor([True]).trace(), None),
        (lambda: wg.special.entr(wg.tensor([1j])), "entr_cpu"),
        (lambda: wg.erf(wg.tensor([1j])), "erf_vml_cpu"),
    ):
        with pytest.raises(RuntimeError, match=f'"{kernel}" not implemented for' if kernel else "expected a matrix"):
            function()


def test_questions_of_other_objects_are_refused():
    with pytest.raises(TypeError, match=r"numel\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        wg.numel(3)
    with pytest.raises(RuntimeError, match="meshgrid expects a non-empty TensorList"):
        wg.meshgrid(indexing="ij")
    with pytest.raises(RuntimeError, match="first has size 3 in dim -1 and second has size 2 in dim 0"):
        wg.tensordot(wg.ones(2, 3), wg.ones(2, 3), 1)

"""Outputs that decide in which dtype is summed and multiplied."""

from __future__ import annotations

import pytest

import wengert as wg

NAMES = ["sum", "prod", "cumsum", "cumprod"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [wg.int64, wg.uint8, wg.float16, wg.float64, wg.complex64])
def test_a_sum_is_one_of_elements_of_the_outputs_dtype(name, dtype):
    x, out = wg.tensor([1.5, 2.5, 1.5], dtype=wg.float32), wg.zeros(0, dtype=dtype)
    wanted = getattr(wg, name)(x.to(dtype), 0, dtype=dtype)
    assert getattr(wg, name)(x, 0, out=out) is out
    assert out.dtype is dtype and out.tolist() == wanted.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_a_wide_output_loses_nothing(name):
    x, out = wg.tensor([2.0**24, 1.0], dtype=wg.float32), wg.zeros(0, dtype=wg.float64)
    getattr(wg, name)(x, 0, out=out)
    assert out.reshape(-1)[-1] == (2**24 + 1 if "sum" in name else 2**24)


@pytest.mark.parametrize("name", NAMES)
def test_an_output_that_is_not_of_the_dtype_asked_for_is_refused(name):
    x, out = wg.ones(3), wg.zeros(0, dtype=wg.float64)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got double instead"):
        getattr(wg, name)(x, 0, dtype=wg.int64, out=out)
    assert out.shape == (0,)
    assert getattr(wg, name)(x, 0, dtype=wg.float64, out=out).dtype is wg.float64


@pytest.mark.parametrize("name", ["cumsum_", "cumprod_"])
def test_a_scan_in_place_is_one_in_the_dtype_of_its_target(name):
    x = wg.ones(3, dtype=wg.int32)
    with pytest.raises(RuntimeError, match="Bad in-place call: input tensor dtype int and output tensor dtype float"):
        getattr(x, name)(0, dtype=wg.float32)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        getattr(wg.ones(3, dtype=wg.bool), name)(0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'dim'"):
        getattr(x, name)()
    assert getattr(x, name)(0, dtype=wg.int32) is x


def test_a_choice_is_written_into_its_own_dtype():
    condition, out = wg.tensor([True, False]), wg.zeros(2, dtype=wg.float64)
    with pytest.raises(RuntimeError, match="Expected out type to be Float but got Double"):
        wg.where(condition, wg.ones(2), wg.ones(2), out=out)
    with pytest.raises(TypeError, match=r"argument 'other' \(position 3\) must be Tensor, not int"):
        wg.where(condition, wg.ones(2), 2, out=out)
    assert out.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["any", "all"])
@pytest.mark.parametrize("dim", [None, 0, (0,), ()])
def test_truth_is_written_as_such_or_as_bytes(name, dim):
    function = getattr(wg, name)
    for given in (wg.uint8, wg.bool, wg.float32):
        x = wg.tensor([1, 0], dtype=given)
        for dtype in (wg.uint8, wg.bool):
            out = wg.empty(0, dtype=dtype)
            assert function(x, dim, out=out) is out
            assert out.tolist() == function(x, dim).to(dtype).tolist()
    out = wg.ones(3, dtype=wg.float64)
    with pytest.raises(RuntimeError, match=f"{name} only supports bool tensor for result, got: Double"):
        function(x, dim, out=out)
    assert out.tolist() == [1, 1, 1]


def test_limits_that_are_numbers_are_written_into_their_own_dtype():
    x, out = wg.tensor([1.0, 2.0]), wg.zeros(2, dtype=wg.float64)
    for call in (
        lambda: wg.clamp(x, 0, 1, out=out),
        lambda: wg.clamp(x, None, 1.5, out=out),
        lambda: wg.clamp_min(x, 1, out=out),
        lambda: wg.clamp_max(x, 1, out=out),
    ):
        with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
            call()
    assert out.tolist() == [0, 0]
    assert wg.clamp(x, wg.zeros(2), wg.ones(2), out=out).tolist() == [1, 1]
    assert wg.clamp_min(x, wg.tensor(2), out=out).tolist() == [2, 2]

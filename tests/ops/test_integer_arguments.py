"""Bools, numbers and tensors where sizes, dimensions and places are wanted: taken and refused as torch does it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg
import wengert.nn.functional as F

REFUSED: dict[str, Callable[[Any], Any]] = {
    "roll": lambda x: x.roll(True, 0),
    "roll dims": lambda x: x.roll(1, True),
    "roll several": lambda x: x.roll((True, 1), (0, 1)),
    "flip": lambda x: x.flip(True),
    "rot90": lambda x: x.rot90(1, (False, True)),
    "split": lambda x: x.split(True),
    "split lengths": lambda x: x.split([True, 3]),
    "narrow": lambda x: x.narrow(0, True, 1),
    "slice_copy": lambda x: wg.slice_copy(x, 0, True, 3),
    "slice_scatter": lambda x: x.slice_scatter(wg.ones(2, 4), 0, 1, True),
    "permute": lambda x: x.permute((True, False)),
    "movedim": lambda x: x.movedim(True, 0),
    "squeeze": lambda x: x.squeeze(True),
    "unflatten": lambda x: x.unflatten(0, (True, 4)),
    "reshape": lambda x: x.reshape((True, 16)),
    "view": lambda x: x.view(True, 16),
    "expand": lambda x: x.expand((True, 4, 4)),
    "repeat": lambda x: x.repeat((True, 1)),
    "tile": lambda x: x.tile(True),
    "broadcast_to": lambda x: x.broadcast_to((True, 4, 4)),
    "sum_to_size": lambda x: x.sum_to_size([True, 1]),
    "as_strided": lambda x: x.as_strided((2, 1), (True, 1)),
    "resize_": lambda x: x.resize_(True),
    "pad": lambda x: wg.nn.functional.pad(x, (True, 1)),
    "tensordot": lambda x: wg.tensordot(x, x, ([True], [0])),
    "tensor_split": lambda x: x.tensor_split(True),
    "tensor_split None": lambda x: x.tensor_split((1, None)),
    "hsplit": lambda x: x.hsplit(True),
    "hsplit None": lambda x: x.hsplit([1, 2, None]),
    "hsplit tensor": lambda x: x.hsplit(wg.tensor([1, 2])),
    "vsplit": lambda x: x.vsplit(2.0),
    "repeat_interleave": lambda x: x.repeat_interleave(True),
    "meshgrid": lambda x: wg.meshgrid(x[0], x[1], indexing=1),
    "random_": lambda x: x.random_(1.5),
    "select": lambda x: x.select(wg.tensor([1]), 0),
    "cat": lambda x: wg.cat((x, x), wg.tensor([0])),
    "to": lambda x: x.to(wg.float64, None),
    "to switches": lambda x: x.to(x, True, False, True),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_integer_is_refused_before_anything_is_written(case: str) -> None:
    x = wg.arange(16.0).reshape(4, 4)
    before, version = x.clone(), x._version
    with pytest.raises(TypeError):
        REFUSED[case](x)
    assert x.shape == (4, 4)
    assert wg.equal(x, before)
    assert x._version == version


def test_a_sequence_of_integers_is_known_by_its_first() -> None:
    x = wg.arange(12.0).reshape(4, 3)
    assert x.reshape(12, True).shape == (12, 1)
    assert x.permute(1, False).shape == (3, 4)
    assert [part.shape for part in x.split([3, True])] == [(3, 3), (1, 3)]
    assert wg.zeros(2, True).shape == wg.zeros((2, True)).shape == (2, 1)
    assert wg.broadcast_shapes((True, 2), (2,)) == (1, 2)
    with pytest.raises(TypeError, match="found element of type bool at pos 0"):
        x.reshape((True, 12))
    with pytest.raises(TypeError, match="failed to unpack the object at pos 2"):
        wg.zeros((2, 1.0))


def test_lengths_may_stand_in_a_tensor_of_one_element_but_dimensions_may_not() -> None:
    x = wg.arange(6.0).reshape(2, 3)
    assert x.select(0, wg.tensor([1])).tolist() == [3.0, 4.0, 5.0]
    assert x.narrow(0, 0, wg.tensor([1])).shape == (1, 3)
    assert x.unbind(wg.tensor(1))[0].tolist() == [0.0, 3.0]
    for call in (x.unbind, x.unsqueeze, x.cumsum):
        with pytest.raises(TypeError, match="must be int, not Tensor"):
            call(wg.tensor([1]))


def test_a_device_goes_with_a_dtype_by_name() -> None:
    x = wg.ones(2)
    assert x.to("cpu", dtype=wg.float64).dtype is x.to("cpu", wg.float64, False, True).dtype is wg.float64
    assert x.to(None, wg.float64).dtype is x.to(x.double(), False, copy=True).dtype is wg.float64


def test_repetitions_alone_give_places() -> None:
    assert wg.repeat_interleave(wg.tensor([1, 2, 0])).tolist() == [0, 1, 1]
    assert wg.repeat_interleave(wg.tensor([1, 2]), output_size=3).tolist() == [0, 1, 1]
    with pytest.raises(RuntimeError, match="only accept 1D vector"):
        wg.repeat_interleave(wg.tensor([[1, 2]]))


def test_of_a_vector_beside_a_single_index_the_first_element_counts() -> None:
    src = wg.tensor([2.0, 3.0], requires_grad=True)
    for reduce in ("sum", "mean", "amax"):
        made = wg.tensor(0.0).scatter_reduce(0, wg.tensor(0), src, reduce, include_self=False)
        assert made.item() == 2.0
        assert wg.autograd.grad(made, src)[0].tolist() == [1.0, 0.0]


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


PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)

NO_SIZES = {
    "adaptive_avg_pool1d": lambda: F.adaptive_avg_pool1d(LINE, True),
    "adaptive_max_pool1d": lambda: F.adaptive_max_pool1d(LINE, True),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(PLANE, True),
    "adaptive_avg_pool2d of numbers": lambda: F.adaptive_avg_pool2d(PLANE, (1.0, 1.0)),
    "adaptive_max_pool2d": lambda: F.adaptive_max_pool2d(PLANE, None),
    "adaptive_avg_pool3d": lambda: F.adaptive_avg_pool3d(VOLUME, (True,) * 3),
    "adaptive_max_pool3d": lambda: F.adaptive_max_pool3d(VOLUME, 3.0),
    "max_pool1d": lambda: F.max_pool1d(LINE, 2, stride=True),
    "avg_pool2d": lambda: F.avg_pool2d(PLANE, 2, divisor_override=0.5),
    "avg_pool3d": lambda: F.avg_pool3d(VOLUME, 2, divisor_override=True),
    "fractional_max_pool2d": lambda: F.fractional_max_pool2d(PLANE, 2, output_size=True),
    "max_unpool3d": lambda: F.max_unpool3d(VOLUME, VOLUME.long(), 2, padding=0.0),
    "cosine_similarity": lambda: F.cosine_similarity(PLANE, PLANE, dim=None),
}


@pytest.mark.parametrize("name", NO_SIZES)
def test_what_is_no_integer_is_no_size(name):
    with pytest.raises(TypeError, match=rf"{name.split()[0]}\(\): argument '\w+'.* must be (tuple of ints|int), "):
        NO_SIZES[name]()


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


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int8, wg.int64])
def test_an_integer_in_a_tensor_is_that_integer_whatever_its_dtype(dtype):
    def number(value):
        return wg.tensor(value, dtype=dtype)

    assert wg.zeros(3, 4).narrow(number(1), 0, 2).shape == (3, 2)
    assert wg.zeros(2, 3, 4).flatten(start_dim=number(1)).shape == (2, 12)
    assert wg.zeros(8).unflatten(number(0), (2, 4)).shape == (2, 4)
    assert [each.shape for each in wg.zeros(2, 5).tensor_split((2, 4), number(1))] == [(2, 2), (2, 2), (2, 1)]
    assert wg.triu_indices(20, 21, number(7)).shape == (2, 105)
    assert wg.histc(wg.tensor(8.0), bins=number(10), min=0, max=0).tolist() == [0.0] * 5 + [1.0] + [0.0] * 4
    assert F.embedding(wg.tensor([1, 2]), wg.zeros(5, 3), padding_idx=number(2)).shape == (2, 3)


def test_lengths_and_orders_are_integers_that_exist():
    with pytest.raises(RuntimeError, match="step must be nonzero"), pytest.warns(UserWarning, match="deprecated"):
        wg.range(0, 5, math.nan)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        wg.fft.rfftfreq(-4)
    for size in ([2, 1, 1.0, 4], [math.nan, 1, 3, 4]):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            F.affine_grid(wg.rand(2, 2, 3), size, align_corners=False)
    for options in ({"pow": None}, {"dim": None}, {"dim": 1.0}):
        with pytest.raises(TypeError, match="must be int, not"):
            wg.norm_except_dim(wg.rand(2, 3), **options)
    for value in (None, "a", wg.ones(1)):
        with pytest.raises(TypeError, match=r"argument 'fill_value' .* must be Number, not"):
            wg.zeros(2, 2).fill_diagonal_(value)


TABLE = wg.arange(6.0).reshape(2, 3)


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

"""Bools, numbers and tensors where sizes, dimensions and places are wanted: taken and refused as torch does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg

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


def test_cuts_in_a_tensor_must_be_a_vector_of_int64() -> None:
    x = wg.arange(6.0)
    assert [part.tolist() for part in x.tensor_split(wg.tensor([2]))] == [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]
    assert len(x.hsplit(wg.tensor(2))) == 2
    with pytest.raises(RuntimeError, match="to have dtype of long, but got Byte"):
        x.tensor_split(wg.tensor(2, dtype=wg.uint8))
    with pytest.raises(RuntimeError, match="a zero-dimensional or one-dimensional tensor, but got a tensor with 2 dim"):
        x.tensor_split(wg.tensor([[2]]))


def test_a_device_goes_with_a_dtype_by_name() -> None:
    x = wg.ones(2)
    assert x.to("cpu", dtype=wg.float64).dtype is x.to("cpu", wg.float64, False, True).dtype is wg.float64
    assert x.to(None, wg.float64).dtype is x.to(x.double(), False, copy=True).dtype is wg.float64


def test_repetitions_alone_give_places() -> None:
    assert wg.repeat_interleave(wg.tensor([1, 2, 0])).tolist() == [0, 1, 1]
    assert wg.repeat_interleave(wg.tensor([1, 2]), output_size=3).tolist() == [0, 1, 1]
    with pytest.raises(RuntimeError, match="only accept 1D vector"):
        wg.repeat_interleave(wg.tensor([[1, 2]]))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: wg.normal(0.0, float("nan"), (2,)),
        lambda: wg.normal(wg.zeros(2), float("nan")),
        lambda: wg.zeros(20).normal_(0, float("nan")),
        lambda: wg.normal(wg.zeros(1), wg.tensor(1j)),
        lambda: wg.zeros(2).uniform_(0, float("inf")),
        lambda: wg.zeros(2).uniform_(float("nan"), 1),
        lambda: wg.zeros(2, dtype=wg.float16).uniform_(0, 1e6),
    ],
)
def test_numbers_that_no_distribution_has_are_refused(draw: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError):
        draw()


def test_the_conjugate_transpose_of_a_single_number_is_its_conjugate() -> None:
    with pytest.warns(UserWarning, match="deprecated on 0-D tensors"):
        assert wg.tensor(1 + 2j).mH.item() == wg.tensor(1 + 2j).H.item() == 1 - 2j


def test_of_a_vector_beside_a_single_index_the_first_element_counts() -> None:
    src = wg.tensor([2.0, 3.0], requires_grad=True)
    for reduce in ("sum", "mean", "amax"):
        made = wg.tensor(0.0).scatter_reduce(0, wg.tensor(0), src, reduce, include_self=False)
        assert made.item() == 2.0
        assert wg.autograd.grad(made, src)[0].tolist() == [1.0, 0.0]

"""No view reaches outside of the memory of its storage, however it came about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._kernels.layout import address, memory_of, reaching

COUNT = 24
"""Elements of the memory in these tests; each holds its own place."""


def start(kind):
    """A tensor whose elements are their places in memory."""
    whole = wg.arange(float(COUNT))
    return {
        "row-major": whole.reshape(4, 6),
        "column-major": wg.from_numpy(np.asfortranarray(np.arange(COUNT, dtype=np.float32).reshape(6, 4).T)),
        "buffer": wg.frombuffer(bytearray(np.arange(COUNT, dtype=np.float32).tobytes()), dtype=wg.float32).reshape(
            4, 6
        ),
        "conj": wg.view_as_real(wg.view_as_complex(whole.reshape(4, 3, 2)).conj().conj()),
    }[kind]


def step(x, draw):
    """A view of `x` of some kind."""
    kind = draw(st.sampled_from(["slice", "select", "transpose", "expand", "unsqueeze", "diagonal", "unfold", "flat"]))
    dim = draw(st.integers(0, max(x.ndim - 1, 0)))
    if kind == "unsqueeze" or not x.ndim:
        return x.unsqueeze(0)
    if kind == "slice":
        low, high = sorted((draw(st.integers(0, x.shape[dim])), draw(st.integers(0, x.shape[dim]))))
        return x[(slice(None),) * dim + (slice(low, high, draw(st.integers(1, 3))),)]
    if kind == "select" and x.shape[dim]:
        return x.select(dim, draw(st.integers(0, x.shape[dim] - 1)))
    if kind == "transpose":
        return x.transpose(dim, 0)
    if kind == "expand":
        return x.unsqueeze(dim).expand(*x.shape[:dim], 3, *x.shape[dim:])
    if kind == "diagonal" and x.ndim > 1:
        return x.diagonal(draw(st.integers(-1, 1)))
    if kind == "unfold" and x.shape[dim]:
        return x.unfold(dim, draw(st.integers(1, x.shape[dim])), 1)
    return x.detach()


@given(st.data(), st.sampled_from(["row-major", "column-major", "buffer", "conj"]))
def test_as_strided_of_any_chain_of_views_shows_the_memory_of_the_storage(data, kind):
    x = start(kind)
    for _ in range(data.draw(st.integers(0, 5))):
        x = step(x, data.draw)
    size = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
    stride = tuple(data.draw(st.integers(0, 8)) for _ in size)
    offset = data.draw(st.integers(-2, COUNT))
    places = (
        offset
        + sum(
            (np.arange(length) * step).reshape([-1 if at == dim else 1 for dim in range(len(size))])
            for at, (length, step) in enumerate(zip(size, stride))
        )
        + np.zeros(size)
    )
    if offset < 0 or (places.size and places.max() >= COUNT):
        with pytest.raises(RuntimeError, match=r"out of bounds|invalid storage offset"):
            x.as_strided(size, stride, offset)
        return
    seen = x.as_strided(size, stride, offset)
    assert seen.tolist() == places.tolist()
    again = seen.as_strided((COUNT,), (1,), 0)
    assert again.tolist() == list(range(COUNT))


def test_a_view_of_a_strided_view_knows_the_memory_before_it():
    x = wg.arange(12.0).reshape(3, 4)[:, 1:3].expand(3, 2)[2:]
    whole = x.as_strided((12,), (1,), 0)
    assert whole.tolist() == list(range(12))
    whole.fill_(7.0)
    assert x.tolist() == [[7.0, 7.0]]


@pytest.mark.parametrize(
    ("size", "stride", "offset", "says"),
    [
        ((2,), (1,), -1, "invalid storage offset -1"),
        ((0,), (1,), -1, "invalid storage offset -1"),
        ((2,), (1,), 11, r"requiring a storage size of 52 are out of bounds for storage of size 48"),
        ((2,), (2**62,), 0, "out of bounds"),
        ((2**62,), (2**62,), 0, "Storage size calculation overflowed"),
        ((-1,), (1,), 0, "Storage size calculation overflowed"),
        ((2**62, 2**62, 0), (2**62, 1, 1), 0, "numel: integer multiplication overflow"),
        ((2,), (-1,), 5, "Negative strides are not supported"),
        ((2, 2), (1,), 0, "mismatch in length of strides and shape"),
    ],
)
def test_what_would_lie_outside_is_refused(size, stride, offset, says):
    x = wg.arange(12.0)
    for call in (x.as_strided, x.as_strided_, lambda *args: wg.arange(12.0).requires_grad_().as_strided(*args)):
        with pytest.raises(RuntimeError, match=says):
            call(size, stride, offset)
    assert x.shape == (12,) and x._version == 0


def test_memory_that_a_program_gave_in_part_ends_where_that_part_ends():
    values = np.arange(12.0)
    x = wg.from_numpy(values[3:9:2])
    assert x.as_strided((5,), (1,), 0).tolist() == [3.0, 4.0, 5.0, 6.0, 7.0]
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 40"):
        x.as_strided((6,), (1,), 0)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24.0).reshape(4, 6)[1:, ::2],
        np.arange(5)[::-1],
        np.ndarray((3, 2), np.float64, bytearray(300), 16, (40, 16)),
        np.ndarray((3,), np.float32, bytearray(100), 6, (9,)),
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 3),
        np.array(3.0),
        np.empty((0, 3)),
    ],
    ids=["slices", "reversed", "gaps", "odd strides", "broadcast", "windows", "0-dim", "empty"],
)
def test_the_memory_of_an_array_holds_all_its_elements(array):
    memory = memory_of(array)
    assert memory.dtype == np.uint8 and memory.ndim == 1
    first = address(array) - address(memory)
    again = reaching(array, array.shape, array.strides, 0)
    assert again.tolist() == array.tolist() and (not array.size or 0 <= first < memory.size)
    with pytest.raises(RuntimeError, match="out of bounds"):
        reaching(array, (1,), (1,), memory.size)


def test_a_step_of_a_view_taken_of_smaller_memory_is_refused():
    """The arguments of `as_strided` mean the memory of its source; they may not fit that of a gradient."""
    memory = wg.arange(12.0)
    base = memory[:4].detach()
    weight = wg.ones(3, requires_grad=True)
    base.as_strided((3,), (4,), 0).mul_(weight)
    with pytest.raises(RuntimeError, match="out of bounds"):
        base.sum().backward()


def resized():
    x = wg.arange(6.0)
    x.untyped_storage().resize_(8)
    return x


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda: wg.from_numpy(np.arange(10.0)[2:5]), 4),
        (lambda: wg.from_numpy(np.arange(10.0)[2:5])[1:], 3),
        (lambda: wg.frombuffer(bytearray(16), dtype=wg.float32, count=2), 3),
        (resized, 3),
    ],
    ids=["part of an array", "a view of it", "part of a buffer", "a smaller storage"],
)
def test_as_strided_does_not_show_what_lies_beside_the_storage(make, size):
    x = make()
    assert x.as_strided((size - 1,), (1,)).shape == (size - 1,)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size"):
        x.as_strided((size,), (1,))

"""Native functions that write into their first argument, and indexing by arrays, beside the bodies of their cards."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._core.cards.card import registered

DTYPES = ("f4", "f8", "i8", "?", "f2", "c8")
LAYOUTS = ("rows", "transposed", "strided", "reversed", "expanded", "sliding")
NUMBERS = (0, 1, -3, 2.5, -0.0, float("nan"), float("inf"), 1e300, True, 2**53 + 1, 2**70, 1j)
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
CHOICES = settings(max_examples=400, deadline=None)


class Memory:
    """A piece of memory, and the target of a write in it."""

    def __init__(self, shape: tuple[int, ...], layout: str, dtype: str) -> None:
        count = int(np.prod(shape)) * 2 ** len(shape) + 8
        self.whole = (np.arange(count) % 7 - 3).astype(dtype)
        rows = self.whole[: int(np.prod(shape))].reshape(shape)
        if layout == "transposed":
            rows = self.whole[: int(np.prod(shape))].reshape(shape[::-1]).T
        elif layout == "strided":
            rows = self.whole[: count - 8].reshape([2 * length for length in shape])[
                (slice(None, None, 2),) * len(shape)
            ]
        elif layout == "reversed":
            rows = rows[(slice(None, None, -1),) * len(shape)]
        elif layout == "expanded":
            rows = np.lib.stride_tricks.as_strided(self.whole, shape, (0,) * len(shape))
        elif layout == "sliding":
            rows = np.lib.stride_tricks.as_strided(self.whole, shape, (self.whole.itemsize,) * len(shape))
        self.target = rows


def drawn_shape(draw: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that mostly broadcasts to another one."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from((length, length, length, 1, 2))) for length in kept)


def drawn_array(draw: Any, shape: tuple[int, ...], memory: Memory) -> Any:
    """Values for a target: mostly of its dtype, in memory of their own or in that of the target."""
    kind = draw(st.sampled_from(("own", "own", "own", "transposed", "shared", "other")))
    count = int(np.prod(shape))
    if kind == "shared" and count <= memory.whole.size:
        return memory.whole[memory.whole.size - count :].reshape(shape)
    dtype = draw(st.sampled_from(DTYPES)) if kind == "other" else memory.whole.dtype
    if kind == "transposed":
        return np.arange(count).astype(dtype).reshape(shape[::-1]).T
    return np.arange(count).astype(dtype).reshape(shape)


def drawn_index(draw: Any, shape: tuple[int, ...]) -> Any:
    """A list of indices: None or more, then a mask or an index array, which mostly fits."""
    before = draw(st.integers(0, max(len(shape) - 1, 0)))
    if draw(st.booleans()):
        end = draw(st.integers(before, len(shape)))
        mask_shape = tuple(length + draw(st.sampled_from((0,) * 9 + (1,))) for length in shape[before:end])
        last = np.resize(draw(st.lists(st.booleans(), min_size=1, max_size=9)), mask_shape)
    else:
        length = shape[before] if shape else 1
        limit = length + draw(st.sampled_from((0,) * 9 + (1,)))
        last = np.array(draw(st.lists(st.integers(-limit, max(limit - 1, 0)), max_size=6)), np.int64)
        if draw(st.booleans()) and last.size % 2 == 0:
            last = last.reshape(2, -1)
    return [None] * before + [last]


def arguments(draw: Any, name: str, memory: Memory) -> list[Any]:
    shape = memory.target.shape
    if name == "zero":
        return []
    if name == "copy":
        return [drawn_array(draw, drawn_shape(draw, shape), memory), False]
    number = draw(st.sampled_from(NUMBERS)) if draw(st.booleans()) else drawn_array(draw, (), memory)
    if name == "fill":
        return [number]
    if name == "masked_fill":
        mask = drawn_shape(draw, shape)
        return [np.resize(draw(st.lists(st.booleans(), min_size=1, max_size=9)), mask), number]
    if name in ("index_copy", "index_fill", "scatter"):
        return drawn_slices(draw, name, memory, number)
    indices = drawn_index(draw, shape)
    given = [each for each in indices if each is not None]
    part = [*shape[: len(indices) - 1], *(given[0].shape if given[0].dtype != bool else (np.count_nonzero(given[0]),))]
    part += shape[len(indices) - 1 + (given[0].ndim if given[0].dtype == bool else 1) :]
    return [
        indices,
        drawn_array(draw, drawn_shape(draw, tuple(part)), memory),
        draw(st.sampled_from((False, False, True))),
    ]


def drawn_slices(draw: Any, name: str, memory: Memory, number: Any) -> list[Any]:
    """A dimension, an index along it, which mostly fits, and what is written there."""
    shape = memory.target.shape
    dim = draw(st.integers(-len(shape), max(len(shape) - 1, 0)))
    length = shape[dim] if shape else 1
    low = 0 if name == "scatter" else -length
    index = np.array(
        draw(st.lists(st.integers(low, max(length - 1, 0)), min_size=name == "scatter", max_size=4)), np.int64
    )
    if index.size and draw(st.sampled_from((False,) * 9 + (True,))):
        index[-1] = length
    part = list(shape) or [index.size]
    part[dim] = index.size
    if name == "scatter":
        index = np.resize(index, part)
        source = drawn_array(draw, tuple(part), memory) if draw(st.booleans()) else number
        return [dim, index, source, None]
    return [dim, index, drawn_array(draw, tuple(part), memory) if name == "index_copy" else number]


def again(value: Any, memory: Memory, twin: Memory) -> Any:
    """The same argument for a twin of the memory."""
    if isinstance(value, np.ndarray) and np.may_share_memory(value, memory.whole):
        offset = value.__array_interface__["data"][0] - memory.whole.__array_interface__["data"][0]
        return np.ndarray(value.shape, value.dtype, twin.whole, offset, value.strides)
    return value


@pytest.mark.parametrize(
    "name", ["copy", "fill", "zero", "masked_fill", "index_put", "index_copy", "index_fill", "scatter"]
)
def test_a_native_write_is_that_of_the_card_or_does_nothing(native: Any, name: str):
    card: Any = registered(name)
    answered = 0

    @CHOICES
    @given(st.data())
    def compare(data: Any) -> None:
        nonlocal answered
        layouts = LAYOUTS if name != "scatter" else LAYOUTS[:1] * 3 + LAYOUTS  # it knows rows only
        form = (data.draw(SHAPES), data.draw(st.sampled_from(layouts)), data.draw(st.sampled_from(DTYPES)))
        memory, twin = Memory(*form), Memory(*form)
        values = arguments(data.draw, name, memory)
        made = card.in_place.native(memory.target, *values)
        if made is NotImplemented:
            np.testing.assert_array_equal(memory.whole, twin.whole)
            return
        answered += 1
        assert made is None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            card.writer(twin.target, *[again(each, memory, twin) for each in values])
        assert memory.whole.tobytes() == twin.whole.tobytes()

    compare()
    assert answered > (50 if name != "scatter" else 10)


ELEMENTWISE = {
    **dict.fromkeys(("neg", "abs", "exp", "sqrt", "relu", "sigmoid", "floor", "square", "tan", "sign", "erfc"), 0),
    **dict.fromkeys(("mul", "true_divide", "atan2", "hypot", "fmod", "remainder", "floor_divide"), 1),
    **dict.fromkeys(("add", "sub"), 2),
}
"""By the name of the card, how many arguments its form in place has beside the target."""


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_elementwise_function_in_place_writes_what_it_makes_or_nothing(native: Any, name: str):
    card: Any = registered(name)
    answered = 0

    @CHOICES
    @given(st.data())
    def compare(data: Any) -> None:
        nonlocal answered
        form = (data.draw(SHAPES), data.draw(st.sampled_from(LAYOUTS)), data.draw(st.sampled_from(DTYPES)))
        memory, twin = Memory(*form), Memory(*form)
        values: list[Any] = []
        if ELEMENTWISE[name]:
            number = data.draw(st.booleans())
            shape = drawn_shape(data.draw, form[0])
            values.append(data.draw(st.sampled_from(NUMBERS)) if number else drawn_array(data.draw, shape, memory))
        if ELEMENTWISE[name] == 2:
            values.append(data.draw(st.sampled_from((1, 1, 2, 0.5, True, 1j))))
        made = card.in_place.native(memory.target, *values)
        if made is NotImplemented:
            assert memory.whole.tobytes() == twin.whole.tobytes()
            return
        answered += 1
        assert made is None
        operands = [twin.target.copy(), *[np.array(each) if isinstance(each, np.ndarray) else each for each in values]]
        wanted = card.native(*operands)
        assert wanted is not NotImplemented and wanted.dtype == memory.target.dtype
        twin.target[...] = wanted
        assert memory.whole.tobytes() == twin.whole.tobytes()

    compare()
    assert answered > 20


@CHOICES
@given(st.data())
def test_reading_at_places_gives_what_the_body_gives(data: Any):
    card: Any = registered("index")
    memory = Memory(data.draw(SHAPES), data.draw(st.sampled_from(LAYOUTS[:4])), data.draw(st.sampled_from(DTYPES)))
    indices = drawn_index(data.draw, memory.target.shape)
    made = NotImplemented if card.native is None else card.native(memory.target, indices)
    if made is not NotImplemented:
        wanted = card.body(memory.target, indices)
        np.testing.assert_array_equal(made, wanted)
        assert made.dtype == wanted.dtype and made.strides == wanted.strides
        assert made.flags.owndata and made.flags.writeable


@CHOICES
@given(st.data())
def test_the_gradient_of_reading_is_added_where_was_read(data: Any):
    memory = Memory(data.draw(SHAPES), "rows", "f8")
    indices = drawn_index(data.draw, memory.target.shape)
    try:
        part = registered("index").body(memory.target, indices)
    except IndexError:
        return
    grad = np.where(np.arange(part.size) % 3, np.arange(part.size), -0.0).reshape(part.shape)
    rule: Any = registered("index").rules[0].native  # type: ignore[union-attr]
    made = NotImplemented if rule is None else rule(grad, memory.target.shape, indices)
    if made is not NotImplemented:
        wanted: Any = registered("index_backward").body(grad, memory.target.shape, indices)
        assert made.tobytes() == wanted.tobytes() and made.strides == wanted.strides


@pytest.mark.parametrize("operation", ["add", "sub"])
@pytest.mark.parametrize("alpha", [2, 0.5, -3, True, 2.0**60, 1j, float("nan")])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "f2"])
def test_a_multiplied_operand_is_added_as_by_the_body(operation: str, alpha: Any, dtype: str):
    card: Any = registered(operation)
    for shapes in (((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), ()), ((2, 2), (2, 2))):
        a, b = ((np.arange(np.prod(shape)) + 1).astype(dtype).reshape(shape) for shape in shapes)
        made = NotImplemented if card.native is None else card.native(a, b, alpha)
        if made is not NotImplemented:
            with np.errstate(all="ignore"):
                wanted = card.body(a, b, alpha=alpha)
            assert made.dtype == wanted.dtype
            np.testing.assert_array_equal(made, wanted)


def test_a_refused_write_leaves_versions_and_values_as_they_are():
    target = wg.zeros(3)
    for index, value in ((wg.tensor([0, 3]), 1.0), (wg.tensor([True, False]), 1.0), (wg.tensor([0, 1]), wg.ones(3))):
        with pytest.raises((IndexError, RuntimeError)):
            target[index] = value
    assert target.tolist() == [0, 0, 0] and target._version == 0
    target[wg.tensor([2, -3])] = wg.tensor([1.0, 2.0])
    target[target > 1] = 5
    assert target.tolist() == [5, 0, 1] and target._version == 2

"""Native functions that write many elements where an index or a mask says, beside the bodies of cards."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import _kernels
from wengert._core.cards.card import registered

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there is no extension: bodies only")

DTYPES = ("f4", "f8", "i8", "?", "f2", "c8")
SHAPE = (301, 333)


def numbers(random: np.random.Generator, shape: Any, dtype: str) -> Any:
    return np.asarray(random.integers(-9, 9, shape) / 2).astype(dtype)


def places(random: np.random.Generator, length: int, shape: Any, negative: bool = True) -> Any:
    """Indices, some of them named twice, and some counted from the end."""
    return random.integers(-length if negative else 0, length, shape)


def masked(random: np.random.Generator, dtype: str, lengths: Any = SHAPE) -> list[Any]:
    return [random.random(lengths) > 0.5, numbers(random, (), dtype)]


def of_index_put(*index: Any, part: Any = None) -> Callable[..., list[Any]]:
    """`index`: the shape of each index array, or None; `part`: of the values."""

    def make(random: np.random.Generator, dtype: str) -> list[Any]:
        given = [None if each is None else places(random, SHAPE[at], each) for at, each in enumerate(index)]
        return [given, numbers(random, part, dtype), False]

    return make


CASES: dict[str, tuple[str, Callable[..., list[Any]]]] = {
    "mask": ("masked_fill", masked),
    "mask of rows": ("masked_fill", lambda r, t: masked(r, t, (301, 1))),
    "mask of columns": ("masked_fill", lambda r, t: masked(r, t, (333,))),
    "rows": ("index_put", of_index_put((400,), part=(400, 333))),
    "rows in a table": ("index_put", of_index_put((20, 20), part=(20, 20, 333))),
    "one row again and again": ("index_put", of_index_put((400,), part=(333,))),
    "a number for each row": ("index_put", of_index_put((400,), part=(400, 1))),
    "one number": ("index_put", of_index_put((400,), part=())),
    "columns": ("index_put", of_index_put(None, (400,), part=(301, 400))),
    "elements": ("index_put", of_index_put((300, 1), (400,), part=(300, 400))),
    "copied rows": ("index_copy", lambda r, t: [0, places(r, 301, 400, False), numbers(r, (400, 333), t)]),
    "copied columns": ("index_copy", lambda r, t: [1, places(r, 333, 400, False), numbers(r, (301, 400), t)]),
    "filled rows": ("index_fill", lambda r, t: [-2, places(r, 301, 400), numbers(r, (), t)]),
    "filled columns": ("index_fill", lambda r, t: [1, places(r, 333, 400), numbers(r, (), t)]),
    "put": ("put", lambda r, t: [places(r, 301 * 333, (200, 300)), numbers(r, (200, 300), t), False]),
    "scatter rows": ("scatter", lambda r, t: [0, places(r, 301, SHAPE, False), numbers(r, SHAPE, t), None]),
    "scatter columns": (
        "scatter",
        lambda r, t: [1, places(r, 333, (300, 400), False), numbers(r, (310, 400), t), None],
    ),
}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_many_elements_are_written_as_by_the_card(case: str, dtype: str, threads: int):
    name, make = CASES[case]
    card: Any = registered(name)
    random = np.random.default_rng(5)
    target = numbers(random, SHAPE, dtype)
    values = make(random, dtype)
    wanted, copied = target.copy(), None if card.native is None else target.copy()
    card.writer(wanted, *values)
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        assert card.in_place.native(target, *values) is None
        assert target.tobytes() == wanted.tobytes()
        made = card.native(copied, *values)
        assert made is NotImplemented or made.tobytes() == wanted.tobytes()
    finally:
        wg.set_num_threads(before)


@pytest.mark.parametrize("case", [case for case in CASES if "mask" not in case])
def test_nothing_is_written_where_one_of_many_indices_lies_outside(case: str):
    name, make = CASES[case]
    random = np.random.default_rng(6)
    target = numbers(random, SHAPE, "f4")
    values, kept = make(random, "f4"), target.copy()
    index = next(each for value in values for each in (value if isinstance(value, list) else [value]) if np.ndim(each))
    for wrong in (10**6, -(10**6)):
        index.flat[-1] = wrong
        assert registered(name).in_place.native(target, *values) is NotImplemented
        assert np.array_equal(target, kept)


@pytest.mark.parametrize("case", ["mask", "rows", "columns", "filled columns", "copied rows"])
def test_targets_in_another_order_are_left_to_the_body(case: str):
    name, make = CASES[case]
    random = np.random.default_rng(7)
    target = np.asfortranarray(numbers(random, SHAPE, "f4"))
    values, wanted = make(random, "f4"), target.copy(order="F")
    card: Any = registered(name)
    card.writer(wanted, *values)
    if card.in_place.native(target, *values) is NotImplemented:
        card.writer(target, *values)
    assert np.array_equal(target, wanted)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_many_elements_are_added_in_place_as_by_the_body(dim: int, dtype: str):
    random = np.random.default_rng(8)
    x, source = numbers(random, SHAPE, dtype), numbers(random, SHAPE, dtype)
    index = places(random, SHAPE[dim], SHAPE, False)
    card: Any = registered("scatter_add")
    wanted = card.body(x, dim, index, source)
    assert card.in_place.native(x, dim, index, source) is None and np.array_equal(x, wanted)
    index[-1, -1] = SHAPE[dim]
    assert card.in_place.native(x, dim, index, source) is NotImplemented and np.array_equal(x, wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("invert", [False, True])
def test_elements_among_few_others_are_those_of_numpy(dtype: str, invert: bool):
    random = np.random.default_rng(9)
    x = random.integers(0, 50, SHAPE).astype(dtype)
    if dtype[0] == "f":
        x[::7] = np.nan
    for count in (1, 2, 32):
        tests = x.ravel()[:count].copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = registered("_isin").native(x, tests, False, invert)  # type: ignore[misc, union-attr]
        assert np.array_equal(made, np.isin(x, tests, invert=invert))

"""Native recurrent networks against their NumPy twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from wengert import _kernels
from wengert._kernels import recurrent

FLOATS = [np.float32, np.float64]


def twin_of(name: str) -> Any:
    return getattr(recurrent, name)


@st.composite
def sequences(draw: Any) -> dict[str, Any]:
    """Sequences of different lengths, or of one, and the sizes of a network."""
    lengths = sorted(draw(st.lists(st.integers(1, 6), min_size=1, max_size=17)), reverse=True)
    if draw(st.booleans()):
        lengths = [lengths[0]] * len(lengths)
    sizes: tuple[int, ...] | None = tuple(sum(each > t for each in lengths) for t in range(lengths[0]))
    rows, batch = sum(lengths), len(lengths)
    if rows == batch * lengths[0] and draw(st.booleans()):
        sizes = None
    return {
        "rows": rows,
        "batch": batch,
        "sizes": sizes,
        "size": draw(st.integers(1, 21)),
        "width": draw(st.integers(1, 19)),
        "reverse": draw(st.booleans()),
        "given": draw(st.integers(0, 7)),
        "seed": draw(st.integers(0, 2**32 - 1)),
    }


class Drawn:
    """Arrays for one case."""

    def __init__(self, case: dict[str, Any], dtype: Any) -> None:
        self.random = np.random.default_rng(case["seed"])
        self.dtype = dtype
        self.case = case

    def __call__(self, *shape: int) -> np.ndarray:
        return self.random.normal(size=shape).astype(self.dtype)

    def maybe(self, place: int, *shape: int) -> np.ndarray | None:
        """An array, or None where the case says that it is not there."""
        return self(*shape) if self.case["given"] >> place & 1 else None


def plain_arguments(case: dict[str, Any], dtype: Any) -> tuple[list[Any], list[Any]]:
    draw, size = Drawn(case, dtype), case["size"]
    how = [case["sizes"], case["reverse"]]
    forward = [draw(case["rows"], size), draw(case["batch"], size), draw(size, size), bool(case["given"] & 4), *how]
    output, _ = twin_of("rnn_steps")(*forward)
    grads = [draw.maybe(0, case["rows"], size), draw.maybe(1, case["batch"], size)]
    return forward, [*grads, output, forward[2], forward[3], case["batch"], *how]


def gated_arguments(case: dict[str, Any], dtype: Any) -> tuple[list[Any], list[Any]]:
    draw, size = Drawn(case, dtype), case["size"]
    how = [case["sizes"], case["reverse"]]
    weight = draw(3 * size, size)
    forward = [draw(case["rows"], 3 * size), draw(case["batch"], size), weight, draw.maybe(2, 3 * size), *how]
    output, _, gates, candidates = twin_of("gru_steps")(*forward)
    grads = [draw.maybe(0, case["rows"], size), draw.maybe(1, case["batch"], size)]
    return forward, [*grads, gates, candidates, output, forward[1], weight, *how]


def memory_arguments(case: dict[str, Any], dtype: Any) -> tuple[list[Any], list[Any]]:
    draw, size, batch = Drawn(case, dtype), case["size"], case["batch"]
    how = [case["sizes"], case["reverse"]]
    projection = draw.maybe(2, case["width"], size)
    width = size if projection is None else case["width"]
    hidden, cell, weight = draw(batch, width), draw(batch, size), draw(4 * size, width)
    forward = [draw(case["rows"], 4 * size), hidden, cell, weight, projection, *how]
    *_, gates, cells = twin_of("lstm_steps")(*forward)
    grads = [draw.maybe(0, case["rows"], width), draw.maybe(1, batch, width), draw.maybe(0, batch, size)]
    return forward, [*grads, gates, cells, cell, weight, projection, *how]


KINDS = {"rnn_steps": plain_arguments, "gru_steps": gated_arguments, "lstm_steps": memory_arguments}


def assert_close(found: Any, expected: Any, dtype: Any) -> None:
    tolerance = 1e-3 if dtype == np.float32 else 1e-10
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * max(1, np.abs(other).max(initial=0)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=sequences())
def test_steps_and_their_gradients_agree_with_the_twins(name, dtype, only_native, case):
    forward, backward = KINDS[name](case, dtype)
    assert_close(getattr(only_native, name)(*forward), twin_of(name)(*forward), dtype)
    name += "_backward"
    assert_close(getattr(only_native, name)(*backward), twin_of(name)(*backward), dtype)


LARGE = {"rows": 20 * 40, "batch": 40, "sizes": None, "size": 48, "width": 40, "reverse": True, "given": 7, "seed": 1}


@pytest.mark.parametrize("name", KINDS)
def test_results_are_equal_for_any_number_of_threads(name, only_native):
    forward, backward = KINDS[name](LARGE, np.float32)
    before = _kernels.get_num_threads()
    made = []
    try:
        for count in (1, 2, 3, 5):
            _kernels.set_num_threads(count)
            made.append([*getattr(only_native, name)(*forward), *getattr(only_native, name + "_backward")(*backward)])
    finally:
        _kernels.set_num_threads(before)
    for other in made[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(made[0], other, strict=True))


@pytest.mark.parametrize("sizes", [(3, 5), (4, 4, 0), (3, 3, 2), (4, 4, 4), (), (4, 4.0), [4, 4]])
def test_sizes_that_do_not_lie_so_are_not_for_the_native_function(sizes, only_native):
    inputs = np.ones((8, 5), np.float32)
    with pytest.raises(AssertionError, match="the twin was called"):
        only_native.rnn_steps(inputs, inputs[:4], np.ones((5, 5), np.float32), False, sizes, False)

"""Containers of tensors, arrays and numbers as variables of SciPy's solvers: what comes back is of the same form."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd.containers import flatten
from wengert.scipy import least_squares, minimize, root, solve_ivp
from wengert.scipy.vectors import Vector, keeps_form

Point = namedtuple("Point", "x y")

ELEMENTS = st.one_of(
    st.floats(-5, 5),
    st.integers(-5, 5),
    st.lists(st.floats(-5, 5), max_size=3).map(np.array),
    st.floats(-5, 5).map(np.float32),
    st.lists(st.floats(-5, 5), max_size=3).map(lambda values: wg.tensor(values, dtype=wg.float64)),
)
CONTAINERS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        ELEMENTS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.tuples(inner, inner)
            | st.dictionaries(st.text(max_size=2), inner, max_size=3)
            | st.builds(Point, inner, inner)
        ),
        max_leaves=6,
    ),
    min_size=1,
)


@given(CONTAINERS)
def test_a_container_is_read_and_written_in_its_own_form(value: Any) -> None:
    elements, structure = flatten(value)
    if not elements:
        return
    vector = Vector("minimize", "x0", value)
    assert vector.start.size == sum(np.size(element) for element in elements)
    result = vector.result(vector.start)
    parts, form = flatten(result)
    assert form == structure
    for part, element in zip(parts, elements):
        kind = float if isinstance(element, (int, float, np.floating)) else type(element)
        assert type(part) is kind and np.shape(part) == np.shape(element)
        np.testing.assert_array_equal(np.asarray(part), np.asarray(element, np.float64))
    assert all(isinstance(part, wg.Tensor) for part in flatten(vector.container(vector.start))[0])


@pytest.mark.parametrize(
    "value",
    [1.0, [1.0, 2.0], (1, 2), [[1.0, 2.0], [3.0, 4.0]], np.ones(3), deque([1.0]), [np.float64(1.0)], [np.array(1.0)]],
)
def test_numbers_alone_are_what_scipy_takes(value: Any) -> None:
    assert not keeps_form(value)
    assert isinstance(Vector("minimize", "x0", value).result(np.ones(2)), np.ndarray)


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1.0},
        Point(1.0, 2.0),
        [np.ones(2), 1.0],
        [[1.0, 2.0], 3.0],
        ([1.0], [2.0, 3.0]),
        [wg.ones(2)],
        OrderedDict(a=1),
        defaultdict(float, a=2.0),
        [{"a": 1.0}],
        [Point(1.0, 2.0), 1.0],
    ],
)
def test_other_containers_keep_their_form(value: Any) -> None:
    assert keeps_form(value)
    vector = Vector("minimize", "x0", value)
    assert type(vector.result(vector.start)) is type(value)


START = {"rate": 1.0, "offsets": np.zeros(2), "shape": Point(0.5, wg.tensor(0.25))}


def residuals(p: Any) -> Any:
    assert all(part.dtype is wg.float64 for part in flatten(p)[0])
    return [p["rate"] - 2, (p["offsets"] - wg.tensor([3.0, 4.0])) * p["rate"], p["shape"].x ** 3 - 8, p["shape"].y + 1]


def check(x: Any) -> None:
    assert type(x["rate"]) is float and type(x["offsets"]) is np.ndarray and type(x["shape"]) is Point
    assert type(x["shape"].x) is float and isinstance(x["shape"].y, wg.Tensor)
    np.testing.assert_allclose(x["rate"], 2, rtol=1e-5)
    np.testing.assert_allclose(x["offsets"], [3, 4], rtol=1e-5)
    np.testing.assert_allclose([x["shape"].x, x["shape"].y.item()], [2, -1], rtol=1e-4)


def test_every_solver_returns_the_container() -> None:
    shown = []
    check(root(residuals, START).x)
    check(least_squares(residuals, START).x)
    square = minimize(lambda p: sum((part**2).sum() for part in residuals(p)), START, callback=shown.append, tol=1e-10)
    check(square.x)
    assert shown and all(type(x["rate"]) is float and type(x["shape"]) is Point for x in shown)


def test_states_of_differential_equations_are_containers_of_numbers_too() -> None:
    solution = solve_ivp(lambda t, s: {"a": -s["a"], "b": s["a"] * wg.ones(2)}, (0, 1), {"a": 1.0, "b": np.zeros(2)})
    assert type(solution.y["a"]) is np.ndarray and solution.y["a"].shape == solution.t.shape
    assert solution.y["b"].shape == (2, *solution.t.shape)
    np.testing.assert_allclose(solution.y["a"][-1], np.exp(-1), rtol=1e-3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": "text"}, "expected x0 to hold only tensors, arrays and numbers, but got str"),
        ({"a": None}, "but got NoneType"),
        ({"a": 1j}, "expected x0 to be real numbers, but got complex128"),
        ({"a": np.array([1j])}, "expected x0 to be real numbers, but got complex128"),
        ({"a": np.array(["text"])}, "expected x0 to be real numbers, but got <U4"),
        ([], "must|none|dimension|size"),
    ],
)
def test_elements_that_are_no_real_numbers_are_refused(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError), match=message):
        minimize(lambda p: (p["a"] ** 2).sum(), value)


def test_a_batch_is_refused_with_what_to_do() -> None:
    with pytest.raises(RuntimeError, match=r"root: x0 holds a batch of vmap.*call root for each member in a loop"):
        wg.func.vmap(lambda x: root(lambda p: p, x).x)(wg.ones(3, 1))
    with pytest.raises(RuntimeError, match="a result of fun holds a batch of vmap"):
        wg.func.vmap(lambda a: root(lambda p: p - a, [1.0]).x)(wg.ones(3))

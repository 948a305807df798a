"""The small engine of `docs/from_scratch.md`: its code runs, and gives wengert's derivatives."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from_scratch.md"
MOST_LINES = 300
"""Lines of code, without empty ones: the page is to be read in one sitting."""


def code():
    """The code of the page, its blocks one after the other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def engine():
    """The names that the page defines, after its own assertions have held."""
    names = {"__name__": "from_scratch"}
    exec(compile(code(), str(PAGE), "exec"), names)
    return names


def test_the_page_is_short():
    assert len([line for line in code().splitlines() if line.strip()]) <= MOST_LINES


@given(terms=st.lists(st.sampled_from(["sin", "cos", "exp", "square", "shift"]), min_size=1, max_size=4))
def test_gradients_tangents_and_hessians_are_those_of_wengert(engine, terms):
    x = np.array([[0.3, -0.8, 1.1]])
    direction = np.array([[1.0, 0.5, -2.0]])

    def composed(functions, value):
        for name in terms:
            if name == "square":
                value = value * value
            elif name == "shift":
                value = value * 0.5 + 0.25
            else:
                value = functions[name](value)
        return (value * value).sum()

    ours = lambda value: composed(engine, value)  # noqa: E731 - a parameter of the transforms
    theirs = lambda value: composed({"sin": wg.sin, "cos": wg.cos, "exp": wg.exp}, value)  # noqa: E731
    tensor, along = engine["Tensor"](x), engine["Tensor"](direction)
    expected = wg.tensor(x), wg.tensor(direction)
    np.testing.assert_allclose(engine["grad"](ours)(tensor).array, wg.func.grad(theirs)(expected[0]).numpy())
    tangent = wg.func.jvp(theirs, expected[:1], expected[1:])[1]
    np.testing.assert_allclose(engine["jvp"](ours, tensor, along)[1].array, tangent.numpy())
    product = wg.func.jvp(wg.func.grad(theirs), expected[:1], expected[1:])[1]
    np.testing.assert_allclose(engine["hvp"](ours, tensor, along).array, product.numpy())

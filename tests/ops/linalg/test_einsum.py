"""Sums over equations: beside NumPy, for equations drawn at random."""

from __future__ import annotations

import math
import string
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.ops.linalg.matrices import drawn


@st.composite
def equations(draw):
    """An equation for einsum, with operands; lengths of 1 are stretched where the other operand is longer."""
    letters = draw(st.lists(st.sampled_from(string.ascii_letters[:5]), min_size=1, max_size=4, unique=True))
    length = {each: draw(st.integers(0, 3)) for each in letters}
    terms = draw(st.lists(st.lists(st.sampled_from(letters), max_size=3), min_size=1, max_size=3))
    used = sorted({each for term in terms for each in term})
    kept = draw(st.permutations(used).map(lambda found: found[: draw(st.integers(0, len(found)))])) if used else []
    arrow = draw(st.booleans())
    equation = ",".join("".join(term) for term in terms) + ("->" + "".join(kept) if arrow else "")
    return equation, [[length[each] for each in term] for term in terms]


@given(equations())
@settings(max_examples=150, deadline=None)
def test_einsum_gives_what_numpy_gives(drawn_equation):
    equation, shapes = drawn_equation
    arrays = [np.random.default_rng(at).standard_normal(shape) for at, shape in enumerate(shapes)]
    expected = np.einsum(equation, *arrays)
    found = wg.einsum(equation, *map(wg.tensor, arrays))
    assert found.shape == expected.shape
    assert np.allclose(found.numpy(), expected)


@given(equations())
@settings(max_examples=50, deadline=None)
def test_the_gradient_of_einsum_is_einsum_of_the_others(drawn_equation):
    equation, shapes = drawn_equation
    tensors = [drawn(*shape, seed=at).requires_grad_() for at, shape in enumerate(shapes)]
    made = wg.einsum(equation, *tensors)
    grads = wg.autograd.grad(made.sum(), tensors)
    for at, grad in enumerate(grads):  # a product is linear in each operand, so this is exact
        moved = [each.detach() for each in tensors]
        moved[at] = drawn(*shapes[at], seed=9)
        assert math.isclose(
            float((grad * moved[at]).sum()), float(wg.einsum(equation, *moved).sum()), rel_tol=1e-9, abs_tol=1e-9
        )


@pytest.mark.parametrize(
    ("equation", "shapes", "says"),
    [
        ("ij,jk", [(2, 3)], "more operands|fewer operands were provided"),
        ("ij", [(2, 3), (3, 2)], "more operands were provided"),
        ("i1", [(2, 3)], "invalid subscript given at index 1 in the equation string"),
        ("i.j", [(2, 3)], "found '.' for operand 0 that is not part of any ellipsis"),
        ("...i...", [(2, 3)], "for which an ellipsis was already found"),
        ("ij->.", [(2, 3)], "found '.' for output that is not part of any ellipsis"),
        ("ij->i....", [(2, 3)], "found '.' for output but an ellipsis"),
        ("ii", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
        ("ij->ii", [(2, 3)], "output subscript i appears more than once in the output"),
        ("...i,...i", [(2, 3), (4, 3)], "covered by ellipsis in operand 1has size 4"),
    ],
)
def test_einsum_refuses_equations_that_do_not_fit(equation, shapes, says):
    with pytest.raises(RuntimeError, match=says.replace(".'", r"\.'").replace("'.", r"'\.")):
        wg.einsum(equation, *(wg.ones(shape) for shape in shapes))


def test_einsum_multiplies_in_the_order_that_opt_einsum_says(monkeypatch):
    asked = []

    def contract_path(equation, *shapes, **options):
        asked.append((equation, shapes, options))
        return [(1, 2), (0, 1)], "report"

    monkeypatch.setitem(sys.modules, "opt_einsum", types.SimpleNamespace(contract_path=contract_path))
    a, b, c = drawn(2, 3), drawn(3, 4), drawn(4, 2)
    found = wg.einsum("ij,jk,kl->il", a, b, c)
    assert asked == [("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2)), {"shapes": True, "optimize": "auto"})]
    assert wg.allclose(found, a @ b @ c)

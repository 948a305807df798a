"""Names of nodes and of functions."""

from __future__ import annotations

import keyword

import hypothesis
from hypothesis import strategies
from wengert.fx import names

import wengert as wg
import wengert.nn.functional as F


@hypothesis.given(
    strategies.lists(strategies.text(max_size=8) | strategies.sampled_from(["x", "x_1", "x_2", "_0", "if"]))
)
def test_names_are_identifiers_and_different(candidates):
    space = names.Namespace()
    made = [space.create_name(each, None) for each in candidates]
    assert len(set(made)) == len(made)
    assert all(each.isidentifier() and not keyword.iskeyword(each) for each in made)


def test_functions_stand_at_the_paths_that_code_has():
    functions = [getattr(F, name) for name in F.__all__]
    functions += [getattr(space, name) for space in (wg.linalg, wg.fft, wg.special) for name in space.__all__]
    functions += [wg.relu, wg.cat, wg.flatten, wg.zeros, wg.einsum, wg.split, wg.where]
    wrong = []
    for function in filter(callable, functions):
        path = names.qualified_name(function)
        found = names.resolve(path)
        if isinstance(function, type) or found is function or path.rpartition(".")[2] in names.TOP:
            continue
        wrong.append(path)
    assert wrong == []


def test_two_objects_have_two_names_and_one_keeps_its_own():
    space, one, other = names.Namespace(), object(), object()
    assert space.create_name("a.b", one) == "a_b"
    assert space.create_name("a.b", other) == "a_b_1"
    assert space.create_name("c", one) == "a_b"

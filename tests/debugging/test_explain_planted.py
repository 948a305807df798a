"""Random programs in which the history of a tensor is lost at one line: `explain` names reason and line."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.debugging.programs import CUTS, NAME, REASONS, planted, run


@pytest.mark.parametrize("kind", CUTS)
@settings(max_examples=12)
@given(data=st.data())
def test_the_cut_of_a_random_program_is_named_with_its_line(kind, data):
    program = planted(lambda count: data.draw(st.integers(0, count - 1)), kind)
    with warnings.catch_warnings(), wg.set_debug(lines=True):
        warnings.simplefilter("ignore")
        names = run(program.lines)
        for name in program.after:
            found = wg.explain(names[name])
            where = f"{name} of\n" + "\n".join(program.lines)
            assert found.reason == REASONS.get(kind, kind), where
            assert found.line == program.cut and found.where.filename == NAME, where
            assert f"line {program.cut}, in <module>: {program.lines[program.cut - 1].strip()}" in str(found)


@settings(max_examples=30)
@given(data=st.data())
def test_what_was_not_cut_off_is_not_said_to_be(data):
    program = planted(lambda count: data.draw(st.integers(0, count - 1)), "detach")
    with wg.set_debug(lines=True):
        names = run(program.lines)
        for name, value in names.items():
            if isinstance(value, wg.Tensor) and name not in program.after:
                used = any(name in line for line in program.lines[2:])
                leaf = "leaf" if name == "p" else "no_backward" if used else "not_used"
                assert wg.explain(value).reason == ("not_a_leaf" if value.grad_fn else leaf)


@pytest.mark.parametrize("kind", [kind for kind in CUTS if kind not in ("volatile", "create_graph")])
@settings(max_examples=8)
@given(data=st.data())
def test_a_leaf_is_told_where_its_path_to_the_loss_was_cut(kind, data):
    program = planted(lambda count: data.draw(st.integers(0, count - 1)), kind)
    with warnings.catch_warnings(), wg.set_debug(lines=True):
        warnings.simplefilter("ignore")
        names = run([*program.lines, "w = wg.ones(4, requires_grad=True)"])
        last = names[program.after[-1]]
        if last.is_inference():
            last = last.clone()
        loss = (names["w"] * last).sum()
        loss.backward()
        source, leaves = names[program.source], [names["v0"], names["v1"]]
        grads = wg.autograd.grad(source.sum(), leaves, retain_graph=True, allow_unused=True)
        for leaf, grad in zip(leaves, grads):
            found = wg.explain(leaf, loss)
            wanted = ("not_used", None) if grad is None else (REASONS.get(kind, kind), program.cut)
            assert (found.reason, found.line) == wanted, "\n".join(program.lines)

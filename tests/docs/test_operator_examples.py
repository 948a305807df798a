"""Each operator of the reference has an example, made from its card, that runs and gives what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re

import numpy as np
import pytest

import wengert as wg
from tools.check_examples import FLAGS
from tools.pages import examples
from tools.stubs.package import public


def offered(module):
    """The operators of a module, by name."""
    home = importlib.import_module(module)
    found = {name: getattr(home, name) for name in (public() if module == "wengert" else home.__all__)}
    return {name: value for name, value in found.items() if examples.card_of(module, name, value) is not None}


def failures_of(text):
    """How many lines of a session give something else."""
    test = doctest.DocTestParser().get_doctest(text, {"wg": wg, "np": np}, "example", None, None)
    assert test.examples
    with wg.random.fork_rng():
        return doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lambda told: None).failed


@pytest.mark.filterwarnings("ignore")  # some operators warn
@pytest.mark.parametrize("module", examples.MODULES)
def test_each_operator_has_an_example_that_gives_what_it_says(module):
    operators = offered(module)
    assert operators
    for name, value in operators.items():
        text = examples.example(module, name, value)
        assert text or ">>>" in inspect.getdoc(value), name
        if text:
            assert re.search(rf"^>>> .*\bwg\..*\b{name}\(", text, re.MULTILINE) and failures_of(text + "\n") == 0, name


def test_a_session_that_gives_something_else_is_found():
    assert failures_of(">>> wg.ones(2)\ntensor([1., 2.])\n") == 1


def test_examples_that_draw_numbers_say_their_seed():
    assert examples.example("wengert", "rand", wg.rand).startswith(">>> generator = wg.manual_seed(0)\n")
    assert "seed" not in examples.example("wengert", "mul", wg.mul)


def test_what_was_never_written_is_not_shown():
    assert examples.example("wengert", "empty_like", wg.empty_like).endswith("torch.Size([2, 3])")

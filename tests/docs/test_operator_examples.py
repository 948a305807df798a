"""The docstring of each operator has an example, which calls it and returns what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re

import numpy as np
import pytest

import wengert as wg
from tools.check_examples import FLAGS
from tools.stubs.package import public
from wengert._core.cards.card import REGISTRY, Card, Composite
from wengert._core.writes.inplace import InPlaceOp

MODULES = ("wengert", "wengert.nn.functional", "wengert.special", "wengert.linalg", "wengert.fft")
UNSET = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
"""Functions whose results hold what memory held before: their examples show shapes."""
NUMBERS = {"bfloat16", "bool", "byte", "char", "double", "float", "half", "int", "long", "short"}
COMPLEX = {"cdouble", "cfloat", "chalf"}
DEVICES = {"cuda", "ipu", "mtia", "xpu", "pin_memory", "share_memory_", "is_distributed", "module_load"}
REFUSED = {"eig", "lstsq", "reinforce", "resize", "resize_as", "solve", "symeig"}
WITHOUT = NUMBERS | COMPLEX | DEVICES | REFUSED
"""Methods of Tensor without an example: conversions of one form, and methods that refuse or do nothing."""


def offered(module):
    """The operators of a module, by name."""
    home = importlib.import_module(module)
    found = {name: getattr(home, name) for name in (public() if module == "wengert" else home.__all__)}
    return {name: value for name, value in found.items() if callable(value) and is_operator(name, value)}


def is_operator(name, value):
    """Whether a function belongs to a card, or to a function composed of operators."""
    body = value.body if isinstance(value, Card | Composite) else inspect.unwrap(value)
    return name in REGISTRY or any(card.body is body for card in REGISTRY.values())


def methods():
    """The methods of tensors, by name."""
    return {name: value for name, value in vars_of(wg.Tensor).items() if callable(value) and name not in WITHOUT}


def vars_of(cls):
    return {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}


def examples_of(value):
    """The examples of a docstring."""
    return doctest.DocTestParser().get_examples(inspect.getdoc(value) or "")


def source_of(value):
    """The lines of the examples of a docstring."""
    return "".join(example.source for example in examples_of(value))


def failures(value, seed=5):
    """The number of lines of the examples of a docstring that return something else."""
    with wg.random.fork_rng():
        wg.manual_seed(seed)
        test = doctest.DocTest(examples_of(value), {"wg": wg, "np": np}, "example", None, None, None)
        return doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lambda told: None).failed


@pytest.mark.filterwarnings("ignore")  # some operators warn
@pytest.mark.parametrize("module", MODULES)
def test_each_operator_has_an_example_that_returns_what_it_says(module):
    operators = offered(module)
    assert len(operators) > 10
    for name, value in operators.items():
        assert examples_of(value), name
        assert failures(value) == 0, name


@pytest.mark.filterwarnings("ignore")
def test_each_method_has_an_example_that_returns_what_it_says():
    for name, value in methods().items():
        assert examples_of(value), name
        assert failures(value) == 0, name
    assert not any(examples_of(getattr(wg.Tensor, name)) for name in WITHOUT)


@pytest.mark.parametrize("module", MODULES)
def test_an_example_calls_the_operator_by_one_of_its_names(module):
    names = {}
    for home in (*MODULES, "Tensor"):
        for name, value in (methods() if home == "Tensor" else offered(home)).items():
            names.setdefault(inspect.getdoc(value), set()).add(name)
    for name, value in offered(module).items():
        if isinstance(value, InPlaceOp):  # described by one example for all
            continue
        called = any(re.search(rf"\b{known}\(", source_of(value)) for known in names[inspect.getdoc(value)])
        assert called or re.search(r" (<<|>>) ", source_of(value)), name


def test_examples_are_the_last_section():
    for name, value in [pair for home in MODULES for pair in offered(home).items()] + list(methods().items()):
        text = inspect.getdoc(value)
        after = text.partition("\nExamples:\n")[2]
        assert not re.search(r"^(Args|Returns|Raises|Derivative):$", after, re.MULTILINE), name
        assert "\n\n\n" not in text, name


def test_an_example_that_returns_something_else_is_found():
    def wrong():
        """Add.

        Examples:
            >>> wg.ones(2)
            tensor([1., 2.])
        """

    assert failures(wrong) == 1


@pytest.mark.filterwarnings("ignore")
def test_examples_that_draw_numbers_set_the_seed():
    drawing = [value for value in offered("wengert").values() if "manual_seed(" in source_of(value)]
    assert wg.rand in drawing and wg.bernoulli in drawing
    for seed in (6, 7):
        assert [value for value in drawing if failures(value, seed)] == []


def test_what_was_never_written_is_not_shown():
    for name in UNSET:
        last = examples_of(getattr(wg, name, None) or getattr(wg.Tensor, name))[-1]
        assert re.search(r"\.(shape|stride\(\)|dtype)$", last.source.strip()), name

"""What `help` shows of functions, tensors and layers, and `dir` of the package."""

from __future__ import annotations

import inspect
import operator
import pydoc
import re
from types import SimpleNamespace

import pytest

import wengert as wg


def shown(value):
    return pydoc.plain(pydoc.render_doc(value))


def test_help_of_an_operator_has_signature_parameters_and_an_example():
    text = shown(wg.exp)
    assert "exp(input: Tensor, *, out: Tensor | None = None) -> Tensor" in text
    assert "input: tensor;" in text and ">>> wg.exp(" in text and "self" not in text
    assert str(inspect.signature(wg.cat)) == "(tensors: Sequence[Tensor], dim: int = 0) -> Tensor"


def test_a_method_keeps_its_own_name_for_the_tensor():
    assert [*inspect.signature(wg.Tensor.exp).parameters] == ["self"] or "self" in wg.Tensor.exp.__doc__


def test_help_of_tensors_shows_how_to_use_them_and_no_field():
    text = shown(wg.Tensor)
    about = text[: text.index("Methods defined here")]
    assert "remembers how it was computed" in about and ">>> x.grad" in about
    assert not re.search(r"_(array|storage|flags|edge|meta)_", about)


@pytest.mark.parametrize("layer", ["LSTM", "GRU"])
def test_help_of_recurrent_layers_names_their_options(layer):
    cls = getattr(wg.nn, layer)
    names = [*inspect.signature(cls).parameters]
    assert names[:2] == ["input_size", "hidden_size"] and ("proj_size" in names) == (layer == "LSTM")
    assert all(re.search(rf"\b{name}\b", cls.__doc__) for name in names) and ">>>" in cls.__doc__
    assert cls(3, 4, 2).num_layers == 2


def test_the_package_lists_public_names_only():
    assert [name for name in dir(wg) if name[0] == "_"] == []
    assert not {"annotations", "TYPE_CHECKING"} & set(dir(wg)) and {"exp", "nn", "Tensor", "vmap"} <= set(dir(wg))
    assert wg._foreach_add is not None and wg._C is not None


MODULES = ("", "nn.functional", "linalg", "fft", "special")
"""Modules whose functions are checked, below the package."""

ELSEWHERE = re.compile(r"`\w+`|`interpolate\(|^Removed|^Refused?|deprecated name")
"""Of the first line of a docstring that leads to another function, which describes the parameters."""

INTERNAL = re.compile(r"wengert\._core|wengert\._kernels|: Arrays?\b|: Index\b|_Required")


def functions():
    """Return the public functions by name: those of modules, and the methods of tensors."""
    for name in MODULES:
        module = operator.attrgetter(f"wg.{name}".strip("."))(SimpleNamespace(wg=wg))
        for entry in dir(module):
            value = getattr(module, entry)
            if callable(value) and not isinstance(value, type):
                yield f"{name}.{entry}".strip("."), value
    for entry in dir(wg.Tensor):
        if entry[0] != "_" and callable(getattr(wg.Tensor, entry)):
            yield f"Tensor.{entry}", getattr(wg.Tensor, entry)


def lacking(value):
    """Return what the help of a function lacks."""
    text = inspect.getdoc(value) or ""
    if not text or text == inspect.getdoc(type(value)):
        yield "a docstring"
        return
    parameters = inspect.signature(value).parameters
    if INTERNAL.search(shown(value).partition("\n")[2]):
        yield "words that programs know"
    summary = text.partition("\n")[0]
    if not ELSEWHERE.search(summary):
        for name, parameter in parameters.items():
            plain = name[0] != "_" and name not in ("self", "input") and parameter.kind is not parameter.VAR_KEYWORD
            if plain and not re.search(rf"\b{name}\b", text):
                yield name


def test_help_of_every_function_and_method_describes_its_parameters():
    found = {name: [*lacking(value)] for name, value in functions()}
    assert len(found) > 1400
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("name", ["exp_", "clamp_", "squeeze_", "eq_", "normal_"])
def test_help_of_in_place_forms_is_their_own(name):
    method = getattr(wg.Tensor, name)
    text = shown(method)
    assert f"{name}(self: Tensor" in text and "self: the tensor that is changed." in text and "out:" not in text
    assert "Returns:\n        `self`." in text and "Raises:\n        RuntimeError: if" in text
    assert [*inspect.signature(wg.ones(1).exp_).parameters] == []


def test_help_of_functions_in_place_calls_their_tensor_input():
    assert "exp_(input: Tensor) -> Tensor" in shown(wg.exp_) and not re.search(r"\bself\b", shown(wg.exp_))
    assert wg.exp_.__name__ == "exp_" and not hasattr(wg.exp_, "nothing")

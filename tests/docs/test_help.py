"""What `help` shows of functions, tensors and layers, and `dir` of the package."""

from __future__ import annotations

import inspect
import pydoc
import re

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

"""The docstrings that programs see: what a card says of itself, what its family says, and what goes without saying."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import SimpleNamespace

import wengert as wg
from wengert._core.cards.card import Array, Card, Index
from wengert._core.cards.docstrings import arguments, complete, entries, sections
from wengert.testing.calls import operators

FAMILY = """
    Args:
        self: real tensor.
        other: real tensor that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape.

    Raises:
        RuntimeError: the shapes do not broadcast.
    """
CARDS = {name: each for name, each in operators(sparse=True).items() if isinstance(each, Card)}
SAYING = {
    name: each
    for name, each in operators(sparse=True).items()
    if (each.method or each.function) and not (each.public.__doc__ or "").startswith(("Alias of", "NumPy's name for"))
}


def shown(body, describes="", *, view=False, several=False, function=False):
    form = ("name", "module" if function else "")
    return complete(SimpleNamespace(body=body, describes=describes, view=view, several=several, form=form))


def parameters(body):
    code = body.__code__
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    return code.co_varnames[:count]


def test_each_parameter_of_a_public_operator_is_described():
    undescribed = {}
    for name, operator in SAYING.items():
        said = entries(sections(inspect.cleandoc(operator.public.__doc__)).get("Args", ""))
        first = "input" if operator.function and "input" in said else "self"  # the name that a function's caller uses
        names = [first if name == "self" else name for name in parameters(operator.body)]
        undescribed[name] = [name for name in names if name not in said]
    assert {name: missing for name, missing in undescribed.items() if missing} == {}


def repeated(card):
    """What the docstring of a card says although its family says it, or it goes without saying."""
    own, family = sections(card.body.__doc__), sections(card.describes)
    own["Args"], family["Args"] = entries(own.get("Args", "")), entries(family.get("Args", ""))
    usual = entries(usual_of(card)) | family["Args"]
    found = [name for name, text in own["Args"].items() if text == usual.get(name)]
    return found + [heading for heading in own if heading not in ("", "Args") and own[heading] == family.get(heading)]


def usual_of(card):
    """What goes without saying of the parameters of a card."""
    return arguments(card.body, "", "")


def test_a_card_says_nothing_that_goes_without_saying():
    assert {name: repeated(card) for name, card in CARDS.items() if repeated(card)} == {}


def test_what_is_repeated_is_found():
    def body(self: Array, other: Array, dim: int) -> None:
        """What it does.

        Args:
            self: tensor.
            other: real tensor that broadcasts with `self`.
            dim: the dimension; a negative one counts from the end.

        Raises:
            RuntimeError: the shapes do not broadcast.
        """

    assert repeated(SimpleNamespace(body=body, describes=FAMILY)) == ["other", "dim", "Raises"]


def test_functions_and_methods_show_what_the_family_says():
    for text, name in (
        *((text, "input") for text in (wg.eq.__doc__, inspect.getdoc(wg.eq))),
        *((text, "self") for text in (wg.Tensor.eq.__doc__, wg.tensor(1.0).eq.__doc__)),
    ):
        assert text.startswith(
            f"Return whether `{name}` equals `other`, element by element.\n\nArgs:\n    {name}: tensor.\n"
        )
        assert "Returns:\n    A new bool tensor of the broadcast shape.\n\nRaises:\n" in text


def test_a_family_describes_what_the_card_does_not():
    def body(self: Array, other: Array, much: int) -> None:
        """What it does.

        More of that.

        Args:
            other: another real tensor,
                of two lines.
            much: how much.

        Raises:
            ValueError: `much` is negative.

        Derivative:
            0.
        """

    assert shown(body, FAMILY) == (
        "What it does.\n\nMore of that.\n\n"
        "Args:\n    self: real tensor.\n    other: another real tensor,\n        of two lines.\n    much: how much.\n\n"
        "Returns:\n    A new tensor of the broadcast shape.\n\n"
        "Raises:\n    ValueError: `much` is negative.\n\n"
        "Derivative:\n    0."
    )


def test_functions_call_their_first_parameter_input():
    def body(self: Array) -> None:
        """The negative of `self`, not of itself."""

    assert "`self`, not of itself" in shown(body, "Args:\n    self: tensor.")
    assert shown(body, "Args:\n    self: tensor.", function=True).startswith("The negative of `input`, not of itself.")


def test_a_family_describes_no_parameter_that_the_card_does_not_have():
    def body(self: Array) -> None:
        """What it does."""

    assert "other:" not in shown(body, FAMILY)
    assert "Args:\n    self: real tensor.\n\nReturns:" in shown(body, FAMILY)


def test_parameters_and_results_of_the_usual_kind_go_without_saying():
    def body(self: Array, index: Index, dim: int, keepdim: bool = False, *, out=None) -> None:
        """What it does."""

    text = shown(body)
    for line in ("self: tensor.", "index: tensor.", "dim: the dimension; a negative one counts from the end."):
        assert f"\n    {line}\n" in text
    assert "\n    out: a tensor to write into.\n" in text
    assert text.endswith("Returns:\n    A new tensor.")
    assert shown(body, view=True).endswith("Returns:\n    A view.")
    assert "Returns" not in shown(body, several=True)


def test_descriptions_for_several_names_stand_once():
    def body(self: Array, a: int, b: int) -> None:
        """What it does.

        Args:
            a, b: two numbers.
        """

    assert shown(body, FAMILY).count("two numbers") == 1


def test_without_docstrings_there_is_none():
    def body(self: Array) -> None: ...

    assert shown(body, FAMILY) is None


def test_importing_joins_no_docstring():
    program = (
        "import sys, wengert; assert 'wengert._core.cards.docstrings' not in sys.modules; print(wengert.eq.__doc__)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Returns:" in told.stdout

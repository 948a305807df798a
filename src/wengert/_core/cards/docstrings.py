"""Docstrings of cards, joined on first use from the card's own text, that of its family, and texts for all cards."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ..tensor.base import Tensor
from .arguments import parameters_of

PARAMETERS = {
    "dim": "the dimension; a negative one counts from the end.",
    "keepdim": "leave reduced dimensions with length 1.",
    "out": "a tensor to write into.",
    "generator": "draws the numbers; the default generator unless given.",
}
"""Descriptions of parameters by name, for cards that have none of their own."""

KINDS = {"Array": "tensor.", "Arrays": "a list of tensors.", "Index": "tensor."}
"""Descriptions of other parameters, by their annotation."""

TYPES = {
    "Array": "Tensor",
    "Arrays": "Sequence[Tensor]",
    "Index": "Tensor",
    "Indices": "Sequence[Tensor | None]",
    "Sizes": "int | Sequence[int]",
    "Number": "int | float | complex",
}
"""Types of parameters as programs know them, by their annotation."""

IN_PLACE_RAISES = (
    "    RuntimeError: if `self` requires a gradient and is not computed from other tensors, its elements overlap in\n"
    "        memory, or the result has another shape or a dtype that cannot be converted; nothing has been written."
)

IN_PLACE_EXAMPLE = """    >>> import wengert as wg
    >>> x = {tensor}
    >>> x.{name}({rest})
    {result}"""
WRITE_EXAMPLE = """    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0])
    >>> x.add_(10)
    tensor([11., 12.])"""
VIEW_EXAMPLE = """    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0])
    >>> x.unsqueeze_(1)
    tensor([[1.],
            [2.]])"""
"""Examples of in-place forms: one from the operator's own, and those for all others."""

CALL = r">>> wg\.{}\((wg\.tensor\(\[[^()]*\d\.\d[^()]*\]\))(?:, ([^\n]*))?\)\n((?: *(?!>>>)[^\n]+\n?)+)"
"""Pattern of an example: a call with a tensor of floating-point numbers, and what it returns."""

ENTRY = re.compile(r"^    (?=\S)", re.MULTILINE)
"""Pattern of the beginning of a parameter's description."""


def complete(op: Any) -> str | None:
    """The docstring of a card or an in-place form as programs see it; None if Python runs with -OO, which drops it."""
    functional = getattr(op, "functional", None)
    card = op if functional is None else functional
    if card.body.__doc__ is None:
        return None
    said = described(card) if functional is None else described_in_place(op)
    text = "\n\n".join(f"{heading}:\n{text}" if heading else text for heading, text in said.items() if text)
    return re.sub(r"\bself\b", "input", text) if is_function(op) else text


def described(card: Any) -> dict[str, str]:
    """The sections of a card's docstring, each from the card, or its family, or as for all cards.

    Parameters are described one by one, so that a card describes only those that are its own.
    """
    of_card, family = sections(card.body.__doc__), sections(card.describes)
    summary = of_card.pop("")
    family.pop("")
    texts = {"": summary, "Args": "", "Returns": "", "Raises": "", **family, **of_card}
    texts["Args"] = arguments(card.body, of_card.get("Args", ""), family.get("Args", ""))
    if not texts["Returns"] and not card.several:
        texts["Returns"] = "    A view." if card.view else "    A new tensor."
    return texts


def described_in_place(op: Any) -> dict[str, str]:
    """The sections of the docstring of an in-place form, from those of the operator whose result it writes."""
    texts = described(op.functional)
    if op.functional.view:
        about = "The tensor itself becomes this view: its shape and strides change, not its memory."
        raises = "    RuntimeError: if `self` requires a gradient and is not computed from other tensors."
    else:
        about = "The result is written into `self`, whose shape and dtype it must fit."
        raises = IN_PLACE_RAISES
    parameters = entries(texts["Args"])
    parameters.pop("out", None)
    parameters[op.functional.names[0]] = f"    {op.functional.names[0]}: the tensor that is changed."
    raised, summary = texts["Raises"].rstrip(), texts[""].rstrip()
    if op.functional.method or op.functional.function:
        summary = f"In-place form of `{op.functional.name}`: {summary}"
    return {
        "": f"{summary}\n\n{about}",
        "Args": "\n".join(dict.fromkeys(parameters.values())),
        "Returns": "    `self`.",
        "Raises": f"{raised}\n{raises}" if raised else raises,
        "Examples": example_in_place(op, texts.get("Examples", "")),
    }


def example_in_place(op: Any, examples: str) -> str:
    """An example of an in-place form: that of the operator where its result fits, otherwise one for all of them."""
    call = re.search(CALL.format(op.functional.name), examples)
    fits = call is not None and "." in call[3] and all(call[1].count(sign) == call[3].count(sign) for sign in "[,")
    if call is not None and fits and op.name.removesuffix("_") == op.functional.name:
        return IN_PLACE_EXAMPLE.format(tensor=call[1], name=op.name, rest=call[2] or "", result=call[3].strip())
    return VIEW_EXAMPLE if op.functional.view else WRITE_EXAMPLE


def is_function(op: Any) -> bool:
    """Return whether an operator is a function of a module, whose tensor is called `input`, and not a method."""
    if hasattr(op, "form"):
        return bool(op.form[1])
    return inspect.getattr_static(Tensor, op.name, None) is not op


class Type(str):
    """The name of a type, which signatures show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def signature_of(op: Any) -> inspect.Signature:
    """The signature of an operator as programs see it: a function's tensor is `input`, and types are public ones."""
    in_place = hasattr(op, "functional")
    own = inspect.signature(op.functional.body if in_place else op.body)
    named = [parameter for name, parameter in own.parameters.items() if not (in_place and name == "out")]
    parameters = [shown(parameter, is_function(op)) for parameter in named]
    returned = "Tensor" if in_place or (own.return_annotation == "Any" and not op.several) else own.return_annotation
    return own.replace(parameters=parameters, return_annotation=Type(returned))


def shown(parameter: inspect.Parameter, of_function: bool) -> inspect.Parameter:
    """A parameter with its public name and type."""
    name = "input" if of_function and parameter.name == "self" else parameter.name
    kind = "Tensor | None" if name == "out" else TYPES.get(str(parameter.annotation), parameter.annotation)
    if parameter.default is None and kind in TYPES.values() and "| None" not in kind:
        kind = f"{kind} | None"
    return parameter.replace(name=name, annotation=Type(kind))


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their headings; the text before them has none."""
    blocks: dict[str, list[str]] = {"": []}
    lines = blocks[""]
    for line in inspect.cleandoc(text).split("\n"):
        if line.endswith(":") and line[:-1].isalpha() and line.istitle():
            lines = blocks[line[:-1]] = []
        else:
            lines.append(line)
    return {heading: "\n".join(lines).strip("\n") for heading, lines in blocks.items()}


def arguments(body: Any, of_card: str, of_family: str) -> str:
    """The descriptions of a function's parameters, in their order; other lines of its own text come last."""
    described = {**entries(of_family), **entries(of_card)}
    lines: dict[str, None] = {}
    for name in parameters_of(body):
        usual = PARAMETERS.get(name) or KINDS.get(body.__annotations__.get(name, ""))
        line = described.get(name) or (f"    {name}: {usual}" if usual else "")
        if line:
            lines[line] = None
    lines.update(dict.fromkeys(entries(of_card).values()))
    return "\n".join(lines)


def entries(text: str) -> dict[str, str]:
    """The descriptions of parameters by name; several names may share one."""
    result = {}
    for entry in ENTRY.split(text)[1:]:
        for name in entry.partition(":")[0].split(","):
            result[name.strip()] = "    " + entry.rstrip("\n")
    return result

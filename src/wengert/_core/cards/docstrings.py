"""Docstrings of cards, joined on first use from the card's own text, that of its family, and texts for all cards."""

from __future__ import annotations

import inspect
import re
from typing import Any

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

ENTRY = re.compile(r"^    (?=\S)", re.MULTILINE)
"""Pattern of the beginning of a parameter's description."""


def complete(card: Any) -> str | None:
    """The docstring of a card as programs see it: each section from the card, or its family, or as for all cards.

    Parameters are described one by one, so that a card describes only those that are its own.
    """
    if card.body.__doc__ is None:  # Python runs with -OO, which drops docstrings
        return None
    of_card, of_family = sections(card.body.__doc__), sections(card.describes)
    summary = of_card.pop("")
    of_family.pop("")
    texts = {"Args": "", "Returns": "", "Raises": "", **of_family, **of_card}
    texts["Args"] = arguments(card.body, of_card.get("Args", ""), of_family.get("Args", ""))
    if not texts["Returns"] and not card.several:
        texts["Returns"] = "    A view." if card.view else "    A new tensor."
    text = "\n\n".join([summary, *(f"{heading}:\n{text}" for heading, text in texts.items() if text)])
    return re.sub(r"\bself\b", "input", text) if card.form[1] else text


class Type(str):
    """The name of a type, which signatures show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def signature_of(card: Any) -> inspect.Signature:
    """The signature of a card as programs see it: a function's tensor is `input`, and types are public ones."""
    declared = inspect.signature(card.body)
    parameters = [shown(parameter, bool(card.form[1])) for parameter in declared.parameters.values()]
    returned = "Tensor" if declared.return_annotation == "Any" and not card.several else declared.return_annotation
    return declared.replace(parameters=parameters, return_annotation=Type(returned))


def shown(parameter: inspect.Parameter, of_function: bool) -> inspect.Parameter:
    """A parameter with its public name and type."""
    name = "input" if of_function and parameter.name == "self" else parameter.name
    kind = "Tensor | None" if name == "out" else TYPES.get(str(parameter.annotation), parameter.annotation)
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

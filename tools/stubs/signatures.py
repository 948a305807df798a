"""Signatures as the stubs write them: read from cards, composites and other functions, one or more forms each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Any

from tools.stubs.words import FORMS, KINDS, NAMES, OWN, PARAMETERS, RESULTS
from wengert._core.cards.card import Card
from wengert._core.operators.declaration import Declaration

WIDTH = 120
TENSORS = ("input", "self")
POSITION_ONLY: Any = Parameter.POSITIONAL_ONLY
KEYWORD_TOO: Any = Parameter.POSITIONAL_OR_KEYWORD
STARS: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
SPELLED = re.compile(r"(?<![\w.])(?:" + "|".join(map(re.escape, NAMES)) + r")(?!\w)")


def spelled(annotation: str) -> str:
    """An annotation in the words of the stubs."""
    return SPELLED.sub(lambda match: NAMES[match[0]], annotation)


def parsed(form: str) -> Signature:
    """The signature that a text says, annotations as texts."""
    namespace: dict[str, Any] = {}
    exec(f"from __future__ import annotations\ndef form{form}: ...", namespace)
    return inspect.signature(namespace["form"])


def annotation_of(name: str, parameter: Parameter, operator: Any) -> str:
    """The type of a parameter.

    Raises:
        TypeError: neither the card nor the tables of `words` say it.
    """
    own = OWN.get((name, parameter.name))
    said = own or str(parameter.annotation)
    if said in KINDS:
        at = operator.names.index(parameter.name)
        said = "Operand" if at in operator.numbers else KINDS[said]
    elif not own and (said == "Any" or parameter.annotation is Parameter.empty):
        said = PARAMETERS.get(parameter.name, "")
    if not said:
        raise TypeError(f"{name}: what is '{parameter.name}'? Annotate it, or add its type to tools/stubs/words.py")
    if parameter.default is None and said != "Any" and "None" not in said.split(" | "):
        said += " | None"
    return said


def result_of(name: str, signature: Signature, operator: Any) -> str:
    """The type of what is returned: a tensor, unless something else is said."""
    if name in RESULTS:
        return RESULTS[name]
    if isinstance(operator, Declaration) and operator.several and not getattr(operator, "then", ()):
        count = len(operator.output_names)
        return f"tuple[{', '.join(['Tensor'] * count or ['Tensor', '...'])}]"
    said = signature.return_annotation
    return "Tensor" if said in ("Any", Signature.empty) else str(said)


def function_of(card: Any) -> Any:
    """What programs call as a function: a card, or the function that a composite is."""
    return card.public if isinstance(card, Card) else getattr(card, "as_function", card.body)


def forms_of(name: str, function: Any, *, method: bool = False, listed: bool = True) -> list[Signature]:
    """The forms in which programs call a card, a composite or a function.

    Args:
        name: what programs call it.
        function: the card or the function.
        method: it is called on its first argument.
        listed: the table of forms counts.
    """
    body = function.body if isinstance(function, Declaration) else function
    signature = inspect.signature(body)
    if listed and name in FORMS:
        forms = [parsed(text) for text in FORMS[name]]
        check_names(name, signature, forms)
    else:
        parameters = [
            parameter.replace(annotation=annotation_of(name, parameter, function))
            for parameter in signature.parameters.values()
            if not is_internal(parameter)
        ]
        whole = Signature(parameters, return_annotation=result_of(name, signature, function))
        forms = spread(whole, getattr(function, "spread", -1))
    return [as_method(form) if method else as_function(form, function) for form in forms]


def is_internal(parameter: Parameter) -> bool:
    """Whether programs are not to give a parameter, and it does not stand between others."""
    return parameter.name.startswith("_") and parameter.kind is Parameter.KEYWORD_ONLY


def check_names(name: str, signature: Signature, forms: Iterable[Signature]) -> None:
    """Refuse a form that gives by keyword what the function does not know.

    Raises:
        TypeError: there is one.
    """
    if any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        return  # what it reads from those has no name in the signature
    known = {*signature.parameters, *(TENSORS if TENSORS[1] in signature.parameters else ())}
    for form in forms:
        unknown = form.parameters.keys() - known
        if unknown:
            raise TypeError(f"the form {form} of {name} names {', '.join(sorted(unknown))}; it is {signature}")


def spread(signature: Signature, at: int) -> list[Signature]:
    """Both forms of a function whose sizes may be given one by one; the position of these in a card is `at`."""
    parameters = list(signature.parameters.values())
    if at < 0:
        many = [place for place, parameter in enumerate(parameters) if parameter.kind is Parameter.VAR_POSITIONAL]
        if not many or parameters[many[0]].annotation != "Sequence[int]":
            return [signature]
        at = many[0]
    sizes = parameters[at]
    twins = [parameter.name for parameter in parameters[at + 1 :] if parameter.name in ("size", "shape", "dims")]
    rest = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters[at + 1 :] if parameter.name not in twins]
    before, kind = parameters[:at], KEYWORD_TOO
    if sizes.kind is Parameter.VAR_POSITIONAL and not twins:  # then no keyword gives them
        kind = POSITION_ONLY
        before = [parameter.replace(kind=kind) for parameter in before]
    one = sizes.replace(name=twins[0] if twins else sizes.name, kind=kind, annotation="Sequence[int]")
    parameter = sizes.replace(kind=Parameter.VAR_POSITIONAL, annotation="int")
    return [
        signature.replace(parameters=[*parameters[:at], parameter, *rest]),
        signature.replace(parameters=[*before, one, *rest]),
    ]


def as_function(signature: Signature, operator: Any) -> Signature:
    """The form of a function: torch calls the first tensor `input`, and a card can write to `out`."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":
        parameters[0] = parameters[0].replace(name="input")
    if isinstance(operator, Card) and not operator.view:
        result = str(signature.return_annotation)
        out = Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation=f"{result} | None")
        parameters = [*(parameter for parameter in parameters if parameter.name != "out"), out]
    return signature.replace(parameters=parameters)


def as_method(signature: Signature) -> Signature:
    """The form of a method: the first tensor is what it is called on."""
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "out"]
    if parameters and parameters[0].name in TENSORS:
        parameters = parameters[1:]
    kind = POSITION_ONLY if parameters and parameters[0].kind is POSITION_ONLY else KEYWORD_TOO
    return signature.replace(parameters=[Parameter("self", kind), *parameters])


def shown(parameter: Parameter) -> str:
    """A parameter as it is written."""
    text = STARS.get(parameter.kind, "") + parameter.name
    if parameter.annotation is not Parameter.empty:
        text += f": {spelled(str(parameter.annotation))}"
    if parameter.default is not Parameter.empty:
        plain = parameter.default is None or type(parameter.default) in (bool, int, str, tuple)
        plain = plain or (type(parameter.default) is float and abs(parameter.default) < float("inf"))
        text += f" = {quoted(parameter.default) if plain else '...'}"
    return text


def quoted(value: Any) -> str:
    """A default value as it is written."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def words_of(signature: Signature) -> list[str]:
    """What stands between the parentheses, the marks `/` and `*` included."""
    words: list[str] = []
    known = list(signature.parameters.values())
    for at, parameter in enumerate(known):
        before = known[at - 1].kind if at else None
        if before is POSITION_ONLY and parameter.kind is not POSITION_ONLY:
            words.append("/")
        if parameter.kind is Parameter.KEYWORD_ONLY and before not in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL):
            words.append("*")
        words.append(shown(parameter))
    if known and known[-1].kind is POSITION_ONLY:
        words.append("/")
    return words


def definition(name: str, signature: Signature, indent: str, remark: str = "") -> list[str]:
    """A function of a stub, folded as `ruff format` does it."""
    words, tail = words_of(signature), f") -> {spelled(str(signature.return_annotation))}: ..."
    whole = f"{indent}def {name}({', '.join(words)}{tail}"
    if len(whole) <= WIDTH:
        return [whole + remark]
    head, inner = f"{indent}def {name}({remark}", f"{indent}    {', '.join(words)}"
    if len(inner) <= WIDTH:
        return [head, inner, indent + tail]
    return [head, *(f"{indent}    {word}," for word in words), indent + tail]


def definitions(name: str, forms: list[Signature], indent: str = "", remark: str = "") -> list[str]:
    """A function with all its forms."""
    lines: list[str] = []
    for form in forms:
        if len(forms) > 1:
            lines.append(f"{indent}@overload")
        lines += definition(name, form, indent, remark)
    return lines

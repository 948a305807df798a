"""Schemas that programs write out: `mylib::sine(Tensor x, *, float k=2.0) -> Tensor`."""

from __future__ import annotations

import ast
import re

from .schema import MISSING, Argument, Schema

WHOLE = re.compile(r"\s*(?P<name>[\w:.]*)\s*\((?P<arguments>.*)\)\s*->\s*(?P<returns>.+?)\s*", re.DOTALL)
ONE = re.compile(
    r"(?P<type>\w+)(\((?P<alias>[\w|]+)(?P<mutated>!?)\))?(?P<rest>[?\[\]\d]*)(\s+(?P<name>\w+))?"
    r"(\s*=\s*(?P<default>.+))?",
    re.DOTALL,
)


def parsed(text: str) -> Schema:
    """The schema that a text is.

    Raises:
        RuntimeError: it is none.
    """
    found = WHOLE.fullmatch(text)
    if not found:
        raise RuntimeError(f"expected a schema, 'name(Tensor x, int n=1) -> Tensor', but got {text!r}")
    arguments, named = [], False
    for part in parts(found["arguments"]):
        if part == "*":
            named = True
            continue
        arguments.append(argument(part, named, text))
    results = found["returns"]
    listed = parts(results[1:-1]) if results.startswith("(") else [results]
    kinds = [ONE.fullmatch(each) for each in listed]
    if not all(kinds):
        raise RuntimeError(f"expected types of results, but got {results!r} in {text!r}")
    return Schema(found["name"], tuple(arguments), tuple([each["type"] + each["rest"] for each in kinds if each]))


def parts(text: str) -> list[str]:
    """What stands between the commas that are within no brackets or quotes."""
    found, depth, quote, start = [], 0, "", 0
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if last else found


def argument(part: str, named: bool, text: str) -> Argument:
    """One parameter.

    Raises:
        RuntimeError: it is none.
    """
    found = ONE.fullmatch(part)
    if not found or not found["name"]:
        raise RuntimeError(f"expected a parameter with its type, but got {part!r} in {text!r}")
    kind = found["type"] + found["rest"]
    default = MISSING if found["default"] is None else value_of(found["default"], kind)
    return Argument(found["name"], kind, default, named, found["alias"] if found["mutated"] else "")


def value_of(text: str, kind: str) -> object:
    """A default: a Python literal, or `true` and `false`.

    Raises:
        RuntimeError: it is no literal.
    """
    try:
        found = ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
    except (ValueError, SyntaxError) as error:
        raise RuntimeError(f"expected a literal as default, but got {text!r}") from error
    return float(found) if kind == "float" and isinstance(found, int) else found

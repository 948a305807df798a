"""Parser of schemas such as `mylib::sine(Tensor x, *, float k=2.0) -> Tensor`."""

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
    """Parse a schema.

    Raises:
        RuntimeError: if `text` is not a schema.
    """
    match = WHOLE.fullmatch(text)
    if not match:
        raise RuntimeError(f"expected a schema, 'name(Tensor x, int n=1) -> Tensor', but got {text!r}")
    arguments, named = [], False
    for part in parts(match["arguments"]):
        if part == "*":
            named = True
            continue
        arguments.append(argument(part, named, text))
    results = match["returns"]
    listed = parts(results[1:-1]) if results.startswith("(") else [results]
    kinds = [ONE.fullmatch(result) for result in listed]
    if not all(kinds):
        raise RuntimeError(f"expected types of results, but got {results!r} in {text!r}")
    return Schema(
        match["name"], tuple(arguments), tuple([result["type"] + result["rest"] for result in kinds if result])
    )


def parts(text: str) -> list[str]:
    """Split a text at commas that are outside of brackets and quotes."""
    pieces, depth, quote, start = [], 0, "", 0
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and not depth:
            pieces.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*pieces, last] if last else pieces


def argument(part: str, named: bool, text: str) -> Argument:
    """Parse one parameter.

    Raises:
        RuntimeError: if `part` is not a parameter with its type.
    """
    match = ONE.fullmatch(part)
    if not match or not match["name"]:
        raise RuntimeError(f"expected a parameter with its type, but got {part!r} in {text!r}")
    kind = match["type"] + match["rest"]
    default = MISSING if match["default"] is None else value_of(match["default"], kind)
    return Argument(match["name"], kind, default, named, match["alias"] if match["mutated"] else "")


def value_of(text: str, kind: str) -> object:
    """Parse a default: a Python literal, or `true` and `false`.

    Raises:
        RuntimeError: if `text` is not a literal.
    """
    try:
        value = ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
    except (ValueError, SyntaxError) as error:
        raise RuntimeError(f"expected a literal as default, but got {text!r}") from error
    return float(value) if kind == "float" and isinstance(value, int) else value

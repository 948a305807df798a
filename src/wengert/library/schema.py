"""What an operator of a program takes and gives: written out, read from annotations, held against calls."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._tensor import Tensor
from .._tensor.attributes import device, dtypes

MISSING: Any = inspect.Parameter.empty

BASES: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    complex: "complex",
    dtypes.dtype: "ScalarType",
    device: "Device",
}
NUMBERS = frozenset((int, float, bool))
ACCEPTED: dict[str, Any] = {
    "Tensor": Tensor,
    "SymInt": int,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "str": str,
    "complex": (int, float, complex),
    "Scalar": (int, float, complex),
    "ScalarType": dtypes.dtype,
    "Device": (device, str),
}
"""What may be given for each type; anything for one that is not here."""
NUMBERED = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128",
    "bool", "qint8", "quint8", "qint32", "bfloat16",
)  # fmt: skip
"""Dtypes by the number that stands for them in a schema."""
SHOWN = {"SymInt": "int", "Scalar": "number"}


@dataclass(frozen=True)
class Argument:
    """A parameter: its name, its type as a schema writes it (`Tensor`, `float?`, `SymInt[]`), and how it is given."""

    name: str
    type: str
    default: Any = MISSING
    keyword_only: bool = False
    mutated: str = ""

    def __str__(self) -> str:
        return self.written(in_schema)

    def written(self, default: Callable[[Any, str], str]) -> str:
        """The parameter with its default in one of two forms, `in_schema` and `in_signature`."""
        base, rest = split_type(self.type)
        shown = base + (f"({self.mutated}!)" if self.mutated else "") + rest
        return f"{shown} {self.name}" + ("" if self.default is MISSING else f"={default(self.default, self.type)}")

    @property
    def is_list(self) -> bool:
        """Whether it is a list of tensors."""
        return self.type.startswith("Tensor[") or self.type.startswith("Tensor?[")


@dataclass(frozen=True)
class Schema:
    """The qualified name, the parameters, and the types of the results."""

    name: str
    arguments: tuple[Argument, ...]
    returns: tuple[str, ...]

    def __str__(self) -> str:
        return self.name + signature_of(self.arguments, self.returns)

    @property
    def mutates(self) -> bool:
        """Whether an argument is written to."""
        return any(each.mutated for each in self.arguments)

    def bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all parameters in order.

        Raises:
            RuntimeError: an argument is missing, unknown, one too many, or of another type.
        """
        room = sum(not each.keyword_only for each in self.arguments)
        if len(args) > room:
            self.refuse(f"expected at most {room} argument(s) but received {len(args)} argument(s).")
        unknown = [name for name in kwargs if name not in [each.name for each in self.arguments]]
        if unknown:
            self.refuse(f"got an unexpected keyword argument '{unknown[0]}'.")
        found = []
        for at, each in enumerate(self.arguments):
            if at < len(args) and each.name in kwargs:
                self.refuse(f"got multiple values for argument '{each.name}'.")
            value = args[at] if at < len(args) else kwargs.get(each.name, each.default)
            if value is MISSING:
                self.refuse(f"is missing value for argument '{each.name}'.")
            value = as_plain(value)
            if not fits(each.type, value):
                self.refuse(
                    f"Expected a value of type '{words(each.type)}' for argument '{each.name}' but instead found type "
                    f"'{type(value).__name__}'.\nPosition: {at}\nValue: {value!r}\n"
                )
            found.append(float(value) if each.type == "float" else value)
        return found

    def refuse(self, why: str) -> None:
        """Raise the error of a call that does not fit."""
        joint = "" if why.endswith("\n") else " "
        raise RuntimeError(f"{self.name}() {why}{joint}Declaration: {self}")


def as_plain(value: Any) -> Any:
    """A value with NumPy's numbers, in lists too, as Python's."""
    if type(value) in (list, tuple) and any(isinstance(each, np.generic) for each in value):
        return type(value)([as_plain(each) for each in value])
    return value.item() if isinstance(value, np.generic) else value


def split_type(text: str) -> tuple[str, str]:
    """The first word of a type, and what follows."""
    for at, letter in enumerate(text):
        if letter in "?[(":
            return text[:at], text[at:]
    return text, ""


def words(text: str) -> str:
    """A type as errors call it."""
    if text.endswith("?"):
        return f"Optional[{words(text[:-1])}]"
    if text.endswith("]"):
        return f"List[{words(text[: text.rindex('[')])}]"
    return SHOWN.get(text, text)


def fits(text: str, value: Any) -> bool:
    """Whether a value is of a type."""
    if text.endswith("?"):
        return value is None or fits(text[:-1], value)
    if text.endswith("]"):
        inner = text[: text.rindex("[")]
        return isinstance(value, (list, tuple)) and all(fits(inner, each) for each in value)
    return text not in ACCEPTED or isinstance(value, ACCEPTED[text])


def in_signature(value: Any, kind: str = "") -> str:
    """A default as `infer_schema` writes it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value).removeprefix("torch.") if isinstance(value, dtypes.dtype) else repr(value)


def in_schema(value: Any, kind: str = "") -> str:
    """A default as the schema of an operator writes it: floats by 17 digits, dtypes by their numbers."""
    if isinstance(value, float):
        digits = f"{value:.17g}"
        return digits if set(digits) & set(".en") else digits + "."
    if isinstance(value, dtypes.dtype):
        return str(NUMBERED.index(str(value).removeprefix("torch.")))
    return str(value) if kind.startswith("Device") and value is not None else in_signature(value)


def signature_of(arguments: Sequence[Argument], returns: Sequence[str], *, inferred: bool = False) -> str:
    """Parameters and results, `(Tensor x, float k=2.) -> Tensor`; `inferred` from annotations floats are Python's."""
    default = in_signature if inferred else in_schema
    given = [each.written(default) for each in arguments if not each.keyword_only]
    named = [each.written(default) for each in arguments if each.keyword_only]
    results = returns[0] if len(returns) == 1 else f"({', '.join(returns)})"
    return f"({', '.join([*given, *(['*'] if named else []), *named])}) -> {results}"


def type_of(annotation: Any, owner: str) -> str:
    """A type from an annotation.

    Raises:
        ValueError: there is no such type.
    """
    if annotation in BASES:
        return BASES[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        kinds = [each for each in inner if each is not type(None)]
        optional = "?" if len(kinds) < len(inner) else ""
        if frozenset(kinds) == NUMBERS:
            return "Scalar" + optional
        if len(kinds) == 1:
            return type_of(kinds[0], owner) + optional
    if origin in (list, collections.abc.Sequence) and len(inner) == 1:
        return type_of(inner[0], owner) + "[]"
    raise ValueError(f"infer_schema(func): {owner} has unsupported type {annotation}.")


def returns_of(annotation: Any) -> tuple[str, ...]:
    """The types of results from an annotation."""
    if annotation is None or annotation is type(None):
        return ()
    if typing.get_origin(annotation) is tuple:
        return tuple([type_of(each, "Return") for each in typing.get_args(annotation)])
    return (type_of(annotation, "Return"),)


def inferred(function: Callable[..., Any], mutates_args: str | Iterable[str], name: str = "") -> Schema:
    """The schema of a function by its annotations.

    Args:
        function: the function.
        mutates_args: the names of the arguments that it writes to, or "unknown": all tensors.
        name: the qualified name.

    Raises:
        ValueError: an annotation is missing, or its type is none of an operator.
    """
    signature = inspect.signature(function)
    hints = typing.get_type_hints(function)
    mutated = mutates_args if isinstance(mutates_args, str) else set(mutates_args)
    arguments = []
    for at, each in enumerate(signature.parameters.values()):
        if each.name not in hints:
            raise ValueError(
                f"infer_schema(func): Parameter {each.name} must have a type annotation. Got func with signature "
                f"{signature})"
            )
        kind = type_of(hints[each.name], f"Parameter {each.name}")
        written = kind.startswith("Tensor") if mutated == "unknown" else each.name in mutated
        only = each.kind is inspect.Parameter.KEYWORD_ONLY
        arguments.append(Argument(each.name, kind, each.default, only, f"a{at}" if written else ""))
    strangers = set() if isinstance(mutated, str) else mutated - {each.name for each in arguments}
    if strangers:
        raise ValueError(f"infer_schema(func): mutates_args names {sorted(strangers)}, which are no parameters")
    if "return" not in hints:
        raise ValueError(f"infer_schema(func): the return must have a type annotation. Got signature {signature})")
    return Schema(name, tuple(arguments), returns_of(hints["return"]))

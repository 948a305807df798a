"""Schemas of user-defined operators: written as text, read from annotations, checked against calls."""

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
"""Python types accepted for a type of a schema; any type is accepted for one that is not listed."""
NUMBERED = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
)
"""Dtypes in the order of their numbers in schemas."""
SHOWN = {"SymInt": "int", "Scalar": "number"}


@dataclass(frozen=True)
class Argument:
    """A parameter: name, type as written in a schema (`Tensor`, `float?`, `SymInt[]`), default, and kind."""

    name: str
    type: str
    default: Any = MISSING
    keyword_only: bool = False
    mutated: str = ""

    def __str__(self) -> str:
        return self.written(in_schema)

    def written(self, default: Callable[[Any, str], str]) -> str:
        """Return the parameter as text; `default` writes its default: `in_schema` or `in_signature`."""
        base, rest = split_type(self.type)
        shown = base + (f"({self.mutated}!)" if self.mutated else "") + rest
        return f"{shown} {self.name}" + ("" if self.default is MISSING else f"={default(self.default, self.type)}")

    @property
    def is_list(self) -> bool:
        """True if the parameter is a list of tensors."""
        return self.type.startswith("Tensor[") or self.type.startswith("Tensor?[")


@dataclass(frozen=True)
class Schema:
    """Schema of an operator: qualified name, parameters, and types of results."""

    name: str
    arguments: tuple[Argument, ...]
    returns: tuple[str, ...]

    def __str__(self) -> str:
        return self.name + signature_of(self.arguments, self.returns)

    @property
    def mutates(self) -> bool:
        """True if an argument is written to."""
        return any(argument.mutated for argument in self.arguments)

    def bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Return the values of all parameters in order.

        Raises:
            RuntimeError: if an argument is missing, unknown, superfluous, or of another type.
        """
        room = sum(not argument.keyword_only for argument in self.arguments)
        if len(args) > room:
            self.refuse(f"expected at most {room} argument(s) but received {len(args)} argument(s).")
        unknown = [name for name in kwargs if name not in [argument.name for argument in self.arguments]]
        if unknown:
            self.refuse(f"got an unexpected keyword argument '{unknown[0]}'.")
        values = []
        for position, argument in enumerate(self.arguments):
            if position < len(args) and argument.name in kwargs:
                self.refuse(f"got multiple values for argument '{argument.name}'.")
            value = args[position] if position < len(args) else kwargs.get(argument.name, argument.default)
            if value is MISSING:
                self.refuse(f"is missing value for argument '{argument.name}'.")
            value = as_plain(value)
            if not fits(argument.type, value):
                self.refuse(
                    f"Expected a value of type '{words(argument.type)}' for argument '{argument.name}' but instead "
                    f"found type '{type(value).__name__}'.\nPosition: {position}\nValue: {value!r}\n"
                )
            values.append(float(value) if argument.type == "float" else value)
        return values

    def refuse(self, why: str) -> None:
        """Raise the RuntimeError of a call that does not fit the schema."""
        joint = "" if why.endswith("\n") else " "
        raise RuntimeError(f"{self.name}() {why}{joint}Declaration: {self}")


def as_plain(value: Any) -> Any:
    """Convert NumPy's scalars, also in lists, to Python's numbers."""
    if type(value) in (list, tuple) and any(isinstance(item, np.generic) for item in value):
        return type(value)([as_plain(item) for item in value])
    return value.item() if isinstance(value, np.generic) else value


def split_type(text: str) -> tuple[str, str]:
    """Split a type into its first word and the rest."""
    for index, letter in enumerate(text):
        if letter in "?[(":
            return text[:index], text[index:]
    return text, ""


def words(text: str) -> str:
    """Return a type as error messages name it."""
    if text.endswith("?"):
        return f"Optional[{words(text[:-1])}]"
    if text.endswith("]"):
        return f"List[{words(text[: text.rindex('[')])}]"
    return SHOWN.get(text, text)


def fits(text: str, value: Any) -> bool:
    """Return whether a value fits a type."""
    if text.endswith("?"):
        return value is None or fits(text[:-1], value)
    if text.endswith("]"):
        inner = text[: text.rindex("[")]
        return isinstance(value, (list, tuple)) and all(fits(inner, item) for item in value)
    return text not in ACCEPTED or isinstance(value, ACCEPTED[text])


def in_signature(value: Any, kind: str = "") -> str:
    """Return a default as `infer_schema` writes it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value).removeprefix("torch.") if isinstance(value, dtypes.dtype) else repr(value)


def in_schema(value: Any, kind: str = "") -> str:
    """Return a default as the schema of an operator writes it: floats with 17 digits, dtypes as numbers."""
    if isinstance(value, float):
        digits = f"{value:.17g}"
        return digits if set(digits) & set(".en") else digits + "."
    if isinstance(value, dtypes.dtype):
        return str(NUMBERED.index(str(value).removeprefix("torch.")))
    return str(value) if kind.startswith("Device") and value is not None else in_signature(value)


def signature_of(arguments: Sequence[Argument], returns: Sequence[str], *, inferred: bool = False) -> str:
    """Return parameters and results as text, `(Tensor x, float k=2.) -> Tensor`; if `inferred`, floats as in Python."""
    default = in_signature if inferred else in_schema
    positional = [argument.written(default) for argument in arguments if not argument.keyword_only]
    named = [argument.written(default) for argument in arguments if argument.keyword_only]
    results = returns[0] if len(returns) == 1 else f"({', '.join(returns)})"
    return f"({', '.join([*positional, *(['*'] if named else []), *named])}) -> {results}"


def type_of(annotation: Any, owner: str) -> str:
    """Return the type of a schema for an annotation.

    Raises:
        ValueError: if operators have no type for the annotation.
    """
    if annotation in BASES:
        return BASES[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        kinds = [kind for kind in inner if kind is not type(None)]
        optional = "?" if len(kinds) < len(inner) else ""
        if frozenset(kinds) == NUMBERS:
            return "Scalar" + optional
        if len(kinds) == 1:
            return type_of(kinds[0], owner) + optional
    if origin in (list, collections.abc.Sequence) and len(inner) == 1:
        return type_of(inner[0], owner) + "[]"
    raise ValueError(f"infer_schema(func): {owner} has unsupported type {annotation}.")


def returns_of(annotation: Any) -> tuple[str, ...]:
    """Return the types of results for an annotation."""
    if annotation is None or annotation is type(None):
        return ()
    if typing.get_origin(annotation) is tuple:
        return tuple([type_of(item, "Return") for item in typing.get_args(annotation)])
    return (type_of(annotation, "Return"),)


def inferred(function: Callable[..., Any], mutates_args: str | Iterable[str], name: str = "") -> Schema:
    """Return the schema of a function, from its annotations.

    Args:
        function: the function.
        mutates_args: names of the arguments that are written to, or "unknown" for all tensors.
        name: the qualified name.

    Raises:
        ValueError: if an annotation is missing, or operators have no type for it.
    """
    signature = inspect.signature(function)
    hints = typing.get_type_hints(function)
    mutated = mutates_args if isinstance(mutates_args, str) else set(mutates_args)
    arguments = []
    for position, parameter in enumerate(signature.parameters.values()):
        if parameter.name not in hints:
            raise ValueError(
                f"infer_schema(func): Parameter {parameter.name} must have a type annotation. Got func with signature "
                f"{signature})"
            )
        kind = type_of(hints[parameter.name], f"Parameter {parameter.name}")
        written = kind.startswith("Tensor") if mutated == "unknown" else parameter.name in mutated
        only = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        arguments.append(Argument(parameter.name, kind, parameter.default, only, f"a{position}" if written else ""))
    strangers = set() if isinstance(mutated, str) else mutated - {argument.name for argument in arguments}
    if strangers:
        raise ValueError(f"infer_schema(func): mutates_args names {sorted(strangers)}, which are not parameters")
    if "return" not in hints:
        raise ValueError(f"infer_schema(func): the return must have a type annotation. Got signature {signature})")
    return Schema(name, tuple(arguments), returns_of(hints["return"]))

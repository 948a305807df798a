"""Instances in files: of this package's layers, optimisers and schedulers, and of classes that the program allows.

An object is created without its `__init__`, then its attributes are set. They are checked first: an attribute never
hides a method, a property or a name with two underscores.
"""

from __future__ import annotations

import functools
from pickle import UnpicklingError
from types import MemberDescriptorType
from typing import Any

from .._tensor import Tensor
from ..nn import Module, Parameter
from ..nn.modules.registration import Registration
from . import trusted
from .errors import CallerError, shown

HOOKS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
MARKS = ("_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs")
"""The dictionaries of a module with hooks, and with options of hooks."""
RECOMPUTED = {"_flat_weights", "_call_hooks", "_compiled_call_impl"}
"""Attributes of modules that are derived from others, in torch or here."""
TABLES: dict[str, tuple[type, ...]] = {
    "_parameters": (Parameter, type(None)),
    "_buffers": (Tensor, type(None)),
    "_modules": (Module, type(None)),
}
"""Types of the values in the dictionaries of a module."""


def create(cls: Any, arguments: tuple[Any, ...]) -> Any:
    """Return a new object of a class, without attributes.

    Raises:
        UnpicklingError: if files may not create objects of this class.
        ValueError: if there are arguments for a class of this package.
    """
    if trusted.is_named(cls) and isinstance(cls, type):
        return by_program(cls.__new__, cls, *arguments)
    if not trusted.is_own(cls):
        raise UnpicklingError(f"{shown_name(cls)} may not be created")
    if issubclass(cls, tuple):
        if len(arguments) != len(cls._fields) or not all(
            isinstance(argument, (Tensor, type(None))) for argument in arguments
        ):
            raise ValueError(f"a {cls.__name__} has not the fields that torch writes")
        return tuple.__new__(cls, arguments)
    if arguments:
        raise ValueError(f"a {cls.__name__} is built from values, not from a state")
    return object.__new__(cls)


def call(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Call a class or function that the program allows, or the class of a result of an operator.

    Raises:
        UnpicklingError: if it is neither.
        ValueError: if the arguments are not those that torch writes.
    """
    if trusted.is_named(function):
        return by_program(function, *arguments)
    if not trusted.is_result(function):
        raise UnpicklingError(f"{shown_name(function)} may not be called")
    if not arguments or not isinstance(arguments[0], (tuple, list)) or len(arguments[0]) != function.n_fields:
        raise ValueError(f"a {function.__name__} has not {function.n_fields} elements")
    return function(arguments[0])


def by_program(function: Any, *arguments: Any) -> Any:
    """Call a function of the program; its errors are passed on as errors of the program."""
    try:
        return function(*arguments)
    except Exception as error:
        raise CallerError(error) from error


def restore(value: Any, state: Any) -> None:
    """Set the attributes of an object.

    Raises:
        UnpicklingError: if files may not create objects of its class, or an attribute may not be set.
        ValueError: if its state is not one that torch writes.
    """
    cls = type(value)
    if not trusted.is_instance(cls):
        raise UnpicklingError(f"a {cls.__name__} may not have a state")
    method = setter_of(cls)
    if method == "program":
        by_program(value.__setstate__, state)
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    attributes, slots = attributes_of(cls, attributes), attributes_of(cls, slots)
    if isinstance(value, Module):
        attributes = module_state(cls, attributes)
    try:
        if method == "own":
            value.__setstate__(attributes)
        elif attributes:
            vars(value).update(attributes)
        for name, attribute in slots.items():
            object.__setattr__(value, name, attribute)
    except (TypeError, AttributeError, LookupError, RuntimeError) as error:
        raise ValueError(f"the state of a {cls.__name__} is not one that torch writes: {error}") from error


def setter_of(cls: type) -> str:
    """Return the origin of the `__setstate__` of a class: "own", "program", or "" if there is none."""
    for base in cls.__mro__:
        if "__setstate__" in vars(base):
            return "own" if base.__module__.partition(".")[0] == trusted.PACKAGE else "program"
    return ""


def attributes_of(cls: type, state: Any) -> dict[str, Any]:
    """Return the checked attributes by name, in a new dictionary; none for None.

    Raises:
        UnpicklingError: if one hides a part of the class.
        ValueError: if it is not a dictionary.
    """
    if state is None:
        return {}
    if not isinstance(state, dict):
        raise ValueError(f"the state of a {cls.__name__} is a {type(state).__name__}, not a dictionary")
    for name in state:
        if not may_be_set(cls, name):
            raise UnpicklingError(
                f"the attribute {shown(name)} of a {cls.__name__} may not be set: it hides a part of the class"
            )
    return dict(state)


def may_be_set(cls: type, name: Any) -> bool:
    """Return whether an instance may have an attribute of this name: it may hide a default, but not a method."""
    if not isinstance(name, str) or (name.startswith("__") and name.endswith("__")):
        return False
    if name in RECOMPUTED and issubclass(cls, Module):
        return True
    for base in cls.__mro__:
        if name in vars(base):
            attribute = vars(base)[name]
            if isinstance(attribute, (MemberDescriptorType, functools.cached_property)):
                return True
            return not callable(attribute) and not hasattr(type(attribute), "__get__")
    return True


# ---- modules ---------------------------------------------------------------------------------------------------------


def module_state(cls: type, state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a module, with tables of parameters, buffers, modules and hooks in the package's form.

    Raises:
        UnpicklingError: if a hook is not a function or object that files may contain.
        ValueError: if a table has a value of another type.
    """
    tables: dict[str, Any] = vars(Registration())
    for name in HOOKS:
        for number, hook in table(state, name).items():
            if not callable(hook) or not trusted.may_be_held(hook):
                raise UnpicklingError(f"a hook of a {cls.__name__} is {shown(hook)}, which files may not hold")
            tables[name][number] = hook
    for name in MARKS:
        tables[name].update(dict.fromkeys(table(state, name), True))
    for name, kinds in TABLES.items():
        for key, value in table(state, name, str).items():
            if not isinstance(value, kinds) or not key or "." in key or not may_be_set(cls, key):
                raise ValueError(f"a {cls.__name__} has {shown(key)} in {name}, which is {shown(value)}")
            tables[name][key] = value
    if type(state.get("training", True)) is not bool:
        raise ValueError(f"a {cls.__name__} has the mode {shown(state['training'])}")
    known = {*HOOKS, *MARKS, *TABLES, *RECOMPUTED}
    return tables | {name: value for name, value in state.items() if name not in known}


def table(state: dict[str, Any], name: str, kind: type = int) -> dict[Any, Any]:
    """Return a dictionary of a module, with keys of a type; empty if older versions of torch had none.

    Raises:
        ValueError: if it is not such a dictionary.
    """
    value = state.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(type(key) is kind for key in value):
        raise ValueError(f"the {name} of a module are not a dictionary by {kind.__name__}")
    return value


def written_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a module in torch's form."""
    from collections import OrderedDict

    result = {name: value for name, value in state.items() if name not in RECOMPUTED}
    for name in (*HOOKS, *MARKS):
        if name in result:
            result[name] = OrderedDict(result[name])
    return result


def shown_name(value: Any) -> str:
    """Return a short text for a class or function."""
    name = getattr(value, "__qualname__", None)
    return repr(f"{value.__module__}.{name}") if isinstance(name, str) else shown(value)

"""`__torch_function__`: modes and arguments that are asked for the result of a call before the operator runs.

The modes of the thread are asked first, then the arguments of subclasses of Tensor and of types of the program that
have the method. A tensor of a subclass has the bit `OVERRIDDEN` in its flags word: calls without any do not come here.
"""

from __future__ import annotations

import _thread
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..._start.loading import load
from ..operators.declaration import REQUIRED
from ..state.modes import Modes, current
from ..state.regions import Region
from ..tensor.base import Tensor, bind
from .asking import caller, is_asked_outside
from .unanswered import disabled

NOBODY: Any = object()
"""Nobody answers for a call: the operator does."""

operator_methods: Any = load(f"{__name__.partition('.')[0]}.ops.operator_methods")
"""Functions that handlers receive for Python's operators, in tables."""

STAGED: dict[str, Any] = {}
"""Attributes of Tensor that interceptors replace while a mode of the program is on (`staging`)."""


running = _thread._local()
"""The calls that dispatch modes of a thread handle now, the innermost last, as `running.calls`."""


def overrides(kind: type) -> bool:
    """Return whether values of a type are asked: any but Tensor itself with an enabled `__torch_function__`."""
    if kind is Tensor or not hasattr(kind, "__torch_function__"):
        return False
    return kind.__torch_function__ is not disabled


def overloaded_args(values: Iterable[Any], *, tensors: bool = False) -> list[Any]:
    """Return the values that are asked: one of each type, in their order, but subclasses before their bases.

    Args:
        tensors: plain tensors count, too, as for functions that torch has in Python.
    """
    overloaded: list[Any] = []
    for value in values:
        kind = type(value)
        if any(type(other) is kind for other in overloaded):
            continue
        if overrides(kind) or (tensors and kind is Tensor):
            place = next((at for at, other in enumerate(overloaded) if issubclass(kind, type(other))), len(overloaded))
            overloaded.insert(place, value)
    return overloaded


def flattened(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, those in lists and tuples one by one."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def of_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool = False) -> Any:
    """Return what a mode or the `__torch_function__` of an argument returns for a call, NOBODY if there is none.

    Args:
        tensors: list plain tensors among the types that a mode receives, as where torch does not parse the arguments.

    Raises:
        TypeError: if there are handlers, and all of them return NotImplemented.
    """
    modes = current()
    if modes.overriding == 2:
        return NOBODY
    by_mode = innermost(function, modes) >= 0
    overloaded = (
        overloaded_args(flattened((*args, *kwargs.values())), tensors=tensors and by_mode)
        if modes.overriding == 0
        else []
    )
    if not overloaded and not by_mode:
        return NOBODY
    result = answer(function, overloaded, args, kwargs, modes)
    if result is NotImplemented:
        mode = innermost(function, modes)
        raise TypeError(
            declined(name_of(function), "function", modes.functions[mode] if mode >= 0 else None, overloaded)
        )
    return result


def declined(name: str, kind: str, mode: Any, arguments: Iterable[Any] = ()) -> str:
    """Return the error text for a call that the mode, if any, and all arguments that are asked decline."""
    handlers = [] if mode is None else [f"mode object {mode!r}"]
    lines = "".join(f"  - {handler}\n" for handler in (*handlers, *map(described, arguments)))
    return (
        f"Multiple dispatch failed for '{name}'; all __torch_{kind}__ handlers returned NotImplemented:\n\n{lines}\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )


def is_anyone_asked(relevant: Iterable[Any], function: Any = None) -> bool:
    """Return whether a mode of this thread or an argument is asked for calls of a function; None stands for any."""
    modes = current()
    if modes.overriding == 2:
        return False
    if innermost(function, modes) >= 0:
        return True
    return modes.overriding == 0 and any(map(is_asked, relevant))


def of_python(function: Any, relevant: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`of_call` of a function that torch has in Python: handlers are told of plain tensors, too.

    Args:
        relevant: those of the arguments that are asked.

    Raises:
        TypeError: if all handlers return NotImplemented.
    """
    overloaded = overloaded_args(relevant, tensors=True)
    result = answer(function, overloaded, args, kwargs, current())
    if result is not NotImplemented:
        return result
    package, _, rest = str(function.__module__).partition(".")
    module = f"torch.{rest}" if package == __package__.partition(".")[0] else function.__module__
    raise TypeError(
        f"no implementation found for '{module}.{function.__name__}' on types that implement "
        f"__torch_function__: {[type(value) for value in overloaded]}"
    )


def answer(function: Any, overloaded: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], modes: Modes) -> Any:
    """The first answer of the innermost mode and of the arguments that are asked; NotImplemented if all decline."""
    types = tuple(map(type, overloaded))
    at = innermost(function, modes)
    if at >= 0:
        functions = modes.functions
        modes.override(functions[:at] + functions[at + 1 :])
        try:
            result = functions[at].__torch_function__(function, types, args, kwargs)
        finally:
            modes.override(functions)
        if result is not NotImplemented:
            return result
    for value in overloaded:
        method = value.__torch_function__
        result = method(function, types, args, kwargs) if kwargs else method(function, types, args)
        if result is not NotImplemented:
            return result
    return NotImplemented


def innermost(function: Any, modes: Modes) -> int:
    """Return the index of the mode to ask for a call of a function, -1 if none is; None stands for any function."""
    for at in range(len(modes.functions) - 1, -1, -1):
        if modes.functions[at]._takes_(function):
            return at
    return -1


def described(value: Any) -> str:
    """Return the text by which the error lists a value that declined."""
    return f"tensor subclass {type(value)!r}" if isinstance(value, Tensor) else f"object with type {type(value)!r}"


def of_operator(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """`of_call` of an operator with all its arguments: defaults are left out again.

    Other values than tensors are asked later, when the call is refused (`of_strangers`), if no mode answers before.
    """
    if innermost(op, modes) < 0 and not any(
        type(value) is not Tensor and isinstance(value, Tensor) and is_asked(value) for value in flattened(args)
    ):
        return NOBODY  # what took over the flags of a tensor of a subclass
    count = next((at for at, value in enumerate(args) if at >= op.positional or is_default(op, at, value)), len(args))
    named = {
        name: value
        for at, (name, value) in enumerate(zip(op.names, args))
        if at >= count and not is_default(op, at, value)
    }
    return of_call(op, args[:count], named)


def is_asked(value: Any) -> bool:
    """Return whether the `__torch_function__` of a value is asked."""
    return overrides(type(value))


def is_default(op: Any, at: int, value: Any) -> bool:
    """Return whether an argument is what it would be if it were not given."""
    default = op.defaults[at]
    return default is not REQUIRED and (value is default or (type(value) is type(default) and value == default))


def beside_pandas(name: str, value: Any) -> str:
    """Return the text of the error for an operator on a tensor and a value of pandas."""
    kind = type(value).__name__
    return (
        f"{name}(): a tensor and a pandas {kind} have no common result; convert the {kind} by "
        "torch.tensor(value.to_numpy()), or the tensor by tensor.detach().numpy()"
    )


def of_strangers(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], depth: int = 1) -> Any:
    """`of_call` of a call that failed; NOBODY unless an argument is not a tensor, or if an outer function that
    received the same argument will ask it.

    Args:
        depth: the number of calls between this one and that of the function.
    """
    for value in flattened((*args, *kwargs.values())):
        if not isinstance(value, Tensor) and is_asked(value):
            return NOBODY if is_asked_outside(value, caller(depth)) else of_call(function, args, kwargs)
    return NOBODY


def of_sign(name: str, a: Any, b: Any) -> Any:
    """`of_strangers` of the operator of that name on two operands, one of them not a tensor: told as a method."""
    if isinstance(a, Tensor):
        return of_strangers(member(operator_methods.OPERATORS.get(name, name)), (a, b), {})
    if name in operator_methods.REFLECTED_OPERATORS:
        return of_strangers(member(operator_methods.REFLECTED_OPERATORS[name]), (b, a), {})
    return of_strangers(member(name), (a, b), {})


def member(name: str) -> Any:
    """Return the attribute of Tensor under a name, its family loaded, behind any interceptor."""
    attribute = STAGED.get(name) or vars(Tensor)[name]
    return attribute.loaded() if hasattr(attribute, "loaded") else attribute


def public(name: str, function: Callable[..., Any], *, method: bool) -> Any:
    """Return the object that programs call by that name: the method of Tensor, or the function of the module."""
    if method:
        return STAGED.get(name) or vars(Tensor).get(name, function)
    return getattr(sys.modules.get(function.__module__), name, function)


def members() -> dict[str, Any]:
    """Return the attributes of Tensor by name, behind any interceptor, with those that a family has bound meanwhile."""
    if not STAGED:
        return dict(vars(Tensor))
    return {name: STAGED[name] if hasattr(value, "stands_before") else value for name, value in vars(Tensor).items()}


def name_of(function: Any) -> str:
    """Return the name of a function as programs write it: 'torch.add', 'torch.Tensor.shape.__get__'."""
    owner = getattr(function, "__self__", None)
    if getattr(function, "__name__", "") in ("__get__", "__set__", "__delete__") and owner is not None:
        name = next((key for key, value in members().items() if value is owner), "?")
        return f"torch.Tensor.{name}.{function.__name__}"
    name = getattr(function, "__name__", None) or getattr(function, "name", str(function))
    module = str(getattr(function, "__module__", ""))
    if module.startswith("wengert.nn.functional"):
        return f"torch.nn.functional.{name}"
    package = sys.modules[__package__.partition(".")[0]]
    if getattr(package, name, None) is not function and members().get(name) is function:
        return f"torch.Tensor.{name}"
    for prefix in ("linalg", "fft", "special"):
        if name.startswith(prefix + "_"):
            return f"torch.{prefix}.{name.removeprefix(prefix + '_')}"
    return f"torch.{name}"


class Disabled(Region):
    """Context in which the `__torch_function__` of arguments is not asked, nor, at level 2, that of modes."""

    level = 1

    def _before_(self, modes: Modes) -> int:
        return modes.overriding

    def _begin_(self, modes: Modes, before: int) -> None:
        modes.overriding = max(self.level, before)

    def _end_(self, modes: Modes, before: int) -> None:
        modes.overriding = before


class DisableTorchFunctionSubclass(Disabled):
    """Context in which subclasses of Tensor and types with `__torch_function__` are not asked, but modes are."""


class DisableTorchFunction(Disabled):
    """Context in which neither subclasses of Tensor, types with `__torch_function__` nor modes are asked."""

    level = 2


def nowrap() -> set[Any]:
    """Return the attributes whose tensors do not become instances of the subclass: the gradient, the base of a view."""
    attributes = members()
    return {attributes[name].__get__ for name in ("_base", "grad", "_grad")}


def converted(value: Any, cls: type) -> Any:
    """Return tensors, also those in lists and tuples, as instances of a subclass."""
    if cls is Tensor:
        return value
    if isinstance(value, Tensor) and not isinstance(value, cls):
        return value.as_subclass(cls)
    if isinstance(value, (list, tuple)):
        return type(value)([converted(element, cls) for element in value])
    return value


def torch_function(cls: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """Run the call without asking again, and return its tensors as instances of the subclass (inherited by subclasses).

    Returns:
        The result; NotImplemented if an argument is of a type that is not a base of this class.
    """
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if func in nowrap() else converted(result, cls)


bind("__torch_function__", classmethod(torch_function))

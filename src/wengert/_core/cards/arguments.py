"""Checks of arguments that must be tensors, bools or numbers, with torch's errors, before a function of operators."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..._start.boundary import boundary, shorten
from ..._start.loading import load
from .. import errors, flags, forward_errors
from ..calls.asking import ASKING, caller, is_asked_outside, may_answer, stranger_in
from ..operators.declaration import ALIASES, SCALARS, check_scalar, is_whole, stands_for_int
from ..state.modes import current
from ..tensor import tangents
from ..tensor.base import Tensor
from ..tensor.standins import HANDLER
from ..types.devices import ElsewhereError

MISSING = object()
"""In the place of an argument that was not given: the function itself says so."""

LOOSE = frozenset(("condition", "tensors", "operands"))
"""Parameters that take tensors, or lists of them, and are annotated otherwise."""

Truth: TypeAlias = bool
"""A switch of which the truth value counts, for any argument: torch reads it in Python. What is annotated as `bool`
takes nothing else."""

WATCHED = flags.OVERRIDDEN | flags.AUTOCAST | flags.PROFILED | flags.OBSERVED
"""Of a tensor or a mode: calls are for another, recast or noted, or factories are told to a class."""

KINDS: dict[str, type] = {
    "bool": bool,
    "bool | None": bool,
    "int": int,
    "int | None": int,
    **dict.fromkeys(SCALARS, float),
}
"""Annotations of parameters that take nothing else than a bool, an int or a number."""


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@functools.cache
def taken(annotation: str) -> str:
    """The only type that a parameter of that annotation takes: a Tensor, perhaps None too, or a bool; otherwise ""."""
    words = set(annotation.split(" | "))
    if "Tensor" in words and words <= {"Tensor", "None"}:
        return "Tensor | None" if "None" in words else "Tensor"
    return annotation if annotation == "bool" else ""


def tensor_places(body: Callable[..., Any]) -> list[tuple[int, str, bool]]:
    """The parameters that take only tensors: position (of a keyword one beyond all others), name, and whether None
    is allowed.

    These are the first one if it is called `input` or `self`, unless its annotation says that it may be a number, and
    those annotated as `Tensor` or `Tensor | None`.
    """
    annotations = body.__annotations__
    positional = body.__code__.co_argcount
    places = []
    for at, name in enumerate(parameters_of(body)):
        annotation = str(annotations.get(name, ""))
        kind = taken(annotation)
        if kind[:6] == "Tensor" or (at == 0 and name in ("input", "self") and annotation != "Tensor | float"):
            places.append((at if at < positional else sys.maxsize, name, kind == "Tensor | None"))
    return places


def typed_places(body: Callable[..., Any]) -> list[tuple[int, str, type]]:
    """The parameters that take only a bool, an int or a number.

    For each the position (of a keyword one beyond all others), the name, and the kind: float for any number.
    """
    annotations = body.__annotations__
    if KINDS.keys().isdisjoint(annotations.values()):
        return []
    positional = body.__code__.co_argcount
    return [
        (at if at < positional else sys.maxsize, name, KINDS[annotations[name]])
        for at, name in enumerate(parameters_of(body))
        if annotations.get(name) in KINDS
    ]


def other_names(body: Callable[..., Any]) -> dict[str, str]:
    """Other names by which programs may pass the parameters of a function."""
    names = parameters_of(body)
    if ALIASES.keys().isdisjoint(names):
        return {}
    return {alias: name for name in names for alias in ALIASES.get(name, ()) if alias not in names}


def is_loose(body: Callable[..., Any]) -> bool:
    """Return whether a function has a parameter of tensors that is annotated otherwise."""
    return not LOOSE.isdisjoint(body.__code__.co_varnames)


def canonical_names(name: str, kwargs: dict[str, Any], aliases: dict[str, str]) -> dict[str, Any]:
    """Keyword arguments by the parameters' own names; raises a TypeError if one was passed by two of its names."""
    named = {aliases.get(key, key): value for key, value in kwargs.items()}
    if len(named) < len(kwargs):
        known = [aliases.get(key, key) for key in kwargs]
        twice = next(key for key in known if known.count(key) > 1)
        raise TypeError(f"{name}() got multiple values for argument {twice!r}")
    return named


ROOMS = {f"wengert.{room}": room for room in ("fft", "linalg", "special")}
"""The modules whose functions torch's parser calls by the module, too."""


def title_of(module: str, name: str) -> str:
    """The name of a function in errors: with the module in front where torch's parser does so, as `linalg_lu`."""
    room = ROOMS.get(module, "")
    return f"{room}_{name.removeprefix(f'{room}_')}" if room else name


def required_count(body: Callable[..., Any]) -> int:
    """The number of a function's positional parameters that have no default."""
    return body.__code__.co_argcount - len(body.__defaults__ or ())


def refuse_missing(name: str, expected: tuple[str, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call without all required arguments.

    Args:
        expected: the parameters without defaults that were not passed by position.

    Raises:
        TypeError: if one was not passed by name either.
    """
    missing = [argument for argument in expected if argument not in kwargs]
    if missing:
        raise TypeError(errors.missing_arguments(name, missing))


def checked(name: str, body: Callable[..., Any], *, method: bool = False, module: str = "") -> Callable[..., Any]:
    """Wrap a function so that it checks its tensors and bools with torch's errors, and accepts other parameter names.

    Args:
        name, body: what programs call it, and the function.
        method: it is called on its first argument, which is then a tensor and is not counted.
        module: where programs find it, by which it is pickled; by default where `body` is defined.
    """
    skipped, title = 1 if method else 0, title_of(module, name)
    required = () if title == name else parameters_of(body)[: required_count(body)]
    places = [place for place in tensor_places(body) if place[0] >= skipped]
    typed, aliases, loose = typed_places(body), other_names(body), is_loose(body)
    if not (method or places or typed or aliases or loose or "device" in parameters_of(body)):
        return body
    least, simple = len(required) or 1, simple_calls(places, typed, method, loose)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            count, word, named = len(args), current().word, kwargs
            if not kwargs and least <= count <= simple and isinstance(first := args[0], Tensor):
                if not (word | first._flags_) & WATCHED:
                    return body(*args)
            word |= word_of_self(name, args) if method else word_of(args) if loose else 0
            if kwargs and not aliases.keys().isdisjoint(kwargs):
                kwargs = canonical_names(name, kwargs, aliases)
            refuse_missing(title, required[count:], kwargs)
            word |= word_of_tensors(title, places, args, kwargs, skipped)
            standing = typed and check_typed(title, typed, body.__annotations__, args, kwargs, skipped)
            if word & flags.OVERRIDDEN and current().passing is None:
                keywords, named = named, None  # an error of a handler is not a reason to ask again
                return overridden(name, call, args, keywords, body, method=method)
            if word & flags.OBSERVED and (result := of_class(name, call, args, kwargs)) is not MISSING:
                return result
            if standing:
                args, kwargs = with_integers(typed, args, kwargs)
            if word & flags.AUTOCAST:
                args, kwargs = recast(f"{module}.{name}" if module else name, args, kwargs)
            return profiled(name, body, args, kwargs) if word & flags.PROFILED else body(*args, **kwargs)
        except ElsewhereError:
            return meta_result(name, body, args, kwargs)
        except Exception as error:
            if named is not None and (answer := of_strangers(name, call, args, named, method)) is not MISSING:
                return answer
            shorten(error, name, body)
            raise

    return titled(dress(call, body), module or body.__module__, name, name if module else body.__qualname__)


def dress(function: Any, body: Any) -> Any:
    """Copy name and docstring of a function to its wrapper: `functools.wraps` in fewer steps, for the import."""
    function.__doc__, function.__annotations__, function.__wrapped__ = body.__doc__, body.__annotations__, body
    if vars(body):
        vars(function).update(vars(body) | {"__wrapped__": body})
    return function


def titled(function: Any, module: str, name: str, title: str) -> Any:
    """A function that asks, with its name in errors and the name by which it is pickled: "linalg_qr" and "qr"."""
    ASKING.add(function.__code__)
    function.__module__, function.__qualname__ = module, title
    function.__name__ = title_of(module, name)
    return function


def meta_result(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Create a tensor on the device "meta", for a call of a function with that device."""
    home = load(f"{__name__.partition('.')[0]}.ops.create.elsewhere")
    try:
        return home.created(name, body, args, canonical_names(name, kwargs, other_names(body)))
    except Exception as error:
        shorten(error, name, body)
        raise


def word_of_self(name: str, args: tuple[Any, ...]) -> int:
    """The flags of the tensor that a method is called on.

    Raises:
        TypeError: if it is called on the class.
    """
    if not args or not isinstance(args[0], Tensor):
        raise TypeError(errors.method_of_class(name, args))
    return args[0]._flags_


def word_of_tensors(
    name: str, places: list[tuple[int, str, bool]], args: tuple[Any, ...], kwargs: dict[str, Any], skipped: int
) -> int:
    """The flags of the arguments that are to be tensors.

    Raises:
        TypeError: if one is not a tensor.
    """
    count, word = len(args), 0
    for at, argument, optional in places:
        value = args[at] if at < count else kwargs.get(argument, MISSING)
        if isinstance(value, Tensor):
            word |= value._flags_
        elif value is not MISSING and not (optional and value is None):
            raise TypeError(errors.wrong_type(name, argument, at + 1 - skipped if at < count else 0, "Tensor", value))
    return word


def simple_calls(places: list[Any], typed: list[Any], method: bool, loose: bool) -> int:
    """The number of positional arguments that a call may have if only the first, a tensor, has to be checked."""
    if not method and (loose or not places or places[0][0]):
        return 0
    further = [*(places if method else places[1:])[:1], *typed[:1]]
    return min([place[0] for place in further], default=sys.maxsize)


def check_typed(
    name: str,
    typed: list[tuple[int, str, type]],
    annotations: dict[str, str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    skipped: int,
) -> bool:
    """Refuse an argument that is not the bool, int or number wanted; None for an int is for the function to check.

    Returns:
        True if a tensor stands for an int.

    Raises:
        TypeError: if an argument is not of the type that its annotation names.
    """
    count, standing = len(args), False
    for at, argument, kind in typed:
        value = args[at] if at < count else kwargs.get(argument, MISSING)
        if type(value) is kind or value is MISSING or (value is None and may_be_none(annotations[argument], argument)):
            continue
        position = at + 1 - skipped if at < count else 0
        if kind is float and not isinstance(value, (Tensor, complex)):  # which the operators inside check
            check_scalar(name, argument, position, annotations[argument], value)
        elif kind is bool or (kind is int and not is_int(argument, value)):
            raise TypeError(errors.wrong_type(name, argument, position, kind.__name__, value))
        standing = standing or (kind is int and isinstance(value, Tensor))
    return standing


def with_integers(typed: list[tuple[int, str, type]], args: Any, kwargs: dict[str, Any]) -> Any:
    """Arguments with the integers that tensors stand for: arithmetic on bytes would wrap."""
    wanted = {key for at, name, kind in typed if kind is int for key in (at, name)}

    def read(key: Any, value: Any) -> Any:
        return value.__index__() if key in wanted and isinstance(value, Tensor) else value

    return tuple([read(*pair) for pair in enumerate(args)]), {key: read(key, value) for key, value in kwargs.items()}


def is_int(argument: str, value: Any) -> bool:
    """Return whether a value is taken for the int that a parameter wants."""
    return stands_for_int(argument, value) if isinstance(value, Tensor) else is_whole(value)


def may_be_none(annotation: str, argument: str) -> bool:
    """Return whether None is for the function to check: for an int or an optional switch, and for `requires_grad`."""
    return annotation in ("int", "int | None", "bool | None") or argument == "requires_grad"


def word_of(values: Sequence[Any]) -> int:
    """The flags of all tensors among arguments, and in lists and tuples; `OVERRIDDEN` for other objects to be asked."""
    word = 0
    for value in values:
        if isinstance(value, Tensor):
            word |= value._flags_
        elif isinstance(value, (tuple, list)):
            word |= word_of(value)
        elif may_answer(value):
            word |= flags.OVERRIDDEN
    return word


def overridden(
    name: str, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], body: Callable[..., Any], *, method: bool
) -> Any:
    """Return the result of a mode or of an argument's `__torch_function__` for a call; without any, that of `body`."""
    from ..calls import overriding

    stranger = stranger_in((args, tuple(kwargs.values())))
    if stranger is not None and is_asked_outside(stranger, caller(2)):
        raise TypeError(errors.wrong_type(name, "input", 0, "Tensor", stranger))  # for the function outside, which asks
    result = overriding.of_call(overriding.public(name, call, method=method), args, kwargs)
    if result is overriding.NOBODY and word_of(args) & flags.OBSERVED:
        result = of_class(name, call, args, kwargs)
        result = overriding.NOBODY if result is MISSING else result
    if result is overriding.NOBODY:
        return body(*args, **canonical_names(name, kwargs, other_names(body)))
    return result


def of_class(name: str, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of an argument's `__torch_dispatch__` for the call of a factory, MISSING if none is asked."""
    result = load(HANDLER).factory(name, call, args, kwargs)
    return MISSING if result is NotImplemented else result


def of_strangers(name: str, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> Any:
    """Return the result of the `__torch_function__` of a non-tensor argument for a call that failed, or MISSING."""
    if stranger_in((args, tuple(kwargs.values()))) is None:
        return MISSING
    from ..calls import overriding

    result = overriding.of_strangers(overriding.public(name, call, method=method), args, kwargs, depth=3)
    return MISSING if result is overriding.NOBODY else result


def asking(body: Callable[..., Any], name: str = "", *, method: bool = False, module: str = "") -> Callable[..., Any]:
    """Wrap a function so that it asks its non-tensor arguments if it fails, as `checked` functions do.

    Args:
        body, name: the function, and its public name, if that is another one.
        method, module: as in `checked`.
    """
    name = name or body.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return body(*args, **kwargs)
        except Exception as error:
            if (answer := of_strangers(name, call, args, kwargs, method)) is not MISSING:
                return answer
            shorten(error, name, body)
            raise

    dress(call, body)
    return titled(call, module or body.__module__, name, name)


def asking_by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that it asks the `__torch_function__` of its tensor first, with all arguments by name."""

    within = boundary(function)

    @functools.wraps(function)
    def call(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        from ..calls import overriding

        if not overriding.is_anyone_asked((tensor,), call):
            return within(tensor, *args, **kwargs)
        from inspect import signature

        bound = signature(function).bind(tensor, *args, **kwargs)
        bound.apply_defaults()
        return overriding.of_python(call, (tensor,), (), bound.arguments)

    return call


def asked_or_refused(function: Any, error: Exception, *args: Any) -> Any:
    """Return the result of the `__torch_function__` of a non-tensor argument of a function that `asks_itself`; without
    one, raise the error.
    """
    from ..calls import overriding

    result = overriding.of_strangers(function, args, {}, depth=3)
    if result is overriding.NOBODY:
        raise error
    return result


def asked_or_raised(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return the result of the `__torch_function__` of a non-tensor argument of a method that `asks_itself`; without
    one, raise the error that is being handled again.
    """
    from ..calls import overriding

    result = overriding.of_strangers(overriding.member(name), args, kwargs, depth=3)
    if result is overriding.NOBODY:
        raise
    return result


def recast(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as the region of autocast wants them for a function of operators."""
    casting = current().casting
    return casting(name, args), dict(zip(kwargs, casting(name, tuple(kwargs.values()))))


def profiled(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a function of operators, noted in the log of this thread."""
    modes = current()
    log = modes.profiling()
    if log is None:
        return body(*args, **kwargs)
    event = log.begin_call(name, full_arguments(body, args, kwargs) if log.shapes else None, modes)
    return log.call(event, functools.partial(body, **kwargs) if kwargs else body, args)


def full_arguments(body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a function in the order of its parameters, with defaults; unchanged if they do not fit."""
    from inspect import signature

    try:
        bound = signature(body).bind(*args, **kwargs)
    except TypeError:  # the function itself will raise the error
        return args
    bound.apply_defaults()
    return tuple(bound.arguments.values())


def refuse_gradient(name: str, **constants: Any) -> None:
    """Refuse tensors with respect to which a function has no gradient, while operations are recorded.

    Raises:
        TypeError: if one is not a tensor.
        RuntimeError: if one requires a gradient.
    """
    for argument, value in constants.items():
        if value is None:
            continue
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}")
        if value.requires_grad and current().grad:
            raise RuntimeError(errors.not_differentiable(name, argument))


def refuse_derivative(name: str, **constants: Any) -> None:
    """Refuse tensors with respect to which a function has neither a gradient nor a tangent.

    Raises:
        TypeError: if one is not a tensor.
        RuntimeError: if one requires a gradient, while operations are recorded.
        NotImplementedError: if one has a tangent.
    """
    refuse_gradient(name, **constants)
    for argument, value in constants.items():
        if value is not None and tangents.is_dual(value):
            raise NotImplementedError(forward_errors.no_forward_rule(name, argument))


def tensors_of(name: str, value: Any) -> Sequence[Any]:
    """Check and return a list of tensors.

    Raises:
        TypeError: if `value` is not a list or tuple of tensors.
        RuntimeError: if `value` is empty.
    """
    check_list(name, "tensors", 1, value)
    if not value:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return value


def check_tensors(name: str, **operands: Any) -> None:
    """Refuse operands that are not tensors.

    Raises:
        TypeError: if an operand is not a tensor.
    """
    for at, (argument, value) in enumerate(operands.items()):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type(name, argument, at + 1, "Tensor", value))


def check_list(name: str, argument: str, position: int, value: Any) -> None:
    """Refuse a value that is not a list of tensors.

    Raises:
        TypeError: if `value` is not a list or tuple of tensors.
    """
    if not isinstance(value, (tuple, list)):
        raise TypeError(errors.wrong_type(name, argument, position, "tuple of Tensors", value))
    check_elements(value, position - 1)


def check_elements(values: Sequence[Any], position: int) -> None:
    """Refuse a list with elements that are not tensors.

    Raises:
        TypeError: if an element is not a tensor.
    """
    for at, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_element(at, position, value))


def integer(name: str, argument: str, value: Any) -> int:
    """Return an integer, from any object that stands for one except a bool.

    Raises:
        TypeError: if `value` is not an integer.
    """
    if not is_whole(value):
        raise TypeError(errors.wrong_type(name, argument, 0, "int", value))
    return operator.index(value)


def integers(name: str, argument: str, value: Any, position: int = 0) -> tuple[int, ...]:
    """Return several integers as a tuple; only the first is checked not to be a bool, as in torch.

    Raises:
        TypeError: if `value` is not a sequence, or one of its elements is not an integer.
    """
    iterable = hasattr(value, "__iter__") or hasattr(value, "__getitem__")
    if not iterable or (isinstance(value, Tensor) and value._array_.size != 1):  # one element counts as an integer
        raise TypeError(errors.wrong_type(name, argument, position, "tuple of ints", value))
    read: list[int] = []
    for at, item in enumerate(value):
        if not (is_whole(item) or (at and isinstance(item, bool))):
            raise TypeError(wrong_integer(name, argument, at, item, position))
        read.append(operator.index(item))
    return tuple(read)


def wrong_integer(name: str, argument: str, at: int, value: object, position: int = 0) -> str:
    """Error text for an element of a sequence that is not an integer; `position` is that of the argument."""
    shown_name, kind = errors.public_name(argument), type(value).__name__
    if at:
        return (
            f"{name}(): argument '{shown_name}' failed to unpack the object at pos {at + 1} with error \"type must be "
            f'tuple of ints,but got {kind}"'
        )
    place = f" (position {position})" if position else ""
    return (
        f"{name}(): argument '{shown_name}'{place} must be tuple of ints, but found element of type {kind} at pos {at}"
    )


def some_integers(name: str, argument: str, value: Any) -> tuple[int, ...]:
    """One integer as a tuple, or `integers`."""
    return (operator.index(value),) if is_whole(value) else integers(name, argument, value)


def check_members(name: str, argument: str, values: Sequence[Any], *, optional: bool = False) -> None:
    """Refuse a sequence with elements other than integers (with `optional`, or None).

    Raises:
        TypeError: if an element is something else.
    """
    for at, value in enumerate(values):
        if not is_whole(value) and not (optional and value is None):
            raise TypeError(wrong_integer(name, argument, at, value))

"""The plain cases of functions composed of operators: a native function, tried before the function itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..calls.op import Op, begin_calls
from ..operators.declaration import ALIASES, REQUIRED, fill_signature, take_over
from . import late
from .arguments import checked, parameters_of
from .card import CARDS
from .composed import COMPILED, Factory, PlainCase

HOME, FUNCTIONAL = "wengert", "wengert.nn.functional"
VARIADIC = 4
"""The flag of code that takes any number of positional arguments: `inspect.CO_VARARGS`."""


class Function(PlainCase):
    """Callable that programs see for a composite that has a plain case."""

    __name__: str
    __qualname__: str
    __module__: str

    def __reduce__(self) -> str:  # type: ignore[override]
        return self.__qualname__  # `wengert.fft.fft` is called `fft` there

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class FactoryFunction(Factory):
    """Callable that programs see for a factory that has a plain case."""

    __name__: str

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def factory_before(function: Callable[..., Any], native: Callable[..., Any], draws: bool = False) -> FactoryFunction:
    """A factory with a plain case before it."""
    result = FactoryFunction.__new__(FactoryFunction)
    functools.update_wrapper(result, function)
    result.native = native
    result.function = function
    result.draws = draws
    return result


def plain_case(
    body: Callable[..., Any],
    op: Op | None = None,
    native: Callable[..., Any] | None = None,
    *,
    arrays: Callable[..., Any] | None = None,
    needs: Iterable[Any] = (),
    draws: bool = False,
    places: tuple[int, ...] | None = None,
    prepare: tuple[Any, ...] = (),
    translate: Any = None,
    shaped: bool = False,
    guard: Any = None,
    further: tuple[tuple[Op | None, Any], ...] = (),
    then: tuple[Any, ...] = (),
    parted: bool = False,
    module: str = HOME,
    card: str = "",
) -> Any:
    """Put the plain case of a function before it: `op` by a native function alone, a function of arrays, or a factory.

    Args:
        body: the function: a composite, or one that has a plain case already (this one then comes before that). Where
            it has the parameters of `op`, or gathers `*size`, which `op` has at that place, it is called with the same
            arguments; otherwise those of the same names count, and all others must be at their defaults.
        op: the operator that is recorded.
        native: the function that computes the result instead of the operator's own native function; without an operator
            that of a factory, called with the default dtype and the arguments.
        arrays: instead of an operator a function of arrays, used when nothing is recorded. It is called with the
            arguments of `body`, arrays in the place of tensors, and returns a new array with the result of `body`, or
            NotImplemented; an error counts as NotImplemented.
        needs: native functions that `arrays` calls; None where there is none.
        draws: the factory returns random numbers.
        places, prepare, translate, shaped, guard: how the arguments of `op` are determined, see `PlainCase`; by default
            by name.
        further: other operators of the same arguments that may be the plain case, each with its native function.
        then, parted: a function of the result (for `arrays` with the arguments as well), and whether there are
            several, see `PlainCase`.
        module: where programs find the function.
        card: the name of its card, if that is another.

    Returns:
        The callable that programs see, also behind the Python operator of a composite that has one; for all others the
        function itself if nothing is compiled, or native functions are missing.
    """
    if arrays is not None:
        return body if not COMPILED or None in needs else of_arrays(body, arrays, then, module, card)
    if op is None:
        return body if not COMPILED or native is None else of_factory(body, native, draws)
    native = native or op.native
    whole = module == HOME and body is getattr(CARDS.get(body.__name__), "body", None)
    if not whole and (not COMPILED or (op.native is None and module != FUNCTIONAL)):
        return body
    options = {"guard": guard, "prepare": prepare, "further": further, "then": then, "parted": parted}
    before = functools.partial(with_plain_case, op=op, native=native, translate=translate, shaped=shaped, places=places)
    result = of_composite(body, before, options) if whole else of_function(body, before, options, module, card)
    result.__module__ = module  # functions whose first argument is not a tensor are not `checked`
    return result


def of_composite(body: Callable[..., Any], before: Callable[..., Function], options: dict[str, Any]) -> Function:
    """`plain_case` of a composite that is public in the package."""
    composite: Any = CARDS[body.__name__]
    if composite.method and COMPILED:
        late.bind(composite.name, filled(before(checked(composite.name, body, method=True), body), options))
    result = filled(before(checked(composite.name, body, module=HOME), body), options)
    if composite.function and COMPILED:
        composite.public = result
    return result


def of_function(
    body: Callable[..., Any], before: Callable[..., Function], options: dict[str, Any], module: str, card: str
) -> Function:
    """`plain_case` of a function that is public in a module."""
    inner = body.function if isinstance(body, PlainCase) else checked(title_in(module, body), body, module=module)
    result = filled(before(inner, getattr(inner, "__wrapped__", inner)), options)
    if isinstance(body, PlainCase):
        result.function = functools.partial(body)  # which calls it by vectorcall
    composite: Any = CARDS.get(card or result.name)
    if composite is not None and composite.body is result.body:
        composite.public = result
    return result


def filled(function: Function, options: dict[str, Any]) -> Function:
    """Set the fields of the plain case of a function."""
    for name, value in options.items():
        setattr(function, name, value)
    return function


def title_in(module: str, body: Callable[..., Any]) -> str:
    """The name of a function in a module: `linalg_qr` is `qr` in `wengert.linalg`."""
    return body.__name__.removeprefix(f"{module.rpartition('.')[2]}_")


def of_factory(body: Callable[..., Any], native: Callable[..., Any], draws: bool) -> Any:
    """`plain_case` of a factory."""
    composite: Any = CARDS[body.__name__]
    if composite.method:
        function = checked(composite.name, body, method=True)
        late.bind(composite.name, factory_before(function, native, draws))
    if composite.function:
        composite.public = factory_before(composite.public, native, draws)
    return composite.public


def of_arrays(
    body: Callable[..., Any], function: Callable[..., Any], then: tuple[Any, ...], module: str, card: str
) -> Any:
    """`plain_case` of a function of arrays."""
    original: Any = body.body if isinstance(body, PlainCase) else body
    composite: Any = CARDS.get(card or original.__name__)
    known = composite is not None and composite.body is original
    inner: Any = body
    if known and module == HOME and composite.function:
        inner = composite.public
    elif not isinstance(body, PlainCase):
        inner = checked(title_in(module, body), body, module=module)
    if known and module == HOME and composite.method:
        late.bind(composite.name, arrays_before(late.bound(composite.name), original, function, then))
    result = arrays_before(inner, original, function, then)
    result.__module__ = module
    if known and composite.function == (module == HOME):
        composite.public = result
    return result


def arrays_before(
    function: Callable[..., Any], body: Callable[..., Any], native: Callable[..., Any], then: tuple[Any, ...]
) -> Function:
    """A function with one of arrays before it."""
    result = Function.__new__(Function)
    functools.update_wrapper(result, function)
    fill_signature(result, body)
    result.name, result.native, result.then = function.__name__, native, then
    result.function = functools.partial(function) if isinstance(function, PlainCase) else function
    result.op = result.places = result.translate = result.guard = None
    result.prepare, result.further, result.shaped, result.parted = (), (), False, False
    result.plain_slots = result.switches = result.wholes = result.scalars = ()  # what is not plain is for the function
    begin_calls(result)
    return result


def with_plain_case(
    function: Callable[..., Any],
    body: Callable[..., Any],
    op: Op,
    native: Any,
    translate: Any = None,
    shaped: bool = False,
    places: tuple[int, ...] | None = None,
) -> Function:
    """A function with a plain case before it; unless `places` are given, its parameters have the operator's names."""
    result = Function.__new__(Function)
    take_over(result, op)
    functools.update_wrapper(result, function)
    result.name = function.__name__
    result.op = op
    result.function = function
    result.native = native
    result.body, result.takes_out = body, "out" in parameters_of(body)
    result.translate, result.shaped, result.parted = translate, shaped, False
    result.places, result.rest, result.guard, result.prepare, result.further, result.then = None, (), None, (), (), ()
    code = body.__code__
    result.spread = code.co_argcount if code.co_flags & VARIADIC else -1
    if result.spread < 0 and (places is not None or translate is not None or shaped or not has_signature(body, op)):
        fill_signature(result, body)
        result.places = None if shaped else places_of(result.names, op)
        result.rest = tuple([at for at in range(len(result.names)) if at not in (result.places or ())])
    if places is not None:
        result.places, result.rest = places, tuple([at for at in range(len(result.names)) if at not in places])
    result.plain_slots = result.switches = ()  # other calls are checked by the function
    result.wholes = result.scalars = ()
    begin_calls(result)
    return result


def has_signature(body: Callable[..., Any], op: Op) -> bool:
    """Return whether a composite has the signature of `op`: as many arguments, and no defaults that `op` lacks."""
    names = [name for name in parameters_of(body) if name != "out"]
    if len(names) != len(op.names):
        return False
    optional = len(body.__defaults__ or ()) + len(body.__kwdefaults__ or {}) - ("out" in parameters_of(body))
    return names[1:] != list(op.names[1:]) or optional <= sum(default is not REQUIRED for default in op.defaults)


def places_of(names: tuple[Any, ...], op: Op) -> tuple[int, ...]:
    """The places of an operator's arguments among those of a function: the first one in front, others by name."""
    known = {name: at for at, name in enumerate(names)} | {op.names[0]: 0}
    candidates = [[known[alias] for alias in (name, *ALIASES.get(name, ())) if alias in known] for name in op.names]
    return tuple([places[0] if places and at < op.positional else -1 for at, places in enumerate(candidates)])

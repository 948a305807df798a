"""The plain cases of composites: a native function, before the function itself is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..calls.op import Op, begin_calls
from ..operators.declaration import ALIASES, REQUIRED, fill_signature, take_over
from . import late
from .arguments import checked, parameters_of
from .card import CARDS
from .composed import COMPILED, Factory, PlainCase

FUNCTIONAL = "wengert.nn.functional"
VARIADIC = 4
"""The flag of code that takes any number of positional arguments: `inspect.CO_VARARGS`."""


class Function(PlainCase):
    """What programs call in the place of a composite that has a plain case."""

    __name__: str
    __qualname__: str
    __module__: str

    def __reduce__(self) -> str:  # type: ignore[override]
        return self.__qualname__  # `wengert.fft.fft` is called `fft` there

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class FactoryFunction(Factory):
    """What programs call in the place of a factory that has a plain case."""

    __name__: str

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def plain_factory(body: Callable[..., Any], native: Callable[..., Any] | None, draws: bool = False) -> None:
    """Put the plain case of a factory before it: a native function of the default dtype and the arguments.

    `draws` says that it makes random numbers.
    """
    if native is None or not COMPILED:
        return
    composite: Any = CARDS[body.__name__]
    if composite.method:
        function = checked(composite.name, body, method=True)
        late.bind(composite.name, factory_before(function, native, draws))
    if composite.function:
        composite.public = factory_before(composite.public, native, draws)


def factory_before(function: Callable[..., Any], native: Callable[..., Any], draws: bool = False) -> FactoryFunction:
    """A factory with a plain case before it."""
    made = FactoryFunction.__new__(FactoryFunction)
    functools.update_wrapper(made, function)
    made.native = native
    made.function = function
    made.draws = draws
    return made


def plain_case(
    body: Callable[..., Any],
    op: Op,
    native: Callable[..., Any] | None,
    *,
    translate: Any = None,
    shaped: bool = False,
    further: tuple[tuple[Op | None, Any], ...] = (),
    then: tuple[Any, ...] = (),
    parted: bool = False,
) -> Function:
    """Put the plain case of a composite before it: `op`, applied by a native function alone.

    Args:
        body: the composite. Where it has the parameters of `op`, or gathers `*size`, which `op` has at that place, it
            is called with the same arguments; otherwise those of the same names count, and all others must be at their
            defaults.
        op: the operator that is recorded.
        native: its native function, or a narrower one; None where there is none.
        translate, shaped: how else the arguments of `op` are found, see `PlainCase`.
        further: other operators of the same arguments that may be the plain case, each with its native function, see
            `PlainCase`.
        then, parted: what is called with the result of `op`, and whether there are several, see `PlainCase`.

    Returns:
        What programs call, also behind the sign of the composite, if it has one.
    """
    composite: Any = CARDS[body.__name__]
    if composite.method and COMPILED:
        method = made_before(checked(composite.name, body, method=True), body, op, native, translate, shaped)
        method.further, method.then, method.parted = further, then, parted
        late.bind(composite.name, method)
    function = made_before(checked(composite.name, body, module="wengert"), body, op, native, translate, shaped)
    function.further, function.then, function.parted = further, then, parted
    function.__module__ = "wengert"  # what takes no tensor first is not `checked`
    if composite.function and COMPILED:
        composite.public = function
    return function


def plain_function(
    body: Callable[..., Any],
    op: Op,
    places: Any = None,
    prepare: tuple[Any, ...] = (),
    *,
    native: Any = None,
    translate: Any = None,
    guard: Any = None,
    then: tuple[Any, ...] = (),
    module: str = FUNCTIONAL,
    card: str = "",
    further: tuple[tuple[Op, Any], ...] = (),
) -> Any:
    """A function of `nn.functional`, or of another module, with its plain case before it: `op`, see `plain_case`.

    Args:
        body: the function, which may have a plain case already: this one then comes before that.
        native: makes the result, instead of the operator's own native function.
        places, prepare, translate, guard: how the arguments of `op` are found, see `PlainCase`; by name unless given.
        then: what is called with the result of `op`, see `PlainCase`.
        module: where programs find it.
        card: the name of its card, if that is another.
        further: other operators of the same arguments, see `PlainCase`.

    Returns:
        What programs call; interpreted, or without native functions, the function itself.
    """
    if not COMPILED or (op.native is None and module != FUNCTIONAL):
        return body
    name = body.__name__.removeprefix(f"{module.rpartition('.')[2]}_")  # as in `wengert.linalg.qr`
    inner = body.function if isinstance(body, PlainCase) else checked(name, body, module=module)
    own = places is not None
    made = made_before(inner, getattr(inner, "__wrapped__", inner), op, native or op.native, translate, own=own)
    made.function = functools.partial(body) if isinstance(body, PlainCase) else inner  # which calls it by vectorcall
    if places is not None:
        made.places, made.rest = places, tuple([at for at in range(len(made.names)) if at not in places])
    made.guard, made.prepare, made.then, made.further = guard, prepare, then, further
    made.__module__ = module
    composite: Any = CARDS.get(card or made.name)
    if composite is not None and composite.body is made.body:
        composite.public = made
    return made


def plain_arrays(
    body: Callable[..., Any],
    function: Callable[..., Any],
    *needed: Any,
    then: tuple[Any, ...] = (),
    module: str = "wengert",
    card: str = "",
) -> Any:
    """Put a function of arrays before a composite, taken where nothing is recorded: it calls native functions alone.

    Args:
        body: the composite, or a function that has a plain case already: this one then comes before that.
        function: called with the arguments of `body`, arrays in the place of tensors; it gives a new array with what
            `body` would make, or answers NotImplemented. If it raises because an argument is not what it expects,
            that counts as the same.
        needed: native functions that it calls; None where there is none.
        then: what is called with the result and the arguments, such as a view of the result.
        module: where programs find it.
        card: the name of its card, if that is another.

    Returns:
        What programs call; interpreted, or without native functions, `body`.
    """
    if not COMPILED or None in needed:
        return body
    own: Any = body.body if isinstance(body, PlainCase) else body
    composite: Any = CARDS.get(card or own.__name__)
    known = composite is not None and composite.body is own
    inner: Any = body
    if known and module == "wengert" and composite.function:
        inner = composite.public
    elif not isinstance(body, PlainCase):
        inner = checked(body.__name__.removeprefix(f"{module.rpartition('.')[2]}_"), body, module=module)
    if known and module == "wengert" and composite.method:
        late.bind(composite.name, arrays_before(late.bound(composite.name), own, function, then))
    made = arrays_before(inner, own, function, then)
    made.__module__ = module
    if known and composite.function == (module == "wengert"):
        composite.public = made
    return made


def arrays_before(
    function: Callable[..., Any], body: Callable[..., Any], native: Callable[..., Any], then: tuple[Any, ...]
) -> Function:
    """A function with one of arrays before it."""
    made = Function.__new__(Function)
    functools.update_wrapper(made, function)
    fill_signature(made, body)
    made.name, made.native, made.then = function.__name__, native, then
    made.function = functools.partial(function) if isinstance(function, PlainCase) else function
    made.op = made.places = made.translate = made.guard = None  # type: ignore[assignment]
    made.prepare, made.further, made.shaped, made.parted = (), (), False, False
    made.plain_slots = made.switches = made.wholes = made.scalars = ()  # what is not plain is for the function
    begin_calls(made)
    return made


def made_before(
    function: Callable[..., Any],
    body: Callable[..., Any],
    op: Op,
    native: Any,
    translate: Any = None,
    shaped: bool = False,
    own: bool = False,
) -> Function:
    """A function with a plain case before it; `own` says that its parameters have names or defaults of their own."""
    made = Function.__new__(Function)
    take_over(made, op)
    functools.update_wrapper(made, function)
    made.name = function.__name__
    made.op = op
    made.function = function
    made.native = native
    made.body, made.takes_out = body, "out" in parameters_of(body)
    made.translate, made.shaped, made.parted = translate, shaped, False
    made.places, made.rest, made.guard, made.prepare, made.further, made.then = None, (), None, (), (), ()
    code = body.__code__  # type: ignore[attr-defined]
    made.spread = code.co_argcount if code.co_flags & VARIADIC else -1
    if made.spread < 0 and (own or translate is not None or shaped or not has_signature(body, op)):
        fill_signature(made, body)
        made.places = None if shaped else places_of(made.names, op)
        made.rest = tuple([at for at in range(len(made.names)) if at not in (made.places or ())])
    made.plain_slots = made.switches = ()  # what is not plain is for the function to look at
    made.wholes = made.scalars = ()
    begin_calls(made)
    return made


def has_signature(body: Callable[..., Any], op: Op) -> bool:
    """Whether a composite is called as `op` is: with as many arguments, and no defaults that `op` does not have."""
    names = [name for name in parameters_of(body) if name != "out"]
    if len(names) != len(op.names):
        return False
    optional = len(body.__defaults__ or ()) + len(body.__kwdefaults__ or {}) - ("out" in parameters_of(body))  # type: ignore[attr-defined]
    return names[1:] != list(op.names[1:]) or optional <= sum(each is not REQUIRED for each in op.defaults)


def places_of(names: tuple[Any, ...], op: Op) -> tuple[int, ...]:
    """Where the arguments of an operator are among those of a function: the first one in front, others by name."""
    known = {name: at for at, name in enumerate(names)} | {op.names[0]: 0}
    found = [[known[each] for each in (name, *ALIASES.get(name, ())) if each in known] for name in op.names]
    return tuple([each[0] if each and at < op.positional else -1 for at, each in enumerate(found)])

"""The plain cases of composites: a native function, before the function itself is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..calls.op import Op, begin_calls
from ..operators.declaration import take_over
from ..tensor.base import bind as bind_to_tensor
from .arguments import checked
from .card import CARDS
from .composed import COMPILED, Factory, PlainCase

VARIADIC = 4
"""The flag of code that takes any number of positional arguments: `inspect.CO_VARARGS`."""


class Function(PlainCase):
    """What programs call in the place of a composite that has a plain case."""

    __name__: str
    __module__: str

    def __reduce__(self) -> str:  # type: ignore[override]
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class FactoryFunction(Factory):
    """What programs call in the place of a factory that has a plain case."""

    __name__: str

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def plain_factory(body: Callable[..., Any], native: Callable[..., Any] | None) -> None:
    """Put the plain case of a factory before it: a native function of the default dtype and the arguments."""
    if native is None or not COMPILED:
        return
    composite: Any = CARDS[body.__name__]
    function = composite.public
    made = FactoryFunction.__new__(FactoryFunction)
    functools.update_wrapper(made, function)
    made.native = native
    made.function = function
    composite.public = made


def plain_case(body: Callable[..., Any], op: Op, native: Callable[..., Any] | None) -> Function:
    """Put the plain case of a composite before it: `op`, applied to the same arguments by a native function alone.

    Args:
        body: the composite; what its `*size` gathers is the argument of `op` at that place.
        op: the operator that is recorded.
        native: its native function, or a narrower one; None where there is none.

    Returns:
        What stands behind the sign of the composite, if it has one.
    """
    composite: Any = CARDS[body.__name__]
    if composite.method and COMPILED:
        bind_to_tensor(composite.name, made_before(checked(composite.name, body, method=True), body, op, native))
    function = made_before(checked(composite.name, body, module="wengert"), body, op, native)
    if composite.function and COMPILED:
        composite.public = function
    return function


def made_before(function: Callable[..., Any], body: Callable[..., Any], op: Op, native: Any) -> Function:
    """A function with a plain case before it."""
    made = Function.__new__(Function)
    take_over(made, op)
    functools.update_wrapper(made, function)
    code = body.__code__  # type: ignore[attr-defined]
    made.name = function.__name__
    made.op = op
    made.function = function
    made.native = native
    made.plain_slots = made.switches = ()  # what is not plain is for the function to look at
    made.spread = code.co_argcount if code.co_flags & VARIADIC else -1
    begin_calls(made)
    return made

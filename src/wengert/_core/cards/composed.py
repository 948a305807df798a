"""Functions whose plain case is one operator (`view`, `matmul`) or one native function (`tensor`, `zeros`)."""

from __future__ import annotations

import types
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, flags
from ..calls import unusual
from ..calls.attempts import attempt, call_or_decline, unrecorded
from ..calls.dispatch import flags_of
from ..calls.op import Op
from ..operators import sources
from ..profiling import events, kinds
from ..profiling.events import Event, Log
from ..state.modes import Modes, current
from ..tensor.base import Tensor, wrap
from ..types.dtypes import get_default_dtype

COMPILED = cython.compiled
"""True if calls try a plain case before its function; interpreted, that would only take longer."""


class PlainCase(Op):
    """A function composed of operators, with the native function of its plain case.

    Calls that are not plain go to the function unchanged; interpreted, every call does.

    Attributes:
        op: the operator that is recorded in the plain case, computed by the function `native`. None if that runs only
            when nothing is recorded: it may then stand for any number of operators.
        function: called for everything else.
        translate: a native function of the arguments that returns those of `op`, None in the place of the first and of
            tensors, which both have at the same places; or None if the names determine it.
        parted: `op` is applied several times, to arguments that `translate` returns as a list of tuples, without the
            first one, which they share. The result is a tuple.
        shaped: `native` takes the arguments of the function; `op` takes the tensor and the shape of the result.
        places: where the arguments of `op` are among those of the function, -1 for its default; None if they are the
            same. `rest` are the places of all others, which must be at their defaults.
        guard: a native function of the arguments of `op` that does not return NotImplemented if `prepare` is worth it.
        prepare: for each argument of `op` that another operator is applied to first its place, that operator, and what
            else that takes.
        further: other operators of the same arguments that may be the plain case, each with its native function. None
            as an operator stands for several, which are one call where nothing is recorded.
        then: what is called with the result of `op`, one after the other (`max`: a tuple with names); without `op` with
            the arguments as well.
    """

    op: Op
    function: Any
    translate: Any
    places: Any
    rest: tuple[Any, ...]
    guard: Any
    prepare: tuple[Any, ...]
    shaped: bool
    parted: bool
    further: tuple[Any, ...]
    then: tuple[Any, ...]

    __slots__ = (
        "function",
        "further",
        "guard",
        "op",
        "parted",
        "places",
        "prepare",
        "rest",
        "shaped",
        "then",
        "translate",
    )

    def run(self, args: tuple[Any, ...]) -> Any:
        """The plain case; NotImplemented if it is not one."""
        if self.native is None:
            return NotImplemented
        if self.op is None:
            return self.of_arrays(args)
        return profiled(self, args) if events.opened else self.plain(args)

    def of_arrays(self, args: tuple[Any, ...]) -> Any:
        """Call `run` where no operator is recorded."""
        result: Any = unrecorded(self.native, args)
        if result is not NotImplemented:
            for step in self.then:
                result = step(result, args)
        return result

    def plain(self, args: tuple[Any, ...]) -> Any:
        """Call `run`, without a note in the log."""
        if self.op.view and not may_be_seen(self.op, args):
            return NotImplemented
        if self.parted:
            return parts(self, args)
        values: Any = args
        if self.translate is not None:
            values = translated(self.translate, args)
        elif self.places is not None:
            values = placed(self, args)
        if values is not None and self.prepare:
            values = prepared(self, values)
        if values is None:
            return NotImplemented
        args = tuple(values)
        result: Any = attempt(self.op, self.native, args, self.shaped)
        if result is not NotImplemented:
            for step in self.then:
                result = step(result)
            return result
        for step in self.further:
            if result is not NotImplemented:
                break
            result = unrecorded(step[1], args) if step[0] is None else attempt(step[0], step[1], args, False)
        return result

    def call2(self, a: Any, b: Any) -> Any:
        """Apply to two operands; NotImplemented if one is not a tensor."""
        if not isinstance(a, Tensor) or not isinstance(b, Tensor):
            return unusual.of_stranger(self, a, b)
        result: Any = self.run((a, b))
        return self.function(a, b) if result is NotImplemented else result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.op is None and not self.names and not kwargs:  # it takes any number of tensors, which are not bound
            result: Any = self.of_arrays(args)
            if result is not NotImplemented:
                return result
        return self.function(*args, **kwargs)


def profiled(case: PlainCase, args: tuple[Any, ...]) -> Any:
    """The plain case, noted in the log of this thread if it is one, and there is a log."""
    modes: Modes = current()
    if not modes.word & flags.PROFILED:
        return case.plain(args)
    return events.logged(case, args, modes, run_case, (case, args))


def run_case(case: PlainCase, args: tuple[Any, ...]) -> Any:
    """The plain case."""
    return case.plain(args)


def has_defaults(case: PlainCase, args: tuple[Any, ...]) -> bool:
    """Return whether the arguments that the operator does not have were left at their defaults."""
    place: int
    for place in case.rest:
        if args[place] is not case.defaults[place]:
            return False
    return True


def may_be_seen(op: Op, args: tuple[Any, ...]) -> bool:
    """Return whether the plain case may be a view of the arguments: lists are written to before it is taken again, and
    the storage of a tensor may have been resized to less than its array.
    """
    for value in args:
        if isinstance(value, list):
            return False
    if op.sees != sources.SEES_MEMORY:
        return True
    if not isinstance(args[0], Tensor):
        return False
    tensor: Tensor = args[0]
    array: Any = tensor._storage_.array
    return tensor._array_ is array or tensor._array_.base is array


def translated(function: Any, args: tuple[Any, ...]) -> Any:
    """The arguments of the operator from a native function, with the first one (a tensor or a list of them) and the
    other tensors of the call in their places. None if it does not support the case.
    """
    values: Any = call_or_decline(function, args)
    if values is NotImplemented:
        return None
    result: list[Any] = list(values)
    at: int
    for at in range(min(len(result), len(args))):
        if at == 0 or isinstance(args[at], Tensor):
            result[at] = args[at]
    return result


def parts(case: PlainCase, args: tuple[Any, ...]) -> Any:
    """The plain case of a function that applies its operator several times; NotImplemented if it is not one."""
    calls: Any = call_or_decline(case.translate, args)
    if calls is NotImplemented:
        return NotImplemented
    results: list[Any] = []
    for values in calls:
        result: Any = attempt(case.op, case.native, (args[0], *values), False)
        if result is NotImplemented:
            return NotImplemented
        results.append(result)
    return tuple(results)


def placed(case: PlainCase, args: tuple[Any, ...]) -> Any:
    """The arguments of the operator, looked up by name; None if there are others."""
    if not has_defaults(case, args):
        return None
    values: list[Any] = []
    place: int
    for place in case.places:
        values.append(args[place] if place >= 0 else case.op.defaults[len(values)])
    if case.guard is not None and door.on_arrays(case.guard, tuple(values), Tensor) is NotImplemented:
        return None
    return values


def prepared(case: PlainCase, values: list[Any]) -> Any:
    """The arguments of the operator, some of them results of others; None if one of these does not support its own."""
    place: int
    op: Op
    for step in case.prepare:
        op = step[1]
        place = step[0]
        if op.native is None:
            return None
        rest: tuple[Any, ...] = step[2]
        first: tuple[Any, ...] = (values[place],)
        values[place] = attempt(op, op.native, first + rest if rest else first, False)  # a display goes through a list
        if values[place] is NotImplemented:
            return None
    return values


class Factory:
    """A factory, with the native function of its plain case: new tensors from plain arguments and tensors.

    Attributes:
        native: called with NumPy's name of the default dtype and the positional arguments, arrays in the place of
            tensors; returns an array, or NotImplemented.
        function: called for everything else.
        draws: it returns random numbers: within `vmap`, which decides how they are drawn, `function` is called.
    """

    native: Any
    function: Any
    draws: bool

    __slots__ = ("draws", "function", "native")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result: Any = create_profiled(self, args, kwargs) if events.opened else self.plain(args, kwargs)
        return self.function(*args, **kwargs) if result is NotImplemented else result

    def plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The plain case; NotImplemented if it is not one."""
        if len(args) > 0 and isinstance(args[0], Tensor) and flags_of(args[0]) & (flags.OVERRIDDEN | flags.OBSERVED):
            return NotImplemented
        if self.draws:
            modes: Modes = current()
            if len(modes.batches) > 0:
                return NotImplemented
        if not kwargs or (len(kwargs) == 1 and kwargs.get("requires_grad") is True):
            values: tuple[Any, ...] = (get_default_dtype().numpy,) + args  # noqa: RUF005 - a list would lie between
            array: Any = door.on_arrays(self.native, values, Tensor)
            if array is not NotImplemented and (not kwargs or door.is_inexact(array)):
                result: Tensor = wrap(array)
                if kwargs:
                    result.requires_grad = True
                return result
        return NotImplemented

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else types.MethodType(self, instance)


def create_profiled(factory: Factory, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the call, noted in the log of this thread, if there is one, unless `function` does that."""
    modes: Modes = current()
    if modes.word & flags.OVERRIDDEN:
        return NotImplemented
    log: Log = modes.log if modes.word & flags.PROFILED else None
    if log is None:
        return factory.plain(args, kwargs)
    event: Event = log.begin(kinds.OPERATOR, factory.function.__name__, -1, args)
    return log.call(event, run_factory, (factory, args, kwargs))


def run_factory(factory: Factory, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The plain case of a factory."""
    return factory.plain(args, kwargs)

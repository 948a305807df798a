"""Modes that see each operator of a thread below differentiation: the base of `utils._python_dispatch`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._core import flags
from .._core.calls.dispatch import input_word
from .._core.calls.overriding import declined, running
from .._core.operators.declaration import REQUIRED
from .._core.profiling import events
from .._core.state.modes import Modes, current
from .._core.state.regions import Region
from .._tensor import Tensor

TOGETHER = flags.DUAL | flags.BATCHED | flags.LEVELS | flags.BATCHES | flags.VOLATILE | flags.SPARSE
"""Flags of a call that cannot be recorded apart from its computation."""


class DispatchMode(Region):
    """The base of `TorchDispatchMode`, without torch's names of operators."""

    @staticmethod
    def _named_(op: Any, values: tuple[Any, ...]) -> Any:
        """Return the operator of a call as programs name it, and its arguments as programs write them."""
        raise NotImplementedError

    @staticmethod
    def _factory_(function: Any) -> Any:
        """Return the function that builds the call of a factory; None if a function is not a factory."""
        raise NotImplementedError

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def _before_(self, modes: Modes) -> Any:
        return modes.observers, Factories(self)

    def _begin_(self, modes: Modes, before: Any) -> Any:
        observers, factories = before
        modes.observe([*observers, self._observe])
        first = sum(
            isinstance(function, Factories) for function in modes.functions
        )  # modes of functions are asked first
        modes.override([*modes.functions[:first], factories, *modes.functions[first:]])
        events.hold_open(id(factories), True)
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        observers, factories = before
        events.hold_open(id(factories), False)
        modes.override([function for function in modes.functions if function is not factories])
        modes.observe(observers)

    def _observe(self, op: Any, args: tuple[Any, ...], proceed: Any) -> Any:
        """Observe one call: see `unusual.observed`."""
        if op.name == "out=":  # the call that computed the values was reported
            return proceed()
        call = Call(op, args, proceed, self._named_(op, args))
        return call.settled(self._answer(call))

    def _answer(self, call: Any) -> Any:
        """Return the answer of the program's method to a call."""
        calls = vars(running).setdefault("calls", [])
        modes, depth = current(), len(calls)
        grad, mask = modes.grad, modes.mask
        try:
            calls.append(call)
            modes.set_grad(False)
            return self._checked(call, self.__torch_dispatch__(call.func, (), call.args, call.kwargs))
        finally:  # stores only, see `modes`
            modes.grad, modes.mask = grad, mask
            del calls[depth:]

    def _checked(self, call: Any, result: Any) -> Any:
        """Return the answer of the program's method if it can be the result of a call.

        Raises:
            TypeError: if the method declined the call.
            RuntimeError: if the answer is not a tensor, or not a sequence of tensors where the operator has several
                results.
        """
        if result is NotImplemented:
            raise TypeError(declined(f"torch._ops.{call.func}", "dispatch", self))
        several = getattr(getattr(call, "op", None), "several", False)
        if several and not isinstance(result, (tuple, list)):
            raise RuntimeError(f"Object of type {type(result).__name__!r} is not an instance of 'sequence'")
        for value in result if several else (result,):
            if value is not None and not isinstance(value, Tensor):
                raise RuntimeError(f"Unable to cast {value} to Tensor")
        return result


class Factories:
    """Report calls of factories, which are not operators, to a dispatch mode; an entry among modes of functions.

    Args:
        mode: the mode.
    """

    def __init__(self, mode: DispatchMode) -> None:
        self.mode = mode

    def _takes_(self, func: Any) -> bool:
        """Return whether `func` is a factory and the mode is on."""
        return func is not None and self.mode._factory_(func) is not None and self.place() >= 0

    def place(self) -> int:
        """Index of the mode among the observers of this thread; -1 if it is off."""
        observers = current().observers
        return next(
            (at for at, observer in enumerate(observers) if getattr(observer, "__self__", None) is self.mode), -1
        )

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        call = self.mode._factory_(func)(func, args, kwargs or {})
        modes = current()
        before = modes.observers
        modes.observe(before[: self.place()])
        try:
            result = self.mode._answer(call)
        finally:
            modes.observe(before)
        return result.requires_grad_() if call.requires_grad and isinstance(result, Tensor) else result


class Call:
    """A call that a mode sees.

    Args:
        op: the operator.
        values: all its arguments.
        proceed: runs the call.
        named: the operator as programs know it, and its arguments by position and by name.

    Attributes:
        func: the operator as programs name it.
        args, kwargs: the arguments as torch passes them: without defaults.
        apart: whether the result is computed first, and put into the graph when the mode has returned it; False for
            views and writes, which do both at once.
        recorded: whether the result is part of the graph, also as a view that the mode derives from another tensor.
        result: the result of the call, None before
    """

    def __init__(self, op: Any, values: tuple[Any, ...], proceed: Any, named: Any) -> None:
        modes = current()
        self.op, self.values, self.proceed = op, values, proceed
        self.func, self.args, self.kwargs = named
        self.grad, self.mask = modes.grad, modes.mask
        functional = getattr(op, "functional", op)
        self.word = (input_word(functional, values) | modes.word) & modes.mask
        self.recorded = bool(self.word & flags.REQUIRES_GRAD and not self.word & TOGETHER and op.rules)
        self.apart = self.recorded and not op.view and op.written(values) is None
        self.result: Any = None

    def make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the operator: with its own arguments the call itself; with others a new call, which is not recorded."""
        if self.result is not None or not same(args, self.args) or not same(kwargs, self.kwargs):
            return self.op(*args, **kwargs)
        modes = current()
        before = modes.grad, modes.mask, modes.overriding
        try:
            if self.apart:
                modes.overriding = 2
                self.result = self.op.call(self.values)
            else:
                modes.grad, modes.mask = self.grad, self.mask
                self.result = self.proceed()
        finally:  # stores only, see `modes`
            modes.grad, modes.mask, modes.overriding = before
        return self.result

    def settled(self, result: Any) -> Any:
        """Return the answer of the mode as the program gets it: as part of the graph."""
        target = self.op.written(self.values)
        if target is not None:
            return target
        if not self.apart and (self.result is not None or not self.recorded):
            return result
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if not all(isinstance(tensor, Tensor) for tensor in results):
            return result
        for at, tensor in enumerate(results):
            if tensor.requires_grad or any(tensor is value for value in self.values):
                results[at] = tensor.detach()
        output: Any = tuple(results) if self.op.several else results[0]
        self.op.remember(self.values, output, self.word, current())
        return output


def arguments(op: Any, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call by position and by name, without defaults."""
    count = op.positional
    while count and is_default(op.defaults[count - 1], values[count - 1]):
        count -= 1
    named = zip(op.names[op.positional :], op.defaults[op.positional :], values[op.positional :])
    kwargs = {name: plain(value) for name, default, value in named if not is_default(default, value)}
    return tuple(map(plain, values[:count])), kwargs


def is_default(default: Any, value: Any) -> bool:
    """Return whether an argument equals its default."""
    if default is REQUIRED:
        return False
    return value is default or (type(value) is type(default) and not isinstance(value, Tensor) and value == default)


def plain(value: Any) -> Any:
    """Return an argument as torch passes it: several numbers as a list."""
    return list(value) if isinstance(value, tuple) else value


def same(value: Any, known: Any) -> bool:
    """Return whether arguments are those of a call: the same tensors, and equal values."""
    if value is known:
        return True
    if isinstance(value, dict):
        return value.keys() == known.keys() and all(same(item, known[name]) for name, item in value.items())
    if isinstance(value, (tuple, list)) and isinstance(known, (tuple, list)):
        return len(value) == len(known) and all(map(same, value, known))
    return type(value) is type(known) and not isinstance(value, Tensor) and bool(value == known)


def stack() -> list[Any]:
    """Return the dispatch modes of this thread, the innermost last."""
    owners = (getattr(observer, "__self__", None) for observer in current().observers)
    return [mode for mode in owners if isinstance(mode, DispatchMode)]


@contextmanager
def without(count: int) -> Iterator[list[Any]]:
    """Switch off the innermost `count` dispatch modes of this thread."""
    modes = current()
    before, off = modes.observers, list[Any]()
    for observer in reversed(before):
        if len(off) < count and isinstance(getattr(observer, "__self__", None), DispatchMode):
            off.append(observer)
    modes.observe([observer for observer in before if observer not in off])
    try:
        yield [observer.__self__ for observer in reversed(off)]
    finally:
        modes.observe(before)


__all__ = ["DispatchMode", "arguments", "stack", "without"]

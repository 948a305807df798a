"""Observers of calls: how a function hears of them, and what it is told of beside calls of operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import flags
from .._core.state.modes import Modes, current
from .._core.state.regions import Region as Region
from .profiler.names import INNER

Hear = Callable[[str, tuple[Any, ...], dict[str, Any], Any], None]
"""A function of the name of an operator, its arguments by position and by name, and its result."""


class Observing(Region):
    """A region in which a method sees each call of an operator in this thread, in backward passes, too."""

    def _before_(self, modes: Modes) -> Any:
        return modes.observers, modes.word

    def _begin_(self, modes: Modes, before: Any) -> Any:
        modes.observe([*modes.observers, self.observe])
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.observers, word = before  # stores only, see `_core.state.modes`
        modes.word = word & ~flags.PROFILED | modes.profiled

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See one call: `unusual.observed`."""
        raise NotImplementedError


class Heard(Observing):
    """A region in which a function hears of each call of an operator in this thread, in backward passes, too.

    The names are torch's. The operators that compute the gradients of a convolution are all `convolution_backward`,
    with their own name as the argument `part`.

    Args:
        hear: called after each call. What it calls itself it does not hear of.
    """

    def __init__(self, hear: Hear) -> None:
        self.hear = hear

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See one call: `unusual.observed`."""
        made = proceed()
        kwargs = keywords_of(op, args)
        name = name_of(op)
        if name == "convolution_backward":
            kwargs["part"] = op.name
        self.hear(name, args[: op.positional], kwargs, made)
        return made


def keywords_of(op: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments of a call that are given by name, without those that have their default."""
    rest = zip(op.names[op.positional :], op.defaults[op.positional :], args[op.positional :])
    return {name: value for name, default, value in rest if value is not default and value != default}


def name_of(op: Any) -> str:
    """What torch calls an operator that is called now."""
    name: str = op.name
    if name in ("convolution_input", "convolution_weight"):
        return "convolution_backward"
    if name != "convolution":
        return INNER.get(name, name)
    modes = current()  # the gradient of a transposed one; what is computed again in a backward pass is recorded
    return name if modes.passing is None or modes.grad else "convolution_backward"


def in_backward() -> bool:
    """Whether a backward pass is under way in this thread."""
    return current().passing is not None


def inform(event: str, *args: Any) -> None:
    """Call the method of this name of each object one of whose methods observes, if it has one.

    The events are `function(name, args)`: a custom Function is about to run, and `returned(name, args, results)`: it
    has run.
    """
    for observer in current().observers:
        method = getattr(getattr(observer, "__self__", None), event, None)
        if method is not None:
            method(*args)

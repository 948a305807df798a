"""Observers of calls: functions that are called after each operator, and events of custom Functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import flags
from .._core.state.modes import Modes, current
from .._core.state.regions import Region as Region
from .profiler.names import INNER

Hear = Callable[[str, tuple[Any, ...], dict[str, Any], Any], None]
"""Function of the name of an operator, its arguments by position and by name, and its result."""


class Observing(Region):
    """Region in which a method observes each call of an operator in this thread, also in backward passes."""

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
    """Region in which a function is called after each operator of this thread, also in backward passes.

    The names are torch's. All operators that compute the gradients of a convolution are named `convolution_backward`,
    with their own name as the argument `part`.

    Args:
        hear: called after each call; its own calls of operators are not reported.
    """

    def __init__(self, hear: Hear) -> None:
        self.hear = hear

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See one call: `unusual.observed`."""
        result = proceed()
        kwargs = keywords_of(op, args)
        name = name_of(op)
        if name == "convolution_backward":
            kwargs["part"] = op.name
        self.hear(name, args[: op.positional], kwargs, result)
        return result


def keywords_of(op: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """Return the keyword-only arguments of a call, without defaults."""
    rest = zip(op.names[op.positional :], op.defaults[op.positional :], args[op.positional :])
    return {name: value for name, default, value in rest if value is not default and value != default}


def name_of(op: Any) -> str:
    """Return torch's name of an operator that is called now."""
    name: str = op.name
    if name in ("convolution_input", "convolution_weight"):
        return "convolution_backward"
    if name != "convolution":
        return INNER.get(name, name)
    modes = current()  # the gradient of a transposed convolution; recomputations in a backward pass are recorded
    return name if modes.passing is None or modes.grad else "convolution_backward"


def in_backward() -> bool:
    """Return whether a backward pass is under way in this thread."""
    return current().passing is not None


def inform(event: str, *args: Any) -> None:
    """Call the method named `event` of each observing object that has one.

    The events are `function(name, args)` before a custom Function runs, and `returned(name, args, results)` afterwards.
    """
    for observer in current().observers:
        method = getattr(getattr(observer, "__self__", None), event, None)
        if method is not None:
            method(*args)

"""`set_debug`: calls note the lines of the program that made them, and the modules that they were made in."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from wengert._core.graph.origins import Debug
from wengert._core.state.modes import Modes, current, everyone
from wengert._core.state.regions import Region

_following: list[Any] = []
"""The handles of the hooks that follow the calls of modules, while some thread notes lines."""


class set_debug(Region):  # noqa: N801 - a switch, called as a function
    """Let every call note the line of the program that made it: as a function at once, as a context manager until its
    end.

    Then `explain` names the line where a tensor was cut off from the graph, errors of a backward pass carry the lines
    of the forward call, of the write, and of the pass that freed the graph (as notes of the exception), and
    `graph_report` sorts memory by lines and modules. Nothing else changes, no tensor lives longer. It holds for the
    calling thread, and costs about an eighth of the time of a program of tiny operations; switched off, nothing.

    Args:
        lines: on or off.

    Raises:
        TypeError: `lines` is no bool.

    >>> import wengert as wg
    >>> with wg.set_debug(lines=True):
    ...     x = wg.ones(2, requires_grad=True)
    ...     y = x.detach() * 2
    >>> wg.explain(y).reason
    'detach'
    """

    def __init__(self, *, lines: bool) -> None:
        if not isinstance(lines, bool):
            raise TypeError(f"set_debug(): lines must be True or False, not {type(lines).__name__}")
        self._before = current().debug
        _switch(Debug() if lines else None)

    def _before_(self, modes: Modes) -> Debug | None:
        return self._before

    def _begin_(self, modes: Modes, before: Any) -> None:
        pass  # it has begun already

    def _end_(self, modes: Modes, before: Debug | None) -> None:
        _switch(before)


def _switch(debug: Debug | None) -> None:
    """Let the calling thread note into `debug`, or nothing; follow modules while somebody does."""
    current().set_debug(debug)
    _follow_modules(any(modes.debug is not None for modes, _ in tuple(everyone.values())))


def _follow_modules(wanted: bool) -> None:
    """Follow the calls of modules, or no longer."""
    if not wanted and "wengert.nn" not in sys.modules:
        return
    from wengert.nn.modules import global_hooks

    for handle in () if wanted else tuple(_following):
        handle.remove()
    for table, hook in ((global_hooks.FORWARD_PRE, _entered), (global_hooks.FORWARD, _left)):
        keys = [key for key, other, _ in table.entries() if other is hook]
        if wanted and not keys:
            _following.append(table.add(hook, always_called=hook is _left))
        elif not wanted:
            for key in keys:  # whose handles did not come, for an interrupt
                table.pop(key, None)
    if not wanted:
        _following.clear()


def _entered(module: Any, args: Any) -> None:
    """A module's `forward` begins."""
    debug = current().debug
    if debug is not None:
        debug.scope = (debug.scope, weakref.ref(module))


def _left(module: Any, args: Any, output: Any) -> None:
    """A module's `forward` has ended, perhaps by an error; also those within it that a pre-hook kept from beginning."""
    debug = current().debug
    scope = None if debug is None else debug.scope
    while scope is not None and scope[1]() is not module:
        scope = scope[0]
    if scope is not None:
        debug.scope = scope[0]


def module_name(scope: Any) -> str:
    """The module of a scope, as `Net.layers.0`: the class of the outermost one, and the way from there; empty outside.

    >>> module_name(None)
    ''
    """
    chain = []
    while scope is not None:
        scope, reference = scope
        chain.append(reference())
    if not chain:
        return ""
    outer = chain.pop()
    names = [type(outer).__name__]
    while chain:
        inner = chain.pop()
        if inner is outer:
            continue
        name_ = "" if outer is None else next((name for name, module in outer.named_modules() if module is inner), "")
        names.append(name_ or type(inner).__name__)
        outer = inner
    return ".".join(names)

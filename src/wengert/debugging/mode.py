"""`set_debug`: record for each call the line of the program and the module."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from wengert._core.graph.origins import Debug
from wengert._core.state.modes import Modes, current, everyone
from wengert._core.state.regions import Region

_following: list[Any] = []
"""Handles of the hooks that follow calls of modules, while some thread records lines."""


class set_debug(Region):  # noqa: N801 - a switch, called as a function
    """Record the line of the program for each call: at once as a function, until its end as a context manager.

    Then `explain` names the line that cut a tensor off from the graph, errors of a backward pass have notes with the
    lines of the forward call, of the write, and of the pass that freed the graph, and `graph_report` groups memory by
    lines and modules. Nothing else changes, and no tensor lives longer. The mode holds for the calling thread. It costs
    about an eighth of the time of a program of tiny operations; switched off, nothing.

    Args:
        lines: on or off.

    Raises:
        TypeError: if `lines` is not a bool.

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
        pass  # entered already

    def _end_(self, modes: Modes, before: Debug | None) -> None:
        _switch(before)


def _switch(debug: Debug | None) -> None:
    """Set the record of the calling thread, None for none; follow modules while any thread records."""
    current().set_debug(debug)
    _follow_modules(any(modes.debug is not None for modes, _ in tuple(everyone.values())))


def _follow_modules(wanted: bool) -> None:
    """Start or stop following the calls of modules."""
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
            for key in keys:  # their handles were lost by an interrupt
                table.pop(key, None)
    if not wanted:
        _following.clear()


def _entered(module: Any, args: Any) -> None:
    """Note the beginning of a module's `forward`."""
    debug = current().debug
    if debug is not None:
        debug.scope = (debug.scope, weakref.ref(module))


def _left(module: Any, args: Any, output: Any) -> None:
    """Note the end of a module's `forward`, perhaps by an error, and of modules within it that did not begin."""
    debug = current().debug
    scope = None if debug is None else debug.scope
    while scope is not None and scope[1]() is not module:
        scope = scope[0]
    if scope is not None:
        debug.scope = scope[0]


def module_name(scope: Any) -> str:
    """Return the module of a scope, such as `Net.layers.0`: class of the outermost module and path; "" outside.

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

"""Objects that hold others in tables, as modules hold parameters, buffers and children: their attributes and calls.

A class of Python has slots for the look-up of attributes and for calls. Where it defines `__getattr__` and `__call__`,
they look these up each time, and call them as functions of the interpreter; an attribute in a table costs an error
besides. Here C fills the slots of the classes that leave both to the base.
"""

from __future__ import annotations

from typing import Any

from . import shortcuts
from .profiling import events


def is_watched() -> bool:
    """Return whether a profile is open, which reads from the frames of `__call__` what modules are being called."""
    return events.opened != 0


def fill(cls: type, look_up: Any, call: Any, active: dict[Any, Any]) -> None:
    """Let C look up attributes of instances, and call their `forward`, as `look_up` and `call` do.

    Python fills the slots anew when the class, or a base, gets another `__getattr__` or `__call__`, and those of each
    new subclass. Calls with hooks or in a profile, `forward` as an attribute of the instance, and missing attributes
    are left to the functions.

    Args:
        cls: the class; if its `__getattr__` is not `look_up`, or its `__call__` not `call`, that slot stays.
        look_up: `__getattr__` of the base: entries of `_parameters`, `_buffers` and `_modules`.
        call: `__call__` of the base, which calls `forward` if `_call_hooks` of the holder and `active` are empty.
        active: hooks around calls of all holders.
    """
    shortcuts.fill(cls, look_up, call, active)

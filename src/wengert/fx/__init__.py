"""`torch.fx`: programs are not taken apart here; what only marks functions for that works."""

from __future__ import annotations

from typing import Any, NoReturn

from ..absent import stand_in


def wrap(fn_or_name: Any) -> Any:
    """The function itself, or its name."""
    return fn_or_name


def symbolic_trace(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("torch.fx.symbolic_trace: modules cannot be taken apart into graphs here")


class Proxy:
    """What stands for a value while torch takes a module apart; nothing here is one."""


class Tracer:
    """What takes a module apart in torch.

    Raises:
        RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        symbolic_trace()


class GraphModule:
    """What torch makes of a module that it has taken apart; nothing here is one."""


def __getattr__(name: str) -> Any:
    """Everything else is refused when it is called or made."""
    return stand_in(__name__, name, "modules cannot be taken apart into graphs here")

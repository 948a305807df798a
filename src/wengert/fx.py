"""`torch.fx`: programs are not taken apart here; what only marks functions for that works."""

from __future__ import annotations

from typing import Any, NoReturn


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

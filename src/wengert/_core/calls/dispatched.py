"""The step of a call with a tensor of a class that has a `__torch_dispatch__`: the class computes the result.

Layers above (`standins.HANDLER`) know which operator of torch a call is, and what the class receives.
"""

from __future__ import annotations

from typing import Any

from ..._start.loading import load
from .. import flags
from ..state.modes import Modes
from ..tensor.base import Tensor
from ..tensor.standins import HANDLER


def is_told(args: tuple[Any, ...]) -> bool:
    """Return whether a tensor of such a class is among the arguments, or in a list of them."""
    for value in args:
        for element in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(element, Tensor) and element._flags_ & flags.OBSERVED:
                return True
    return False


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Let a class compute the result of a call, and put it into the graph."""
    return load(HANDLER).call(op, args, word, modes)


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> bool:
    """Let a class write the result of a call into its first argument; return False if none is asked."""
    return load(HANDLER).write(op, args, modes)

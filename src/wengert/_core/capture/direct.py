"""Calls on registers without tuples: the plain Python form of the C code of the compiled build.

This file is never compiled. In the compiled build the core modules take the functions of `direct.pxd` instead.
"""

from __future__ import annotations

from typing import Any


def on_registers(function: Any, args: tuple[Any, ...], places: tuple[int, ...], values: list[Any]) -> Any:
    """Call a function with the arrays of registers as arguments.

    Args:
        args: the constants.
        places: for each argument, its register, or a negative number for a constant.
        values: the registers.

    Returns:
        The result; NotImplemented if NumPy refuses an array of the size of the result.
    """
    try:
        return function(*[values[place] if place >= 0 else arg for place, arg in zip(places, args)])
    except ValueError:
        return NotImplemented

"""Frames of the running program, without a Python call (compiled), and the same in plain Python.

This file is never compiled. In the compiled build the core modules take the functions of `frames.pxd` instead.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any


def outside(folder: str) -> Any:
    """The innermost frame whose code does not come from a file of a folder (which ends with a separator), or None."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(folder):
        frame = frame.f_back
    return frame


def code_of(frame: Any) -> Any:
    """The code that a frame runs."""
    return frame.f_code


def offset_of(frame: Any) -> int:
    """The offset in bytes of the instruction that a frame runs."""
    return frame.f_lasti

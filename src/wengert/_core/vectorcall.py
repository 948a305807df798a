"""Calls of operators in the compiled dispatch; in plain Python the function does nothing.

This file is never compiled. In the compiled build `dispatch` takes the function of `vectorcall.pxd` instead.
"""

from __future__ import annotations

from typing import Any


def begin(op: Any, required: Any, tensor_type: Any) -> None:
    """Let calls of an operator bind their arguments in C.

    Args:
        op: the operator, complete.
        required: the default of a parameter that has none.
        tensor_type: the class Tensor.
    """

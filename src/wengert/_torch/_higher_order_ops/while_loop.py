"""`while_loop`: a function again and again, as `torch.while_loop`."""

from __future__ import annotations

from ..eager import while_loop

while_loop_op = while_loop

__all__ = ["while_loop", "while_loop_op"]

"""`cond`: one of two functions, as `torch.cond`."""

from __future__ import annotations

from ..eager import cond

cond_op = cond

__all__ = ["cond", "cond_op"]

"""Derivatives of a function of one argument at a point, under the names of HIPS autograd."""

from __future__ import annotations

from .extend import primitive
from .products import jvp_at as make_jvp, vjp_at as make_vjp

__all__ = ["make_jvp", "make_vjp", "primitive"]

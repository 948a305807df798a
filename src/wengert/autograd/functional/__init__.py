"""Derivatives of functions, as `torch.autograd.functional` names them: function and inputs in, derivative out."""

from __future__ import annotations

from .jacobians import hessian, jacobian
from .products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

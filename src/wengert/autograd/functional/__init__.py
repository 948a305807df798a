"""Derivatives of functions, as `torch.autograd.functional` names them: function and inputs in, derivative out."""

from __future__ import annotations

from .batched import standard_basis as _construct_standard_basis_for  # noqa: F401 - libraries take it from here
from .jacobians import hessian, jacobian
from .products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

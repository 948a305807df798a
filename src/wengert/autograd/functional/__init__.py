"""Derivatives of functions at given inputs: the mirror of `torch.autograd.functional`."""

from __future__ import annotations

from .batched import standard_basis as _construct_standard_basis_for  # noqa: F401 - libraries take it from here
from .jacobians import hessian, jacobian
from .products import hvp, jvp, vhp, vjp
from .steps import (  # noqa: F401 - as the first
    _as_tuple,
    _as_tuple_nocheck,
    _autograd_grad,
    _check_requires_grad,
    _fill_in_zeros,
    _grad_postprocess,
    _grad_preprocess,
    _jacfwd,
    _tuple_postprocess,
    _validate_v,
)

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

"""Transforms of functions: derivatives and batches, nested in any order and to any depth."""

from __future__ import annotations

from .debug import debug_unwrap
from .forward import jvp, linearize
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, functionalize, replace_all_batch_norm_modules_, stack_module_state
from .per_sample import per_sample_gradients
from .rearrange import rearrange
from .reverse import grad, grad_and_value, vjp
from .sparse import hessian_sparsity, jacobian_sparsity, sparse_hessian, sparse_jacobian
from .taylor import jet, taylor
from .vmap import vmap

_IN_PACKAGE = ("vmap",)

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "hessian_sparsity",
    "jacfwd",
    "jacobian_sparsity",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "per_sample_gradients",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "sparse_hessian",
    "sparse_jacobian",
    "stack_module_state",
    "taylor",
    "vjp",
    "vmap",
]

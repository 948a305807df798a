"""HIPS autograd's interface: `import wengert.compat.hips as autograd`, `import wengert.compat.hips.numpy as np`.

Functions of NumPy arrays, numbers, and containers of these are differentiated; the results are NumPy arrays and
numbers.
"""

from __future__ import annotations

from . import builtins, extend, misc, numpy, tracer
from .builtins import dict, isinstance, list, tuple, type
from .extend import primitive
from .operators import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_jvp_reversemode,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)

__all__ = [
    "builtins",
    "checkpoint",
    "deriv",
    "dict",
    "elementwise_grad",
    "extend",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "isinstance",
    "jacobian",
    "list",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "misc",
    "multigrad_dict",
    "numpy",
    "primitive",
    "tensor_jacobian_product",
    "tracer",
    "tuple",
    "type",
    "value_and_grad",
    "vector_jacobian_product",
]

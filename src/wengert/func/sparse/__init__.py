"""Sparse Jacobians and Hessians: which elements are not zero, found by passing index sets through the operators; and
these elements, from few products, by colouring. Needs SciPy.
"""

from __future__ import annotations

from .derivatives import sparse_hessian, sparse_jacobian
from .patterns import hessian_sparsity, jacobian_sparsity

__all__ = ["hessian_sparsity", "jacobian_sparsity", "sparse_hessian", "sparse_jacobian"]

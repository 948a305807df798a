"""Sparse Jacobians and Hessians: patterns by propagation of index sets, and values from few products by colouring.

It needs SciPy.
"""

from __future__ import annotations

from .derivatives import sparse_hessian, sparse_jacobian
from .patterns import hessian_sparsity, jacobian_sparsity

__all__ = ["hessian_sparsity", "jacobian_sparsity", "sparse_hessian", "sparse_jacobian"]

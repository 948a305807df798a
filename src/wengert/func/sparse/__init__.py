"""Sparse derivatives: which elements of them are not zero, found by passing index sets through the operators."""

from __future__ import annotations

from .patterns import hessian_sparsity, jacobian_sparsity

__all__ = ["hessian_sparsity", "jacobian_sparsity"]

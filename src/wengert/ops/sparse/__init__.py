"""Sparse tensors: creation, access, and operators."""

"""Functions of sparse tensors, as `torch.sparse` has them; `sparse_coo_tensor` and `to_sparse` make such tensors."""

from __future__ import annotations

from .ops.sparse.compressed_products import sampled_addmm
from .ops.sparse.invariants import check_sparse_tensor_invariants
from .ops.sparse.products import sparse_addmm as addmm, sparse_mm as mm
from .ops.sparse.reductions import sparse_log_softmax as log_softmax, sparse_softmax as softmax, sparse_sum as sum

__all__ = ["addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax", "sum"]

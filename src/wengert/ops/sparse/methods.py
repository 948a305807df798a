"""What Tensor has because of sparse tensors."""

from __future__ import annotations

from ..._core.tensor.base import bind
from .create import to_sparse
from .reading import METHODS

for name, method in {**METHODS, "to_sparse": to_sparse, "to_sparse_coo": to_sparse}.items():
    bind(name, method)

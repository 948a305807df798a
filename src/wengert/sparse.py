"""Functions of sparse tensors, as `torch.sparse` has them; `sparse_coo_tensor` and `to_sparse` make such tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .ops import asking
from .ops.sparse.compressed_products import sampled_addmm
from .ops.sparse.diagonals import spdiags
from .ops.sparse.invariants import check_sparse_tensor_invariants
from .ops.sparse.products import sparse_addmm as addmm, sparse_mm as mm
from .ops.sparse.reductions import sparse_log_softmax as log_softmax, sparse_softmax as softmax, sparse_sum as sum
from .ops.sparse.types import TYPES

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "sum",
]


def as_sparse_gradcheck(gradcheck: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `gradcheck` for functions of sparse tensors, which the present one supports already.

    Args:
        gradcheck: `autograd.gradcheck`, or a function that calls it.

    Returns:
        A function that calls it.
    """

    @wraps(gradcheck)
    def gradcheck_with_sparse_support(*args: Any, **kwargs: Any) -> bool:
        return gradcheck(*args, **kwargs)

    return gradcheck_with_sparse_support


functions = {name: globals()[name] for name in ("addmm", "log_softmax", "mm", "softmax", "sum")}
globals().update({name: asking(function, name, module=__name__) for name, function in functions.items()})
globals().update(TYPES)

"""Errors for operators without a kernel for sparse tensors, as in torch."""

from __future__ import annotations

from ..._core import sparse_errors

sparse_errors.UNSUPPORTED.update(
    {
        "_reshape_alias": "reshape is not implemented for sparse tensors",
        "expand": "expand is unsupported for Sparse tensors",
        "repeat": "expand is unsupported for Sparse tensors",
    }
)
sparse_errors.KERNELS.update(
    {
        **dict.fromkeys(("slice", "split", "squeeze", "fill_diagonal"), "as_strided"),
        "view_shape": "view",
        "max_full": "max",
        "min_full": "min",
        "_where": "where.self",
        "index": "index.Tensor",
        "remainder": "remainder.Tensor",
        "sort_along": "sort.stable",
        "nonzero_positions": "nonzero",
        "fill": "fill_.Scalar",
        **{name: f"{name}.Tensor" for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    }
)

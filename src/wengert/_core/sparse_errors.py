"""Error texts about sparse tensors: torch's, with advice."""

from __future__ import annotations

from typing import Any

BATCHED = "vmap: sparse tensors cannot be used together with tensors that carry a batch; use to_dense() first"

UNSUPPORTED: dict[str, str] = {}
"""The texts for operators that torch refuses in words of their own."""
KERNELS: dict[str, str] = {}
"""torch's names of kernels, by operator, where they differ from the operator's."""


def no_kernel(name: str, backend: str = "SparseCPU") -> str:
    """An operator does not exist for sparse tensors (or, of backend "CPU", for dense ones)."""
    return (
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process: use to_dense() "
        "first, or work on values()."
    )


def refused(name: str) -> Exception:
    """The error for an operator without a kernel for sparse tensors."""
    if name in UNSUPPORTED:
        return RuntimeError(UNSUPPORTED[name])
    return NotImplementedError(no_kernel(KERNELS.get(name, name)))


def read(what: str, shape: Any) -> Exception:
    """The elements of a sparse tensor were requested."""
    count = 1
    for length in shape:
        count *= length
    if what == "item" and count != 1:
        return RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")
    return NotImplementedError(
        f"Could not run {what} with arguments from the 'SparseCPU' backend: it asks for the elements of a sparse "
        f"tensor of shape {list(shape)}. Use to_dense() first, or work on values()."
    )


def too_large(shape: Any) -> str:
    """A dense tensor of that shape would have more elements than can be counted."""
    return f"sparse_coo_tensor: a tensor of shape {list(shape)} has more elements than can be addressed"

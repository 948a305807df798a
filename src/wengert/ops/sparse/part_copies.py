"""Copies of the parts of compressed sparse tensors: `crow_indices_copy` and the like."""

from __future__ import annotations

from typing import Any

from ..._core.calls.out import put
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import composite
from ..._core.out_errors import EXACT
from ..family import describes
from .forms import METHODS as FORMS
from .parts import none
from .reading import METHODS

READERS = {**METHODS, **FORMS}
"""Methods that return the parts, by name."""
COPIED = """
    Args:
        input: compressed sparse tensor, or one in coordinates, as for `Tensor.{part}`.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if the tensor has no such part.

    Examples:
        >>> wg.{part}_copy(wg.eye(2).{maker}())
        {result}
    """


def copied(part: str, input: Any, out: Any) -> Any:
    """Copy the result of the method of that name."""
    name = f"{part}_copy"
    check_tensors(name, input=input)
    return put(name, out, READERS[part](input).clone(), words=EXACT)


@composite(method=False)
@describes(COPIED, part="crow_indices", maker="to_sparse_csr", result="tensor([0, 1, 2])")
def crow_indices_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.crow_indices`, copied."""
    return copied("crow_indices", input, out)


@composite(method=False)
@describes(COPIED, part="col_indices", maker="to_sparse_csr", result="tensor([0, 1])")
def col_indices_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.col_indices`, copied."""
    return copied("col_indices", input, out)


@composite(method=False)
@describes(COPIED, part="ccol_indices", maker="to_sparse_csc", result="tensor([0, 1, 2])")
def ccol_indices_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.ccol_indices`, copied."""
    return copied("ccol_indices", input, out)


@composite(method=False)
@describes(COPIED, part="row_indices", maker="to_sparse_csc", result="tensor([0, 1])")
def row_indices_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.row_indices`, copied."""
    return copied("row_indices", input, out)


@composite(method=False)
@describes(COPIED, part="indices", maker="to_sparse", result="tensor([[0, 1],\n                [0, 1]])")
def indices_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.indices`, copied."""
    return copied("indices", input, out)


@composite(method=False)
@describes(COPIED, part="values", maker="to_sparse", result="tensor([1., 1.])")
def values_copy(input: Any, *, out: Any = None) -> Any:
    """`Tensor.values`, copied."""
    return copied("values", input, out)


for function in (crow_indices_copy, col_indices_copy, ccol_indices_copy, row_indices_copy, indices_copy, values_copy):
    function.samples(none)

"""Parts of compressed sparse tensors on memory of their own: `crow_indices_copy` and its like."""

from __future__ import annotations

from typing import Any

from ..._core.calls.out import put
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import composite
from ..._core.out_errors import EXACT
from .forms import METHODS as FORMS
from .parts import none
from .reading import METHODS


def declare(part: str, made_by: str, found: str) -> Any:
    """The function that copies a part, which the method of that name gives on the memory of the tensor.

    Args:
        part: the name of the method.
        made_by: a method that makes a sparse tensor with such a part of a dense one.
        found: the part of an identity matrix of two rows, as it prints.
    """
    name, read = f"{part}_copy", {**METHODS, **FORMS}[part]

    def copied(input: Any, *, out: Any = None) -> Any:
        check_tensors(name, input=input)
        return put(name, out, read(input).clone(), words=EXACT)

    copied.__name__ = copied.__qualname__ = name
    copied.__doc__ = f"""`Tensor.{part}`, copied.

    Args:
        input: compressed sparse tensor, or one in coordinates, as `Tensor.{part}` takes it.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: the tensor has no such part.

    Examples:
        >>> wg.{name}(wg.eye(2).{made_by}())
        {found}
    """
    made = composite(method=False)(copied)
    made.samples(none)
    return made


crow_indices_copy = declare("crow_indices", "to_sparse_csr", "tensor([0, 1, 2])")
col_indices_copy = declare("col_indices", "to_sparse_csr", "tensor([0, 1])")
ccol_indices_copy = declare("ccol_indices", "to_sparse_csc", "tensor([0, 1, 2])")
row_indices_copy = declare("row_indices", "to_sparse_csc", "tensor([0, 1])")
indices_copy = declare("indices", "to_sparse", "tensor([[0, 1],\n                [0, 1]])")
values_copy = declare("values", "to_sparse", "tensor([1., 1.])")

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


def declare(part: str) -> Any:
    """The function that copies a part, which the method of that name gives on the memory of the tensor."""
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
    """
    made = composite(method=False)(copied)
    made.samples(none)
    return made


crow_indices_copy, col_indices_copy = declare("crow_indices"), declare("col_indices")
ccol_indices_copy, row_indices_copy = declare("ccol_indices"), declare("row_indices")
indices_copy, values_copy = declare("indices"), declare("values")

"""Copies of the views of complex numbers as pairs, and of pairs as complex numbers."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import COMPLEXES, Array
from ..shapes.view_copies import copies, row_major
from .complex import PARTS, view_as_complex, view_as_real


@copies(view_as_real, "ViewAsReal", dtypes=COMPLEXES)
def view_as_real_copy(self: Array) -> Any:
    """`view_as_real`, copied.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.view_as_real_copy(wg.tensor([1 + 2j]))
        tensor([[1., 2.]])
    """
    return row_major(view_as_real.body(self))


@copies(view_as_complex, "ViewAsComplex", dtypes=PARTS)
def view_as_complex_copy(self: Array) -> Any:
    """`view_as_complex`, copied; pairs may have any strides.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.view_as_complex_copy(wg.tensor([[1.0, 2.0]]))
        tensor([1.+2.j])
    """
    return view_as_complex.body(row_major(self))


@view_as_complex_copy.batched
def view_as_complex_copy_batched(self: Any) -> Any:
    return view_as_complex_copy.call((self,))

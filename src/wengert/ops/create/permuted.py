"""Uninitialised memory with a given order of dimensions: empty_permuted."""

from __future__ import annotations

from typing import Any

from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room
from .create import empty_strided
from .factory import read_tuple


@composite(method=False)
def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return uninitialised dense memory with a given order of dimensions.

    Args:
        size: the lengths.
        physical_layout: each dimension once, the outermost in memory first.
        dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new leaf.

    Raises:
        RuntimeError: if `physical_layout` is not an order of the dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
        (15, 1, 3)
    """
    shape, order = read_tuple("empty_permuted", size, 1), integers("empty_permuted", "physical_layout", physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for at, dim in enumerate(order):
        if not 0 <= dim < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {dim} at index {at}). "
                " NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in order[:at]:
            raise RuntimeError("Duplicate dim not allowed")
    check_room("empty_permuted", shape)
    return empty_strided(
        shape,
        layouts.packed(shape, order[::-1]),
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )


@empty_permuted.samples
def empty_permuted_samples(make: Any) -> Any:
    yield Sample((2, 3), (1, 0))
    yield Bad((2, 3), (0, 0), raises=RuntimeError, says="Duplicate dim not allowed")
    yield Bad((2, 3), (0,), raises=RuntimeError, says="does not match the length of the physical_layout")
    yield Bad((2, 3), (0, 2), raises=RuntimeError, says="Dimension out of range (expected to be between 0 and 1, but")

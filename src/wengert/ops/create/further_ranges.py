"""`range`, for old programs, and memory with a given order of dimensions: empty_permuted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room
from ..._kernels import positions
from ..dtype_checks import checked_number
from .create import empty_strided
from .factory import check_place, deliver, read_number, read_tuple, result_dtype


@composite(method=False)
def range(
    start: Any,
    end: Any,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers from `start` to `end`, both included. Deprecated: use `arange`.

    Args:
        start: the first number.
        end: bound, which is included if the steps reach it.
        step: distance of neighbours.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new tensor of floor((end - start) / step) + 1 elements, or `out`.

    Raises:
        RuntimeError: if `step` is zero or leads away from `end`, or a bound is not finite.
    """
    anomaly.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    check_place("range", device, pin_memory, layout, out=out, dtype=dtype)
    low, high, pace = (
        read_number("range", *value) for value in (("start", 1, start), ("end", 2, end), ("step", 3, step))
    )
    element = result_dtype("range", dtype, out, dtypes.get_default_dtype())
    if not (pace > 0 or pace < 0):  # true for NaN, too
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"unsupported range: {low:g} -> {high:g}")
    if (high - low) * pace < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int((high - low) / pace) + 1
    check_room("range", (count,))
    first, by = checked_number(low, element, halves=False), checked_number(pace, element, halves=False)
    wide = np.dtype(np.int64) if element.category < dtypes.FLOAT else np.dtype(np.float64)
    result = (wide.type(first) + positions.arange(count).astype(wide) * wide.type(by)).astype(element.numpy)
    return deliver("range", result, requires_grad, out)


@range.samples
def range_samples(make: Any) -> Any:
    yield Sample(1, 4)
    yield Sample(4, 1, -2, dtype=dtypes.int64)
    yield Bad(1, 4, 0, raises=RuntimeError, says="step must be nonzero")
    yield Bad(4, 1, raises=RuntimeError, says="upper bound and lower bound inconsistent with step sign")


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

"""`make_tensor`: random tensors for tests, as in torch.testing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.tensor.base import Tensor, share, wrap
from .._core.tensor.storage import Storage
from .._core.types import dtypes
from .._core.types.devices import refuse_absent
from .._core.types.dtypes import dtype as DType

_random = np.random.default_rng(0)


def make_tensor(
    *shape: Any,
    dtype: DType,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor of random values, uniform in [low, high).

    Args:
        shape: the shape, as integers or one sequence.
        dtype: the dtype; for complex dtypes the range is that of both parts.
        device: "cpu".
        low, high: -9 and 9 unless given (0 and 10 for uint8, -9 and 10 for other integers, 0 and 2 for bool); clamped
            to the range of the dtype.
        requires_grad: for floating-point and complex dtypes.
        noncontiguous: return a non-contiguous tensor, if it has at least two elements.
        exclude_zero: replace zeros by the smallest positive value.
        memory_format: must be None; torch's channels-last layouts do not exist here.

    Raises:
        ValueError: if the range is empty or NaN, or options contradict each other or the dtype.
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    refuse_absent(device)
    if memory_format is not None:
        raise ValueError(f"memory_format must be None, but got {memory_format}")
    if requires_grad and dtype.category < dtypes.FLOAT:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    first, last = interval(dtype, low, high)
    values = np.asarray(drawn(sizes, dtype, first, last))
    if exclude_zero:
        values[values == 0] = dtypes.finfo(dtype).tiny if dtype.category >= dtypes.FLOAT else 1
    result = wrap(values)
    if noncontiguous and values.size > 1:
        doubled = np.repeat(values, 2, axis=-1)
        result = share(doubled[..., ::2], Storage(doubled))
    result.requires_grad = requires_grad
    return result


def interval(dtype: DType, low: float | None, high: float | None) -> tuple[float, float]:
    """Return the range of the values, checked and clamped to the range of the dtype.

    Raises:
        ValueError: if the range is empty, NaN, or outside of the range of the dtype.
    """
    defaults = {dtypes.BOOL: (0, 2), dtypes.INTEGER: (-9, 10), dtypes.FLOAT: (-9, 9), dtypes.COMPLEX: (-9, 9)}
    least_default, most_default = (0, 10) if dtype is dtypes.uint8 else defaults[dtype.category]
    first, last = least_default if low is None else low, most_default if high is None else high
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (first, last)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={first!r} and high={last!r}")
    if first > last or (first == last and dtype.category <= dtypes.INTEGER):
        raise ValueError(f"`low` must be less than `high`, but got {first} >= {last}")
    least, most = limits(dtype)
    if first >= most or last <= least:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{first}, {last}), "
            f"but {dtype} only supports [{least}, {most})"
        )
    return max(first, least), min(last, most)


def limits(dtype: DType) -> tuple[float, float]:
    """Return the range of a dtype; its end is excluded for integers."""
    if dtype.category == dtypes.BOOL:
        return 0, 2
    if dtype.category == dtypes.INTEGER:
        info = np.iinfo(dtype.numpy)
        return int(info.min), int(info.max) + 1
    largest = dtypes.finfo(dtype).max
    return -largest, largest


def drawn(shape: tuple[int, ...], dtype: DType, low: float, high: float) -> Any:
    """Return random values of a shape and dtype."""
    if dtype.category <= dtypes.INTEGER:
        kind = np.uint64 if high > 2**63 else np.int64
        if math.ceil(low) >= math.ceil(high):
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={math.ceil(low)} >= to={math.ceil(high)}"
            )
        return _random.integers(math.ceil(low), math.ceil(high), shape, dtype=kind).astype(dtype.numpy)
    real = dtype.to_real().numpy
    if dtype.category == dtypes.COMPLEX:
        result = np.empty(shape, dtype.numpy)
        result.real, result.imag = even(low, high, shape, real), even(low, high, shape, real)
        return result
    return even(low, high, shape, real)


def even(low: float, high: float, shape: tuple[int, ...], kind: Any) -> Any:
    """Return uniform values from `low` to `high`, whose distance may exceed float64; they never round to `high`."""
    values = (np.asarray(_random.uniform(low / 2, high / 2, shape)) * 2).astype(kind)
    first, last = np.asarray(low, kind), np.asarray(high, kind)
    return np.minimum(values, np.maximum(np.nextafter(last, first), first)).astype(kind)

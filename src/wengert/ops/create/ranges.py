"""Factories of ranges and of indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import MISSING
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room
from ..._kernels import positions
from ..._kernels.ranges import counted, one_power, powers, spread
from ..dtype_checks import checked_number
from .ends import carry_batch, of_members, read_ends, read_steps, refuse_kind, spaced_dtype
from .factory import call_native, check_place, deliver, finish, read_dtype, read_number, result_dtype


@composite(method=False)
def arange(
    *bounds: Any,
    start: Any = MISSING,
    end: Any = MISSING,
    step: Any = MISSING,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` to before `end`: `arange(end)`, `arange(start, end)` or `arange(start, end, step)`.

    Args:
        bounds: end; or start and end; or start, end and step.
        start: first number; 0 by default.
        end: bound, which is not included.
        step: distance of neighbours; 1 by default.
        out: a tensor to write into.
        dtype: dtype of the result; by default int64 if all bounds are integers, else the default dtype.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on it are recorded.

    Returns:
        A new 1-dim tensor of ceil((end - start) / step) elements, or `out`.

    Raises:
        TypeError: if a bound is not a number, or `end` is missing.
        RuntimeError: if `step` is zero or leads away from `end`, a bound is infinite, or the dtype is bool or complex.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(1, 2, 0.25)
        tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
    check_place("arange", device, pin_memory, layout, out=out, dtype=dtype)
    low, high, pace = read_bounds(bounds, start, end, step)
    integers = all(isinstance(bound, int) for bound in (low, high, pace))
    element = result_dtype("arange", dtype, out, dtypes.int64 if integers else dtypes.get_default_dtype())
    result = range_array(low, high, pace, element)
    if out is not None and out._array_.size not in (0, result.size):
        anomaly.warn(
            f"The number of elements in the out tensor of shape {errors.shown(out._array_.shape)} is "
            f"{out._array_.size} which does not match the computed number of elements {result.size}. Note that this "
            f"may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
            f"({result.size},)."
        )
    return deliver("arange", result, requires_grad, out)


def read_bounds(bounds: tuple[Any, ...], start: Any, end: Any, step: Any) -> tuple[Any, Any, Any]:
    """Return start, end and step as Python numbers.

    Raises:
        TypeError: if `end` is missing, or an argument is not a number.
        RuntimeError: if an argument is complex.
    """
    named = {name: bound for name, bound in (("start", start), ("end", end), ("step", step)) if bound is not MISSING}
    if not named and len(bounds) == 1 and type(bounds[0]) is int:
        return 0, bounds[0], 1
    values = list(bounds)
    if (len(values) == 1 and not named) or (not values and [*named] == ["end"]):
        values = [0, *values]
    order = ("start", "end", "step")
    values += [named.get(name, 1 if name == "step" else None) for name in order[len(values) :]]
    if (
        len(values) > 3
        or any(bound is None for bound in values)
        or any(bound in named for bound in order[: len(bounds)])
    ):
        words = [type(bound).__name__ for bound in bounds]
        words += [f"{name}={type(bound).__name__}" for name, bound in named.items()]
        raise TypeError(
            f"arange() received an invalid combination of arguments - got ({', '.join(words)}), not (start, end, step)"
        )
    numbers: list[Any] = []
    for name, value in zip(order, values):
        number = read_number("arange", name, 1 if len(bounds) == 1 else len(numbers) + 1, value)
        if isinstance(number, complex):
            raise RuntimeError(
                "value cannot be converted to type double without overflow: arange() does not support complex bounds"
            )
        numbers.append(int(number) if isinstance(number, bool) else number)
    return numbers[0], numbers[1], numbers[2]


def range_array(low: Any, high: Any, pace: Any, element: DType) -> np.ndarray[Any, Any]:
    """Return the array of `arange`."""
    refuse_kind("arange", element)
    if element is dtypes.int64 and type(low) is type(high) is type(pace) is int and 0 <= (high - low) * pace < 2**40:
        if pace:
            return np.arange(low, high, pace, dtype=np.int64)
    if not (pace > 0 or pace < 0):  # true for NaN, too
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"unsupported range: {low:g} -> {high:g}")
    if (pace > 0 and high < low) or (pace < 0 and high > low):
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: arange({low:g}, {high:g}, {pace:g})"
        )
    size = quotient = (float(high) - float(low)) / float(pace)
    if element.category == dtypes.INTEGER:
        low, high, pace = (truncated(bound) for bound in (low, high, pace))
        if element is dtypes.int64:  # counted with the converted bounds, other types with the original ones
            if pace == 0:
                raise ValueError("step must be nonzero")
            quotient = size = -((low - high) // pace)
    if not quotient < 2**63:
        raise RuntimeError(f"invalid size, possible overflow? arange would have {quotient:g} elements")
    count = math.ceil(size)
    if count * element.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{count}]")
    if element.category == dtypes.INTEGER:
        return (np.int64(low) + positions.arange(count) * np.int64(pace)).astype(element.numpy, copy=False)
    result = call_native("arange", element.numpy, float(low), float(high), float(pace))
    return counted(low, pace, count, element.numpy) if result is NotImplemented else result


def truncated(number: Any) -> int:
    """Truncate a number to an integer of 64 bits.

    Raises:
        RuntimeError: if it does not fit.
    """
    if not -(2**63) <= number < 2**63:
        raise RuntimeError(f"value cannot be converted to type int64_t without overflow: {number!r}")
    return int(number)


@arange.samples
def arange_samples(make: Any) -> Any:
    yield Sample(5)
    yield Sample(1, 5, 2)
    yield Sample(5, 0, -1)
    yield Sample(0, 1, 0.25, requires_grad=True)
    yield Sample(3, 3)
    yield Bad(0, 5, 0, raises=RuntimeError, says="step must be nonzero")
    yield Bad(0, end=None, raises=TypeError, says="got (int, end=NoneType)")
    yield Bad(5, 0, raises=RuntimeError, says="upper bound and lower bound inconsistent with step sign")
    yield Bad("a", raises=TypeError, says="must be Number, not str")


@composite(method=False)
def linspace(
    start: Any,
    end: Any,
    steps: Any,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return `steps` numbers from `start` to `end`, both included, at equal distances; other arguments as for `zeros`.

    Args:
        start: the first number.
        end: the last number.
        steps: number of elements.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if `start` or `end` is not a number, or `steps` not an integer.
        RuntimeError: if `steps` is negative, or a bound is a tensor with dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    check_place("linspace", device, pin_memory, layout, out=out, dtype=dtype)
    if carry_batch(start, end):
        return of_members("linspace", start, end, steps, dtype, out)
    low, high = read_ends("linspace", start, end)
    element = spaced_dtype("linspace", low, high, dtype, out)
    return deliver("linspace", even_steps("linspace", low, high, steps, element), requires_grad, out)


def even_steps(
    name: str, low: Any, high: Any, steps: Any, element: DType, *, rounded: bool = True
) -> np.ndarray[Any, Any]:
    """Return the array of `linspace`: counted from `start` in the first half and from `end` in the second, as in torch.

    Args:
        rounded: in the requested dtype; otherwise in the floating one that it is computed in.
    """
    count = read_steps(name, low, high, steps)
    check_room(name, (count,))
    # Torch rounds each step to half precision, if the result is half precision.
    is_integer = element.category < dtypes.FLOAT
    wide = np.dtype(np.float64) if is_integer or (element in dtypes.HALVES and not rounded) else element.numpy
    if count:
        low = checked_number(low, element, halves=False)
    if count < 2:
        return np.full(count, low if count else 0, element.numpy if rounded else wide)
    refuse_kind(name, element)
    high = checked_number(high, element, halves=False)
    ends = wide.type(low), wide.type(high)
    result = call_native("linspace", wide, *(end.item() for end in ends), count)
    result = spread(*ends, count) if result is NotImplemented else result
    return result.astype(element.numpy) if rounded else result


@linspace.samples
def linspace_samples(make: Any) -> Any:
    yield Sample(0, 1, 5)
    yield Sample(0, 10, 5, dtype=dtypes.int64)
    yield Sample(0, 1, 0)
    yield Sample(3, 1, steps=1, requires_grad=True)
    yield Bad(0, 1, -1, raises=RuntimeError, says="number of steps must be non-negative")


for factory in (arange, linspace):
    plain_case(factory, native=kernels.direct_function(factory.__name__))


@composite(method=False)
def logspace(
    start: Any,
    end: Any,
    steps: Any,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return `steps` numbers from `base ** start` to `base ** end`, with logarithms at equal distances; otherwise as
    `linspace`.

    Args:
        start: the first exponent.
        end: the last exponent.
        steps: number of elements.
        base: base of the powers.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new tensor, or `out`.

    Examples:
        >>> import wengert as wg
        >>> wg.logspace(0, 3, 4)
        tensor([   1.,   10.,  100., 1000.])
    """
    check_place("logspace", device, pin_memory, layout, out=out, dtype=dtype)
    if carry_batch(start, end):
        return of_members("logspace", start, end, steps, dtype, out, base)
    low, high = read_ends("logspace", start, end)
    element = spaced_dtype("logspace", low, high, dtype, out)
    if isinstance(base, Tensor) and not base._array_.ndim:
        base = base.item()
    if isinstance(base, complex) or not isinstance(base, (int, float)):
        raise TypeError(errors.wrong_type("logspace", "base", 4, "float", base))
    with np.errstate(all="ignore"):  # torch does not warn about infinities and NaN
        if type(steps) is int and steps == 1:
            power = one_power(float(base), complex(low) if element.category == dtypes.COMPLEX else low)
            result = np.full(1, checked_number(power, element, halves=False), element.numpy)
        else:
            result = powers(
                float(base), even_steps("logspace", low, high, steps, element, rounded=False), element.numpy
            )
    return deliver("logspace", result, requires_grad, out)


@logspace.samples
def logspace_samples(make: Any) -> Any:
    yield Sample(0, 2, 3)
    yield Sample(0, 3, 4, 2.0, dtype=dtypes.int64)
    yield Bad(0, 1, -1, raises=RuntimeError, says="number of steps must be non-negative")


plain_case(logspace, native=kernels.direct_function("logspace"))


def triangle(name: str, row: int, col: int, dtype: Any, device: Any, layout: Any) -> tuple[int, int, DType]:
    """Return the checked arguments of `tril_indices` and `triu_indices`."""
    check_place(name, device, layout=layout)
    for word, value in (("row", row), ("col", col)):
        if value < 0:
            raise RuntimeError(f"{word} must be non-negative, got {value}")
    element = read_dtype(name, dtype, dtypes.int64)
    if element.category != dtypes.INTEGER:
        raise NotImplementedError(errors.no_kernel(name, element))
    return int(row), int(col), element


@composite(method=False)
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, device: Any = None, layout: Any = None
) -> Tensor:
    """Return the indices of the lower triangle of a `row` by `col` matrix.

    Args:
        row, col: lengths of the matrix.
        offset: last diagonal of the triangle: 0 for the main one, positive above it.
        dtype: an integer dtype, int64 by default.
        device: 'cpu'.
        layout: `strided`.

    Returns:
        A new tensor (2, n): row and column numbers, row after row.

    Raises:
        RuntimeError: if a length is negative, or the dtype is not an integer type.

    Examples:
        >>> import wengert as wg
        >>> wg.tril_indices(3, 3)
        tensor([[0, 1, 1, 2, 2, 2],
                [0, 0, 1, 0, 1, 2]])
    """
    rows, columns, element = triangle("tril_indices", row, col, dtype, device, layout)
    held = np.greater_equal.outer(positions.arange(rows), positions.arange(-offset, columns - offset))
    return finish("tril_indices", np.array(positions.nonzero(held), element.numpy))


@composite(method=False)
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, device: Any = None, layout: Any = None
) -> Tensor:
    """Return the indices of the upper triangle of a `row` by `col` matrix; else as `tril_indices`.

    Args:
        row, col: lengths of the matrix.
        offset: first diagonal of the triangle: 0 for the main one, positive above it.
        dtype, device, layout: as for `tril_indices`.

    Returns:
        A new tensor (2, n): row and column numbers, row after row.

    Examples:
        >>> import wengert as wg
        >>> wg.triu_indices(3, 3)
        tensor([[0, 0, 0, 1, 1, 2],
                [0, 1, 2, 1, 2, 2]])
    """
    rows, columns, element = triangle("triu_indices", row, col, dtype, device, layout)
    held = np.less_equal.outer(positions.arange(rows), positions.arange(-offset, columns - offset))
    return finish("triu_indices", np.array(positions.nonzero(held), element.numpy))


def triangles(make: Any) -> Any:
    """Samples of `tril_indices` and `triu_indices`."""
    yield Sample(3, 3)
    yield Sample(3, 4, 1)
    yield Sample(4, 3, offset=-2, dtype=dtypes.int32)
    yield Bad(3, -3, raises=RuntimeError, says="col must be non-negative, got -3")


for factory in (tril_indices, triu_indices):
    factory.samples(triangles)
    plain_case(factory, native=kernels.direct_function(factory.__name__))


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

    Examples:
        >>> import wengert as wg
        >>> wg.range(1, 2, 0.5)
        tensor([1.0000, 1.5000, 2.0000])
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


__all__ = ["arange", "linspace", "logspace", "range", "tril_indices", "triu_indices"]

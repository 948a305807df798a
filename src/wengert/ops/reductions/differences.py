"""Differences and integrals along dimensions: diff, gradient, trapezoid, cumulative_trapezoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import copied, put
from ..._core.cards.arguments import integer, is_int, some_integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.errors import wrong_type
from ..._core.out_errors import SCALAR
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..axes import read_dim, read_number
from ..family import describes
from ..pointwise.binary import over, times
from ..shapes.join import cat
from ..shapes.slices import slice_


def part(tensor: Any, dim: int, start: int, end: int | None) -> Any:
    """Return the slices from `start` to before `end` along a dimension."""
    return slice_(tensor, dim, start, end, 1)


def check_fits(input: Any, other: Any, dim: int) -> None:
    """Refuse tensors that cannot be joined to the input of `diff`.

    Raises:
        RuntimeError: if they cannot be joined.
    """
    have, other_shape = input._array_.shape, other._array_.shape
    if len(have) != len(other_shape):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for axis, (length, other_length) in enumerate(zip(have, other_shape)):
        if axis != dim and length != other_length:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({axis}) = {length}, but got tensor.size({axis}) = {other_length}"
            )


@composite()
def diff(
    input: Any,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Any = None,
) -> Any:
    """Differences of neighbours along a dimension; whether they differ for bools.

    Args:
        input: tensor with at least one dimension.
        n: number of times that differences are taken.
        dim: the dimension.
        prepend, append: tensors to join in front and behind first.
        out: a tensor to write into.

    Returns:
        A new tensor, shorter by `n` along `dim`.

    Raises:
        RuntimeError: if `n` is negative, or shapes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.diff(wg.tensor([1, 3, 6]))
        tensor([2, 3])
    """
    integer("diff", "dim", dim)
    if not input._array_.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    tensors = [operand for operand in (prepend, input, append) if operand is not None]
    axis = read_dim("diff", dim, input._array_.ndim) if n or len(tensors) > 1 else 0  # otherwise it is not read
    for operand in tensors:
        if operand is not input:
            check_fits(input, operand, axis)
    if not n:
        return copied("diff", out, input.clone(), words=SCALAR)
    result = cat(tensors, axis) if len(tensors) > 1 else input
    for _ in range(min(n, result._array_.shape[axis])):
        after, before = part(result, axis, 1, None), part(result, axis, 0, result._array_.shape[axis] - 1)
        result = after.logical_xor(before) if result.dtype is dtypes.bool_ else after - before
    return put("diff", out, result, read=(input,), wholly=True, writer="sub")


NATIVE = sliced, subtract = kernels.natives("slice", "subtract")


def differences_of_array(array: Any, n: Any, dim: Any, prepend: Any, append: Any) -> Any:
    """`diff` of numbers alone, once, if nothing is recorded."""
    if type(n) is not int or n != 1 or type(dim) is not int or prepend is not None or append is not None:
        return NotImplemented
    length = array.shape[dim]
    if length < 2 or array.dtype.kind == "b":
        return NotImplemented
    return subtract(sliced(array, dim, 1, None, 1), sliced(array, dim, 0, length - 1, 1), 1)


plain_case(diff, arrays=differences_of_array, needs=NATIVE)


@diff.samples
def diff_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 2, 0)
    yield Sample(make(3, 4), 1, 1, make(3, 1), make(3, 2))
    yield Sample(make(3), 5)
    yield Sample(make(3), 0)
    yield Bad(make(2, 1), 0, 0, None, make(2, 5), raises=RuntimeError, says="but got tensor.size(1) = 5")
    yield Bad(make(2, 1), 0, 7, make(2, 1), raises=IndexError, says="Dimension out of range")
    yield Bad(make(), raises=RuntimeError, says="diff expects input to be at least one-dimensional")
    yield Bad(make(3), -1, raises=RuntimeError, says="order must be non-negative but got -1")
    yield Bad(make(3), prepend=make(1, 1), raises=RuntimeError, says="append to be the same dimension as input")


def check_gradient(input: Any, count: int | None, dims: Sequence[int] | None, edge_order: int) -> list[int]:
    """Return the dimensions of `gradient`.

    Args:
        count: number of spacings; None for one that all dimensions share.

    Raises:
        RuntimeError: if an argument does not fit.
    """
    ndim = input._array_.ndim
    if input.dtype is dtypes.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if count is not None and dims is None and count != ndim:
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{ndim}', since dim argument was not given, but got a list of length {count}"
        )
    if count is not None and dims is not None and count != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {count} and a dim argument of length {len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    axes = [normalise(dim, ndim) for dim in (range(ndim) if dims is None else dims)]
    if len(set(axes)) < len(axes):
        twice = next(axis for at, axis in enumerate(axes) if axis in axes[:at])
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    for axis in axes:
        if input._array_.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return axes


def even_gradient(input: Any, step: Any, dim: int, edge_order: int) -> Any:
    """Gradient along a dimension with points at equal distances."""
    length = input._array_.shape[dim]

    def at(start: int, end: int | None) -> Any:
        return part(input, dim, start, end)

    center = (at(2, None) - at(0, length - 2)) / step
    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / step, (at(length - 1, None) - at(length - 2, length - 1)) / step
    else:
        first = (-1.5 * at(0, 1) + 2 * at(1, 2) - 0.5 * at(2, 3)) / step
        last = (0.5 * at(length - 3, length - 2) - 2 * at(length - 2, length - 1) + 1.5 * at(length - 1, None)) / step
    return cat([first, center / 2, last], dim)


def weighted(input: Any, weights: Sequence[Any], dim: int, start: int, count: int) -> Any:
    """Weighted sums of three neighbours along a dimension: `count` sums, from `start`."""
    terms = [weight * part(input, dim, start + nr, start + nr + count) for nr, weight in enumerate(weights)]
    return terms[0] + terms[1] + terms[2]


def uneven_gradient(input: Any, places: Any, dim: int, edge_order: int) -> Any:
    """Gradient along a dimension with given points: that of the parabola through three neighbours.

    Source:
        Fornberg, Generation of finite difference formulas on arbitrarily spaced grids (1988).
    """
    if places._array_.ndim != 1:
        raise RuntimeError(
            "torch.gradient expected each element of spacing to have one dimension, but got an element with "
            f"{places._array_.ndim} dimensions!"
        )
    length = input._array_.shape[dim]
    steps = places.diff(1, 0)
    a, b = steps[:-1], steps[1:]  # before and behind each inner point
    shape = [a._array_.shape[0] if axis == dim else 1 for axis in range(input._array_.ndim)]
    weights = [weight.reshape(shape) for weight in (-b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b)))]
    center = weighted(input, weights, dim, 0, length - 2)
    if edge_order == 1:
        first = (part(input, dim, 1, 2) - part(input, dim, 0, 1)) / steps[0]
        last = (part(input, dim, length - 1, None) - part(input, dim, length - 2, length - 1)) / steps[-1]
        return cat([first, center, last], dim)
    a, b = steps[0], steps[1]
    first = weighted(input, (-(2.0 * a + b) / (a * (a + b)), (a + b) / (a * b), -a / (b * (a + b))), dim, 0, 1)
    a, b = steps[-1], steps[-2]
    last = weighted(input, (a / (b * (a + b)), -(a + b) / (a * b), (2 * a + b) / (a * (a + b))), dim, length - 3, 1)
    return cat([first, center, last], dim)


@composite(method=False)
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Derivatives of a sampled function along dimensions, from differences of second order.

    Args:
        input: tensor of the values of the function.
        spacing: distance of neighbours along all dimensions, 1 by default; or a list with one distance or one
            vector of points for each.
        dim: the dimension or dimensions; None for all of them.
        edge_order: 1 or 2, the order of the differences at both ends.

    Returns:
        A tuple of new tensors of the shape of `input`, one for each dimension.

    Raises:
        RuntimeError: if arguments do not fit, or a dimension is too short.

    Examples:
        >>> import wengert as wg
        >>> wg.gradient(wg.tensor([0., 1., 4., 9.]))
        (tensor([1., 2., 4., 5.]),)
    """
    if not (dim is None or isinstance(dim, (tuple, list)) or is_int("dim", dim)):
        raise TypeError(f"gradient() received an invalid combination of arguments: dim is {dim!r}, not int or ints")
    dims = None if dim is None else some_integers("gradient", "dim", dim)
    spacing = 1 if spacing is None else spacing
    if not isinstance(spacing, (int, float, complex, np.number, tuple, list, Tensor)):
        raise TypeError(wrong_type("gradient", "spacing", 2, "Number or a sequence of these or of Tensors", spacing))
    steps: Any = spacing if isinstance(spacing, (tuple, list)) else None
    axes = check_gradient(input, None if steps is None else len(steps), dims, edge_order)
    result = []
    for at, axis in enumerate(axes):
        if steps is not None and isinstance(steps[at], Tensor):
            result.append(uneven_gradient(input, steps[at], axis, edge_order))
        else:
            result.append(even_gradient(input, spacing if steps is None else steps[at], axis, edge_order))
    return tuple(result)


@gradient.samples
def gradient_samples(make: Any) -> Any:
    x = make(3, 4)
    if x.dtype in (dtypes.uint8, dtypes.bool_):
        return
    yield Sample(x)
    yield Sample(x, spacing=0.5, dim=1, edge_order=2)
    if x.dtype.category >= dtypes.FLOAT and x.dtype not in dtypes.HALVES:
        yield Sample(x, spacing=[make(3, low=0.5, high=2).cumsum(0), make(4, low=0.5, high=2).cumsum(0)], edge_order=2)
    yield Bad(x, spacing=[1.0], raises=RuntimeError, says="list of length equal to 'self.dim() = 2'")
    yield Bad(x, dim=True, raises=TypeError, says="dim is True, not int or ints")
    yield Bad(x, edge_order=3, raises=RuntimeError, says="torch.gradient only supports edge_order=1 and edge_order=2")
    yield Bad(make(1), raises=RuntimeError, says="expected each dimension size to be at least edge_order+1")


def along_places(name: str, y: Any, x: Any, dim: int) -> Any:
    """Distances of neighbouring points, with the dimensions of the values.

    Raises:
        RuntimeError: if the numbers of points and values differ.
    """
    have, ndim = x._array_.shape, y._array_.ndim
    if len(have) == 1:
        if have[0] != y._array_.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([have[0] if axis == dim else 1 for axis in range(ndim)])
    elif len(have) < ndim:
        x = x.view((*(1,) * (ndim - len(have)), *have))
    return part(x, dim, 1, None) - part(x, dim, 0, -1)


def as_double(name: str, dx: Any) -> float | None:
    """Distance of neighbours for `trapz`, which accepts bools as numbers, as no other integral does.

    Raises:
        TypeError: if `dx` is not a real number.
    """
    dx = read_number(name, "dx", 2, dx) if isinstance(dx, Tensor) else dx
    if dx is not None and not isinstance(dx, (int, float)):
        raise TypeError(f"{name}() received an invalid combination of arguments: dx must be a real number, not {dx!r}")
    return None if dx is None else float(dx)


def distances(name: str, y: Any, x: Any, dx: Any, dim: Any) -> tuple[Any, int]:
    """Return the distance of neighbours, a number or a tensor, and the dimension.

    Raises:
        TypeError, RuntimeError: if both `x` and `dx` are given, an argument is bool, or `dx` is not a real number.
    """
    if not y._array_.ndim and name == "trapezoid":
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = read_dim(name, dim, y._array_.ndim)
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: give x or dx")
    if name == "trapezoid" and not y._array_.shape[axis]:
        return 1.0, axis
    if y.dtype is dtypes.bool_ or (x is not None and x.dtype is dtypes.bool_):
        both = "`x` or `y`" if x is not None else "`y`"
        raise RuntimeError(f"{name}: received a bool input for {both}, but bool is not supported")
    if isinstance(dx, Tensor):
        dx = read_number(name, "dx", 2, dx)
    if x is None and (isinstance(dx, (bool, complex)) or not isinstance(dx, (int, float, type(None)))):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    if not y._array_.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    return (1.0 if dx is None else float(dx)) if x is None else along_places(name, y, x, axis), axis


INTEGRAL = """
    Args:
        y: tensor of the values of the function.
        x: tensor of the points; of one dimension, or of a shape that broadcasts with `y`.
        dx: distance of neighbours if there is no `x`; 1 by default.
        dim: the dimension to integrate along.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if `y` is bool, or the numbers of points and values differ.

    Examples:
        >>> import wengert as wg
        >>> wg.{name}(wg.tensor([1., 2., 4.]))
        {result}
    """


def integral(y: Tensor, x: Tensor | None, dx: Any, dim: int) -> Any:
    """Return the integral along a dimension, by the trapezoidal rule."""
    step, axis = distances("trapezoid", y, x, dx, dim)
    shape = y._array_.shape
    if not shape[axis]:
        return y.new_zeros((*shape[:axis], *shape[axis + 1 :]))
    if isinstance(step, Tensor):
        return over(((part(y, axis, 0, -1) + part(y, axis, 1, None)) * step).sum(axis), 2.0)
    return times(y.sum(axis) - times(y.select(axis, 0) + y.select(axis, -1), 0.5), step)


@composite(method=False)
@describes(INTEGRAL, name="trapezoid", result="tensor(4.5000)")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The integral along a dimension, by the trapezoidal rule."""
    return integral(y, x, dx, dim)


@composite(method=False)
@describes(INTEGRAL, name="trapz", result="tensor(4.5000)")
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Alias of `trapezoid`: the integral along a dimension, by the trapezoidal rule."""
    return integral(y, x, as_double("trapz", dx), dim)


@composite(method=False)
@describes(INTEGRAL, name="cumulative_trapezoid", result="tensor([1.5000, 4.5000])")
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The running integral along a dimension, by the trapezoidal rule; shorter by one than `y`."""
    step, axis = distances("cumulative_trapezoid", y, x, dx, dim)
    left, right = part(y, axis, 0, -1), part(y, axis, 1, None)
    if isinstance(step, Tensor):
        return over(((left + right) * step).cumsum(axis), 2.0)
    return times(left + right, step / 2.0).cumsum(axis)


def without_x(y: Any) -> Any:
    """Sample of an integral over points at distance 1, which is refused for bool."""
    if y.dtype is dtypes.bool_:
        yield Bad(y, raises=RuntimeError, says="received a bool input for `y`, but bool is not supported")
    else:
        yield Sample(y)


@trapz.samples
def double_samples(make: Any) -> Any:
    y = make(3, 4)
    yield from without_x(y)
    if y.dtype is dtypes.bool_:
        return
    yield Sample(y, make(4))
    yield Sample(y, dx=True)
    yield Bad(y, dx=2j, raises=TypeError, says="received an invalid combination of arguments")


@trapezoid.samples
@cumulative_trapezoid.samples
def integral_samples(make: Any) -> Any:
    y = make(3, 4)
    yield from without_x(y)
    if y.dtype is dtypes.bool_:
        return
    yield Sample(y, dx=0.5, dim=0)
    yield Sample(y, make(4))
    yield Sample(y, make(3, 4), dim=0)
    yield Bad(y, make(5), raises=RuntimeError, says="There must be one `x` value for each sample point")
    yield Bad(y, dx=True, raises=RuntimeError, says="Currently, we only support dx as a real number.")

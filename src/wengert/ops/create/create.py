"""Factories of tensors from data, and of constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room
from ..dtype_checks import checked_number
from ..family import describes
from ..memory.kept import in_kept
from ..memory.memory_formats import in_format
from .factory import (
    Options,
    array_of_layout,
    check_place,
    deliver,
    finish,
    read_dtype,
    read_number,
    read_size,
    read_tuple,
    result_dtype,
)
from .infer import array_of

ArrayOfSize = Callable[[tuple[int, ...], Any], Any]


def sizes(make: Any) -> Any:
    """Samples of a factory that takes a size."""
    yield Sample(2, 3)
    yield Sample((2, 3))
    yield Sample([0, 3])
    yield Sample(())
    yield Sample(size=(4,), requires_grad=True)
    yield Sample(2, dtype=dtypes.int64)
    yield Bad(2.0, raises=TypeError, says="must be tuple of ints, not float")
    yield Bad(-1, raises=RuntimeError, says="negative")
    yield Bad(2, dtype=dtypes.int64, requires_grad=True, raises=RuntimeError, says="floating point and complex dtype")
    yield Bad(2, device="cuda", raises=AssertionError, says="cuda")


@composite(method=False)
def tensor(
    data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """Create a leaf with a copy of `data`.

    Args:
        data: a number, nested sequences of numbers (also tensors of one element and NumPy's arrays), or an array.
        dtype: dtype of the result; by default Python's floats have the default dtype, its integers int64, its complex
            numbers the complex type of the default dtype, and arrays keep theirs.
        device: 'cpu'.
        requires_grad: whether operations on it are recorded.
        pin_memory: must be False.

    Returns:
        A new tensor of the shape of the data.

    Raises:
        TypeError: if the data are strings, or sequences of unequal depth.
        ValueError: if rows have unequal lengths.
        RuntimeError: if `data` are other objects, a number does not fit, or `requires_grad` is set for an integer
            dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1.0, 2.0], [3.0, 4.0]])
        tensor([[1., 2.],
                [3., 4.]])
    """
    check_place("tensor", device, pin_memory)
    if isinstance(data, Tensor):
        anomaly.warn(copy_warning("torch.tensor"))
        if data._flags_ & (flags.BATCHED | flags.SPARSE):
            return copy_of_members(data, dtype, requires_grad)
    wanted = None if dtype is None else read_dtype("tensor", dtype, dtypes.get_default_dtype())
    return finish("tensor", array_of(data, wanted), requires_grad)


def copy_of_members(data: Any, dtype: Any, requires_grad: bool) -> Tensor:
    """Create a leaf with a copy of a batched or sparse tensor."""
    result: Tensor = data.detach().to(data.dtype if dtype is None else dtype, copy=True)
    result.requires_grad = requires_grad  # set within transforms, too, where `requires_grad_` is refused
    return result


def copy_warning(what: str) -> str:
    """Words of the warning for a tensor made from a tensor."""
    return (
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {what}(sourceTensor)."
    )


@tensor.samples
def tensor_samples(make: Any) -> Any:
    yield Sample([[1, 2], [3, 4]])
    yield Sample([1.5, 2], requires_grad=True)
    yield Sample([])
    yield Sample(1j)
    yield Bad([[1, 2], [3]], raises=ValueError, says="expected sequence of length 2 at dim 1 (got 1)")
    yield Bad("a", raises=TypeError, says="new(): invalid data type 'str'")
    yield Bad([None], raises=RuntimeError, says="Could not infer dtype of NoneType")
    yield Bad([1], requires_grad=True, raises=RuntimeError, says="floating point and complex dtype")


SIZED = """
    Args:
        sizes, size: the lengths, one by one or as one sequence.
        out: a tensor to write into.
        dtype: dtype of the result; the default dtype by default.
        layout: `torch.sparse_coo` for a sparse tensor of zeros.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on it are recorded.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if a length is not an integer.
        RuntimeError: if a length is negative, or the dtype cannot require a gradient.
    """


zeros_of_size: ArrayOfSize = partial(in_kept, np.zeros)
ones_of_size: ArrayOfSize = partial(in_kept, np.ones)
uninitialised: ArrayOfSize = partial(in_kept, np.empty)
"""Function that makes an array of a shape and a dtype of NumPy's."""


def of_size(
    name: str, array_of_size: ArrayOfSize, size: tuple[Any, Any], out: Tensor | None, options: Options
) -> Tensor:
    """Return the result of a factory.

    Args:
        name: name of the factory.
        array_of_size: function that makes the array.
        size: the lengths passed one by one, and those passed by name.
        out, options: the arguments of the factory.
    """
    dtype, layout, device, pin_memory, requires_grad = options
    check_place(name, device, pin_memory, layout, sparse=True, out=out, dtype=dtype)
    element = result_dtype(name, dtype, out, dtypes.get_default_dtype())
    array = array_of_layout(name, layout, array_of_size, read_size(name, *size), element.numpy)
    return deliver(name, array, requires_grad, out)


@composite(method=False)
@describes(SIZED)
def zeros(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of zeros.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return of_size("zeros", zeros_of_size, (sizes, size), out, (dtype, layout, device, pin_memory, requires_grad))


@composite(method=False)
@describes(SIZED)
def ones(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of ones.

    Examples:
        >>> import wengert as wg
        >>> wg.ones(2, 3, dtype=wg.int64)
        tensor([[1, 1, 1],
                [1, 1, 1]])
    """
    return of_size("ones", ones_of_size, (sizes, size), out, (dtype, layout, device, pin_memory, requires_grad))


@composite(method=False)
def empty(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return an uninitialised tensor; arguments, result and errors as for `zeros`.

    Args:
        sizes, size: the lengths.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.
        memory_format: memory format: `contiguous_format`, `channels_last` or `channels_last_3d`.

    Returns:
        A new tensor, or `out`.

    Examples:
        >>> import wengert as wg
        >>> wg.empty(2, 3).shape
        torch.Size([2, 3])
    """
    check_place("empty", device, pin_memory, layout, sparse=True, out=out, dtype=dtype)
    element = result_dtype("empty", dtype, out, dtypes.get_default_dtype())
    result = array_of_layout("empty", layout, uninitialised, read_size("empty", sizes, size), element.numpy)
    if memory_format is not None:
        result = in_format(result, memory_format)
    return deliver("empty", result, requires_grad, out)


for factory in (zeros, ones, empty):
    factory.samples(sizes)


@composite(method=False)
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with a number.

    Args:
        size: the lengths, a sequence.
        fill_value: a number.
        out: a tensor to write into.
        dtype: dtype of the result; by default that of `tensor(fill_value)`.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on it are recorded.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if `size` is not a sequence of integers, or `fill_value` is not a number.
        RuntimeError: if the number does not fit the dtype, or the dtype cannot require a gradient.

    Examples:
        >>> import wengert as wg
        >>> wg.full((2, 3), 1.5)
        tensor([[1.5000, 1.5000, 1.5000],
                [1.5000, 1.5000, 1.5000]])
    """
    check_place("full", device, pin_memory, layout, sparse=True, out=out, dtype=dtype)
    shape = read_tuple("full", size, 1)
    value = read_number("full", "fill_value", 2, fill_value)
    element = result_dtype("full", dtype, out, dtypes.of_number(value))
    value = checked_number(value, element, halves=math.prod(shape) != 1)
    array = array_of_layout(
        "full", layout, lambda size, kind: in_kept(np.full, size, value, kind), shape, element.numpy
    )
    return deliver("full", array, requires_grad, out)


@full.samples
def full_samples(make: Any) -> Any:
    yield Sample((2, 3), 1.5)
    yield Sample((), True)
    yield Sample((0,), 2, dtype=dtypes.float64, requires_grad=True)
    yield Bad(2, 1, raises=TypeError, says="must be tuple of ints, not int")
    yield Bad((2,), [3], raises=TypeError, says="must be Number, not list")
    yield Bad((2,), 300, dtype=dtypes.uint8, raises=RuntimeError, says="without overflow")


@composite(method=False)
def scalar_tensor(
    s: Any,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return a 0-dim tensor of the number `s`, of the default dtype by default.

    Args:
        s: a number.
        dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new leaf.

    Raises:
        TypeError: if `s` is not a number.
        RuntimeError: if `s` does not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.scalar_tensor(2.5)
        tensor(2.5000)
    """
    check_place("scalar_tensor", device, pin_memory, layout, sparse=True)
    element = read_dtype("scalar_tensor", dtype, dtypes.get_default_dtype())
    value = checked_number(read_number("scalar_tensor", "s", 1, s), element, halves=False)
    return finish("scalar_tensor", np.array(value, element.numpy), requires_grad)


@scalar_tensor.samples
def scalar_tensor_samples(make: Any) -> Any:
    yield Sample(2)
    yield Sample(2.5, dtype=dtypes.int64)
    yield Bad([2], raises=TypeError, says="must be Number, not list")
    yield Bad(2j, raises=RuntimeError, says="without overflow")


@composite(method=False)
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Return an `n` by `m` matrix with ones on the diagonal and zeros elsewhere (square by default); else as `zeros`.

    Args:
        n: number of rows.
        m: number of columns.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new tensor, or `out`.

    Raises:
        TypeError: if `n` or `m` is not an integer.
        RuntimeError: if `n` or `m` is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2, 3)
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    check_place("eye", device, pin_memory, layout, out=out, dtype=dtype)
    rows, columns = read_count("n", 1, n), n if m is None else read_count("m", 2, m)
    check_room("eye", (rows, columns))
    element = result_dtype("eye", dtype, out, dtypes.get_default_dtype())
    return deliver("eye", np.eye(rows, columns, dtype=element.numpy), requires_grad, out)


def read_count(name: str, position: int, value: Any) -> int:
    """Return a number of rows or columns of `eye`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(errors.wrong_type("eye", name, position, "int", value))
    if value < 0:
        raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return int(value.__index__())


@eye.samples
def eye_samples(make: Any) -> Any:
    yield Sample(3)
    yield Sample(2, 3, dtype=dtypes.int64)
    yield Sample(0)
    yield Bad(-1, raises=RuntimeError, says="n must be greater or equal to 0, got -1")
    yield Bad(2.0, raises=TypeError, says="must be int, not float")


plain_case(eye, native=kernels.direct_function("eye"))


for body in (tensor, zeros, ones, empty, full):
    plain_case(body, native=kernels.direct_function(body.__name__))

__all__ = ["empty", "eye", "full", "ones", "scalar_tensor", "tensor", "zeros"]

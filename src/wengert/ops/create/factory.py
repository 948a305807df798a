"""Functions that all factories share: reading sizes, dtypes, devices and numbers, and finishing the tensor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import batch_errors, errors, flags, out_errors
from ..._core.calls.out import check_mode, check_shared, put, put_out
from ..._core.cards.arguments import wrong_integer
from ..._core.operators.declaration import is_whole
from ..._core.state.modes import current
from ..._core.tensor import batches
from ..._core.tensor.base import OPERATORS, Tensor, wrap
from ..._core.tensor.batches import Batch
from ..._core.types import dtypes
from ..._core.types.devices import device as Device, layout as Layout, refuse_absent, sparse_coo, strided
from ..._core.types.dtypes import dtype as DType
from ..._core.types.sizes import check_room

Levels = tuple[Batch, ...]
"""Batches of a new tensor, the oldest first: the first dimensions of its array."""
Options = tuple[DType | None, Any, Any, bool, bool]
"""Arguments that most factories have: dtype, layout, device, pin_memory, requires_grad."""


def read_size(name: str, values: tuple[Any, ...], named: Any = None, *, position: int = 1) -> tuple[int, ...]:
    """Return the lengths passed to a factory one by one, as one sequence, or as `size=`.

    Args:
        name: name of the factory, for errors.
        values: its positional arguments.
        named: its argument `size`, or None.
        position: position of the argument, for errors.

    Raises:
        TypeError: if there are no lengths, they are not integers, or a single integer is passed by name.
        RuntimeError: if a length is negative.
    """
    if named is not None:
        if not isinstance(named, (tuple, list)):
            raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {type(named).__name__}")
        values = (named,)
    if not values:
        raise TypeError(errors.missing_arguments(name, ["size"]))
    lengths = values
    if isinstance(values[0], (tuple, list)) or (isinstance(values[0], Tensor) and values[0].ndim):
        if len(values) > 1:
            raise TypeError(errors.too_many_arguments(name, 1, len(values)))
        if isinstance(values[0], Tensor) and values[0].numel() != 1:  # otherwise it counts as one integer
            raise TypeError(errors.wrong_type(name, "size", position, "tuple of ints", values[0]))
        lengths = tuple(values[0])
    return read_lengths(name, lengths, position, alone=lengths is values)


def read_lengths(name: str, lengths: tuple[Any, ...], position: int, *, alone: bool) -> tuple[int, ...]:
    """Return lengths as Python integers.

    Raises:
        TypeError: if a length is not an integer.
        RuntimeError: if a length is negative, or there are more than arrays support.
    """
    read: list[int] = []
    for at, length in enumerate(lengths):
        if type(length) is int:
            read.append(length)
            continue
        if not (is_whole(length) or (at and isinstance(length, bool))):  # the first one shows that these are sizes
            if alone:
                raise TypeError(errors.wrong_type(name, "size", position, "tuple of ints", length))
            raise TypeError(wrong_integer(name, "size", at, length, position))
        read.append(length.__index__())
    if len(read) > 64:
        raise RuntimeError(f"only tensors with up to 64 dims are supported, but {name}() got {len(read)} lengths")
    if read and min(read) < 0:
        if name in ("zeros", "zeros_like"):
            raise RuntimeError(f"{name}: Dimension size must be non-negative. Got {errors.shown(read)}.")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(read)}: {errors.shown(read)}")
    check_room(name, read)
    return tuple(read)


def read_tuple(name: str, size: Any, position: int) -> tuple[int, ...]:
    """Return lengths that must be passed as a sequence.

    Raises:
        TypeError: if `size` is not a sequence.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(errors.wrong_type(name, "size", position, "tuple of ints", size))
    return read_lengths(name, tuple(size), position, alone=False)


def read_dtype(name: str, wanted: Any, default: DType) -> DType:
    """Return a dtype; Python's types stand for the widest of their kind.

    Raises:
        TypeError: if `wanted` is not a dtype.
    """
    if wanted is None:
        return default
    if isinstance(wanted, DType):
        return wanted
    if isinstance(wanted, type) and wanted in dtypes.PYTHON_TYPES:
        return dtypes.PYTHON_TYPES[wanted]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(wanted).__name__}")


def check_place(
    name: str,
    device: Any,
    pin_memory: bool = False,
    layout: Any = None,
    *,
    sparse: bool = False,
    out: Any = None,
    dtype: Any = None,
) -> None:
    """Refuse devices that do not exist, pinned memory, and layouts that a factory, or its output, does not have.

    Args:
        name: name of the factory, for errors.
        device, pin_memory, layout: its arguments.
        sparse: whether it also makes sparse tensors (`array_of_layout`).
        out, dtype: further arguments; an output of another dtype is refused for that first.

    Raises:
        RuntimeError: if the device is not the CPU, `pin_memory` is set, or the layout differs from that of `out`.
        TypeError: if `device` is not a device, or `layout` not a layout.
        NotImplementedError: if the layout is sparse, and the factory makes only dense tensors.
    """
    if layout is not None:
        if not isinstance(layout, Layout):
            raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type(layout).__name__}")
        if isinstance(out, Tensor) and dtype in (None, out.dtype) and layout is not out.layout:
            wanted, have = (layout_title(value) for value in (layout, out.layout))
            raise RuntimeError(f"layout {wanted} does not match layout of out parameter ({have})")
        if layout is not strided and not sparse:
            from ..._core import sparse_errors

            raise NotImplementedError(sparse_errors.no_kernel(name))
    if pin_memory:
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; memory here is the CPU's.")
    if device is None:
        return
    if isinstance(device, int) and not isinstance(device, bool):
        raise RuntimeError(
            f"Cannot access accelerator device when none is available: {name}() got device {device}; the only one is "
            "'cpu'."
        )
    if not isinstance(device, (str, Device)):
        raise TypeError(f"{name}(): argument 'device' must be torch.device, not {type(device).__name__}")
    refuse_absent(device)


def layout_title(layout: Layout) -> str:
    """Name of a layout in torch's errors: `SparseCsr`."""
    return "".join(word.capitalize() for word in layout.name.removesuffix("_coo").split("_"))


def array_of_layout(
    name: str, layout: Any, make: Callable[[tuple[int, ...], Any], Any], shape: tuple[int, ...], element: Any
) -> Any:
    """Return the array of a factory: the result of `make`, or, if the layout is sparse, one without entries.

    Raises:
        NotImplementedError: if the layout is sparse, and the tensor would not be zero everywhere.
    """
    if layout is None or layout is strided:
        return make(shape, element)
    from ..._core.tensor import coordinates

    if "zeros" not in name and "empty" not in name:
        raise NotImplementedError(coordinates.sparse_errors.no_kernel("fill_.Scalar"))
    if layout is not sparse_coo:
        return compressed_zeros(name, layout, shape, element)
    return coordinates.nothing(shape, element)


def compressed_zeros(name: str, layout: Any, shape: tuple[int, ...], element: Any) -> Any:
    """Return the array of a compressed sparse tensor without entries.

    Raises:
        RuntimeError: if the shape is not that of matrices, or the layout has blocks, whose size is unknown.
    """
    if layout.blocks:
        raise RuntimeError(
            f"{name}: expected sparse compressed (non-block) tensor layout but got {layout.title}, whose blocks have "
            "no size"
        )
    if len(shape) < 2:
        raise RuntimeError(
            f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but got size {[*shape]}"
        )
    batch, lines = shape[:-2], shape[-2 if layout.rows else -1]
    parts = [np.zeros((*batch, length), np.int64) for length in (lines + 1, 0)]
    from ..._core.cards.card import find

    result: Any = find("sparse_compressed_tensor")
    return result.body(*map(wrap, parts), wrap(np.zeros((*batch, 0), element)), shape, layout=layout)._array_


def batches_of(input: Any) -> Levels:
    """Return the batches of a tensor: tensors made like it carry them, so that all members can be written to it."""
    return tuple(reversed(batches.levels_of(input)))


def batched_shape(levels: Levels, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of an array for all members of some batches."""
    return (*[level.size for level in levels], *shape)


def finish(name: str, array: Any, requires_grad: Any = False, levels: Levels = ()) -> Tensor:
    """Return a leaf on a new array; it carries batches if the first dimensions are those of `levels`.

    Raises:
        RuntimeError: if `requires_grad` is set for a dtype without derivatives.
        TypeError: if `requires_grad` is not a bool.
    """
    result = wrap(dtypes.canonical(array))
    for level in levels:
        result = batches.batched(result, level)
    if requires_grad is not False and (requires_grad is not None or name == "tensor"):  # torch does not accept None
        if not isinstance(requires_grad, bool):
            raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
        if requires_grad and array.dtype.kind not in "fcV":
            raise RuntimeError(errors.FACTORY_REQUIRES_GRAD)
        result.requires_grad = requires_grad
    return result


def result_dtype(name: str, wanted: Any, out: Any, default: DType) -> DType:
    """Return the dtype of a factory's result, which is that of `out` if there is one.

    Raises:
        RuntimeError: if `dtype` and `out` differ, or `out` requires a gradient.
    """
    if out is None:
        return read_dtype(name, wanted, default)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if out.requires_grad and current().grad:
        if name in ("empty", "randn"):
            raise RuntimeError("cannot resize variables that require grad")
        raise RuntimeError(out_errors.requires_grad(name, recorded=False))
    result = read_dtype(name, wanted, out.dtype)
    if result is not out.dtype:
        raise RuntimeError(
            f"dtype {result.legacy[:-6]} does not match dtype of out parameter ({out.dtype.legacy[:-6]})"
        )
    return result


def check_output(out: Tensor | None, shape: tuple[int, ...]) -> None:
    """Refuse an `out` whose elements share memory, before numbers are drawn for it.

    Args:
        shape: that of the result, to which another `out` is resized.
    """
    if out is not None and out._array_.shape == shape:
        check_shared(out, ())


KEEPING = ("arange", "linspace", "logspace", "range")
"""Factories that keep the shape of an output with the right number of elements."""

EVEN = ("empty", "eye", "full", "ones", "zeros")
"""Factories that write to an output whose elements share memory."""


def deliver(name: str, array: Any, requires_grad: Any, out: Tensor | None, levels: Levels = ()) -> Tensor:
    """Return the result of a factory: a new leaf, or `out`, written, which is a leaf then; `levels` as for `finish`."""
    sparse = name in ("zeros", "empty") and out is not None and out._flags_ & flags.SPARSE and not out.is_meta
    if sparse:
        array = array_of_layout(name, out.layout, np.empty, array.shape, array.dtype)  # type: ignore[union-attr]
    result = finish(name, array, requires_grad, levels)
    if out is None:
        return result
    if out._flags_ & flags.SPARSE and not sparse:
        return put(name, out, result.to(out.device))
    if name in KEEPING and out.numel() == array.size:
        result = result.view(out.shape)
    if levels:
        raise RuntimeError(batch_errors.OUT.format(name))
    if out.shape == result.shape or sparse:
        if name not in EVEN:
            check_shared(out, ())
    else:  # no warning as in operators: for factories an output is memory
        check_mode(out, current())
        OPERATORS.resize(out, result._array_.shape)
    if name != "empty" or sparse:  # uninitialised memory keeps its content
        put_out(out, result)
    if result.requires_grad:
        out.requires_grad = True
    return out


def read_number(name: str, argument: str, position: int, value: Any) -> Any:
    """Return a number: Python's, NumPy's, or that of a tensor of one element that requires no gradient.

    Raises:
        TypeError: if `value` is not a number.
    """
    if isinstance(value, (bool, int, float, complex)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Tensor) and value.ndim == 0 and not value.requires_grad:
        return value.item()
    raise TypeError(errors.wrong_type(name, argument, position, "Number", value))


def refuse_dtype(name: str, array: Any, declared: Collection[DType]) -> None:
    """Refuse an array of a dtype without a kernel.

    Raises:
        NotImplementedError: if the dtype is not supported.
    """
    element = dtypes.from_numpy(array.dtype)
    if element not in declared:
        raise NotImplementedError(errors.no_kernel(name, element))


def call_native(name: str, *args: Any) -> Any:
    """Call the native function of a plain case with a dtype and further arguments; it may return NotImplemented."""
    function = kernels.direct_function(name)
    return NotImplemented if function is None else function(*args)

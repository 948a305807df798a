"""Tensors on memory of others: NumPy's arrays, buffers, DLPack."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..._core import flags
from ..._core.cards.card import Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.tracing import told_reading
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._start.boundary import shorten
from .factory import check_place, finish, read_dtype
from .infer import array_of, check_array

NOT_WRITABLE = (
    "The given NumPy array is not writable, and tensors are: writing to this tensor will fail. You may want to copy "
    "the array to protect its data or make it writable before converting it to a tensor."
)


def tensor_on_array(array: np.ndarray[Any, Any]) -> Tensor:
    """Return a tensor on an array's memory; warn if it is not writable."""
    check_array(array)
    if not array.flags.writeable:
        anomaly.warn_once(NOT_WRITABLE)
    return wrap(dtypes.canonical(array if type(array) is np.ndarray else array.view(np.ndarray)))


@composite(method=False)
def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor on the memory of a NumPy array: writes to one are seen in the other.

    Args:
        ndarray: array of any shape; of a dtype that tensors support, in native byte order, without negative strides.

    Returns:
        A tensor that shares the array's memory.

    Raises:
        TypeError: if `ndarray` is not an array, or of a type that tensors do not support.
        ValueError: if strides are negative, or the byte order is foreign.

    Examples:
        >>> import wengert as wg
        >>> import numpy as np
        >>> array = np.arange(3.0)
        >>> tensor = wg.from_numpy(array)
        >>> array[0] = 5.0
        >>> tensor
        tensor([5., 1., 2.], dtype=torch.float64)
    """
    try:
        if not isinstance(ndarray, np.ndarray):
            raise TypeError(f"expected np.ndarray (got {full_name(ndarray)})")
        return tensor_on_array(ndarray)
    except Exception as error:
        shorten(error)
        raise


def full_name(value: object) -> str:
    """Return the name of a value's type, with its module unless that is Python's own."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


@from_numpy.samples
def from_numpy_samples(make: Any) -> Any:
    yield Sample(make(2, 3).detach().numpy())
    yield Bad([1], raises=TypeError, says="expected np.ndarray (got list)")
    yield Bad(np.ones(4)[::-1], raises=ValueError, says="At least one stride in the given numpy array is negative")
    yield Bad(np.array(["a"]), raises=TypeError, says="can't convert np.ndarray of type numpy.str_")


@composite(method=False)
def as_tensor(data: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Convert `data` to a tensor, without a copy if possible.

    Args:
        data: a tensor, which is returned itself (or cast, which is recorded); an array, whose memory is shared unless
            its dtype has to change; or data for `tensor`, which are copied.
        dtype: dtype of the result.
        device: 'cpu'.

    Returns:
        `data` itself, or a tensor that shares its memory, or a new one.

    Raises:
        TypeError, ValueError, RuntimeError: if `tensor` refuses the data.

    Examples:
        >>> import wengert as wg
        >>> import numpy as np
        >>> wg.as_tensor(np.arange(3.0))
        tensor([0., 1., 2.], dtype=torch.float64)
    """
    check_place("as_tensor", device)
    wanted = None if dtype is None else read_dtype("as_tensor", dtype, dtypes.get_default_dtype())
    if isinstance(data, Tensor):
        if wanted is None or wanted is data.dtype:
            return data
        return data.to(wanted)
    if isinstance(data, np.ndarray):
        check_array(data)
        if wanted is None or wanted is dtypes.from_numpy(data.dtype):
            return tensor_on_array(data)
    return finish("as_tensor", array_of(data, wanted))


@as_tensor.samples
def as_tensor_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample([1, 2.5])
    yield Sample(np.ones(2), dtype=dtypes.float32)
    yield Bad("a", raises=TypeError, says="new(): invalid data type 'str'")


@composite(method=False)
def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Convert `obj` to a tensor.

    Args:
        obj: a tensor, an array, an object with DLPack or the buffer protocol, a DLPack capsule, a number or
            nested sequences of numbers.
        dtype: dtype of the result.
        device: 'cpu'.
        copy: True: always; False: never; None: only if necessary.
        requires_grad: whether the result requires a gradient: if False, it is detached. By default it does if `obj`
            is a tensor that does; then it may have a history.

    Returns:
        `obj` itself, or a tensor that shares its memory, or a new one.

    Raises:
        ValueError: if `copy=False`, but a copy is necessary.

    Examples:
        >>> import wengert as wg
        >>> import numpy as np
        >>> wg.asarray(np.arange(3), dtype=wg.float32)
        tensor([0., 1., 2.])
    """
    check_place("asarray", device)
    wanted = None if dtype is None else read_dtype("asarray", dtype, dtypes.get_default_dtype())
    result = tensor_on_memory(obj, wanted)
    if result is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return finish("asarray", array_of(obj, wanted), bool(requires_grad))
    if wanted is not None and wanted is not result.dtype:
        if copy is False:
            raise ValueError(
                f"can't alias tensor with dtype '{result.dtype.legacy[:-6]}' into dtype '{wanted.legacy[:-6]}'."
            )
        result = result.to(wanted)
    elif copy:
        result = result.clone()
    if requires_grad is None and result.requires_grad:
        return result
    if not requires_grad:
        return result.detach() if result.requires_grad else result
    result = result if result._edge_ is None else result.detach()
    result.requires_grad = True
    return result


def tensor_on_memory(obj: Any, wanted: DType | None) -> Any:
    """Return a tensor on the memory of an object, or None without memory to share; a buffer's has the wanted dtype."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return tensor_on_array(obj)
    if isinstance(obj, np.generic):
        return None
    if hasattr(obj, "__dlpack__"):
        return wrap(array_from_dlpack(obj))
    if is_capsule(obj):
        return wrap(unpacked(obj))
    if hasattr(obj, "__array__"):
        return tensor_on_array(np.asarray(obj))
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=wanted or dtypes.get_default_dtype())


@asarray.samples
def asarray_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample([1, 2])
    yield Sample(make(2), copy=True)
    yield Bad([1, 2], copy=False, raises=ValueError, says="can't alias arbitrary sequence into a tensor")


@composite(method=False)
def frombuffer(buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """Return a 1-dim tensor on the memory of an object with the buffer protocol.

    Args:
        buffer: bytearray, array.array, memoryview ...
        dtype: dtype of the elements.
        count: number of elements; -1 for all.
        offset: number of bytes to skip.
        requires_grad: whether operations on it are recorded.

    Returns:
        A tensor that shares the memory.

    Raises:
        TypeError: if `dtype` is not a dtype.
        ValueError: if `buffer` is not a buffer, is too short, has the other byte order, or its length is not a multiple
            of the element size.
        RuntimeError: if the buffer's memory is not contiguous.

    >>> wg.frombuffer(bytearray([1, 0, 2, 0]), dtype=wg.int16)
    tensor([1, 2], dtype=torch.int16)
    """
    if dtype is None:
        raise TypeError("frombuffer(): argument 'dtype' must be torch.dtype, not NoneType")
    element = read_dtype("frombuffer", dtype, dtype)
    length = buffer_length(buffer)
    if element.itemsize > 1:
        refuse_foreign(buffer)
    room = length - offset
    if length <= 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and room % element.itemsize:
        raise ValueError(
            f"buffer length ({room} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({element.itemsize})"
        )
    if count > 0 and count * element.itemsize > room:
        raise ValueError(
            f"requested buffer length ({count} * {element.itemsize} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({length} bytes)"
        )
    array = np.frombuffer(buffer, element.numpy, count, offset)
    if not array.flags.writeable:
        anomaly.warn_once(NOT_WRITABLE.replace("NumPy array", "buffer"))
    return finish("frombuffer", array, requires_grad)


def refuse_foreign(buffer: Any) -> None:
    """Refuse buffers of numbers of the other byte order, as NumPy's arrays may be.

    Raises:
        ValueError: if the format of the buffer names that order.
    """
    with memoryview(buffer) as view:
        if view.itemsize > 1 and view.format[0] in (">!" if sys.byteorder == "little" else "<"):
            raise ValueError(
                f"frombuffer(): the buffer holds numbers of the other byte order (format {view.format!r}), and the "
                "result would share its memory. Convert them first: array.astype(array.dtype.newbyteorder('='))"
            )


def buffer_length(buffer: Any) -> int:
    """Return the number of bytes of a buffer.

    Raises:
        ValueError: if `buffer` is not a buffer.
        RuntimeError: if its memory is not contiguous.
    """
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError(
            f"object does not implement Python buffer protocol. frombuffer: got {type(buffer).__name__}"
        ) from None
    if not view.c_contiguous:
        raise RuntimeError(
            "could not retrieve buffer from object: frombuffer needs memory in row-major order, in one piece"
        )
    return view.nbytes


@frombuffer.samples
def frombuffer_samples(make: Any) -> Any:
    yield Sample(bytearray(8), dtype=dtypes.float32)
    yield Sample(bytearray(8), dtype=dtypes.int16, count=2, offset=2)
    yield Bad(bytearray(7), dtype=dtypes.float32, raises=ValueError, says="must be a multiple of element size (4)")
    yield Bad([1], dtype=dtypes.float32, raises=ValueError, says="object does not implement Python buffer protocol")
    yield Bad(
        memoryview(bytearray(8))[::2],
        dtype=dtypes.uint8,
        raises=RuntimeError,
        says="could not retrieve buffer from object",
    )


def is_capsule(value: object) -> bool:
    """Return whether a value is a capsule, such as those of DLPack."""
    return type(value).__name__ == "PyCapsule"


def unpacked(capsule: Any) -> np.ndarray[Any, Any]:
    """Return the array in a DLPack capsule, which is used up.

    Raises:
        RuntimeError: if it was used before, or is a capsule of another kind.
    """
    from . import capsules  # imported only for capsules: it needs `ctypes`

    if not repr(capsule).startswith('<capsule object "dltensor'):
        raise RuntimeError(NOT_DLPACK.format(full_name(capsule)))
    return capsules.unpacked(capsule)


def array_from_dlpack(source: Any) -> np.ndarray[Any, Any]:
    """Return the array on the memory of an object with `__dlpack__`; NumPy does not support bfloat16."""
    try:
        return np.from_dlpack(source)
    except RuntimeError as error:
        if "Unsupported dtype" not in str(error):
            raise
    return unpacked(source.__dlpack__())


def capsule_of(tensor: Tensor, copy: Any, options: dict[str, Any]) -> Any:
    """Return a capsule of the memory of a tensor, or of a copy of it.

    Raises:
        BufferError: if the tensor is on the device "meta".
    """
    if tensor.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    told_reading(None, "DLPack")
    array = np.array(tensor._array_) if copy else tensor._array_
    if tensor.dtype is not dtypes.bfloat16 or tensor._flags_ & flags.SPARSE:
        return array.__dlpack__(**options)
    from . import capsules  # imported only for capsules: it needs `ctypes`

    return capsules.of_bfloats(array, options)


def refuse_meta(tensor: Tensor) -> None:
    """Refuse a tensor without memory.

    Raises:
        ValueError: if the tensor is on the device "meta".
    """
    if tensor.is_meta:
        raise ValueError("Unknown device type meta for Dlpack")


NOT_DLPACK = (
    "from_dlpack received an invalid capsule: expected an object with __dlpack__, got {}. Note that DLTensor capsules "
    "can be consumed only once, so you might have already constructed a tensor from it once."
)


@composite(method=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor on the memory of an object of another library (DLPack protocol).

    Args:
        ext_tensor: an object with `__dlpack__`, or a capsule that this method returned.
        device: 'cpu'.
        copy: whether the tensor has its own memory: True: always; False, None: no.

    Returns:
        A tensor that shares the memory, or has a copy of it.

    Raises:
        RuntimeError: if `ext_tensor` is neither.
        ValueError: if `ext_tensor` is a tensor on the device "meta".
        BufferError: if the memory is on another device, or belongs to a tensor that requires a gradient.

    Examples:
        >>> import wengert as wg
        >>> import numpy as np
        >>> wg.from_dlpack(np.arange(3.0))
        tensor([0., 1., 2.], dtype=torch.float64)
    """
    check_place("from_dlpack", device)
    if is_capsule(ext_tensor):
        array = unpacked(ext_tensor)
    elif not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(NOT_DLPACK.format(full_name(ext_tensor)))
    elif isinstance(ext_tensor, Tensor) and not ext_tensor.requires_grad:
        refuse_meta(ext_tensor)
        array = ext_tensor._array_
    else:
        array = array_from_dlpack(ext_tensor)
    check_array(array)
    return finish("from_dlpack", np.array(array) if copy else array)


@from_dlpack.samples
def from_dlpack_samples(make: Any) -> Any:
    yield Sample(make(2, 3).detach().numpy())
    yield Bad([1], raises=RuntimeError, says="from_dlpack received an invalid capsule")


__all__ = ["as_tensor", "asarray", "from_dlpack", "from_numpy", "frombuffer"]

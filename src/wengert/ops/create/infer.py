"""Arrays from nested Python data, with torch's rules of shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.graph.anomaly import warn_once
from ..._core.state.modes import current
from ..._core.tensor import tracing
from ..._core.tensor.base import Tensor
from ..._core.tensor.reading import warn_of_leaving
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..dtype_checks import fits_integer

SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)
PLAIN = frozenset({bool, int, float, complex})


def array_of(data: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    """Return a new array with the values of numbers, sequences of them, arrays and tensors.

    Args:
        data: argument of `tensor()`.
        wanted: the dtype, or None to infer it: Python's floats have the default dtype.

    Raises:
        TypeError: if `data` contains strings, or sequences in place of numbers.
        ValueError: if a sequence is ragged.
        RuntimeError: if `data` contains other objects, or numbers that do not fit the dtype.
    """
    if isinstance(data, Tensor):
        copied = data._array_.astype((wanted or data.dtype).numpy)
        tracing.left_among(data, copied)
        tracing.told_reading(data, "tensor()")
        return copied
    if isinstance(data, np.generic):
        return of_numpy(np.asarray(number_of(data, wanted) if wanted else data), wanted)
    if isinstance(data, np.ndarray) or hasattr(data, "__array__"):
        return of_numpy(np.asarray(data), wanted)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    plain = True
    if is_sequence(data):
        refuse_text(data)
        inferred, plain = infer(data, wanted)
    elif wanted is None:
        inferred = dtype_of(data)
    else:
        inferred, data = wanted, number_of(data, wanted)
    result = convert(data if plain else replaced(data, wanted or inferred), wanted or inferred)
    if not plain:
        tracing.left_among(data, result)
    return result


def of_numpy(array: np.ndarray[Any, Any], wanted: DType | None) -> np.ndarray[Any, Any]:
    """Return a copy of a NumPy array, checked."""
    check_array(array)
    return current().quietly(array.astype, ((wanted or dtypes.from_numpy(array.dtype)).numpy,), {"copy": True})


def check_array(array: np.ndarray[Any, Any]) -> None:
    """Refuse arrays of element types and strides that tensors do not support.

    Raises:
        TypeError: if no dtype corresponds.
        ValueError: if the byte order is foreign, or strides are negative or not multiples of the element size.
    """
    dtypes.from_numpy(array.dtype)
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported. Call array.astype(array.dtype.newbyteorder('=')) first."
        )
    for stride in array.strides:
        if stride < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            )
        if stride % array.itemsize:
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy array before converting it."
            )


def is_sequence(value: Any) -> bool:
    """Return whether a value has elements by position."""
    if isinstance(value, (list, tuple)):
        return True
    kind = type(value)
    if kind is np.ndarray:
        return value.ndim > 0
    return (
        hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not isinstance(value, (str, bytes, dict, Tensor))
    )


MOST_DIMS = 64
"""Largest number of dimensions of NumPy's arrays."""


def refuse_text(data: Any) -> None:
    """Refuse sequences nested deeper than arrays, such as one that contains itself, and those that begin with text.

    Raises:
        ValueError: if `data` is such a sequence.
    """
    depth = 0
    while is_sequence(data) and len(data):
        if depth == MOST_DIMS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        depth += 1
        data = data[0]
    if isinstance(data, (str, bytes)):
        raise ValueError(f"too many dimensions '{type(data).__name__}'")


def infer(values: Any, wanted: DType | None, depth: int = 1) -> tuple[DType, bool]:
    """Return the common dtype of a sequence's numbers, unless one is wanted, and whether all of them are Python's.

    Raises:
        TypeError, RuntimeError: if `dtype_of` refuses an element.
        TypeError, ValueError: if the sequence contains itself.
    """
    kinds = set(map(type, values))
    if kinds <= PLAIN:
        return of_kinds(kinds), True
    result: list[DType] = []
    plain = True
    for value in values:
        if isinstance(value, (np.ndarray, np.generic)):
            if isinstance(value, np.ndarray):
                warn_once(SLOW)
            result.append(dtypes.from_numpy(value.dtype) if wanted is None else wanted)
            plain = plain and isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.char in "ld"
        elif is_sequence(value):
            if value is values:
                raise TypeError("new(): self-referential lists are incompatible")
            if depth == MOST_DIMS:
                raise ValueError(f"too many dimensions '{type(value).__name__}'")
            inner, simple = infer(value, wanted, depth + 1)
            result.append(inner)
            plain = plain and simple
        else:
            result.append(dtype_of(value) if wanted is None else wanted)
            plain = plain and type(value) in PLAIN
    return common(result), plain


def of_kinds(kinds: set[type]) -> DType:
    """Return the dtype of Python numbers of these types; the default dtype for none."""
    if complex in kinds:
        return dtypes.get_default_dtype().to_complex()
    if float in kinds or not kinds:
        return dtypes.get_default_dtype()
    return dtypes.int64 if int in kinds else dtypes.bool_


def common(candidates: list[DType]) -> DType:
    """Return the dtype that all are promoted to."""
    result = candidates[0]
    for other in candidates[1:]:
        if other is not result:
            result = dtypes.promote_types(result, other)
    return result


def dtype_of(value: Any) -> DType:
    """Return the dtype of one element.

    Raises:
        TypeError: if the element is a string.
        RuntimeError: if the element is not a number, or an integer beyond 64 bits.
    """
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, np.generic):
        return dtypes.from_numpy(value.dtype)
    if isinstance(value, (bool, int, float, complex)):
        return dtypes.of_number(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def replaced(values: Any, target: DType) -> list[Any]:
    """Return nested lists with Python's numbers in place of tensors and NumPy's numbers.

    Raises:
        TypeError, ValueError: if `number_of` refuses an element.
    """
    result: list[Any] = []
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim and value.size:
            number_of(value.flat[0], target)  # refused as each of its elements would be
            result.append(value)
        else:
            result.append(replaced(value, target) if is_sequence(value) else number_of(value, target))
    return result


def number_of(value: Any, target: DType) -> Any:
    """Return one element as a Python number, by the protocol for its target: `__index__` for an integer type.

    Raises:
        TypeError: if the element is not a number, or a tensor or an object that is not an integer for an integer type.
        ValueError: if the element is a tensor of more than one element.
    """
    is_integer = target.category == dtypes.INTEGER
    if isinstance(value, Tensor):
        if is_integer and (value._array_.size != 1 or value.dtype.category > dtypes.INTEGER):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        if value._array_.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars; stack() joins larger ones")
        warn_of_leaving(value)
        tracing.told_reading(value, "tensor()")
        return value._array_.item()
    if isinstance(value, np.ndarray):
        value = value[()]
    if isinstance(value, (bool, int, float)) or type(value) is complex:
        return value
    if isinstance(value, np.generic) and not (is_integer and value.dtype.kind not in "iu"):
        number = value.item()
        return number.real if target.category == dtypes.FLOAT and isinstance(number, complex) else number
    if is_integer and not isinstance(value, (str, bytes)):
        name = f"numpy.{type(value).__name__}" if isinstance(value, np.generic) else type(value).__name__
        raise TypeError(f"{name!r} object cannot be interpreted as an integer")
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    raise TypeError(f"must be real number, not {type(value).__name__}")


def convert(data: Any, target: DType) -> np.ndarray[Any, Any]:
    """Return a number or nested sequences of numbers as an array.

    Raises:
        ValueError, TypeError: if the sequences are ragged, or the numbers do not fit.
    """
    try:
        array = np.array(data)
    except ValueError:
        explain_ragged(data, target)
        raise
    if array.dtype == target.numpy:
        return array
    if array.size == 0:
        return array.astype(target.numpy)
    if array.dtype.kind == "O":
        array = of_objects(array, data, target)
    if target.category == dtypes.INTEGER:
        check_integers(array, target)
    elif array.dtype.kind == "c" and target.category == dtypes.FLOAT:
        raise TypeError("must be real number, not complex")
    return current().quietly(array.astype, (target.numpy,))


def of_objects(array: np.ndarray[Any, Any], data: Any, target: DType) -> np.ndarray[Any, Any]:
    """Return an array of Python integers beyond NumPy's types as floats; refuse them as integers."""
    explain_ragged(data, target)
    if target.category == dtypes.INTEGER:
        raise ValueError(f"Overflow when unpacking long long: {target} holds no integer that large")
    return array.astype(np.complex128 if target.category == dtypes.COMPLEX else np.float64)


def check_integers(array: np.ndarray[Any, Any], target: DType) -> None:
    """Refuse numbers out of range of an integer dtype (negative ones wrap around in unsigned types).

    Raises:
        TypeError: if the numbers are complex.
        ValueError: if an integer is beyond 64 bits.
        RuntimeError: if a number does not fit.
    """
    if array.dtype.kind == "c":
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if array.dtype == np.uint64 and target is dtypes.int64:
        raise ValueError("Overflow when unpacking long long: torch.int64 holds no integer that large")
    if array.dtype.kind == "b":
        return
    for extreme in (array.min().item(), array.max().item()):
        if not fits_integer(extreme, target):
            raise RuntimeError(f"value cannot be converted to type {target.name} without overflow: {extreme!r}")


def explain_ragged(data: Any, target: DType) -> None:
    """Raise torch's error for sequences of unequal depth or length, if they are not regular.

    Raises:
        ValueError: if lengths differ.
        TypeError: if depths differ.
    """
    shape = []
    first = data
    while is_sequence(first):
        shape.append(len(first))
        if not len(first):
            break
        first = first[0]
    compare(data, tuple(shape), 0, target)


def compare(value: Any, shape: tuple[int, ...], dim: int, target: DType) -> None:
    """Compare nested sequences with the shape of their first elements."""
    if dim == len(shape):
        if is_sequence(value):
            if target.category == dtypes.INTEGER:
                raise TypeError(f"{type(value).__name__!r} object cannot be interpreted as an integer")
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return
    if not is_sequence(value):
        raise TypeError("not a sequence")
    if len(value) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(value)})")
    for item in value:
        compare(item, shape, dim + 1, target)

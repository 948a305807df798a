"""Promotion of the operands of an operator to one dtype by torch's rules."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .. import errors
from ..tensor.base import Tensor, wrap_flagged
from ..types import dtypes, sizes
from . import sources
from .declaration import Declaration

PYTHONS = {"b": bool, "i": int, "u": int, "f": float, "V": float, "c": complex}
"""By the kind of a NumPy scalar the Python number that it counts as, whatever its size, as in torch; V: bfloat16."""


def is_operand(value: Any) -> bool:
    """Return whether a value may stand beside a tensor: tensors, Python numbers, NumPy's scalars and arrays."""
    if isinstance(value, (Tensor, float, int)):
        return True
    return isinstance(value, (complex, np.ndarray, np.generic))


def is_bool(value: Any) -> bool:
    """Return whether an operand is an array of dtype bool, or a Python bool."""
    return value.dtype.kind == "b" if hasattr(value, "dtype") else isinstance(value, bool)


def promote(op: Declaration, values: list[Any]) -> None:
    """Replace tensors by arrays of one common dtype; Python numbers that fit it stay as they are.

    Raises:
        TypeError: if a value is not an operand.
        NotImplementedError: if the operator does not exist for the common dtype.
    """
    first: Any = None
    settled: bool = True
    position: int
    tensor: Tensor
    for position in op.tensor_slots:
        value = values[position]
        if isinstance(value, Tensor):
            tensor = value
            array = tensor._array_
            values[position] = array
            if op.kinds[position] == sources.INDEX:
                continue
            if first is None:
                first = array.dtype
            elif array.dtype is not first:
                settled = False
        elif value is not None or op.defaults[position] is not None:
            settled = False
            values[position] = other_operand(op, value, position)
    if not settled or first not in op.accepts:
        settle(op, values)


def other_operand(op: Declaration, value: Any, position: int) -> Any:
    """A number, NumPy array or scalar where a tensor may stand.

    Raises:
        TypeError: if the operator takes no numbers, or the value is not a number.
    """
    if position in op.numbers:
        if isinstance(value, np.ndarray):
            return np.asarray(value)
        if isinstance(value, np.generic) and value.dtype.kind in PYTHONS:
            return PYTHONS[value.dtype.kind](value)
        if isinstance(value, (bool, int, float, complex)):
            return value
        if isinstance(value, numbers.Number):
            if hasattr(value, "item"):
                return value.item()
            return complex(value) if isinstance(value, numbers.Complex) else value
    raise TypeError(errors.wrong_type(op.name, op.names[position], position + 1, "Tensor", value))


def as_tensors(op: Declaration, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with tensors in place of NumPy's arrays, and Python's numbers in place of its scalars.

    Steps before the kernel, which look at the dimensions of tensors or call their methods, need no case for arrays.

    Raises:
        TypeError: if an argument that has to be a tensor is not one.
    """
    values: list[Any] | None = None
    position: int
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, Tensor):
            continue
        if op.kinds[position] == sources.ARRAYS or op.kinds[position] == sources.INDICES:
            arrays_of(op, value, position)
        elif value is not None or op.defaults[position] is not None:
            operand = constant_of(other_operand(op, value, position))
            if operand is not value:
                if values is None:
                    values = list(args)
                values[position] = operand
    return args if values is None else tuple(values)


def constant_of(operand: Any) -> Any:
    """A tensor on the memory of an array that a program uses as an operand, or on a copy if no tensor can have its
    strides; Python's number for a NumPy scalar; anything else as it is.

    Raises:
        TypeError: if an array is of a type that has no counterpart.
    """
    if isinstance(operand, np.ndarray):
        array = np.asarray(operand)
        odd = [step for step in array.strides if step < 0 or step % array.itemsize]
        dtype = dtypes.from_numpy(array.dtype).numpy
        array = array.astype(dtype, "C" if odd else "K", copy=bool(odd) or not array.flags.aligned)
        return wrap_flagged(dtypes.canonical(array), 0)
    if isinstance(operand, np.generic) and operand.dtype.kind in PYTHONS:
        return PYTHONS[operand.dtype.kind](operand)
    return operand


def arrays_of(op: Declaration, value: Any, position: int) -> list[Any]:
    """The arrays of a list of tensors; where they are indices, None stands for a whole dimension.

    Raises:
        TypeError: if `value` is not a list of tensors.
    """
    if isinstance(value, Tensor) or not isinstance(value, (tuple, list)):
        raise TypeError(errors.wrong_type(op.name, op.names[position], position + 1, "tuple of Tensors", value))
    partly: bool = op.kinds[position] == sources.INDICES
    arrays: list[Any] = []
    tensor: Tensor
    for at, item in enumerate(value):
        if isinstance(item, Tensor):
            tensor = item
            arrays.append(tensor._array_)
        elif partly and item is None:
            arrays.append(None)
        else:
            raise TypeError(errors.wrong_element(at, position, item))
    return arrays


def settle(op: Any, values: list[Any]) -> None:
    """Convert all operands to their common dtype.

    Raises:
        TypeError: if no operand is a tensor, and the operator wants one.
        NotImplementedError: if the operator does not exist for that dtype.
        RuntimeError: if the card refuses operands of these dtypes side by side.
    """
    if op.mixed is not None:
        op.mixed(values)
    slots = [at for at in op.grad_slots if values[at] is not None]
    arrays = [values[at] for at in slots if hasattr(values[at], "dtype")]
    if not arrays and not op.lone_numbers:
        raise TypeError(errors.wrong_type(op.name, op.names[slots[0]], slots[0] + 1, "Tensor", values[slots[0]]))
    plain = [values[at] for at in slots if not hasattr(values[at], "dtype")]
    target = dtypes.result_type(arrays, plain)
    if op.promotion == "float" and target.category < dtypes.FLOAT:
        target = dtypes.get_default_dtype()
    wanted = target.numpy
    if wanted not in op.accepts and not (target is dtypes.bfloat16 and target in op.declared_dtypes):
        raise NotImplementedError(errors.no_kernel(op.name, target))
    if target in dtypes.HALVES:
        settle_half(op, slots, values, target)
        return
    weak = bool(arrays) and (op.promotion == "beside" or target.category >= dtypes.FLOAT)
    for at in slots:
        value = values[at]
        if op.promotion == "numbers" and is_bool(value):
            continue
        if hasattr(value, "dtype"):
            if value.dtype != wanted:
                values[at] = value.astype(wanted)
        elif not weak:
            values[at] = np.asarray(value).astype(wanted)


def settle_half(op: Any, slots: list[int], values: list[Any], target: Any) -> None:
    """Convert operands to a half, numbers to its nearest value unless `op.keeps_numbers` exempts them."""
    for at in slots:
        value = values[at]
        if op.promotion == "numbers" and is_bool(value):
            continue
        with np.errstate(all="ignore"):
            if not hasattr(value, "dtype"):
                if not op.keeps_numbers:
                    values[at] = float(np.asarray(value).astype(np.float32).astype(target.numpy))
            elif value.dtype != target.numpy:
                single = value.ndim == 0 and op.keeps_numbers and at != slots[0]
                values[at] = value.astype(np.float32 if single else target.numpy)


def check_broadcast(op: Declaration, values: list[Any]) -> None:
    """Refuse operands whose shapes do not broadcast.

    Raises:
        RuntimeError: if the shapes do not broadcast; the error names the dimension that differs.
    """
    common: tuple[int, ...] = ()
    for position in op.tensor_slots:
        if hasattr(values[position], "shape"):
            common = sizes.broadcast(common, values[position].shape)


def of_operands(op: Declaration, values: list[Any]) -> Any:
    """The dtype of promoted operands."""
    for at in op.grad_slots:
        if hasattr(values[at], "dtype"):
            return values[at].dtype
    return None

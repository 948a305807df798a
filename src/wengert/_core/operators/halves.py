"""Half precision: float16 and bfloat16 are storage formats; operators compute in float32 and round the result.

This is done here for all operators: their bodies and native functions receive float32 in the place of halves, and their
float32 results are rounded to the half. So sums are those of float32, a result is rounded once, and no kernel meets a
dtype that NumPy does not have. Views are taken of the memory itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import door, errors
from ..tensor.slots import OPERATORS
from ..types import dtypes
from . import sources
from .declaration import Declaration

FLOAT32 = np.dtype(np.float32)


def computed(op: Any, values: list[Any], modes: Any, run: Callable[..., Any]) -> Any:
    """Run the native function or the body of an operator on operands of which some are halves.

    Args:
        op: the operator, a card.
        values: its arguments, arrays in the place of tensors, promoted if it promotes.
        modes: those of the thread.
        run: calls the body.

    Raises:
        NotImplementedError: if the operator does not exist for the half, and its body does not support it.
    """
    dtype = kind_of(op, values)
    wanted = values[op.dtype_slot] if op.dtype_slot >= 0 else None
    if dtype is None and wanted not in dtypes.HALVES:
        return run(op, values, modes)  # an index or a mask is a half, which the body refuses
    if op.takes_halves or is_mixed(op, values, dtype):
        return run(op, values, modes)
    if dtype is not None and dtype not in op.declared_dtypes:
        run(op, values, modes)  # raises its own error; otherwise the result is dropped
        raise NotImplementedError(errors.no_kernel(op.name, dtype))
    wide = widened(op, values)
    result = NotImplemented if op.native is None else op.native(*wide)
    if result is NotImplemented:
        result = run(op, wide, modes)
    half = dtype if wanted is None else wanted if wanted in dtypes.HALVES else None
    if half is None:
        return result
    if op.several:
        return tuple([rounded(array, half, modes) for array in result])
    return rounded(result, half, modes)


def write(op: Any, values: list[Any], modes: Any) -> None:
    """Let the writer of an operator write into its first operand, where some are halves; refused as by `computed`."""
    dtype = kind_of(op, values)
    if dtype is None or op.takes_halves or is_mixed(op, values, dtype):
        modes.quietly(op.writer, values)
        return
    if dtype not in op.declared_dtypes:
        raise NotImplementedError(errors.no_kernel(op.name, dtype))
    wide = widened(op, values)
    modes.quietly(op.writer, wide)
    modes.quietly(np.copyto, (values[0], wide[0], "unsafe"))


def kind_of(op: Declaration, values: list[Any]) -> Any:
    """The first half among the operands; None where only the result shall be one."""
    for array in arrays_of(op, values) or [values[position] for position in op.tensor_slots]:
        if door.is_half(array):
            return dtypes.from_numpy(array.dtype)
    return None


def is_mixed(op: Declaration, values: list[Any], half: Any) -> bool:
    """Return whether operands of other dtypes are mixed with halves, unpromoted: the body refuses or handles them."""
    if half is None or op.promotion is not None:
        return False
    return any(array.dtype != half.numpy for array in arrays_of(op, values))


def arrays_of(op: Declaration, values: list[Any]) -> list[Any]:
    """The arrays among the differentiable operands."""
    arrays: list[Any] = []
    for position in op.tensor_slots:
        value = values[position]
        if op.kinds[position] == sources.ARRAY and isinstance(value, np.ndarray):
            arrays.append(value)
        elif op.kinds[position] == sources.ARRAYS:
            arrays += [array for array in value if isinstance(array, np.ndarray)]
    return arrays


def widened(op: Declaration, values: list[Any]) -> list[Any]:
    """The arguments with float32 in the place of halves."""
    wide: list[Any] = []
    keep_strides: bool = op.layout == sources.LAID_OWN  # the body depends on the strides of its operands
    for value in values:
        if isinstance(value, list):
            value = [wide_array(array, keep_strides) for array in value]
        wide.append(wide_array(value, keep_strides))
    if op.dtype_slot >= 0 and wide[op.dtype_slot] in dtypes.HALVES:
        wide[op.dtype_slot] = dtypes.float32
    return wide


def wide_array(value: Any, keep_strides: bool) -> Any:
    """A half array in float32, with the same strides if `keep_strides` is set; anything else as it is."""
    if not door.is_half(value):
        return value
    return converted(value, FLOAT32) if keep_strides else OPERATORS.converted(value, FLOAT32)


def rounded(result: Any, half: Any, modes: Any) -> Any:
    """A result in float32 rounded to a half; one of another dtype as it is."""
    if getattr(result, "dtype", None) != np.float32:
        return result
    return modes.quietly(converted, (np.asarray(result), half.numpy))


def converted(array: Any, wanted: Any) -> Any:
    """An array in another dtype with the same strides in elements, gaps included."""
    result = OPERATORS.converted(array, wanted)
    steps = [stride // array.itemsize for stride in array.strides]
    strides = tuple([step * result.itemsize for step in steps])
    if result.strides == strides or not array.size or min(steps) < 0:
        return result
    reach = 1 + sum([(length - 1) * step for length, step in zip(array.shape, steps)])
    result = np.ndarray(array.shape, wanted, np.empty(reach, wanted), 0, strides)
    result[...] = array
    return result

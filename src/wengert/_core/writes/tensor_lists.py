"""Lists of tensors that one step reads and writes outside of any graph: an optimiser's parameters, gradients and state.

They are gathered anew in each step, which compiled takes a few dozen instructions for a tensor: so a step sees whatever
the program has changed since the last one.
"""

from __future__ import annotations

from typing import Any

from .. import door
from ..state.modes import Modes, current
from ..tensor import tracing
from ..tensor.base import Tensor, wrap
from ..tensor.storage import count, count_write


def with_gradients(params: Any, refused: int) -> Any:
    """Return the parameters that have a gradient, and the gradients, as two lists.

    Args:
        params: the parameters.
        refused: flags that no parameter with a gradient, and no gradient, may have.

    Returns:
        None if one has such a flag, or is not a tensor.
    """
    chosen: list[Any] = []
    grads: list[Any] = []
    for param in params:
        value: Any = param.grad
        if value is None:
            continue
        if not isinstance(param, Tensor) or not isinstance(value, Tensor):
            return None
        parameter: Tensor = param
        grad: Tensor = value
        if (parameter._flags_ | grad._flags_) & refused:
            return None
        chosen.append(parameter)
        grads.append(grad)
    return chosen, grads


def have_flag(tensors: list[Any], flag: int) -> bool:
    """Return whether a tensor of a list has a flag."""
    tensor: Tensor
    for tensor in tensors:
        if tensor._flags_ & flag:
            return True
    return False


def have_halves(tensors: list[Any]) -> bool:
    """Return whether a tensor of a list has elements of 16 bits."""
    tensor: Tensor
    for tensor in tensors:
        array: Any = tensor._array_
        if door.is_half(array) or (not door.is_ndarray(array) and array.dtype.itemsize == 2):
            return True
    return False


def entries(states: Any, tensors: list[Any], names: tuple[Any, ...]) -> Any:
    """Return entries of the states of tensors, a list for each of `names`.

    Args:
        states: a dictionary with the state of each tensor, a dictionary.
        tensors: the tensors.
        names: the names of the entries.

    Returns:
        None if an entry is missing or is not a tensor, or a dictionary has a look-up of its own.
    """
    columns: list[Any] = [[None] * len(tensors) for _ in names]
    for place in range(len(tensors)):
        state: Any = door.entry(states, tensors[place])
        for at in range(len(names)):
            value: Any = door.entry(state, names[at])
            if not isinstance(value, Tensor):
                return None
            column: list[Any] = columns[at]
            column[place] = value
    return columns


def arrays_of(tensors: Any) -> list[Any]:
    """Return the values as NumPy arrays; None for None."""
    arrays: list[Any] = []
    tensor: Tensor
    for tensor in tensors:
        arrays.append(None if tensor is None else tensor._array_)
    return arrays


def completed(tensors: list[Any], arrays: list[Any]) -> list[Any]:
    """Return the tensors; for None a new one around the array in its place, or None if there is none, either."""
    complete: list[Any] = []
    for at in range(len(tensors)):
        tensor: Any = tensors[at]
        complete.append(wrap(arrays[at]) if tensor is None and arrays[at] is not None else tensor)
    return complete


def real_parts(tensors: Any) -> list[Any]:
    """Return the values as NumPy arrays; for complex tensors two views, of the real and imaginary part."""
    arrays: list[Any] = []
    tensor: Tensor
    for tensor in tensors:
        array: Any = tensor._array_
        if door.is_complex(array):
            arrays.append(array.real)
            arrays.append(array.imag)
        else:
            arrays.append(array)
    return arrays


def repeated(values: Any, tensors: Any) -> list[Any]:
    """Return one value for each array of `real_parts(tensors)`."""
    copies: list[Any] = []
    for at in range(len(tensors)):
        tensor: Tensor = tensors[at]
        copies.append(values[at])
        if door.is_complex(tensor._array_):
            copies.append(values[at])
    return copies


def counted(steps: Any) -> list[int]:
    """Increment each 0-dim tensor by one; return the new values."""
    arrays: list[Any] = arrays_of(steps)
    counts: Any = door.incremented(arrays)
    if counts is not None:
        return counts
    for array in arrays:
        array += 1
    return [int(array) for array in arrays]


def written(columns: Any, operation: str) -> None:
    """Count a write to each tensor of several lists, except None.

    Args:
        columns: the lists.
        operation: name of the write in errors and explanations.
    """
    modes: Modes = current()
    if modes.log is not None:
        tracing.told_reading(None, operation)
    tensor: Tensor
    for tensors in columns:
        for tensor in tensors:
            if tensor is None:
                continue
            if modes.noting:
                count_write(tensor._storage_, operation)
            else:
                count(tensor._storage_)

"""Conversion of containers of tensors, arrays and numbers to the flat float64 vectors of SciPy, and back."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .._core import flags
from .._start.loading import load_scipy
from .._tensor import Tensor
from ..autograd.containers import Structure, flatten, keys_of, opened, unflatten
from ..func.sparse.products import split
from ..ops.create.interchange import from_numpy

TENSOR, ARRAY, NUMBER = "tensor", "array", "number"


def scipy_module(caller: str, name: str) -> Any:
    """Return a module of SciPy.

    Raises:
        ImportError: if SciPy is not installed.
    """
    return load_scipy(name, caller)


class Vector:
    """Conversion between flat vectors and containers of tensors, arrays and numbers.

    Attributes:
        start: flat vector of the initial value.
        like: float64 tensors of the shapes of the container's elements.
        structure: structure of the container; None if the value is an array or a list as for SciPy. Then functions are
            called with one tensor, and vectors stay unchanged.
        kinds: for each element `TENSOR`, `ARRAY` or `NUMBER`.
    """

    def __init__(self, caller: str, name: str, value: Any) -> None:
        elements, structure = flatten(value)
        self.structure = structure if keeps_form(value) else None
        if self.structure is None:
            self.start = np.asarray(value)
            check_real(caller, name, self.start)
            self.like, self.kinds = [from_numpy(np.zeros(max(self.start.size, 1)))], [ARRAY]
            return
        if not elements:
            raise TypeError(f"{caller}: expected {name} to hold tensors, but it is empty")
        arrays = [self.read(caller, name, element) for element in elements]
        self.kinds = [kind_of(element) for element in elements]
        self.like = [from_numpy(array) for array in arrays]
        self.start = np.concatenate([array.ravel() for array in arrays])

    @staticmethod
    def read(caller: str, name: str, element: Any) -> Any:
        """Return an element as a new float64 array.

        Raises:
            TypeError: if the element is neither tensor, array nor number, or is complex.
            RuntimeError: if it is a batch.
        """
        if isinstance(element, Tensor):
            check_single(caller, name, element)
            array = element._array_
        elif isinstance(element, (bool, int, float, complex, np.ndarray, np.generic)):
            array = np.asarray(element)
        else:
            kind = type(element).__name__
            raise TypeError(f"{caller}: expected {name} to hold only tensors, arrays and numbers, but got {kind}")
        check_real(caller, name, array)
        return array.astype(np.float64)

    def tensors(self, x: Any) -> list[Tensor]:
        """Return the elements of the container for a flat vector, in new memory."""
        return split(x, self.like)

    def opened(self, elements: list[Any]) -> Any:
        """Return the container of elements."""
        return elements[0] if self.structure is None else unflatten(elements, self.structure)

    def container(self, x: Any) -> Any:
        """Return the argument of the user's functions for a flat vector."""
        return self.opened(self.tensors(x))

    def result(self, x: Any) -> Any:
        """Return the container for a flat vector in results and callbacks; the vector itself without a container."""
        if self.structure is None:
            return x
        tensors = self.tensors(x)
        return unflatten([as_kind(tensor, kind) for tensor, kind in zip(tensors, self.kinds)], self.structure)

    def ordered(self, caller: str, name: str, value: Any) -> Any:
        """Return a container as that of the variables, with the keys of dictionaries in their order.

        Raises:
            TypeError: if a dictionary has other keys.
        """
        return value if self.structure is None else in_order(caller, name, value, self.structure)

    def outputs(self, caller: str, name: str, value: Any) -> list[Tensor]:
        """Return the results of a user's function as real tensors.

        Raises:
            TypeError: if a result is neither tensor, array nor number, or is complex.
        """
        return numeric(caller, name, value)

    def elements(self, vector: Tensor) -> list[Tensor]:
        """Return the elements of the container for a flat vector that is a tensor, by recorded operations."""
        if len(self.like) == 1:
            return [vector.reshape(self.like[0].shape)]
        parts = vector.split([element._array_.size for element in self.like])
        return [part.reshape(element.shape) for part, element in zip(parts, self.like)]

    def joined(self, vector: Tensor) -> Any:
        """Return the container of tensors for a flat vector that is a tensor; the vector itself without a container."""
        return vector if self.structure is None else unflatten(self.elements(vector), self.structure)

    def joined_rows(self, columns: Tensor) -> Any:
        """Return the container of tensors for states as columns: each has one more dimension, the last."""
        if self.structure is None:
            return columns
        parts = columns.split([element._array_.size for element in self.like])
        shaped = [part.reshape((*element.shape, columns.shape[1])) for part, element in zip(parts, self.like)]
        return unflatten(shaped, self.structure)

    def rows(self, ys: Any) -> Any:
        """Return the container for the columns of an array: every element has one more dimension, the last."""
        if self.structure is None:
            return ys
        ys = (
            np.zeros((self.start.size, 0)) if isinstance(ys, list) else ys
        )  # SciPy stopped before the first of the times
        parts, start = [], 0
        for tensor, kind in zip(self.like, self.kinds):
            shape, size = tensor._array_.shape, tensor._array_.size
            part = ys[start : start + size].reshape((*shape, ys.shape[1]))
            parts.append(from_numpy(part) if kind == TENSOR else part)
            start += size
        return unflatten(parts, self.structure)


def in_order(caller: str, name: str, value: Any, structure: Structure) -> Any:
    """Return a container with the keys of dictionaries in the order of a structure.

    Raises:
        TypeError: if a dictionary has other keys.
    """
    if structure.kind is None:
        return value
    if issubclass(structure.kind, dict):
        keys = keys_of(structure)
        if not isinstance(value, dict):
            return value
        if value.keys() != set(keys):
            raise TypeError(f"{caller}: expected {name} to return the keys {list(keys)}, but got {list(value)}")
        return {key: in_order(caller, name, value[key], child) for key, child in zip(keys, structure.children)}
    if isinstance(value, (list, tuple)) and len(value) == len(structure.children):
        return [in_order(caller, name, item, child) for item, child in zip(value, structure.children)]
    return value


def keeps_form(value: Any) -> bool:
    """Return whether a value is a container, rather than an array or nested lists of numbers.

    Dictionaries and named tuples are containers; lists, tuples and deques are if they hold tensors, arrays or
    containers, or lists of several lengths.
    """
    parts = opened(value)
    if parts is None:
        return isinstance(value, Tensor)
    if isinstance(value, dict) or hasattr(value, "_fields"):
        return True
    items = parts[1]
    if any((isinstance(item, np.ndarray) and item.ndim > 0) or keeps_form(item) for item in items):
        return True
    return len({len(item) if isinstance(item, (list, tuple, deque)) else None for item in items}) > 1


def kind_of(element: Any) -> str:
    """Return whether an element of a container is a tensor, an array or a number."""
    return TENSOR if isinstance(element, Tensor) else ARRAY if isinstance(element, np.ndarray) else NUMBER


def as_kind(tensor: Tensor, kind: str) -> Any:
    """Return the values of a tensor as a tensor, an array or a number."""
    return tensor if kind == TENSOR else tensor._array_ if kind == ARRAY else float(tensor._array_)


def check_single(caller: str, name: str, tensor: Tensor) -> None:
    """Refuse a batch of `vmap`: SciPy solves one problem at a time.

    Raises:
        RuntimeError: if the tensor is a batch.
    """
    if tensor._flags_ & flags.BATCHED:
        raise RuntimeError(
            f"{caller}: {name} holds a batch of vmap, but SciPy solves one problem at a time; call {caller} for each "
            "member in a loop, and stack the results"
        )


def check_real(caller: str, name: str, array: Any) -> None:
    """Refuse an array whose elements are not real numbers.

    Raises:
        TypeError: if the dtype is not real.
    """
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{caller}: expected {name} to be real numbers, but got {array.dtype}")


def flat(caller: str, name: str, value: Any) -> Any:
    """Return the elements of tensors, arrays and numbers in containers as one float64 vector.

    Raises:
        TypeError: if a value is neither tensor, array nor number, or is complex.
    """
    elements = numeric(caller, name, value)
    return np.concatenate([element._array_.ravel() for element in elements]).astype(np.float64)


def numeric(caller: str, name: str, value: Any, complex_too: bool = False) -> list[Tensor]:
    """Return the elements of a container as tensors; arrays and numbers become constants.

    Args:
        caller, name: names for error messages.
        value: the container.
        complex_too: whether elements may be complex.

    Raises:
        TypeError: if a value is neither tensor, array nor number, or is complex, or if the container is empty.
    """
    elements = flatten(value)[0]
    if not elements:
        raise TypeError(f"{caller}: expected {name} to return numbers, but it returned an empty container")
    tensors = []
    for element in elements:
        if isinstance(element, Tensor):
            check_single(caller, f"a result of {name}", element)
        array = element._array_ if isinstance(element, Tensor) else np.asarray(element)
        is_complex = array.dtype.kind == "c"
        if array.dtype.kind not in "fiub" and not (complex_too and is_complex):
            kind = type(element).__name__ if array.dtype.kind not in "cmM" else array.dtype
            raise TypeError(f"{caller}: expected {name} to return real tensors or numbers, but got {kind}")
        dtype = np.complex128 if is_complex else np.float64
        tensors.append(element if isinstance(element, Tensor) else from_numpy(array.astype(dtype)))
    return tensors


def matrix(value: Any) -> Any:
    """Convert a user's matrix for SciPy: tensors become arrays, other values stay unchanged."""
    return value.detach().numpy() if isinstance(value, Tensor) else value

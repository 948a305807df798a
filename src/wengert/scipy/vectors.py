"""Conversion of containers of tensors to the flat float64 vectors of SciPy, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._start.loading import load
from .._tensor import Tensor
from ..autograd.containers import flatten, unflatten
from ..func.sparse.products import split
from ..ops.create.interchange import from_numpy


def scipy_module(caller: str, name: str) -> Any:
    """Return a module of SciPy.

    Raises:
        ImportError: if SciPy is not installed.
    """
    try:
        return load(f"scipy.{name}")
    except ImportError as error:
        raise ImportError(f"{caller} needs SciPy: pip install 'wengert[full]'") from error


class Vector:
    """Conversion between flat vectors and containers of tensors.

    Attributes:
        start: flat vector of the initial value.
        like: float64 tensors of the shapes of the container's elements.
        structure: structure of the container; None if the value is not a container of tensors, but whatever SciPy
            takes. Then functions are called with one tensor, and vectors stay as they are.
    """

    def __init__(self, caller: str, name: str, value: Any) -> None:
        elements, structure = flatten(value)
        self.structure = structure if isinstance(value, dict) or any(map(is_tensor, elements)) else None
        if self.structure is None:
            self.start = np.asarray(value)
            check_real(caller, name, self.start)
            self.like = [from_numpy(np.zeros(max(self.start.size, 1)))]
            return
        for element in elements:
            if not isinstance(element, Tensor):
                raise TypeError(f"{caller}: expected {name} to hold only tensors, but got {type(element).__name__}")
            check_real(caller, name, element._array_)
        if not elements:
            raise TypeError(f"{caller}: expected {name} to hold tensors, but there is none")
        self.like = [from_numpy(element._array_.astype(np.float64)) for element in elements]
        self.start = np.concatenate([element._array_.ravel() for element in self.like])

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
        """Return the container for a flat vector in results and callbacks; the vector itself if there is none."""
        return x if self.structure is None else self.container(x)

    def rows(self, ys: Any) -> Any:
        """Return the container for the columns of an array: every tensor has one more dimension, the last."""
        if self.structure is None:
            return ys
        ys = (
            np.zeros((self.start.size, 0)) if isinstance(ys, list) else ys
        )  # SciPy stopped before the first of the times
        parts, start = [], 0
        for tensor in self.like:
            shape, size = tensor._array_.shape, tensor._array_.size
            parts.append(from_numpy(ys[start : start + size].reshape((*shape, ys.shape[1]))))
            start += size
        return unflatten(parts, self.structure)


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor."""
    return isinstance(value, Tensor)


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


def numeric(caller: str, name: str, value: Any) -> list[Tensor]:
    """Return the elements of a container as tensors; arrays and numbers become constants.

    Raises:
        TypeError: if a value is neither tensor, array nor number, or is complex, or if there is none.
    """
    elements = flatten(value)[0]
    if not elements:
        raise TypeError(f"{caller}: expected {name} to return numbers, but it returned none")
    tensors = []
    for element in elements:
        array = element._array_ if isinstance(element, Tensor) else np.asarray(element)
        if array.dtype.kind not in "fiub":
            kind = type(element).__name__ if array.dtype.kind not in "cmM" else array.dtype
            raise TypeError(f"{caller}: expected {name} to return real tensors or numbers, but got {kind}")
        tensors.append(element if isinstance(element, Tensor) else from_numpy(array.astype(np.float64)))
    return tensors


def matrix(value: Any) -> Any:
    """Convert a user's matrix for SciPy: tensors become arrays, other values stay as they are."""
    return value.detach().numpy() if isinstance(value, Tensor) else value

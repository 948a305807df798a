"""Containers of tensors as the flat vectors of float64 that SciPy works with, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._start.loading import load
from .._tensor import Tensor
from ..autograd.containers import flatten, unflatten
from ..func.sparse.products import split
from ..ops.create.interchange import from_numpy


def scipy_module(caller: str, name: str) -> Any:
    """A module of SciPy.

    Raises:
        ImportError: SciPy is not installed.
    """
    try:
        return load(f"scipy.{name}")
    except ImportError as error:
        raise ImportError(f"{caller} needs SciPy: pip install 'wengert[full]'") from error


class Vector:
    """How a flat vector is split.

    Attributes:
        start: the vector that stands for the value given.
        like: tensors of float64, of the shapes of the elements of the container.
        structure: what they are put into; None if the value is no container of tensors, but whatever SciPy takes. Then
            the function is given one tensor, and vectors stay as they are.
    """

    def __init__(self, caller: str, name: str, value: Any) -> None:
        elements, structure = flatten(value)
        self.structure = structure if isinstance(value, dict) or any(map(is_tensor, elements)) else None
        if self.structure is None:
            self.start = np.asarray(value)
            check_real(caller, name, self.start)
            self.like = [from_numpy(np.zeros(max(self.start.size, 1)))]
            return
        for each in elements:
            if not isinstance(each, Tensor):
                raise TypeError(f"{caller}: expected {name} to hold only tensors, but got {type(each).__name__}")
            check_real(caller, name, each._array_)
        if not elements:
            raise TypeError(f"{caller}: expected {name} to hold tensors, but there is none")
        self.like = [from_numpy(each._array_.astype(np.float64)) for each in elements]
        self.start = np.concatenate([each._array_.ravel() for each in self.like])

    def tensors(self, x: Any) -> list[Tensor]:
        """The elements of the container for a flat vector, in memory of their own."""
        return split(x, self.like)

    def opened(self, elements: list[Any]) -> Any:
        """The container of these elements."""
        return elements[0] if self.structure is None else unflatten(elements, self.structure)

    def container(self, x: Any) -> Any:
        """What the program's functions are given for a flat vector."""
        return self.opened(self.tensors(x))

    def result(self, x: Any) -> Any:
        """What stands for a flat vector in results and callbacks: a vector where no container was given."""
        return x if self.structure is None else self.container(x)

    def rows(self, ys: Any) -> Any:
        """The same for several vectors, the columns of an array: each tensor has one more dimension, the last."""
        if self.structure is None:
            return ys
        ys = np.zeros((self.start.size, 0)) if isinstance(ys, list) else ys  # SciPy has got to none of the times
        parts, start = [], 0
        for each in self.like:
            shape, size = each._array_.shape, each._array_.size
            parts.append(from_numpy(ys[start : start + size].reshape((*shape, ys.shape[1]))))
            start += size
        return unflatten(parts, self.structure)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value, Tensor)


def check_real(caller: str, name: str, array: Any) -> None:
    """Refuse what is no real number.

    Raises:
        TypeError: there are others.
    """
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{caller}: expected {name} to be real numbers, but got {array.dtype}")


def flat(caller: str, name: str, value: Any) -> Any:
    """The elements of tensors, arrays and numbers in containers, as a vector of float64.

    Raises:
        TypeError: there is something else, or complex numbers.
    """
    elements = numeric(caller, name, value)
    return np.concatenate([each._array_.ravel() for each in elements]).astype(np.float64)


def numeric(caller: str, name: str, value: Any) -> list[Tensor]:
    """The tensors in a container; arrays and numbers in it are made constant ones.

    Raises:
        TypeError: there is something else, complex numbers, or nothing.
    """
    elements = flatten(value)[0]
    if not elements:
        raise TypeError(f"{caller}: expected {name} to return numbers, but it returned none")
    made = []
    for each in elements:
        array = each._array_ if isinstance(each, Tensor) else np.asarray(each)
        if array.dtype.kind not in "fiub":
            kind = type(each).__name__ if array.dtype.kind not in "cmM" else array.dtype
            raise TypeError(f"{caller}: expected {name} to return real tensors or numbers, but got {kind}")
        made.append(each if isinstance(each, Tensor) else from_numpy(array.astype(np.float64)))
    return made


def matrix(value: Any) -> Any:
    """A matrix that a program's function gives: tensors become arrays, what SciPy knows stays."""
    return value.detach().numpy() if isinstance(value, Tensor) else value

"""Complex states of differential equations as flat vectors of real and imaginary parts.

Solvers see a real system of twice the size. So derivatives of functions that are not holomorphic, such as the absolute
value, have an exact Jacobian, too, and all of SciPy's methods solve the system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.containers import flatten, unflatten
from ..ops.create.interchange import from_numpy
from ..ops.pointwise.complex import view_as_real
from ..ops.pointwise.complex_of_reals import complex as complex_of
from ..ops.shapes.join import stack
from .vectors import ARRAY, TENSOR, Vector, check_single, keeps_form, kind_of, numeric

UNLIKE = (
    "{}: expected {} to return an element for each of the {} elements of the state, of which some are complex, but got "
    "{}"
)
REAL = "{}: element {} of the state is real, but {} returns {} for it; pass a complex initial value for this element"


class States(Vector):
    """Conversion between flat vectors of real numbers and containers, in which some elements are complex.

    An element of the shape s is in the flat vector as real and imaginary parts of the shape (*s, 2).

    Attributes:
        pairs: for each element whether it is complex.
        owners: for each real number of the flat vector, which of the numbers of the state it belongs to.
    """

    def __init__(self, caller: str, name: str, value: Any) -> None:
        elements, structure = flatten(value)
        self.structure = structure if keeps_form(value) else None
        if self.structure is None:
            arrays, self.kinds = [np.asarray(value)], [ARRAY]
            if arrays[0].ndim != 1:
                raise ValueError(f"`{name}` must be 1-dimensional.")
        else:
            arrays = [self.read(caller, name, element) for element in elements]
            self.kinds = [kind_of(element) for element in elements]
        self.pairs = [array.dtype.kind == "c" for array in arrays]
        arrays = [parts_of(array) if pair else array.astype(np.float64) for array, pair in zip(arrays, self.pairs)]
        self.like = [from_numpy(array) for array in arrays]
        self.start = np.concatenate([array.ravel() for array in arrays])
        counts = [np.full(array.size // (1 + pair), 1 + pair) for array, pair in zip(arrays, self.pairs)]
        self.owners = np.repeat(np.arange(sum(map(len, counts))), np.concatenate(counts))

    @staticmethod
    def read(caller: str, name: str, element: Any) -> Any:
        """Return an element as an array; its dtype stays complex.

        Raises:
            TypeError: if the element is neither tensor, array nor number.
            RuntimeError: if it is a batch.
        """
        if isinstance(element, Tensor):
            check_single(caller, name, element)
            element = element.detach().resolve_conj()._array_
        array = np.asarray(element)
        return array if array.dtype.kind == "c" else Vector.read(caller, name, element)

    def opened(self, elements: list[Any]) -> Any:
        """Return the container of elements, of which complex ones are passed as their parts."""
        values = [complex_from(element) if pair else element for element, pair in zip(elements, self.pairs)]
        return super().opened(values)

    def outputs(self, caller: str, name: str, value: Any) -> list[Tensor]:
        """Return the results of a user's function for the elements as real tensors.

        Raises:
            TypeError: if results are not numbers, are not as many as the elements, or complex for a real element.
        """
        values = numeric(caller, name, value, True)
        pairs = self.pairs
        if all(pairs):
            pairs = [True] * len(values)
        elif len(values) != len(pairs):
            raise TypeError(UNLIKE.format(caller, name, len(pairs), len(values)))
        for at, (result, pair) in enumerate(zip(values, pairs)):
            if not pair and result._array_.dtype.kind == "c":
                raise TypeError(REAL.format(caller, at, name, result._array_.dtype))
        return [real_parts(result) if pair else result for result, pair in zip(values, pairs)]

    def flat_values(self, elements: list[Any]) -> list[Any]:
        """Return tensors of the initial state as real tensors, with their histories."""
        return [real_parts(element) if pair else element.double() for element, pair in zip(elements, self.pairs)]

    def joined_rows(self, columns: Tensor) -> Any:
        """Return the container of tensors for states as columns: each has one more dimension, the last."""
        if self.structure is None:
            return self.numbers(columns)
        parts = columns.split([element._array_.size for element in self.like])
        shaped = [part.reshape((*element.shape, columns.shape[1])) for part, element in zip(parts, self.like)]
        values = [complex_from(part, -2) if pair else part for part, pair in zip(shaped, self.pairs)]
        return unflatten(values, self.structure)

    def rows(self, ys: Any) -> Any:
        """Return the container for the columns of an array: every element has one more dimension, the last."""
        columns = np.zeros((self.start.size, 0)) if isinstance(ys, list) else ys
        if self.structure is None:
            return self.numbers(columns)
        whole = self.joined_rows(from_numpy(columns))
        elements, structure = flatten(whole)
        return unflatten(
            [part if kind == TENSOR else part._array_ for part, kind in zip(elements, self.kinds)], structure
        )

    def numbers(self, parts: Any) -> Any:
        """Return the flat vector of the numbers of the state, or several as columns, for one of their parts."""
        first = np.flatnonzero(np.diff(self.owners, prepend=-1))
        second = np.minimum(first + 1, len(self.owners) - 1)
        present = (self.owners[second] == self.owners[first]) & (second > first)
        if not isinstance(parts, Tensor):
            return parts[first] + 1j * parts[second] * present.reshape((-1, *(1,) * (parts.ndim - 1)))
        shape = (-1, *(1,) * (parts.ndim - 1))
        result: Tensor = complex_of(
            parts[from_numpy(first)], parts[from_numpy(second)] * from_numpy(present.astype(np.float64)).reshape(shape)
        )
        return result

    def jacobian(self, matrix: Any) -> Any:
        """Return the real form of a complex Jacobian with respect to a state whose elements are all complex.

        Raises:
            ValueError: if some elements are real.
        """
        if not all(self.pairs):
            raise ValueError("solve_ivp: jac is for states that are complex only, or real only; omit it, it is exact")
        turned = np.array([[0.0, -1.0], [1.0, 0.0]])
        if hasattr(matrix, "toarray"):
            matrix = matrix.toarray()
        matrix = np.asarray(matrix)
        return np.kron(matrix.real, np.eye(2)) + np.kron(matrix.imag, turned)

    def spread(self, option: Any) -> Any:
        """Return an option for the numbers of the state, a vector or a pattern, for their parts; others unchanged."""
        if hasattr(option, "tocsr"):
            return option.tocsr()[self.owners][:, self.owners]
        if isinstance(option, str) or np.ndim(option) == 0:
            return option
        option = np.asarray(option)
        return option[self.owners] if option.ndim == 1 else option[np.ix_(self.owners, self.owners)]


class Numbers:
    """A dense output, as complex numbers.

    Attributes:
        inner: the dense output of the parts.
    """

    def __init__(self, inner: Any, numbers: Callable[[Any], Any]) -> None:
        self.inner, self.convert = inner, numbers

    def __call__(self, t: Any) -> Any:
        """Return the flat state at a time, of shape (n,), or at a vector of m times, of shape (n, m)."""
        return self.convert(self.inner(t))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def is_complex(value: Any) -> bool:
    """Return whether a container has complex elements."""
    return any(
        element.dtype.is_complex if isinstance(element, Tensor) else np.asarray(element).dtype.kind == "c"
        for element in flatten(value)[0]
        if isinstance(element, (Tensor, int, float, complex, np.ndarray, np.generic))
    )


def parts_of(array: Any) -> Any:
    """Return real and imaginary parts of an array along a new last dimension."""
    return np.stack([array.real, array.imag], -1).astype(np.float64)


def real_parts(tensor: Tensor) -> Tensor:
    """Return real and imaginary parts of a tensor along a new last dimension; those of a real one are zero."""
    if tensor._array_.dtype.kind != "c":
        values = tensor.double()
        result: Tensor = stack([values, values * 0], -1)
        return result
    result = view_as_real(tensor.resolve_conj()).double()
    return result


def complex_from(parts: Tensor, dim: int = -1) -> Tensor:
    """Return the complex tensor of real and imaginary parts along a dimension."""
    result: Tensor = complex_of(parts.select(dim, 0), parts.select(dim, 1))
    return result

"""Operators on compressed sparse tensors: those of torch, on the entries, or by way of coordinates.

They precede the kernels of tensors in coordinates, which are called if no tensor is compressed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..._core.calls.sparse import KERNELS, WRITERS
from ..._core.cards.card import find
from ..._core.tensor.base import Tensor, wrap
from ..._core.types.sizes import normalise
from ..._kernels import sparse as kernels
from . import create as create
from .compressed import (
    Compressed,
    batches_of,
    compressed,
    is_compressed,
    no_kernel,
    of_coordinates,
    places_of,
    with_values,
    without_entries,
)
from .elementwise import KEEPING_ZERO
from .layouts import ALL as LAYOUTS, sparse_csr
from .parts import in_order, is_sparse
from .products import check_dtypes, multiplied
from .reading import title_of

OWN: dict[str, Callable[..., Any]] = {}
"""Kernels by operator, as `KERNELS`."""
ENTRY_BY_ENTRY = (
    *(name for name in KEEPING_ZERO if name not in ("nan_to_num", "square")),
    "neg",
    "angle",
    "_conj_physical",
    "conjugate_complex",
)
"""Functions of single entries; all are zero at zero."""
FLIPPED = dict(zip(LAYOUTS, (LAYOUTS[1], LAYOUTS[0], LAYOUTS[3], LAYOUTS[2])))
"""Layout of the transposed tensor."""


def kernel(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the kernel of an operator for compressed tensors; a decorator."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        OWN[name] = function
        return function

    return decorate


def by_entries(name: str) -> None:
    """Register the kernel of a function of single entries."""

    def function(self: Any, *rest: Any) -> Any:
        card: Any = find(name)
        return with_values(self._array_, card.call((self._array_.values, *rest)))

    kernel(name)(function)


for operator in ENTRY_BY_ENTRY:
    by_entries(operator)


def refuse(name: str, array: Any) -> NoReturn:
    """Refuse an operator without a kernel for compressed tensors.

    Raises:
        NotImplementedError: always; there is no kernel.
    """
    raise NotImplementedError(no_kernel(name, array.layout))


@kernel("mul")
def mul(self: Any, other: Any) -> Any:
    if not is_compressed(self):
        self, other = other, self
    array = self._array_
    if not isinstance(other, Tensor) or (not is_sparse(other) and other.ndim == 0):
        return with_values(array, array.values * other)
    if self.shape != other.shape:
        raise RuntimeError(
            f"mul: operands have incompatible sizes; self has size {[*self.shape]} but other has size {[*other.shape]}"
        )
    if is_sparse(other):
        return multiplied_entries(array, other._array_)
    read = kernels.read(other._array_, places_of(array)).reshape(array.values._array_.shape)
    return with_values(array, array.values * wrap(read))


def multiplied_entries(first: Compressed, second: Any) -> Any:
    """Multiply two sparse tensors element by element, at the indices of both."""
    if not isinstance(second, Compressed):
        refuse("mul", first)
    if second.layout is not first.layout:
        refuse_batches("mul", second)
        second = of_coordinates(in_order(second), first.layout, ())
    if same_places(first, second):
        return with_values(first, first.values * second.values)
    refuse_batches("mul", first)
    result = wrap(in_order(first)) * wrap(in_order(second))
    return wrap(of_coordinates(in_order(result._array_), first.layout, ()))


def same_places(first: Compressed, second: Compressed) -> bool:
    """Return whether the entries of two compressed arrays are at the same indices, in the same order."""
    if first.indices is second.indices:
        return True
    return all(np.array_equal(*pair) for pair in zip(first.indices, second.indices, strict=True))


def refuse_batches(name: str, array: Compressed) -> None:
    """Refuse batches and blocks, which cannot be converted to coordinates.

    Raises:
        NotImplementedError: if the array has some.
    """
    if batches_of(array) or array.layout.blocks:
        refuse(name, array)


@kernel("add")
def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    if not isinstance(self, Tensor) or not isinstance(other, Tensor) or self.shape != other.shape:
        sizes = [[*getattr(operand, "shape", ())] for operand in (other, self)]
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {sizes[0]} while other has size "
            f"{sizes[1]} (FYI: op2-sparse addition does not currently support broadcasting)"
        )
    if not is_compressed(other):
        if is_sparse(other):
            refuse("add", self._array_)
        return (
            other.add(wrap(in_order(self._array_))) if alpha == 1 else (other * alpha).add(wrap(in_order(self._array_)))
        )
    if not is_sparse(self):
        return self.add(wrap(in_order(other._array_)), alpha=alpha)
    first, second = self._array_, other._array_
    if not isinstance(first, Compressed) or first.layout is not second.layout:
        refuse("add", second)
    check_dtypes(second, first)
    if same_places(first, second):
        return with_values(first, first.values.add(second.values, alpha=alpha))
    refuse_batches("add", first)
    result = wrap(in_order(first)).add(wrap(in_order(second)), alpha=alpha)
    return wrap(of_coordinates(in_order(result._array_), first.layout, ()))


def add_writer(self: Any, other: Any, alpha: Any = 1) -> None:
    """Compute `self += alpha * other` for a dense and a compressed tensor."""
    WRITERS_BEFORE["add"](self, wrap(in_order(other._array_)), alpha)


WRITERS_BEFORE = dict(WRITERS)


@kernel("mm")
def mm(self: Any, mat2: Any) -> Any:
    first, second = self._array_, mat2._array_
    sparse = is_sparse(self) and is_sparse(mat2)
    if sparse and not (is_compressed(self) and is_compressed(mat2)):
        titles = [operand.layout.title if isinstance(operand, Compressed) else "Sparse" for operand in (first, second)]
        raise RuntimeError("addmm: computation on CPU is not implemented for {0} + {0} @ {1}".format(*titles))
    result = multiplied(first, second)
    return wrap(of_coordinates(result, sparse_csr, ()) if sparse else result)


@kernel("mv")
def mv(self: Any, vec: Any) -> Any:
    if not is_compressed(self) or is_sparse(vec):
        refuse("mv", (self if is_compressed(self) else vec)._array_)
    array, vector = self._array_, vec._array_
    if array.ndim != 2 or vector.ndim != 1 or array.shape[1] != vector.shape[0]:
        raise RuntimeError(f"mv: size mismatch, got {[*array.shape]} and {[*vector.shape]}")
    return wrap(multiplied(array, vector[:, None])[:, 0].copy())


@kernel("addmm")
def addmm(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    result = mm(mat1, mat2)
    result = result if alpha == 1 else result * alpha
    if beta == 0:
        return result
    return (self if beta == 1 else self * beta) + result


@kernel("addmv")
def addmv(self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    result = mv(mat, vec)
    result = result if alpha == 1 else result * alpha
    return result if beta == 0 else self * beta + result


@kernel("t")
def t(self: Any) -> Any:
    return transpose(self, 0, 1)


@kernel("transpose")
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    array = self._array_
    first, second = sorted((normalise(dim0, array.ndim), normalise(dim1, array.ndim)))
    batches = batches_of(array)
    if first == second:
        return with_values(array, array.values)
    if (first, second) != (batches, batches + 1):
        raise RuntimeError(
            f"transpose: of a tensor of layout {array.layout} only rows and columns can be exchanged; got dimensions "
            f"{dim0} and {dim1}"
        )
    shape = list(array.shape)
    shape[first], shape[second] = shape[second], shape[first]
    values: Any = array.values
    if array.layout.blocks:
        values = values.transpose(batches + 1, batches + 2)
    return wrap(compressed(array.indices, values, tuple(shape), FLIPPED[array.layout]))


@kernel("select")
def select(self: Any, dim: int, index: int) -> Any:
    array = self._array_
    dim = normalise(dim, array.ndim)
    if dim < batches_of(array):
        parts = [wrap(part).select(dim, index) for part in array.indices]
        shape = (*array.shape[:dim], *array.shape[dim + 1 :])
        return wrap(
            compressed(tuple(part._array_ for part in parts), array.values.select(dim, index), shape, array.layout)
        )
    return wrap(self._array_.spread()).select(dim, index)


@kernel("unbind")
def unbind(self: Any, dim: int = 0) -> Any:
    return tuple(self.select(dim, at) for at in range(self.shape[normalise(dim, self.ndim)]))


@kernel("sum")
def total(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self._array_
    if dim is None:
        return array.values.sum(dtype=dtype)
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    refuse_batches("sum", array)
    result = wrap(in_order(array)).sum(dim, keepdim=True, dtype=dtype)
    return wrap(of_coordinates(in_order(result.to_sparse()._array_), array.layout, ()))


@kernel("view_shape")
def view_shape(self: Any, shape: Any) -> Any:
    if self._array_.size != 1 or shape != ():  # a sum with a number
        return NotImplemented
    return self._array_.values.sum()


@kernel("clone")
def clone(self: Any, memory_format: Any) -> Any:
    array = self._array_
    copied = (array.indices[0].copy(), array.indices[1].copy())
    return wrap(compressed(copied, array.values.clone(), array.shape, array.layout))


@kernel("_to_copy")
def to_copy(self: Any, dtype: Any, memory_format: Any) -> Any:
    return with_values(self._array_, self._array_.values.to(dtype or self.dtype, copy=True))


@kernel("zero")
def zero(self: Any, *rest: Any) -> Any:
    return wrap(without_entries(self.shape, self._array_.dtype, self._array_.layout))


@kernel("fill")
def fill(self: Any, value: Any) -> Any:
    return with_values(self._array_, self._array_.values.clone().fill_(value))


@kernel("copy")
def copy(self: Any, src: Any, *rest: Any) -> Any:
    if not is_compressed(src) or not is_compressed(self) or src.layout is not self.layout:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
            f"{title_of(self)} and src layout is {title_of(src)}"
        )
    array = src._array_
    copied = (array.indices[0].copy(), array.indices[1].copy())
    return wrap(compressed(copied, array.values.to(self.dtype, copy=True), array.shape, array.layout))


@kernel("relu_backward")
def relu_backward(grad: Any, out: Any, threshold: Any = 0) -> Any:
    if not is_compressed(grad) or not is_compressed(out) or not same_places(grad._array_, out._array_):
        refuse("threshold_backward", (grad if is_compressed(grad) else out)._array_)
    array = grad._array_
    return with_values(array, array.values * (out._array_.values > threshold))


OWN["threshold_backward"] = relu_backward
OWN["zero_"], OWN["copy_"] = zero, copy


def first_compressed(args: Any) -> Any:
    """Return the array of the first compressed tensor among arguments; None if there is none."""
    for value in args:
        if is_compressed(value):
            return value._array_
        if isinstance(value, (tuple, list)) and (result := first_compressed(value)) is not None:
            return result
    return None


def guarded(name: str, compressed: Any, other: Any) -> Callable[..., Any]:
    """Return a kernel for tensors of all sparse layouts."""

    def function(*args: Any) -> Any:
        array = first_compressed(args)
        if array is None:
            return NotImplemented if other is None else other(*args)
        if compressed is None:
            refuse(name, array)
        return compressed(*args)

    function.__name__ = name
    return function


def install() -> None:
    """Put the kernels of compressed tensors before those of tensors in coordinates."""
    for name in {*KERNELS, *OWN}:
        KERNELS[name] = guarded(name, OWN.get(name), KERNELS.get(name))
    for name, known in WRITERS_BEFORE.items():
        WRITERS[name] = guarded(name, add_writer if name == "add" else None, known)


install()

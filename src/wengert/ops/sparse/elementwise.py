"""Elementwise operators on sparse tensors: if zero maps to zero, only entries are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.sparse import ORDERED, WRITERS, kernel
from ..._core.cards.card import find
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.coordinates import Coordinates, without_entries
from ..._core.types import dtypes
from ..._kernels import sparse as kernels
from ..shapes.join import cat
from .parts import coo, densified, entries_of, in_order, is_sparse, sparse_lengths, tensor_of, with_values

KEEPING_ZERO = [
    "abs",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "deg2rad",
    "erf",
    "erfinv",
    "expm1",
    "floor",
    "frac",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "log1p",
    "nan_to_num",
    "rad2deg",
    "relu",
    "round",
    "sgn",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
"""Functions that are zero at zero, of sums of entries: the sums are formed first."""
ENTRY_BY_ENTRY = ("neg", "_conj_physical", "conjugate_complex", "real", "imag", "kept_gradient", "view_as_real")
"""Linear functions, which commute with sums of entries."""


def by_entries(name: str, first: bool) -> None:
    """Register the kernel of a function of one tensor; `first` means that entries at the same index are added first."""

    def function(self: Any, *rest: Any) -> Any:
        if any(isinstance(operand, Tensor) and operand.ndim for operand in rest):
            return NotImplemented
        array = in_order(self._array_) if first else self._array_
        card: Any = find(name)
        return with_values(array, card.call((array.values, *rest)))

    function.__name__ = name
    kernel(name)(function)


for operator in KEEPING_ZERO:
    by_entries(operator, True)
ORDERED.update(KEEPING_ZERO)
for operator in ENTRY_BY_ENTRY:
    by_entries(operator, False)


@kernel("pow")
def pow_kernel(self: Any, exponent: Any) -> Any:
    if not is_sparse(self) or isinstance(exponent, Tensor):
        return NotImplemented
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    array = in_order(self._array_)
    return with_values(array, array.values.pow(exponent))


@kernel("relu_backward", "threshold_backward")
def relu_backward_kernel(grad: Any, out: Any, threshold: Any = 0) -> Any:
    if not is_sparse(grad) or not is_sparse(out):
        return NotImplemented
    array = in_order(grad._array_)
    met = kernels.looked_up(*entries_of(in_order(out._array_)), array.indices, sparse_lengths(array))
    return with_values(array, array.values * wrap(met > threshold))


def dtype_of(self: Any, other: Any) -> Any:
    """Return the NumPy dtype of a result."""
    return dtypes.result_type([self._array_, other._array_], []).numpy


def refuse_sizes(name: str, self: Any, other: Any) -> None:
    """Refuse sparse operands of different shapes.

    Raises:
        RuntimeError: if the shapes differ.
    """
    if self.shape != other.shape:
        raise RuntimeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {[*self.shape]} != {[*other.shape]}"
        )


def added(self: Any, other: Any, alpha: Any) -> Any:
    """Return `self + alpha * other`, for two sparse tensors, or a dense and a sparse one.

    Raises:
        RuntimeError: if the second operand is dense, or the shapes differ.
    """
    if not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(self, Tensor):
        return NotImplemented
    refuse_sizes("add", self, other)
    second = other._array_.values
    second = second if alpha == 1 else second * alpha
    if not is_sparse(self):
        kind = dtype_of(self, other)
        result = self._array_.astype(kind, order="C", copy=True)
        kernels.add_at(result, other._array_.indices, second._array_.astype(kind, copy=False))
        return wrap(result)
    return tensors_added(self._array_, other._array_, second)


def tensors_added(first: Coordinates, second: Coordinates, values: Any) -> Any:
    """Return the sum of two sparse tensors; `values` are the entries of the second one."""
    if len(first.indices) != len(second.indices):
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same number of sparse dimensions, but "
            f"{len(first.indices)} != {len(second.indices)}"
        )
    if first.indices is second.indices or np.array_equal(first.indices, second.indices):
        return with_values(first, first.values + values, first.coalesced and second.coalesced)
    places = np.concatenate([first.indices, second.indices], axis=1)
    joined = cat((first.values, values), 0)._array_
    result = kernels.merged(places, joined, first.indices.shape[1], sparse_lengths(first))
    return wrap(coo(*result, first.shape, first.coalesced and second.coalesced))


@kernel("add")
def add_kernel(self: Any, other: Any, alpha: Any = 1) -> Any:
    return added(self, other, alpha)


@kernel("sub")
def sub_kernel(self: Any, other: Any, alpha: Any = 1) -> Any:
    return added(self, other, -alpha)


def add_writer(self: Any, other: Any, alpha: Any = 1) -> None:
    """Compute `self += alpha * other` for a dense and a sparse tensor: only elements with entries are touched."""
    refuse_sizes("add", self, other)
    if not dtypes.can_cast(other.dtype, self.dtype):
        raise RuntimeError(
            f"result type {other.dtype.c_name} can't be cast to the desired output type {self.dtype.c_name}"
        )
    values = other._array_.values
    values = (values if alpha == 1 else values * alpha).to(self.dtype)
    kernels.add_at(self._array_, other._array_.indices, values._array_)


WRITERS["add"] = add_writer
WRITERS["sub"] = lambda self, other, alpha=1: add_writer(self, other, -alpha)


def mul_writer(self: Any, other: Any) -> None:
    """Compute `self *= other` for a dense and a sparse tensor: zero where the latter has no entries."""
    self._array_[...] = densified(mul_kernel(self, other)._array_)


WRITERS["mul"] = mul_writer


def is_number(value: Any) -> bool:
    """Return whether an operand is a single number: Python's, or a dense tensor without dimensions."""
    return not isinstance(value, Tensor) or (not is_sparse(value) and value.ndim == 0)


@kernel("mul")
def mul_kernel(self: Any, other: Any) -> Any:
    if not is_sparse(self):
        self, other = other, self
    array = self._array_
    if is_number(other):
        return with_values(array, array.values * other)
    if not is_sparse(other):
        return scaled_by_dense(array, other)
    if len(array.indices) != len(other._array_.indices) or array.ndim != other.ndim:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
            "dimensions, and shape of sparse dimensions"
        )
    refuse_sizes("mul", self, other)
    second = in_order(other._array_)
    met = kernels.looked_up(*entries_of(second), array.indices, sparse_lengths(array))
    places = array.indices
    keys, known = kernels.numbers(places, sparse_lengths(array)), kernels.numbers(second.indices, sparse_lengths(array))
    common = np.isin(keys, known)
    result = array.values * wrap(met)
    if common.all():
        return with_values(array, result)
    return tensor_of(places[:, common], wrap(result._array_[common]), array.shape, array.coalesced)


def scaled_by_dense(array: Coordinates, other: Any) -> Any:
    """Multiply a sparse tensor by a dense one, which is read at the indices of the sparse one."""
    shape = np.broadcast_shapes(array.shape, other._array_.shape)
    if shape != array.shape:
        raise RuntimeError(
            f"mul(sparse, dense): the dense tensor may not be larger, but shapes are {[*array.shape]} and "
            f"{[*other.shape]}"
        )
    read = kernels.read(np.broadcast_to(other._array_, shape), array.indices)
    return with_values(array, array.values * wrap(read))


@kernel("true_divide", "div")
def div_kernel(self: Any, other: Any, rounding_mode: Any = None) -> Any:
    if not is_sparse(self) or not is_number(other):
        shape = list(other.shape) if isinstance(other, Tensor) else []
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {shape} for divisor)"
        )
    array = in_order(self._array_) if rounding_mode is not None else self._array_
    return with_values(array, array.values.div(other, rounding_mode=rounding_mode))


@kernel("divide_rounded")
def divide_rounded_kernel(self: Any, other: Any, rounding_mode: Any) -> Any:
    return div_kernel(self, other, rounding_mode)


@kernel("floor_divide")
def floor_divide_kernel(self: Any, other: Any) -> Any:
    return div_kernel(self, other, "floor")


@kernel("zero", "zero_")
def zero_kernel(self: Any, *rest: Any) -> Any:
    return wrap(without_entries(self._array_, self._array_.dtype))


@kernel("copy", "copy_")
def copy_kernel(self: Any, src: Any, *rest: Any) -> Any:
    if not (is_sparse(src) and is_sparse(self)):
        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = {self.type()} and src "
            f"type = {src.type()}"
        )
    array = src._array_
    return tensor_of(array.indices.copy(), array.values.to(self.dtype, copy=True), array.shape, array.coalesced)

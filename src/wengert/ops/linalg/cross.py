"""Cross products and traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import NUMBERS, Array, Bad, Sample, composite, op
from ..._core.types.sizes import broadcast, normalise
from ..dtype_checks import check_number
from ..shapes.strided import diagonal_backward
from .products import conjugated, type_name


@op(dtypes=NUMBERS, linear=("self", "other"), larger=True, method=False, function=False, node="LinalgCrossBackward0")
def linalg_cross(self: Array, other: Array, *, dim: int = -1) -> Any:
    """The cross products of vectors along a dimension of length 3.

    Args:
        self, other: tensors of as many dimensions, which broadcast.

    Raises:
        RuntimeError: the dimension has another length, or dtypes or numbers of dimensions differ.
    """
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = normalise(dim, self.ndim)
    lengths = [each.shape[axis] if each.ndim else 1 for each in (self, other)]
    if lengths != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    if self.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {type_name(self)} but found {type_name(other)}")
    check_number("cross", "cross", self)
    shape = broadcast(self.shape, other.shape)
    a, b = (np.moveaxis(np.broadcast_to(each, shape), axis, 0) for each in (self, other))
    made = np.empty(shape, self.dtype)
    rows = np.moveaxis(made, axis, 0)
    for at in range(3):
        after, last = (at + 1) % 3, (at + 2) % 3
        rows[at] = a[after] * b[last] - a[last] * b[after]
    return made


@linalg_cross.vjp("self")
def linalg_cross_vjp_self(grad: Any, other: Any, dim: int) -> Any:
    return linalg_cross(conjugated(other), grad, dim=dim)


@linalg_cross.vjp("other")
def linalg_cross_vjp_other(grad: Any, self: Any, dim: int) -> Any:
    return linalg_cross(grad, conjugated(self), dim=dim)


@linalg_cross.batched
def linalg_cross_batched(self: Any, other: Any, dim: int) -> Any:
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    return linalg_cross.call((self, other, 1 + normalise(dim, self.ndim - 1)))


@linalg_cross.samples
def linalg_cross_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2, 3))
    yield Sample(make(3, 1), make(3, 4), dim=0)
    yield Bad(make(2), make(2), raises=RuntimeError, says="inputs dimension -1 must have length 3. Got 2 and 2")
    yield Bad(make(3), make(1, 3), raises=RuntimeError, says="inputs must have the same number of dimensions")


@composite()
def cross(input: Any, other: Any, dim: int | None = None, *, out: Any = None) -> Any:
    """The cross products of vectors along a dimension of length 3.

    Args:
        input, other: tensors of as many dimensions, which broadcast.
        dim: the dimension; the first of length 3 unless given.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: the dimension has another length, or there is none; dtypes or numbers of dimensions differ.

    Examples:
        >>> import wengert as wg
        >>> wg.cross(wg.tensor([1., 0., 0.]), wg.tensor([0., 1., 0.]))
        tensor([0., 0., 1.])
    """
    if dim is None:
        dim = next((at for at, length in enumerate(input._array_.shape) if length == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim, out=out)


@cross.samples
def cross_samples(make: Any) -> Any:
    x = make(2, 3)
    if x.dtype.name == "bool":
        yield Bad(x, x, raises=NotImplementedError, says="\"cross_cpu\" not implemented for 'Bool'")
        return
    yield Sample(x, make(2, 3))
    yield Sample(make(3, 4), make(3, 1), 0)
    yield Bad(make(2), make(2), raises=RuntimeError, says="no dimension of size 3 in input")


@op(dtypes=NUMBERS, linear="self")
def trace(self: Array) -> Any:
    """The sum of the main diagonal of a matrix.

    Args:
        self: matrix.

    Returns:
        A new 0-dim tensor; of integers an int64 one.

    Raises:
        RuntimeError: `self` is no matrix.

    Examples:
        >>> import wengert as wg
        >>> wg.trace(wg.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    check_number("trace", "trace", self)
    wide = (
        np.float32
        if self.dtype.itemsize == 2 and self.dtype.kind == "f"
        else np.int64
        if self.dtype.kind in "iu"
        else None
    )
    total = np.asarray(np.diagonal(self).sum(dtype=wide))
    return total if self.dtype.kind in "iu" else total.astype(self.dtype)


@trace.vjp("self")
def trace_vjp(grad: Any, self_shape: Any) -> Any:
    return diagonal_backward(grad.expand((min(self_shape),)), self_shape, 0, 0, 1)


@trace.batched
def trace_batched(self: Any) -> Any:
    if self.ndim != 3:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim - 1}")
    return self.diagonal(0, 1, 2).sum(-1)


@trace.samples
def trace_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(0, 2))
    yield Bad(make(3), raises=RuntimeError, says="trace: expected a matrix, but got tensor with dim 1")

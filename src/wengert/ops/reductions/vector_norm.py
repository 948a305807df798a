"""Vector norms of the elements along dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import FLOATS, Array, Bad, Number, Sample, op
from ..._core.operators.batch_rules import along
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..._kernels.lengths import power_norm
from ..axes import read_dims, real_part, restored, summed
from ..create.factory import read_dtype
from ..pointwise.activation import kept_gradient

native = kernels.direct_function

NAME = "linalg.vector_norm"


def type_name(dtype: Any) -> str:
    """Name of a dtype in torch's errors: `Float`."""
    return dtype.legacy[:-6]


def working_dtype(array: Any, dtype: Any) -> Any:
    """Return the dtype that the norm is computed in.

    Raises:
        RuntimeError: if `dtype` is neither floating nor complex, or would drop an imaginary part.
    """
    element = dtypes.from_numpy(array.dtype)
    if element.category < dtypes.FLOAT:
        raise RuntimeError(f"{NAME}: Expected a floating point or complex tensor as input. Got {type_name(element)}")
    if dtype is None:
        return array.dtype
    wanted = read_dtype(NAME, dtype, element)
    if wanted.category < dtypes.FLOAT:
        raise RuntimeError(f"{NAME}: dtype should be floating point or complex, but got {type_name(wanted)}")
    if wanted.category != element.category:
        kind = "complex" if element.is_complex else "real"
        raise RuntimeError(f"{NAME}: dtype should be {kind} for {kind} inputs, but got {type_name(wanted)}")
    if dtypes.promote_types(element, wanted) is not wanted:
        raise RuntimeError(
            f"{NAME}: the dtype of the input ({type_name(element)}) should be convertible without narrowing to the "
            f"specified dtype ({type_name(wanted)})"
        )
    return wanted.numpy


def check_identity(array: Any, ord: float, axes: tuple[int, ...] | None) -> None:
    """Refuse norms of no elements that have no value.

    Raises:
        RuntimeError: if the order is negative or infinite, and there are no elements.
    """
    if array.size or not (ord < 0 or math.isinf(ord)):
        return
    title = "inf" if ord == math.inf else "-inf" if ord == -math.inf else f"{ord:g}"
    if axes is None:
        raise RuntimeError(
            f"{NAME} cannot compute the {title} norm on an empty tensor because the operation does not have an identity"
        )
    for axis in axes:
        if not array.shape[axis]:
            raise RuntimeError(
                f"{NAME} cannot compute the {title} norm on the dimension {axis}because this dimension is empty "
                "and the operation does not have an identity"
            )


def norm_of(size: Any, ord: float, axes: Any, keepdim: bool) -> Any:
    """Norm of an array of absolute values; a single value is returned unchanged, without being squared."""
    count = size.size if axes is None else math.prod([size.shape[axis] for axis in axes])
    if ord == math.inf or (count == 1 and ord):
        return kernels.amax(size, axes, keepdim)
    if ord == -math.inf:
        return kernels.amin(size, axes, keepdim)
    if ord == 0:
        return kernels.sum((size != 0).astype(size.dtype), axes, keepdim)
    if ord == 1:
        return kernels.sum(size, axes, keepdim)
    return power_norm(size.astype(np.float32) if size.itemsize < 4 else size, ord, axes, keepdim)


@op(dtypes=FLOATS, batching=along("dim"), name="linalg_vector_norm", public="neither", native=native("vector_norm"))
def vector_norm(self: Array, ord: Number = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of order `ord` of the elements along dimensions.

    Args:
        self: floating or complex tensor.
        ord: a number; infinity for the largest absolute value, -infinity for the smallest, 0 for the number of
            nonzeros.
        dim: the dimension or dimensions; None or () for all of them.
        dtype: the type to compute in.

    Returns:
        A new real tensor.

    Raises:
        RuntimeError: if `self` is of integers, or has no elements for a negative or infinite norm.

    Derivative:
        Zero where a norm of an order above 1 is zero; in equal parts if several elements are the largest.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.vector_norm(wg.tensor([3.0, -4.0])), wg.linalg.vector_norm(wg.tensor([3.0, -4.0]), 1)
        (tensor(5.), tensor(7.))
    """
    wanted = working_dtype(self, dtype)
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    ord = float(ord)
    axes = read_dims(NAME, dim, self.ndim)
    check_identity(self, ord, axes)
    size = np.abs(self.astype(wanted, copy=False))
    return np.asarray(norm_of(size, ord, axes, keepdim)).astype(size.dtype, copy=False)


vector_norm.shows(dim="as dimensions")


def of_largest(grad: Any, self: Any, norm: Any, dim: Any) -> Any:
    """Gradient of an infinite norm."""
    hits = (self.abs() == norm).logical_or(self.isnan().logical_and(norm.isnan()))
    count = hits.sum(dim, True) if dim is not None else hits.sum()
    return self.sgn() * (grad / count * hits)


def are_finite(size: Any) -> bool:
    """Return whether there are elements, and all of them are finite."""
    return bool(size.size and np.isfinite(size.min()) and np.isfinite(size.max()))


def relative(values: Any, norm: Any, ord: float, dim: Any) -> Any:
    """Divide values by their norm, which may have overflowed."""
    if not values.numel() or values.device.type == "meta":
        return values / norm
    if type(norm._array_) is np.ndarray and decided(are_finite, (norm,)):
        return values / norm  # members of a batch, and the device "meta", have no values to read
    largest = values.detach().abs()
    largest = largest.amax() if dim is None else largest.amax(dim, True)
    scaled = values / largest.masked_fill((largest == 0).logical_or(largest == math.inf), 1)
    return scaled / restored(vector_norm(scaled, ord, dim, True), values.shape, dim, True)


def power_norm_grad(self: Any, grad: Any, norm: Any, ord: float, dim: Any) -> Any:
    """Gradient of a norm of any other order: powers of numbers of at most 1, which do not overflow."""
    share = relative(self, norm, ord, dim)
    size = share.abs()
    if ord < 1:
        return self.sgn() * size.pow(ord - 1).masked_fill(self == 0, 0) * grad
    if ord < 2:
        return self.sgn() * size.pow(ord - 1).masked_fill(norm == 0, 0) * grad
    return kept_gradient(share * size.pow(ord - 2), norm != 0) * grad


@vector_norm.vjp("self", native=native("vector_norm_rule"))
def vector_norm_vjp(grad: Any, self: Any, out: Any, ord: Any, dim: Any, keepdim: bool) -> Any:
    ord = float(ord)
    if ord == 0:
        return None
    grad, norm = (restored(operand, self.shape, dim, keepdim) for operand in (grad, out))
    if ord == 1:
        return self.sgn() * grad
    if math.isinf(ord):
        return of_largest(grad, self, norm, dim)
    if self.dtype.itemsize == 2:  # the norm may overflow in it where its gradient does not
        self, grad = self.to(dtype=dtypes.float32), grad.to(dtype=dtypes.float32)
        norm = restored(vector_norm(self, ord, dim, True), self.shape, dim, True)
    if ord == 2:
        return grad * kept_gradient(relative(self, norm, ord, dim), norm != 0)
    return power_norm_grad(self, grad, norm, ord, dim)


@vector_norm.jvp("self")
def vector_norm_jvp(tangent: Any, self: Any, out: Any, ord: Any, dim: Any, keepdim: bool) -> Any:
    gradient = vector_norm_vjp(out.new_ones(out.shape), self, out, ord, dim, keepdim)
    return out.new_zeros(out.shape) if gradient is None else real_part(summed(tangent, gradient, dim, keepdim))


@vector_norm.samples
def vector_norm_samples(make: Any) -> Any:
    for order in (2, 1, 0, 3, 1.5, 0.5, math.inf, -math.inf):
        yield Sample(make(3, 4, kind="nonzero"), order)
        yield Sample(make(2, 3, 4, kind="nonzero"), order, (0, -1), True)
    yield Sample(make())
    yield Sample(make(0))
    yield Sample(make(2, 0), 3, 1)
    yield Bad(make(0), math.inf, raises=RuntimeError, says="cannot compute the inf norm on an empty tensor")


def frobenius_arguments(matrix: Any, ord: Any, dim: Any, keepdim: Any, dtype: Any) -> Any:
    """Return the arguments of `vector_norm` for those of `linalg.matrix_norm`, for the last dimensions."""
    plain = type(ord) is str and ord == "fro" and type(dim) is tuple and [*map(type, dim)] == [int, int]
    if not plain or dim != (-2, -1) or dtype is not None or matrix.ndim < 2:
        return NotImplemented
    return matrix, 2, (matrix.ndim - 2, matrix.ndim - 1), keepdim, None

"""Utilities of distributions: broadcast parameters, probabilities and log-odds, lazy properties."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from numbers import Number
from typing import Any

from .._core.state.grad_mode import enable_grad
from .._core.types.dtypes import finfo, get_default_dtype
from .._tensor import Tensor
from ..ops.create.create import empty, tensor
from ..ops.create.ranges import tril_indices
from ..ops.shapes.broadcast import broadcast_tensors

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "euler_constant",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Broadcast parameters to tensors of one shape.

    Args:
        values: tensors that broadcast, and numbers, which become tensors of the dtype of the first tensor (without one,
            of the default dtype).

    Returns:
        The broadcast tensors, differentiable with respect to the arguments.

    Raises:
        ValueError: if a value is neither a tensor nor a number.

    Examples:
        >>> import wengert as wg
        >>> from wengert.distributions.utils import broadcast_all
        >>> broadcast_all(wg.zeros(2), 1.0)
        (tensor([0., 0.]), tensor([1., 1.]))
    """
    for value in values:
        if not isinstance(value, Tensor | Number) and not hasattr(value, "__torch_function__"):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                f"__torch_function__; got {type(value).__name__}."
            )
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), None) or get_default_dtype()
    tensors = [tensor(value, dtype=dtype) if isinstance(value, Number) else value for value in values]
    return tuple(broadcast_tensors(*tensors))


def standard_normal(shape: Any, like: Tensor) -> Tensor:
    """Return standard normal numbers of the dtype of `like`."""
    return like.new_empty(shape).normal_()


def _standard_normal(shape: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return standard normal numbers; the function that libraries use."""
    return empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Return the sum over the last `dim` dimensions."""
    return value.flatten(-dim).sum(-1) if dim else value


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities to [eps, 1 - eps] with the eps of their dtype, so that their logarithms are finite."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(eps, 1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logarithms of probabilities, or for binary outcomes the log-odds.

    Args:
        probs: probabilities, along the last dimension unless `is_binary`.
        is_binary: whether each number is the probability of one of two outcomes.

    Returns:
        A tensor of the same shape, finite.
    """
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the probabilities for logarithms up to a constant, or for log-odds.

    Args:
        logits: logarithms along the last dimension, or log-odds.
        is_binary: whether they are log-odds.

    Returns:
        A tensor of the same shape.
    """
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_by_zero(x: Tensor) -> Tensor:
    """Return max(x, 0), with half the gradient at 0, as the average of clamping to either side."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


def of_part(path: str, doc: str) -> Any:
    """Return a property that reads an attribute of a part: `of_part("base_dist.loc", "Mean before the transform.")`."""
    return property(operator.attrgetter(path), doc=doc)


class lazy_property:  # noqa: N801 - a decorator, named as in torch
    """Property that is computed once, with recording on, and then stored as an attribute.

    Examples:
        >>> from wengert.distributions.utils import lazy_property
        >>> class Circle:
        ...     @lazy_property
        ...     def area(self):
        ...         print("computed")
        ...         return 3
        >>> circle = Circle()
        >>> circle.area, circle.area
        computed
        (3, 3)
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return _Described(self.function)
        with enable_grad():
            value = self.function(instance)
        setattr(instance, self.function.__name__, value)
        return value


class _Described(lazy_property, property):
    """Lazy property as seen on a class: a `property`, for documentation tools."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        property.__init__(self, function)


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return lower triangular matrices from their elements in row-major order.

    Args:
        vec: (..., n) elements.
        diag: the highest diagonal that is filled, 0 or below.

    Returns:
        (..., d, d) matrices.

    Raises:
        ValueError: if no triangle has n elements.
    """
    size = triangle_side(vec.shape[-1], diag)
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    rows, columns = tril_indices(size, size, diag)
    matrix[..., rows, columns] = vec
    return matrix


def triangle_side(count: int, diag: int) -> int:
    """Return the size of the square matrices whose lower triangle has `count` elements.

    Raises:
        ValueError: if there are none.
    """
    size = round((-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2)
    if (size + diag) * (size + diag + 1) // 2 != count:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    return size


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements of the lower triangle of matrices in row-major order: the inverse of `vec_to_tril_matrix`.

    Args:
        mat: (..., d, d) matrices.
        diag: the highest diagonal that is read.

    Returns:
        (..., n) elements.

    Raises:
        ValueError: if there is no such diagonal.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = tril_indices(size, size, diag)
    return mat[..., rows, columns]

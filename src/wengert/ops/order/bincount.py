"""Counts of integers: bincount."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import batch_errors
from ..._core.cards.card import ALL, INTEGERS, Array, Bad, Index, Sample, op
from ..._core.tensor.base import wrap
from ..._core.types.dtypes import int64
from ..._core.types.sizes import check_room
from ..._kernels import direct_function as native, positions
from ..dtype_checks import refuse


def bincount_refused(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `bincount`.

    Raises:
        RuntimeError: always; the lengths of the results would differ between members.
    """
    raise RuntimeError(batch_errors.dynamic("bincount"))


@op(
    dtypes=INTEGERS,
    explained=ALL,
    linear="weights",
    batching=bincount_refused,
    takes_halves=True,
    native=native("bincount"),
)
def bincount(self: Index, weights: Array = None, minlength: int = 0) -> Any:
    """Count the occurrences of each non-negative integer.

    Args:
        self: integer tensor with one dimension.
        weights: tensor of the same length: weight of each element.
        minlength: smallest length of the result.

    Returns:
        A new int64 tensor; with weights of their dtype, or of float64 if that is not float32.

    Raises:
        RuntimeError: if `self` has other dimensions or negative elements, or `weights` another length.

    Examples:
        >>> import wengert as wg
        >>> wg.bincount(wg.tensor([1, 3, 1]))
        tensor([0, 2, 0, 1])
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if self.dtype.kind not in "iu" or (self.dtype.kind == "u" and self.itemsize > 1):
        refuse("bincount", "bincount_cpu", self)
    if self.ndim != 1 or (self.size and self.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if not self.size:
        return np.zeros(minlength, np.int64)
    if weights is not None and weights.shape != self.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    check_room("bincount", (max(int(self.max()) + 1, minlength),))
    if weights is None:
        return positions.bincount(self, minlength)
    kind = weights.dtype if weights.dtype == np.float32 else np.dtype(np.float64)
    wide = (weights.real if weights.dtype.kind == "c" else weights).astype(np.float64, copy=False)
    return positions.weighted_bincount(self, wide, minlength).astype(kind, copy=False)


@bincount.vjp("weights")
def bincount_vjp(grad: Any, self: Any) -> Any:
    return grad.index_select(0, self.to(int64))


@bincount.samples
def bincount_samples(make: Any) -> Any:
    yield Sample(wrap(np.array([1, 3, 1], np.int64)))
    yield Sample(wrap(np.array([1, 3, 1], np.int64)), wrap(np.array([0.5, 1.0, 2.0])), 5)
    yield Bad(
        wrap(np.array([-1], np.int64)),
        raises=RuntimeError,
        says="bincount only supports 1-d non-negative integral inputs",
    )
    yield Bad(
        wrap(np.array([1], np.int64)), wrap(np.ones(2)), raises=RuntimeError, says="have the same length as input"
    )
    yield Bad(wrap(np.array([1], np.int64)), minlength=-1, raises=RuntimeError, says="minlength should be >= 0")

"""Trace of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import NUMBERS, Array, Bad, Sample, op
from ..dtype_checks import check_number
from ..shapes.strided import diagonal_backward


def check_trace(self: Any) -> None:
    """Refuse anything but a matrix of numbers.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    check_number("trace", "trace", self)


@op(dtypes=NUMBERS, linear="self", native=kernels.direct_function("trace"), kernel="trace")
def trace(self: Array) -> Any:
    """The sum of the main diagonal of a matrix.

    Args:
        self: matrix.

    Returns:
        A new 0-dim tensor; int64 for integers.

    Raises:
        RuntimeError: if `self` is not a matrix.

    Examples:
        >>> import wengert as wg
        >>> wg.trace(wg.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    check_trace(self)
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

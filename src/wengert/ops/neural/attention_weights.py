"""Softmax of masked scores, for attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, Sample, op
from .softmax import along_dim, read_line, softmax_backward, softmax_jvp, softmax_samples, softmax_vjp

native = kernels.direct_function
plain_softmax: Any = native("softmax")


def of_scores(scores: Any, dim: int) -> Any:
    """Softmax of an array in which each query attends to some value; NotImplemented for others."""
    result = plain_softmax(scores, dim)
    if result is NotImplemented or dim != -1 or not result.size or not result.ndim or np.isnan(result[..., 0]).any():
        return NotImplemented
    return result


@along_dim(name="_safe_softmax", node="SafeSoftmaxBackward0", native=plain_softmax and of_scores)
def safe_softmax(self: Array, dim: int) -> Any:
    """Softmax along a dimension; zeros if all elements are -inf, i.e. masked."""
    axis = read_line("softmax", self, dim)
    with np.errstate(invalid="ignore"):
        result = kernels.softmax(self, axis)
    if not self.ndim:
        return np.where(self == -np.inf, self.dtype.type(0), result)
    hidden = (self == -np.inf).all(axis, keepdims=True)
    return np.where(hidden, self.dtype.type(0), result) if hidden.any() else result


safe_softmax.vjp("self", native=native("softmax_backward"))(softmax_vjp)
safe_softmax.jvp("self")(softmax_jvp)


safe_softmax.samples(softmax_samples)


@op(dtypes=REALS, name="_causal_softmax", node="SafeSoftmaxBackward0", public="neither")
def causal_softmax(self: Array) -> Any:
    """Softmax of scores of which query i attends to the first i + 1; later ones are zero, and are not read."""
    read_line("softmax", self, -1)
    return kernels.causal_softmax(self)


@causal_softmax.vjp("self")
def causal_softmax_vjp(grad: Any, out: Any) -> Any:
    return softmax_backward(grad, out, -1)


@causal_softmax.jvp("self")
def causal_softmax_jvp(tangent: Any, out: Any) -> Any:
    return softmax_backward(tangent, out, -1)


@causal_softmax.batched
def causal_softmax_batched(self: Any) -> Any:
    return causal_softmax.call((self,))


@causal_softmax.samples
def causal_softmax_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(2, 4, 3))
    yield Sample(make(2, 3, 5, 5))
    yield Sample(make(0, 3))

"""Tests of single values, and questions about a tensor: bool results, no derivatives."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import COMPLEXES, WIDE, Array, Out, Sample, composite, op
from ..._core.operators.batch_rules import elementwise
from ..._core.tensor.base import Tensor
from ..family import describes
from .binary import check_tensor, native
from .power import any_tensor


def special_values(make: Any) -> Any:
    """Samples of a test of single values."""
    yield from any_tensor(make)
    yield Sample(make(8, kind="special"))


test = partial(
    op,
    batching=elementwise,
    layout="iterator",
    dtypes=WIDE,
    why="a truth value is constant almost everywhere",
    samples=special_values,
    describes="""
    Args:
        self: tensor of any dtype.

    Returns:
        A new bool tensor of the same shape.
    """,
)
"""Card decorator for a test of single values."""


@test(native=native("isnan"))
def isnan(self: Array) -> Any:
    """Return whether each element is NaN.

    Examples:
        >>> import wengert as wg
        >>> wg.isnan(wg.tensor([1.0, float("nan")]))
        tensor([False,  True])
    """
    return kernels.isnan(self)


@test(native=native("isinf"))
def isinf(self: Array) -> Any:
    """Return whether each element is infinite.

    Examples:
        >>> import wengert as wg
        >>> wg.isinf(wg.tensor([1.0, float("inf"), float("-inf")]))
        tensor([False,  True,  True])
    """
    return kernels.isinf(self)


@test(native=native("isfinite"))
def isfinite(self: Array) -> Any:
    """Return whether each element is finite: neither infinite nor NaN.

    Examples:
        >>> import wengert as wg
        >>> wg.isfinite(wg.tensor([1.0, float("inf"), float("nan")]))
        tensor([ True, False, False])
    """
    return kernels.isfinite(self)


TRUTH_ONLY = "does not support non-boolean outputs."

test_of_reals = partial(
    test,
    dtypes=WIDE - COMPLEXES,
    describes="""
    Args:
        self: tensor of any real dtype.

    Returns:
        A new bool tensor of the same shape.

    Raises:
        RuntimeError: if `self` is complex.
    """,
)
"""Card decorator for a test of single real values."""


@test_of_reals(out=Out(words=f"isposinf {TRUTH_ONLY}"))
def isposinf(self: Array) -> Any:
    """Return whether each element is +inf.

    Examples:
        >>> import wengert as wg
        >>> wg.isposinf(wg.tensor([1.0, float("inf"), float("-inf")]))
        tensor([False,  True, False])
    """
    if self.dtype.kind == "c":
        raise RuntimeError("isposinf does not support complex inputs.")
    return np.asarray(self == math.inf)


@test_of_reals(out=Out(words=f"isneginf {TRUTH_ONLY}"))
def isneginf(self: Array) -> Any:
    """Return whether each element is -inf.

    Examples:
        >>> import wengert as wg
        >>> wg.isneginf(wg.tensor([1.0, float("inf"), float("-inf")]))
        tensor([False, False,  True])
    """
    if self.dtype.kind == "c":
        raise RuntimeError("isneginf does not support complex inputs.")
    return np.asarray(self == -math.inf)


@test(layout="like")
def isreal(self: Array) -> Any:
    """Return whether each element is real: its imaginary part is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.isreal(wg.tensor([1 + 0j, 1 + 2j]))
        tensor([ True, False])
    """
    return np.asarray(self.imag == 0) if self.dtype.kind == "c" else np.ones_like(self, bool)


@test_of_reals(native=native("signbit"), out=Out(words=f"signbit {TRUTH_ONLY}"))
def signbit(self: Array) -> Any:
    """Return whether each element is negative, -0.0 included.

    Raises:
        NotImplementedError: if `self` is complex.

    Examples:
        >>> import wengert as wg
        >>> wg.signbit(wg.tensor([-1.0, -0.0, 2.0]))
        tensor([ True,  True, False])
    """
    if self.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    return np.signbit(self) if self.dtype.kind == "f" else np.asarray(self < 0)


QUESTION = """
    Args:
        {argument}.

    Returns:
        A Python bool.
    """


@composite(method=False)
@describes(QUESTION, argument="input: tensor")
def is_complex(input: Any) -> bool:
    """Return whether the dtype of `input` is complex.

    Examples:
        >>> import wengert as wg
        >>> wg.is_complex(wg.tensor([1j]))
        True
    """
    check_tensor("is_complex", input)
    return input.dtype.is_complex


@composite(method=False)
@describes(QUESTION, argument="input: tensor")
def is_floating_point(input: Any) -> bool:
    """Return whether the dtype of `input` is a real floating-point type.

    Examples:
        >>> import wengert as wg
        >>> wg.is_floating_point(wg.tensor([1.0])), wg.is_floating_point(wg.tensor([1]))
        (True, False)
    """
    check_tensor("is_floating_point", input)
    return input.dtype.is_floating_point


@composite(method=False)
@describes(QUESTION, argument="obj: anything")
def is_tensor(obj: Any) -> bool:
    """Return whether `obj` is a Tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.is_tensor(wg.ones(2)), wg.is_tensor([1.0, 1.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


def one_tensor(make: Any) -> Any:
    """A sample of a question about one tensor."""
    yield Sample(make(2))


for question in (is_complex, is_floating_point, is_tensor):
    question.samples(one_tensor)

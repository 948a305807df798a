"""Choices among values: limits, maxima and minima of pairs, `where`, replacement of NaN.

A gradient goes to the chosen value, and zero to the others. It is selected by a mask, never multiplied by 0, which
would turn infinity into NaN.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.calls.asking import asks_itself
from ..._core.cards.arguments import asked_or_raised
from ..._core.cards.card import (
    COMPLEXES,
    ORDERED,
    WIDE,
    Array,
    Bad,
    Index,
    InPlace,
    Out,
    Sample,
    alias,
    composite,
    nodes,
    op,
    pointwise,
)
from ..._core.cards.late import bind
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.operators.choices import second_is_tensor
from ..._core.operators.promotion import constant_of
from ..._core.out_errors import FOUND
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import bool_, from_numpy, limits_of
from ..._kernels.results import wide_dtype
from ..dtype_checks import check_beside, check_limits
from .activation import kept_gradient
from .binary import broadcast_pairs, check_tensor, is_number, native
from .power import any_tensor

_IN_PACKAGE = ("clamp_", "clamp_max_", "clamp_min_", "clip_", "nan_to_num_")


def refuse_complex(self: Any, text: str) -> None:
    """Refuse complex operands with a NotImplementedError, as torch does."""
    if getattr(self, "dtype", np.dtype(float)).kind == "c":
        raise NotImplementedError(text)


def by_number(args: tuple[Any, ...], result: Any) -> str:
    """Refuse an output of another dtype if an operand is a number; the results of tensors are cast."""
    return "" if any(isinstance(bound, Tensor) for bound in args[1:3]) else FOUND


CLAMP_COMPLEX = "clamp is not supported for complex types"


@pointwise(
    dtypes=ORDERED,
    explained=COMPLEXES,
    inplace=InPlace(native=native("clamp_")),
    numbers="min max",
    out=Out(words=by_number),
    native=native("clamp"),
    node=nodes(
        "ClampBackward0",
        "ClampBackward1",
        by=lambda args: all(bound is None or is_number(bound) for bound in args[1:3]),
    ),
)
def clamp(self: Array, min: Array = None, max: Array = None, *, out: Any = None) -> Any:
    """`self` limited to the range from `min` to `max`, element by element; NaN stays NaN.

    Args:
        self: real tensor.
        min: lower limit, tensor or number; None for no limit.
        max: upper limit, tensor or number; None for no limit. Where it is below `min`, the result is `max`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if neither limit is given, `self` is complex, or the shapes do not broadcast.

    Derivative:
        At a limit the gradient goes to `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.clamp(wg.tensor([-2.0, 0.5, 3.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    refuse_complex(self, CLAMP_COMPLEX)
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if self.dtype.kind == "b" and min is not None and max is not None:
        raise NotImplementedError(errors.no_kernel("clamp", bool_))
    return kernels.clamp(self, min, max, out=out)


clamp.mixed = check_limits


def inside(self: Any, min: Any, max: Any) -> Any:
    """Mask of the elements of `self` within the limits."""
    if min is None:
        return self <= max
    if max is None:
        return self >= min
    return (self >= min) & (self <= max)


@clamp.vjp("self", native=native("clamp_rule"))
def clamp_vjp_self(grad: Any, self: Any, min: Any, max: Any) -> Any:
    return grad.where(inside(self, min, max), 0)


@clamp.vjp("min")
def clamp_vjp_min(grad: Any, self: Any, min: Any, max: Any) -> Any:
    return grad.where(self < min if max is None else (self < min) & (max > min), 0)


@clamp.vjp("max")
def clamp_vjp_max(grad: Any, self: Any, min: Any, max: Any) -> Any:
    return grad.where(self > max if min is None else (self > max) | (max < min), 0)


@clamp.jvp("self", "min", "max")
def clamp_jvp(self_tangent: Any, min_tangent: Any, max_tangent: Any, self: Any, min: Any, max: Any) -> Any:
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return self_tangent.where(inside(self, min, max), 0)
    if max is None:
        return self_tangent.where(self > min, min_tangent)
    if min is None:
        return self_tangent.where(self < max, max_tangent)
    below_max = self_tangent.where(~(self > max), max_tangent)
    return below_max.where(~(self < min), min_tangent).where(~(min > max), max_tangent)


@clamp.samples
def clamp_samples(make: Any) -> Any:
    yield Sample(make(3, 4), -1, 1)
    yield Sample(make(3, 4), min=0)
    yield Sample(make(3, 4), max=1)
    yield Sample(make(), 0, 1)
    yield Sample(make(0, 2), 0, 1)
    yield Sample(make(3, 4, kind="special"), 0, 1)
    yield Sample(make(3, 4), make(4), make(3, 1) if make.dtype.category else None)  # bools have one limit
    yield Sample(make(3, 4), None, make(3, 1))
    yield Bad(make(2), raises=RuntimeError, says="At least one of 'min' or 'max' must not be None")
    yield Bad(make(2), make(3), raises=RuntimeError, says="must match the size of tensor b")


limit = partial(
    pointwise,
    dtypes=ORDERED,
    explained=COMPLEXES,
    inplace=True,
    out=Out(words=by_number),
    samples=broadcast_pairs,
    describes="""
    Args:
        self: real tensor.
        min: lower limit, tensor or number.
        max: upper limit, tensor or number.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if `self` is complex, or the shapes do not broadcast.
    """,
)
"""Card decorator for a limit on one side."""


@limit(
    numbers="min",
    native=native("clamp_min"),
    inplace=InPlace(native=native("clamp_min_")),
    node=nodes("ClampMinBackward0", "ClampMinBackward1", by=second_is_tensor),
)
def clamp_min(self: Array, min: Array, *, out: Any = None) -> Any:
    """The larger of `self` and `min`, element by element; NaN stays NaN.

    Examples:
        >>> import wengert as wg
        >>> wg.clamp_min(wg.tensor([-2.0, 0.5, 3.0]), 0)
        tensor([0.0000, 0.5000, 3.0000])
    """
    refuse_complex(self, CLAMP_COMPLEX)
    return kernels.maximum(self, min, out=out)


clamp_min.mixed = partial(check_limits, kernel="clamp_min_scalar_cpu")


@clamp_min.vjp("self")
def clamp_min_vjp_self(grad: Any, self: Any, min: Any) -> Any:
    return grad.where(self >= min, 0)


@clamp_min.vjp("min")
def clamp_min_vjp_min(grad: Any, self: Any, min: Any) -> Any:
    return grad.where(self < min, 0)


@clamp_min.jvp("self", "min")
def clamp_min_jvp(self_tangent: Any, min_tangent: Any, self: Any, min: Any) -> Any:
    return self_tangent.where(self >= min, min_tangent)


@limit(
    numbers="max",
    native=native("clamp_max"),
    inplace=InPlace(native=native("clamp_max_")),
    node=nodes("ClampMaxBackward0", "ClampMaxBackward1", by=second_is_tensor),
)
def clamp_max(self: Array, max: Array, *, out: Any = None) -> Any:
    """The smaller of `self` and `max`, element by element; NaN stays NaN.

    Examples:
        >>> import wengert as wg
        >>> wg.clamp_max(wg.tensor([-2.0, 0.5, 3.0]), 1)
        tensor([-2.0000,  0.5000,  1.0000])
    """
    refuse_complex(self, CLAMP_COMPLEX)
    return kernels.minimum(self, max, out=out)


clamp_max.mixed = partial(check_limits, kernel="clamp_max_scalar_cpu")


@clamp_max.vjp("self")
def clamp_max_vjp_self(grad: Any, self: Any, max: Any) -> Any:
    return grad.where(self <= max, 0)


@clamp_max.vjp("max")
def clamp_max_vjp_max(grad: Any, self: Any, max: Any) -> Any:
    return grad.where(self > max, 0)


@clamp_max.jvp("self", "max")
def clamp_max_jvp(self_tangent: Any, max_tangent: Any, self: Any, max: Any) -> Any:
    return self_tangent.where(self <= max, max_tangent)


@op(
    layout="iterator",
    dtypes=WIDE,
    name="_where",
    node="WhereBackward0",
    larger=True,
    promote="same",
    numbers="alone",
    out=Out(words="Expected out type to be {wanted} but got {found}", writer="where"),
    native=native("where"),
    public="neither",
)
def select(condition: Index, self: Array, other: Array) -> Any:
    """`self` where `condition` holds, else `other`: `where` with three arguments.

    Raises:
        RuntimeError: if `condition` is not bool, or the shapes do not broadcast.
    """
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            name = from_numpy(condition.dtype).legacy.removesuffix("Tensor")
            raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {name}")
        anomaly.warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
        condition = condition != 0
    return kernels.where(condition, self, other)


@select.vjp("self", native=native("where_self_rule"))
def select_vjp_self(grad: Any, condition: Any) -> Any:
    return select(condition, grad, 0)


@select.vjp("other", native=native("where_other_rule"))
def select_vjp_other(grad: Any, condition: Any) -> Any:
    return select(condition, 0, grad)


@select.samples
def select_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="bool"), make(3, 4), make(3, 4))
    yield Sample(make(3, 1, kind="bool"), make(4), make(2, 1, 1))
    yield Sample(make(3, kind="bool"), make(3), 0)
    yield Sample(make(3, kind="bool"), 1, make(3))
    yield Sample(make(kind="bool"), make(), make())
    yield Sample(make(0, 2, kind="bool"), make(2), make())
    yield Bad(make(2, kind="bool"), make(3), 0, raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2, kind="index"), make(2), 0, raises=RuntimeError, says="expected condition to be a boolean tensor")


@composite(method=False)
def where(condition: Any, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """`input` where `condition` holds, else `other`, element by element; without both the indices where it holds.

    Args:
        condition: bool tensor, or a NumPy array.
        input: tensor, array or number that broadcasts with `condition`.
        other: tensor, array or number that broadcasts with both.
        out: a tensor of the result's dtype to write to.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype; without `input` and `other` a tuple of index
        tensors, one for each dimension.

    Raises:
        RuntimeError: if `condition` is not bool, the shapes do not broadcast, or a number does not fit the dtype.
        TypeError: if `condition` is neither, or only one of `input` and `other` is given.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([-1.0, 2.0])
        >>> wg.where(x > 0, x, 0.0)
        tensor([0., 2.])
    """
    condition = constant_of(condition) if isinstance(condition, np.ndarray) else condition
    check_tensor("where", condition, "condition")
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    for name, position, value in (("input", 2, input), ("other", 3, other)):
        if value is None or (out is not None and not isinstance(value, Tensor)):
            raise TypeError(errors.wrong_type("where", name, position, "Tensor", value))
    check_beside(input, other)
    return select(condition, input, other) if out is None else select(condition, input, other, out=out)


where.samples(select_samples)
plain_case(where, select, native("where"))


@asks_itself("where")
def where_method(self: Any, condition: Any, other: Any) -> Any:
    """This tensor where `condition` holds, else `other`; see `where`.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([-1.0, 2.0])
        >>> x.where(x > 0, 0.0)
        tensor([0., 2.])
    """
    try:
        condition = constant_of(condition) if isinstance(condition, np.ndarray) else condition
        check_tensor("where", condition, "condition")
        check_beside(self, other)
        return select(condition, self, other)
    except TypeError:
        return asked_or_raised("where", self, condition, other)


bind("where", where_method)


@pointwise(
    layout="like",
    dtypes=WIDE,
    numbers=False,
    inplace=InPlace(native=native("nan_to_num_")),
    takes_halves=True,
    out=Out(words="nan_to_num: dtype of out: {found} should be same as input: {wanted}"),
    native=native("nan_to_num"),
)
def nan_to_num(self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """`self` with NaN and infinities replaced, element by element.

    Args:
        nan: replacement of NaN; 0 by default.
        posinf: replacement of infinity; the largest value of the dtype by default.
        neginf: replacement of -infinity; the smallest value of the dtype by default.

    Returns:
        A new tensor of the same shape and dtype.

    Derivative:
        0 where a value was replaced.

    Examples:
        >>> import wengert as wg
        >>> wg.nan_to_num(wg.tensor([1.0, float("nan"), float("inf")]), posinf=9)
        tensor([1., 0., 9.])
    """
    if self.dtype.kind in "iub":
        return self.copy()
    limits = limits_of(from_numpy(self.dtype).to_real())
    high, low = (limits.max if posinf is None else posinf), (limits.min if neginf is None else neginf)
    wide = self.astype(wide_dtype(self.dtype), copy=False)
    return np.nan_to_num(wide, nan=0.0 if nan is None else nan, posinf=high, neginf=low).astype(self.dtype, copy=False)


@nan_to_num.vjp("self", native=native("nan_to_num_rule"))
def nan_to_num_vjp(grad: Any, self: Any) -> Any:
    return kept_gradient(grad, self.isfinite())


@nan_to_num.samples
def nan_to_num_samples(make: Any) -> Any:
    yield from any_tensor(make)
    yield Sample(make(3, 4, kind="special"))
    yield Sample(make(8, kind="special"), nan=1.0, posinf=2.0, neginf=3.0)


alias("clip", clamp)

"""Views with another shape or dtype: view, and the operators of reshape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core import flags
from ..._core.cards.arguments import integers
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown, unexpected_keyword
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.layouts import steps_of
from ..._core.types import dtypes
from ..._kernels.layout import seen_as, strided

native = kernels.direct_function
NOT_VIEWABLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous "
    "subspaces). Use .reshape(...) instead."
)


def infer_size(size: Sequence[Any], numel: int) -> tuple[int, ...]:
    """Return `size` with its -1, if there is one, replaced by the number that `numel` elements require.

    Raises:
        RuntimeError: if the sizes do not make `numel` elements, or -1 is ambiguous.
    """
    wanted = integers("view", "size", size)
    known, free = 1, -1
    for at, length in enumerate(wanted):
        if length >= 0:
            known *= length
        elif length != -1:
            raise RuntimeError(f"invalid shape dimension {length} at index {at} of shape {shown(wanted)}")
        elif free >= 0:
            raise RuntimeError("only one dimension can be inferred")
        else:
            free = at
    if free < 0:
        if known != numel:
            raise RuntimeError(f"shape '{shown(wanted)}' is invalid for input of size {numel}")
        return wanted
    if known == 0 and numel == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {shown(wanted)} because the unspecified dimension size "
            "-1 can "
            "be any value and is ambiguous"
        )
    if known == 0 or numel % known:
        raise RuntimeError(f"shape '{shown(wanted)}' is invalid for input of size {numel}")
    return (*wanted[:free], numel // known, *wanted[free + 1 :])


def layouts(make: Any) -> Any:
    """Samples of a view that takes no arguments."""
    yield Sample(make(2, 3))
    yield Sample(make(2, 0))


@composite(function=False)
def view(self: Any, *size: Any, dtype: Any = None, **named: Any) -> Any:
    """View of the memory with another shape, or, for a dtype, with its bytes read as another type.

    Args:
        self: tensor.
        size: the shape, as one sequence or integer by integer; one of them may be -1. Or a dtype (not differentiable).
        dtype: the type to read the bytes as; the shape follows.

    Returns:
        A view.

    Raises:
        TypeError: if neither a shape nor a dtype is given.
        RuntimeError: if the shape has another number of elements, or needs a copy (use `reshape`); if elements of the
            dtype would begin within an element of the tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(6).view(2, 3)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    if named:
        wrong = [name for name in named if name != "size" or size]
        if wrong:
            raise TypeError(unexpected_keyword("view", wrong[0]))
        size = (named["size"],)
    if not size and dtype is None:
        raise TypeError("view() received an invalid combination of arguments - got (), but expected a shape or a dtype")
    first = dtype if dtype is not None else size[0] if len(size) == 1 else None
    if isinstance(first, dtypes.dtype):
        return view_as_dtype(self, first)
    return view_shape.call((self, first if isinstance(first, (tuple, list)) else size))


def view_vjp(grad: Any, self_shape: Any) -> Any:
    return grad.reshape(self_shape)


def reshaping_rules(card: Any) -> None:
    """Set the rules of an operator that changes the shape alone."""

    def batched(self: Any, size: Any) -> Any:
        return card.call((self, (self.shape[0], *infer_size(size, math.prod(self.shape[1:])))))

    card.vjp("self", native=native("reshape_rule"))(view_vjp)
    card.batched(batched)


def one_shape(make: Any) -> Any:
    """Sample of an operator that changes the shape alone."""
    yield Sample(make(3, 4), (2, 6))


reshaping = partial(op, dtypes=WIDE, linear="self", public="neither", rules=reshaping_rules, samples=one_shape)
"""Card decorator for an operator that changes the shape alone."""


@reshaping(view=True, node="ViewBackward0", native=native("view_shape"))
def view_shape(self: Array, size: Any) -> Any:
    """`view` with a shape."""
    seen = seen_as(self, infer_size(size, self.size))
    if seen is None:
        raise RuntimeError(NOT_VIEWABLE)
    return seen


@op(dtypes=WIDE, view=True, why="bytes read as another type", public="neither")
def view_dtype(self: Array, wanted: Any) -> Any:
    """Read the bytes of an array as another type."""
    step, wide = self.itemsize, wanted.itemsize
    if step == wide:
        return self.view(wanted.numpy)
    steps = steps_of(self)
    check_regrouping(dtypes.from_numpy(self.dtype), wanted, self.shape, steps, 0)
    seen = self.view(wanted.numpy)
    if self.size:
        return seen
    return strided(seen, seen.shape, (*[length * step for length in steps[:-1]], wide))  # NumPy chooses others


def check_regrouping(have: Any, wanted: Any, shape: tuple[int, ...], steps: tuple[int, ...], offset: int) -> None:
    """Refuse to read elements of one size as elements of another if these would begin or end within one.

    Args:
        have: dtype of the tensor.
        wanted: dtype of the view.
        shape, steps: shape and strides of the tensor, strides in elements.
        offset: storage offset of the tensor, in elements.

    Raises:
        RuntimeError: if the last dimension is missing, not dense or of a length that does not divide, or if the offset
            or another stride does not divide.
    """
    relation = f"to view {have.legacy[:-6]} as {wanted.legacy[:-6]} (different element sizes)"
    if not shape:
        raise RuntimeError(f"self.dim() cannot be 0 {relation}")
    ratio = wanted.itemsize // have.itemsize
    if ratio and shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {relation}, but got {shape[-1]}")
    if ratio and offset % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {relation}, but got {offset}")
    if steps[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {relation}, but got {steps[-1]}")
    for dim, step in enumerate(steps[:-1]):
        if ratio and step % ratio:
            raise RuntimeError(f"self.stride({dim}) must be divisible by {ratio} {relation}, but got {step}")


def refuse_lazy(self: Any) -> None:
    """Refuse to read memory as another dtype if its elements are conjugated or negated when they are read.

    Raises:
        RuntimeError: if they are.
    """
    from ..._core.tensor.postponed import is_conjugated, is_negated

    if is_conjugated(self) or is_negated(self):
        kind = "conjugate" if is_conjugated(self) else "negative"
        raise RuntimeError(
            f"torch.Tensor.view is not supported for {kind} view tensors when converting to a different dtype."
        )


def view_as_dtype(self: Any, wanted: Any) -> Any:
    """`view` with a dtype."""
    array, have = self._array_, self.dtype
    if self._flags_ & flags.ELSEWHERE:
        refuse_lazy(self)
    if have.itemsize < wanted.itemsize and not self._flags_ & flags.BATCHED:  # for a batch: its rule sees the memory
        check_regrouping(have, wanted, array.shape, steps_of(array), self.storage_offset())
    return view_dtype.call((self, wanted))


@view_dtype.batched
def view_dtype_batched(self: Any, wanted: Any) -> Any:
    if self.ndim == 1 and self.dtype.itemsize != wanted.itemsize:
        raise RuntimeError("self.dim() cannot be 0 to view it as a dtype of another element size")
    return view_as_dtype(self, wanted)


@view_dtype.samples
def view_dtype_samples(make: Any) -> Any:
    yield Sample(make(2, 0), dtypes.uint8)


@view_shape.jvp("self")
def view_jvp(self_tangent: Any, size: Any) -> Any:
    return self_tangent.reshape(size)  # an expanded tensor needs memory for each element, and may need a copy


@reshaping(view=True, name="_reshape_alias", node="ReshapeAliasBackward0", native=native("view_shape"))
def reshape_alias(self: Array, size: Any) -> Any:
    """`view` as `reshape` uses it for tensors that are not contiguous."""
    return view_shape.body(self, size)


reshape_alias.jvp("self")(view_jvp)


@view.samples
def view_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 6))
    yield Sample(make(3, 4), 2, -1)
    yield Sample(make(), (1, 1))
    yield Sample(make(0, 3), (3, 0))
    yield Bad(make(3, 4), 5, raises=RuntimeError, says="shape '[5]' is invalid for input of size 12")
    yield Bad(make(3, 4), (-1, -1), raises=RuntimeError, says="only one dimension can be inferred")


@op(dtypes=WIDE, view=True, linear="self", batching=elementwise, public="neither", native=native("alias"))
def alias(self: Array) -> Any:
    """Alias of the same memory, as `x[...]`."""
    return self[...]


@alias.vjp("self")
def alias_vjp(grad: Any) -> Any:
    return grad


alias.samples(layouts)


@reshaping(layout="own", name="_unsafe_view", node="UnsafeViewBackward0", native=native("unsafe_view"))
def unsafe_view(self: Array, size: Any) -> Any:
    """Change the shape of memory that nobody else sees, so that the result need not be a view."""
    return self.reshape(infer_size(size, self.size))


plain_case(view, view_shape, kernels.direct_function("view_shape"))

"""Copies of views: view_copy, expand_copy and the like; narrow_copy.

A copy has the arguments, the rules and the samples of its view; only its result is new memory, row-major.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.arguments import integer
from ..._core.cards.card import WIDE, Array, Bad, Card, Out, Sample, composite, nodes, op
from ..._core.operators.batch_rules import along, rule_for, written
from ..._core.types import dtypes
from ..._core.types.devices import contiguous_format
from ..._core.types.sizes import normalise
from ..._kernels import positions
from ..family import WRITTEN, describes
from .slices import select, slice_, slice_backward, split, split_sizes_vjp, unbind
from .strided import unfold
from .view_shape import alias, infer_size, view_as_dtype, view_shape
from .views import expand, permute, squeeze, squeeze_form, t, transpose, unsqueeze


def row_major(array: Any) -> Any:
    """Copy an array in row-major order."""
    return np.array(array, order="C", copy=True)


def of_batch(view: Card) -> Any:
    """Batching rule of a copied view."""

    def rule(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        views = rule_for(view)(view, size, args, carried)
        if op.several:
            return tuple([part.clone(memory_format=contiguous_format) for part in views])
        return views.clone(memory_format=contiguous_format)

    return rule


UNRECORDED = Out(recorded=False)
"""Most have no derivative of the form with `out=`."""


def rules_of(view: Card) -> Any:
    """Return a function that gives a copy the reverse rule of its view."""
    return lambda card: card.vjp("self")(view.rules[0].fn)


def copies(view: Card, title: str, **options: Any) -> Any:
    """Declare the copy of a view, from its card and the name of its nodes."""
    node = options.pop("node", f"{title}Backward0_copy")
    options.setdefault("out", UNRECORDED)
    return partial(
        op,
        dtypes=options.pop("dtypes", WIDE),
        linear="self",
        public=options.pop("public", "function"),
        node=node,
        batching=options.pop("batching", None) or of_batch(view),
        rules=options.pop("rules", rules_of(view)),
        samples=view.sampler,
        describes=view.body.__doc__ or "",
        **options,
    )()


def shaped_members(self: Any, size: Any) -> Any:
    """`view_copy` of all members, with any strides."""
    return view_shape_copy.call((self, (self.shape[0], *infer_size(size, math.prod(self.shape[1:])))))


@copies(
    view_shape,
    "View",
    name="_view_copy",
    public="neither",
    out=Out(writer="view_copy", recorded=False),
    batching=written(shaped_members),
)
def view_shape_copy(self: Array, size: Any) -> Any:
    """`view_copy` with a shape."""
    return row_major(view_shape.body(np.ascontiguousarray(self), size))


@copies(expand, "Expand", larger=True)
def expand_copy(self: Array, size: Any, *, implicit: bool = False) -> Any:
    """`expand`, copied.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.expand_copy(wg.tensor([[1], [2]]), (2, 2))
        tensor([[1, 1],
                [2, 2]])
    """
    return row_major(expand.body(self, size))


@expand_copy.samples
def expand_copy_samples(make: Any) -> Any:
    yield Sample(make(3, 1), (2, -1, 4))
    yield Sample(make(), (2,))
    yield Bad(make(3), (2,), raises=RuntimeError, says="must match the existing size (3) at non-singleton dimension 0")
    yield Bad(make(3), 2, 3, raises=TypeError, says="expand_copy() takes 2 positional arguments but 3 were given")


@copies(permute, "Permute")
def permute_copy(self: Array, dims: Any) -> Any:
    """`permute`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.permute_copy(wg.zeros(2, 3, 5), (2, 0, 1)).shape
        torch.Size([5, 2, 3])
    """
    return row_major(permute.body(self, dims))


@permute_copy.samples
def permute_copy_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (2, 0, 1))
    yield Bad(make(2, 3), (0, 0), raises=RuntimeError, says="duplicate dims are not allowed")
    yield Bad(make(2, 3), 1, 0, raises=TypeError, says="permute_copy() takes 2 positional arguments but 3 were given")


@copies(transpose, "Transpose")
def transpose_copy(self: Array, dim0: int, dim1: int) -> Any:
    """`transpose`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.transpose_copy(wg.tensor([[1, 2], [3, 4]]), 0, 1)
        tensor([[1, 3],
                [2, 4]])
    """
    return row_major(transpose.body(self, dim0, dim1))


@copies(t, "T")
def t_copy(self: Array) -> Any:
    """`t`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.t_copy(wg.tensor([[1, 2], [3, 4]]))
        tensor([[1, 3],
                [2, 4]])
    """
    return row_major(t.body(self))


@copies(unsqueeze, "Unsqueeze")
def unsqueeze_copy(self: Array, dim: int) -> Any:
    """`unsqueeze`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.unsqueeze_copy(wg.tensor([1, 2]), 0)
        tensor([[1, 2]])
    """
    return row_major(unsqueeze.body(self, dim))


@copies(squeeze, "Squeeze", node=nodes(*[f"SqueezeBackward{nr}_copy" for nr in range(3)], by=squeeze_form))
def squeeze_copy(self: Array, dim: Any = None) -> Any:
    """`squeeze`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.squeeze_copy(wg.tensor([[1, 2]]))
        tensor([1, 2])
    """
    return row_major(squeeze.body(self, dim))


@copies(alias, "Alias")
def alias_copy(self: Array) -> Any:
    """Copy a tensor in row-major order.

    Examples:
        >>> import wengert as wg
        >>> wg.alias_copy(wg.tensor([1, 2]))
        tensor([1, 2])
    """
    return row_major(self)


@copies(unfold, "Unfold")
def unfold_copy(self: Array, dimension: int, size: int, step: int) -> Any:
    """`unfold`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.unfold_copy(wg.arange(4), 0, 2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    return row_major(unfold.body(self, dimension, size, step))


@copies(select, "Select", out=Out())
def select_copy(self: Array, dim: int, index: int) -> Any:
    """`select`, copied.

    Examples:
        >>> import wengert as wg
        >>> wg.select_copy(wg.tensor([[1, 2], [3, 4]]), 0, 1)
        tensor([3, 4])
    """
    return row_major(select.body(self, dim, index))


@copies(slice_, "Slice", out=Out())
def slice_copy(self: Array, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """Select every `step`-th slice from `start` to before `end` along `dim`, copied.

    Args:
        start, end: bounds; negative ones count from the end; None for all.
        step: distance of the slices.

    Examples:
        >>> import wengert as wg
        >>> wg.slice_copy(wg.arange(6), 0, 1, 6, 2)
        tensor([1, 3, 5])
    """
    return row_major(slice_.body(self, dim, start, end, step))


@copies(unbind, "Unbind", outputs=..., out=Out(form="unbind_copy_int_out", recorded=False))
def unbind_copy(self: Array, dim: int = 0) -> Any:
    """`unbind`, copied.

    Returns:
        A tuple of new tensors.

    Examples:
        >>> import wengert as wg
        >>> wg.unbind_copy(wg.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """
    return [row_major(part) for part in unbind.body(self, dim)]


@copies(split, "Split", outputs=..., out=Out(form="split_copy_Tensor_out()"))
def split_copy(self: Array, split_size: int, dim: int = 0) -> Any:
    """`split`, copied.

    Args:
        split_size: the length of all parts; the last may be shorter.

    Returns:
        A tuple of new tensors.

    Examples:
        >>> import wengert as wg
        >>> wg.split_copy(wg.arange(3), 2)
        (tensor([0, 1]), tensor([2]))
    """
    return [row_major(part) for part in split.body(self, split_size, dim)]


@split_copy.samples
def split_copy_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 2)
    yield Bad(make(5), (1, 4), raises=TypeError, says="argument 'split_size' (position 2) must be int, not tuple")


@op(
    dtypes=WIDE,
    linear="self",
    public="function",
    outputs=...,
    batching=of_batch(split),
    node="SplitWithSizesBackward0_copy",
    out=Out(apart="partly", recorded=False),
)
def split_with_sizes_copy(self: Array, split_sizes: Any, dim: int = 0) -> Any:
    """`split_with_sizes`, copied.

    Args:
        self: tensor with at least one dimension.
        split_sizes: the lengths.

    Returns:
        A tuple of new tensors.

    Examples:
        >>> import wengert as wg
        >>> wg.split_with_sizes_copy(wg.arange(3), (1, 2))
        (tensor([0]), tensor([1, 2]))
    """
    return [row_major(part) for part in split.body(self, split_sizes, dim)]


split_with_sizes_copy.vjp("self")(split_sizes_vjp)


@split_with_sizes_copy.samples
def split_with_sizes_copy_samples(make: Any) -> Any:
    yield Sample(make(5, 2), (2, 3))
    yield Bad(make(5), (1, 2), raises=RuntimeError, says="split_sizes to sum exactly to 5")


@composite(method=False)
@describes(WRITTEN, error="if the shape has another number of elements")
def view_copy(input: Any, size: Any = None, *, dtype: Any = None, out: Any = None) -> Any:
    """`view`, copied.

    Args:
        input: tensor.
        size: the shape, in which one length may be -1, or a dtype.
        dtype: the type to read the bytes as.

    Examples:
        >>> import wengert as wg
        >>> wg.view_copy(wg.arange(4), (2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    wanted = dtype if dtype is not None else size
    if isinstance(wanted, dtypes.dtype):
        return view_as_dtype(input, wanted).clone(memory_format=contiguous_format)
    return view_shape_copy(input, wanted, out=out)


@view_copy.samples
def view_copy_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, -1))
    yield Bad(make(3, 4), (5,), raises=RuntimeError, says="shape '[5]' is invalid for input of size 12")


@composite(method=False)
def detach_copy(input: Any) -> Any:
    """`detach`, copied.

    Args:
        input: tensor.

    Returns:
        A new tensor without history.

    Examples:
        >>> import wengert as wg
        >>> wg.detach_copy(wg.tensor([1.0], requires_grad=True))
        tensor([1.])
    """
    return input.detach().clone(memory_format=contiguous_format)


@detach_copy.samples
def detach_copy_samples(make: Any) -> Any:
    yield Sample(make(3, 4))


def narrowed(array: Any, dim: int, start: int, length: int) -> tuple[int, int]:
    """Return the dimension of a part, and its start, both counted from the front.

    Raises:
        IndexError: if `start` is out of range.
        RuntimeError: if the part extends beyond the end, or `dim` is out of range.
    """
    if not array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= array.ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false. narrow_copy() got "
            f"dimension {dim} of a tensor with {array.ndim}"
        )
    at = normalise(dim, array.ndim)
    have, first = array.shape[at], integer("narrow_copy", "start", start)
    if not -have <= first <= have:
        raise IndexError(f"start out of range (expected to be in range of [{-have}, {have}], but got {first})")
    first += have if first < 0 else 0
    if length < 0 or not 0 <= first <= have - length:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({have}).")
    return at, first


@op(dtypes=WIDE, linear="self", batching=along("dim"))
def narrow_copy(self: Array, dim: int, start: int, length: int) -> Any:
    """`narrow`, copied.

    Args:
        self: tensor with at least one dimension.
        start: the first slice; negative ones count from the end.
        length: number of slices.

    Raises:
        IndexError: if `start` is out of range.
        RuntimeError: if the part extends beyond the end.

    Examples:
        >>> import wengert as wg
        >>> wg.narrow_copy(wg.arange(5), 0, 1, 2)
        tensor([1, 2])
    """
    at, first = narrowed(self, dim, start, length)
    return row_major(positions.take(self, positions.arange(first, first + length), at))


@narrow_copy.vjp("self")
def narrow_copy_vjp(grad: Any, self_shape: Any, dim: int, start: int, length: int) -> Any:
    at = normalise(dim, len(self_shape))
    first = start + self_shape[at] if start < 0 else start
    return slice_backward(grad, self_shape, at, first, first + length, 1)


@narrow_copy.samples
def narrow_copy_samples(make: Any) -> Any:
    yield Sample(make(5, 3), 0, 1, 2)
    yield Sample(make(5, 3), -1, -2, 2)
    yield Bad(make(5), 0, 3, 3, raises=RuntimeError, says="start (3) + length (3) exceeds dimension size (5)")

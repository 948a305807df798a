"""The shapes of copies of views, and of what is put together, moved, or written over in parts."""

from __future__ import annotations

from typing import Any

from ..._core.operators import layouts
from ..shape_rules import kind_of_first, like_first, seen, shape_of, shape_of_argument
from .as_strided import as_strided_backward, check_steps
from .as_strided_copies import check_apart, copied, replaced
from .combine import blocks_on_diagonal, blocks_shape
from .flips import flip
from .join import cat, common_dtype, joined_shape, stack, stacked_shape, stacked_strides
from .rearrange import integers, repeat, repeated_shape, roll, rolled_axes, tril, triu
from .rotate import plane, rot90
from .scattered import check_fits, diagonal_scatter, select_scatter, slice_scatter, steps_with_gaps
from .sections import length_of, unsafe_split, unsafe_split_with_sizes
from .slices import (
    checked_lengths,
    equal_lengths,
    select,
    select_backward,
    slice_,
    slice_backward,
    split,
    split_backward,
    unbind,
)
from .strided import (
    diag_embed,
    diagonal,
    diagonal_backward,
    diagonal_copy,
    embedded_shape,
    two_dims,
    unfold,
    unfold_backward,
)
from .view_copies import (
    alias_copy,
    expand_copy,
    narrow_copy,
    narrowed,
    permute_copy,
    select_copy,
    slice_copy,
    split_copy,
    split_with_sizes_copy,
    squeeze_copy,
    t_copy,
    transpose_copy,
    unbind_copy,
    unfold_copy,
    unsqueeze_copy,
    view_shape_copy,
)
from .view_shape import infer_size, unsafe_view
from .views import expand, permute, squeeze, t, transpose, unsqueeze

shape_of(flip, tril, triu)(like_first)
shape_of(diagonal_backward, select_backward, slice_backward, split_backward, unfold_backward)(shape_of_argument)


def of_view(copy: Any, view: Any) -> None:
    """Give the copy of a view its rule: the shape is that of the view."""

    @copy.shape
    def copy_shape(self: Any, *where: Any) -> Any:
        shown = seen(view, self, *where)
        return [(part.shape, part.dtype) for part in shown] if view.several else (shown.shape, shown.dtype)


for copy, view in (
    (permute_copy, permute),
    (transpose_copy, transpose),
    (t_copy, t),
    (unsqueeze_copy, unsqueeze),
    (squeeze_copy, squeeze),
    (unfold_copy, unfold),
    (select_copy, select),
    (slice_copy, slice_),
    (unbind_copy, unbind),
    (split_copy, split),
    (split_with_sizes_copy, split),
    (diagonal_copy, diagonal),
):
    of_view(copy, view)
alias_copy.shape(kind_of_first)


@expand_copy.shape
def expand_copy_shape(self: Any, size: Any, implicit: bool) -> Any:
    return seen(expand, self, size).shape, self.dtype


@shape_of(view_shape_copy, unsafe_view)
def view_copy_shape(self: Any, size: Any) -> Any:
    return infer_size(size, self.size), self.dtype


@narrow_copy.shape
def narrow_copy_shape(self: Any, dim: int, start: int, length: int) -> Any:
    at, _ = narrowed(self, dim, start, length)
    return (*self.shape[:at], length, *self.shape[at + 1 :]), self.dtype


@as_strided_backward.shape
def strided_backward_shape(grad: Any, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool) -> Any:
    check_steps(shape, steps, size, stride)
    return tuple(shape if back else size), grad.dtype


@copied.shape
def strided_copy_shape(self: Any, size: Any, *where: Any) -> Any:
    return tuple(size), self.dtype


@replaced.shape
def strided_scatter_shape(self: Any, src: Any, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    check_fits(size, src)
    check_apart(size, stride)
    return self.shape, self.dtype, steps_with_gaps(self)


def of_part(card: Any, view: Any) -> None:
    """Give the rule of a tensor with a view of it replaced."""

    @card.shape
    def scatter_shape(self: Any, src: Any, *where: Any) -> Any:
        check_fits(seen(view, self, *where).shape, src)
        return self.shape, self.dtype, steps_with_gaps(self)


of_part(diagonal_scatter, diagonal)
of_part(select_scatter, select)
of_part(slice_scatter, slice_)


@unsafe_split.shape
def unsafe_split_shape(self: Any, split_size: Any, dim: int) -> Any:
    at, have = length_of(self, dim)
    return parts(self, at, equal_lengths(have, split_size))


@unsafe_split_with_sizes.shape
def unsafe_sizes_shape(self: Any, split_sizes: Any, dim: int) -> Any:
    at, have = length_of(self, dim)
    return parts(self, at, checked_lengths(split_sizes, have, at))


def parts(array: Any, dim: int, lengths: Any) -> Any:
    """Shapes, dtypes and strides of parts of an array, which share its memory."""
    steps = layouts.steps_of(array)
    return [((*array.shape[:dim], length, *array.shape[dim + 1 :]), array.dtype, steps) for length in lengths]


@diag_embed.shape
def diag_embed_shape(self: Any, offset: int, dim1: int, dim2: int) -> Any:
    return embedded_shape(self.shape, offset, two_dims(dim1, dim2, self.ndim + 1)), self.dtype


@roll.shape
def roll_shape(self: Any, shifts: Any, dims: Any) -> Any:
    _, axes = rolled_axes(self, shifts, dims)
    if axes and not self.size:
        return self.shape, self.dtype, layouts.preserved(self)
    return self.shape, self.dtype


@rot90.shape
def rot90_shape(self: Any, k: int, dims: Any) -> Any:
    first, second = plane(dims, self.ndim)
    if k % 4 == 0:
        return self.shape, self.dtype
    shape, steps = list(self.shape), list(layouts.preserved(self))
    if k % 2:
        for lengths in (shape, steps):
            lengths[first], lengths[second] = lengths[second], lengths[first]
    return tuple(shape), self.dtype, tuple(steps)


@repeat.shape
def repeat_shape(self: Any, repeats: Any) -> Any:
    return repeated_shape(self, integers("repeat", "repeats", repeats)), self.dtype


@cat.shape
def cat_shape(tensors: Any, dim: int) -> Any:
    return joined_shape(tensors, dim)[0], common_dtype(tensors)


@stack.shape
def stack_shape(tensors: Any, dim: int) -> Any:
    shape, axis = stacked_shape(tensors, dim)
    return shape, common_dtype(tensors), stacked_strides(tensors, shape, axis)


@blocks_on_diagonal.shape
def blocks_on_diagonal_shape(tensors: Any) -> Any:
    return blocks_shape(tensors)[0], common_dtype(tensors)

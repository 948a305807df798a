"""Views of a part of a tensor, and the operators that put gradients of parts back in place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.arguments import integer, integers
from ..._core.cards.card import WIDE, Array, Arrays, Bad, Sample, composite, nodes, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown, wrong_type
from ..._core.operators.batch_rules import along
from ..._core.state.modes import current
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.types.dtypes import INTEGER
from ..._core.types.sizes import normalise
from .join import cat, completed, stack

native = kernels.direct_function
WHOLE = slice(None)


def at_dim(dim: int, place: Any) -> tuple[Any, ...]:
    """Return NumPy's index for `place` along `dim`; the result is a view even for one element."""
    return (*(WHOLE,) * dim, place, ...)


@op(dtypes=WIDE, view=True, linear="self", batching=along("dim"), native=native("select"))
def select(self: Array, dim: int, index: int) -> Any:
    """Select the slice at `index` along `dim`, without that dimension.

    Args:
        self: tensor with at least one dimension.
        index: index of the slice; negative ones count from the end.

    Raises:
        IndexError: if `index` or `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.select(wg.tensor([[1, 2], [3, 4]]), 1, 0)
        tensor([1, 3])
    """
    ndim = self.ndim
    if dim == 0 and type(index) is int and ndim and -len(self) <= index < len(self):
        return self[index, ...]
    if not ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at, index = normalise(integer("select", "dim", dim), ndim), integer("select", "index", index)
    length = self.shape[at]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {shown(self.shape)} at dimension {dim}"
        )
    return self[at_dim(at, index)]


@select.vjp("self", native=native("select_backward"))
def select_vjp(grad: Any, self_shape: Any, dim: int, index: int) -> Any:
    return select_backward(grad, self_shape, dim, index)


OPERATORS.select = select


@select.samples
def select_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 0, 1)
    yield Sample(make(3, 4), -1, -1)
    yield Sample(make(3), 0, 0)
    yield Bad(make(3, 4), 0, 3, raises=IndexError, says="index 3 out of range for tensor of size [3, 4] at dimension 0")
    yield Bad(make(), 0, 0, raises=IndexError, says="cannot be applied to a 0-dim tensor")


@op(dtypes=WIDE, linear="grad", public="neither", native=native("select_backward"))
def select_backward(grad: Array, shape: Any, dim: int, index: int) -> Any:
    """Zeros of `shape` with `grad` at `index` along `dim`."""
    result = np.zeros(shape, grad.dtype)
    result[at_dim(normalise(dim, len(shape)), index)] = grad
    return result


@select_backward.vjp("grad")
def select_backward_vjp(grad: Any, dim: int, index: int) -> Any:
    return grad.select(dim, index)


@select_backward.batched
def select_backward_batched(grad: Any, shape: Any, dim: int, index: int) -> Any:
    return select_backward.call((grad, (grad.shape[0], *shape), 1 + normalise(dim, len(shape)), index))


@select_backward.samples
def select_backward_samples(make: Any) -> Any:
    yield Sample(make(3), (2, 3), 0, 1)


def bounds(start: Any, end: Any, length: int) -> tuple[int, int]:
    """Return `start` and `end` of a slice, counted from the front and limited to `[0, length]`."""
    first = 0 if start is None else integer("slice", "start", start)
    last = length if end is None else integer("slice", "end", end)
    first, last = first + length if first < 0 else first, last + length if last < 0 else last
    first = min(max(first, 0), length)
    return first, min(max(last, first), length)


@op(
    dtypes=WIDE, view=True, linear="self", batching=along("dim"), name="slice", public="neither", native=native("slice")
)
def slice_(self: Array, dim: int, start: Any, end: Any, step: int) -> Any:
    """Select every `step`-th slice from `start` to before `end` along `dim`."""
    if step == 1 and 0 <= dim < self.ndim and not (isinstance(start, bool) or isinstance(end, bool)):
        return self[start:end] if not dim else self[at_dim(dim, slice(start, end))]
    if not self.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    at = normalise(dim, self.ndim)
    if step < 1:
        raise RuntimeError("slice step must be positive")
    first, last = bounds(start, end, self.shape[at])
    return self[at_dim(at, slice(first, last, step))]


slice_.shows(start="as bound", end="as bound")


@slice_.vjp("self", native=native("slice_backward"))
def slice_vjp(grad: Any, self_shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return slice_backward(grad, self_shape, dim, start, end, step)


OPERATORS.slice = slice_


@slice_.samples
def slice_samples(make: Any) -> Any:
    yield Sample(make(5, 3), 0, 1, 4, 2)
    yield Sample(make(5, 3), -1, -2, None, 1)
    yield Sample(make(5), 0, 4, 2, 1)
    yield Bad(make(5), 0, 0, 3, 0, raises=RuntimeError, says="slice step must be positive")


@op(dtypes=WIDE, linear="grad", public="neither", native=native("slice_backward"))
def slice_backward(grad: Array, shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    """Zeros of `shape` with `grad` at a slice along `dim`."""
    at = normalise(dim, len(shape))
    first, last = bounds(start, end, shape[at])
    result = np.zeros(shape, grad.dtype)
    result[at_dim(at, slice(first, last, step))] = grad
    return result


@slice_backward.vjp("grad")
def slice_backward_vjp(grad: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return slice_(grad, dim, start, end, step)


@slice_backward.batched
def slice_backward_batched(grad: Any, shape: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    whole = (grad.shape[0], *shape)
    return slice_backward.call((grad, whole, 1 + normalise(dim, len(shape)), start, end, step))


@slice_backward.samples
def slice_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (5, 3), 0, 1, 4, 2)


@composite()
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """Select the part of `length` slices from `start` along `dim`.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension.
        start: the first slice, an integer or 0-dim integer tensor; negative ones count from the end.
        length: number of slices.

    Returns:
        A view.

    Raises:
        IndexError: if `start` is out of range.
        RuntimeError: if the part extends beyond the end, or `start` is another tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.narrow(wg.tensor([1, 2, 3, 4]), 0, 1, 2)
        tensor([2, 3])
    """
    shape = input._array_.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    have = shape[normalise(dim, len(shape))]
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != INTEGER):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    first = integer("narrow", "start", start)
    if not -have <= first <= have:
        raise IndexError(f"start out of range (expected to be in range of [{-have}, {have}], but got {first})")
    first += have if first < 0 else 0
    if first + length > have:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({have}).")
    return slice_(input, dim, first, first + length, 1)


plain_case(narrow, slice_, native("slice"), translate=native("narrow_arguments"))


@narrow.samples
def narrow_samples(make: Any) -> Any:
    yield Sample(make(5, 3), 0, 1, 2)
    yield Bad(make(5), 0, 3, 3, raises=RuntimeError, says="start (3) + length (3) exceeds dimension size (5)")


def cut(array: Any, dim: int, lengths: Sequence[int]) -> list[Any]:
    """Return views of consecutive parts along `dim`."""
    ends = itertools.accumulate(lengths)
    return [array[at_dim(dim, slice(end - length, end))] for length, end in zip(lengths, ends)]


def equal_lengths(have: int, split_size: int) -> list[int]:
    """Return the lengths of the parts of `have` slices, `split_size` each except the last."""
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0:
        if have:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {have}")
        return [0]
    count = max((have + split_size - 1) // split_size, 1)
    return [*[split_size] * (count - 1), have - split_size * (count - 1)]


def checked_lengths(lengths: Sequence[int], have: int, dim: int) -> list[int]:
    """Return `lengths`, which must add up to `have`."""
    lengths = integers("split_with_sizes", "split_sizes", lengths, 2)
    if any(length < 0 for length in lengths):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}"
        )
    if sum(lengths) != have:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {have} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={list(lengths)}"
        )
    return list(lengths)


def split_lengths(split_size: Any, have: int, dim: int) -> list[int]:
    """Return the lengths of the parts of `split`."""
    if isinstance(split_size, (tuple, list)):
        return checked_lengths(split_size, have, dim)
    return equal_lengths(have, integer("split", "split_size", split_size))


def split_form(args: tuple[Any, ...]) -> int:
    """Return which of torch's two operators a call is."""
    return 1 if isinstance(args[1], (tuple, list)) else 0


@op(
    dtypes=WIDE,
    view=True,
    outputs=...,
    linear="self",
    batching=along("dim"),
    node=nodes("SplitBackward0", "SplitWithSizesBackward0", by=split_form),
    native=native("split"),
)
def split(self: Array, split_size: Any, dim: int = 0) -> Any:
    """Split a tensor into consecutive parts along `dim`.

    Args:
        self: tensor with at least one dimension.
        split_size: the length of all parts (the last may be shorter), or a list of lengths.

    Returns:
        A tuple of views; they may not be written to in place while recording.

    Raises:
        RuntimeError: if the lengths do not add up.

    Examples:
        >>> import wengert as wg
        >>> wg.split(wg.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    if not isinstance(split_size, (int, np.integer, tuple, list)):
        raise TypeError(wrong_type("split_with_sizes", "split_sizes", 2, "tuple of ints", split_size))
    if not self.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if not isinstance(split_size, (tuple, list)):
        equal_lengths(0, int(split_size))  # a negative size is reported before a dimension that is out of range
    at = normalise(dim, self.ndim)
    return cut(self, at, split_lengths(split_size, self.shape[at], at))


split.shows(split_sizes="split_size")


split.aliases["split_size_or_sections"] = 1


@split.vjp("self", native=native("split_rule"))
def split_vjp(grads: Any, self_shape: Any, split_size: Any, dim: int) -> Any:
    at = normalise(dim, len(self_shape))
    return join_parts(grads, self_shape, at, split_lengths(split_size, self_shape[at], at))


def split_sizes_vjp(grads: Any, self_shape: Any, split_sizes: Any, dim: int) -> Any:
    """Rule of the operators that call the lengths of the parts `split_sizes`."""
    return split_vjp(grads, self_shape, split_sizes, dim)


@split.samples
def split_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 2)
    yield Sample(make(2, 5), [1, 4], -1)
    yield Bad(make(5), [1, 2], raises=RuntimeError, says="split_sizes to sum exactly to 5")


def join_parts(grads: Any, shape: Any, dim: int, lengths: Sequence[int]) -> Any:
    """Gradient of a tensor from those of its parts; missing ones are zero."""
    if current().grad:
        return cat(completed(grads, [(*shape[:dim], length, *shape[dim + 1 :]) for length in lengths]), dim)
    remaining = [at for at, grad in enumerate(grads) if grad is not None]
    starts = list(itertools.accumulate(lengths, initial=0))
    return split_backward([grads[at] for at in remaining], shape, dim, [starts[at] for at in remaining])


@op(dtypes=WIDE, linear="parts", public="neither", native=native("split_backward"))
def split_backward(parts: Arrays, shape: Any, dim: int, starts: Any) -> Any:
    """Zeros of `shape` with `parts` along `dim`, each at its start."""
    result = np.zeros(shape, parts[0].dtype)
    for part, start in zip(parts, starts):
        result[at_dim(dim, slice(start, start + part.shape[dim]))] = part
    return result


@split_backward.vjp("parts")
def split_backward_vjp(grad: Any, parts_shape: Any, dim: int, starts: Any) -> Any:
    return [grad.narrow(dim, start, shape[dim]) for shape, start in zip(parts_shape, starts)]


@split_backward.batched
def split_backward_batched(parts: Any, shape: Any, dim: int, starts: Any) -> Any:
    size = next(part.shape[0] for part in parts if part is not None)
    return split_backward.call((parts, (size, *shape), 1 + normalise(dim, len(shape)), starts))


@split_backward.samples
def split_backward_samples(make: Any) -> Any:
    yield Sample([make(2, 2), make(2, 1)], (2, 4), 1, [0, 3])


@op(dtypes=WIDE, view=True, outputs=..., linear="self", batching=along("dim"), native=native("unbind"))
def unbind(self: Array, dim: int = 0) -> Any:
    """Split a tensor into all slices along `dim`, without that dimension.

    Args:
        self: tensor with at least one dimension.

    Returns:
        A tuple of views; they may not be written to in place while recording.

    Examples:
        >>> import wengert as wg
        >>> wg.unbind(wg.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """
    if not self.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    at = normalise(dim, self.ndim)
    return [self[at_dim(at, index)] for index in range(self.shape[at])]


@unbind.vjp("self", native=native("unbind_rule"))
def unbind_vjp(grads: Any, self_shape: Any, dim: int) -> Any:
    at = normalise(dim, len(self_shape))
    if current().grad:
        return stack(completed(grads, [(*self_shape[:at], *self_shape[at + 1 :])] * len(grads)), at)
    parts = [grad if grad is None else grad.unsqueeze(at) for grad in grads]
    return join_parts(parts, self_shape, at, [1] * len(grads))


@unbind.samples
def unbind_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Sample(make(3, 2), -1)
    yield Bad(make(), raises=IndexError, says="tensor has no dimensions")


@composite()
def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """Split a tensor into at most `chunks` parts of equal length along `dim` (the last may be shorter).

    Args:
        input: tensor with at least one dimension.
        chunks: number of parts.
        dim: the dimension.

    Returns:
        A tuple of views.

    Raises:
        RuntimeError: if `chunks` is less than 1, or the tensor has no dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.chunk(wg.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """
    shape = input._array_.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if (chunks := integer("chunk", "chunks", chunks)) < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    have = shape[normalise(dim, len(shape))]
    return input.split(-(-have // chunks) if have else [0] * chunks, dim)


plain_case(chunk, split, native("split"), translate=native("chunk_arguments"))


@chunk.samples
def chunk_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 2)
    yield Bad(make(5), 0, raises=RuntimeError, says="chunks` to be greater than 0")

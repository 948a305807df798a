"""Shapes, strides and dimensions as tuples of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wengert._tensor import Tensor
from wengert.ops.memory.memory_formats import channels_last, channels_last_3d, contiguous_format


def check(b: bool, s: Callable[[], str], exc_type: type[Exception] = RuntimeError) -> None:
    """Raise an error unless a condition is true.

    Args:
        b: the condition.
        s: function that returns the message.
        exc_type: its type.
    """
    if not b:
        raise exc_type(s())


def prod(xs: Iterable[Any]) -> Any:
    """The product of numbers, 1 of none."""
    return math.prod(xs)


def validate_dim_length(length: int) -> None:
    """Refuse lengths below 0."""
    check(length >= 0, lambda: f"Received a dimension length of {length}, lengths must not be negative", ValueError)


def validate_shape(shape: Sequence[int]) -> None:
    """Refuse shapes with lengths below 0."""
    for length in shape:
        validate_dim_length(length)


def validate_strides(strides: Sequence[int]) -> None:
    """Refuse strides below 0."""
    for stride in strides:
        check(stride >= 0, lambda: f"Received a stride of {strides}, strides must not be negative", ValueError)


def validate_idx(rank: int, idx: int) -> None:
    """Refuse a dimension that a tensor of `rank` dimensions has not; 0 is one of none.

    Raises:
        AssertionError: if it has not.
    """
    if not (0 <= idx < rank or idx == 0):
        raise AssertionError(f"invalid dimension {idx} for a tensor of {rank} dimensions")


def canonicalize_dim(rank: int, idx: int, wrap_scalar: bool = True) -> int:
    """A dimension counted from the front.

    Args:
        rank: the number of dimensions.
        idx: the dimension, counted from the end if it is below 0.
        wrap_scalar: a tensor without dimensions counts as one with a single one.

    Raises:
        IndexError: if a dimension is out of range.
    """
    if rank < 0:
        raise IndexError(f"Rank cannot be negative but got {rank}")
    if rank == 0:
        if not wrap_scalar:
            raise IndexError(f"Dimension specified as {idx} but tensor has no dimensions")
        rank = 1
    if -rank <= idx < rank:
        return idx % rank
    raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {idx})")


def canonicalize_dims(rank: int, indices: Any, wrap_scalar: bool = True) -> Any:
    """`canonicalize_dim` of one dimension, or of several, as a tuple."""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, index, wrap_scalar) for index in indices)


def is_valid_permutation(rank: int, perm: Any) -> bool:
    """Return whether a sequence has each of `rank` dimensions once."""
    return isinstance(perm, Sequence) and sorted(perm) == list(range(rank))


def apply_perm(inp: Sequence[Any], perm: Sequence[int]) -> tuple[Any, ...]:
    """Elements in the order that a permutation says."""
    return tuple(inp[at] for at in perm)


def invert_perm(perm: Sequence[int]) -> list[int]:
    """The permutation that undoes another one."""
    return [list(perm).index(at) for at in range(len(perm))]


def is_same_shape(a: Sequence[int], b: Sequence[int]) -> bool:
    """Return whether two shapes are equal."""
    return tuple(a) == tuple(b)


def is_cpu_scalar_tensor(a: Any) -> bool:
    """Return whether a value is a tensor on the CPU without dimensions."""
    return isinstance(a, Tensor) and a.ndim == 0 and a.device.type == "cpu"


def check_same_shape(*args: Any, allow_cpu_scalar_tensors: bool) -> None:
    """Refuse tensors of different shapes; numbers count for nothing.

    Raises:
        RuntimeError: if there are such.
    """
    shape = None
    for arg in args:
        if not isinstance(arg, Tensor) or (allow_cpu_scalar_tensors and is_cpu_scalar_tensor(arg)):
            continue
        shape = arg.shape if shape is None else shape
        if not is_same_shape(shape, arg.shape):
            raise RuntimeError(f"Shape {arg.shape} is not the expected shape {shape}!")


def extract_shape_from_varargs(shape: Any, validate: bool = True) -> tuple[int, ...]:
    """Return the shape of arguments that are several numbers or one sequence."""
    lengths = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else tuple(shape)
    if validate:
        validate_shape(lengths)
    return lengths


def infer_size(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """Return a shape for a number of elements, with -1 replaced by the inferred length.

    Raises:
        RuntimeError: if there is none.
    """
    known = math.prod(length for length in shape if length != -1)
    check(sum(length == -1 for length in shape) <= 1, lambda: "only one dimension can be inferred")
    fits = known == numel if -1 not in shape else known > 0 and numel % known == 0
    check(fits, lambda: f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(numel // known if length == -1 else length for length in shape)


def is_expandable_to(shape: Sequence[int], desired: Sequence[int]) -> bool:
    """Return whether a shape can be expanded to another one."""
    if len(shape) > len(desired):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(desired)))


def make_contiguous_strides_for(shape: Sequence[int], row_major: bool = True) -> tuple[int, ...]:
    """Return the strides of a row-major tensor; of column-major matrices unless `row_major`.

    >>> make_contiguous_strides_for((2, 3, 4))
    (12, 4, 1)
    """
    validate_shape(shape)
    strides, step = list[int](), 1
    for length in reversed(shape):
        strides.insert(0, step)
        step *= max(length, 1)
    if row_major or len(shape) < 2:
        return tuple(strides)
    return (*strides[:-2], 1, max(shape[-2], 1))


def in_order(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a tensor for an order of dimensions in memory, the last of which is the innermost."""
    strides, step = [0] * len(shape), 1
    for at in reversed(order):
        strides[at] = step
        step *= shape[at]
    return tuple(strides)


def make_channels_last_2d_strides_for(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of images in channels-last layout."""
    check(len(shape) == 4, lambda: "Only tensors of rank 4 can use the channels_last memory format")
    return in_order(shape, (0, 2, 3, 1))


def make_channels_last_3d_strides_for(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of volumes in channels-last layout."""
    check(len(shape) == 5, lambda: "Only tensors of rank 5 can use the channels_last_3d memory format")
    return in_order(shape, (0, 2, 3, 4, 1))


def make_channels_last_strides_for(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of sequences, images or volumes in channels-last layout.

    Raises:
        RuntimeError: if the shape is of another rank.
    """
    orders = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
    check(len(shape) in orders, lambda: f"no channels last format strides exist in {len(shape)} dimensions")
    return in_order(shape, orders[len(shape)])


def has_strides(a: Any, strides: Sequence[int]) -> bool:
    """Return whether a tensor has these strides, ignoring dimensions of length 1; True for an empty tensor."""
    if a.numel() == 0:
        return True
    return all(length == 1 or stride == other for length, stride, other in zip(a.shape, a.stride(), strides))


def is_contiguous(a: Any, false_if_dde: bool = False) -> bool:
    """Return whether a tensor is row-major and contiguous."""
    return has_strides(a, make_contiguous_strides_for(a.shape))


is_contiguous_or_false = is_contiguous


def is_channels_last_contiguous_2d(a: Any, false_if_dde: bool = False) -> bool:
    """Return whether a tensor of rank 4 has its channels innermost."""
    return a.ndim == 4 and has_strides(a, make_channels_last_2d_strides_for(a.shape))


def is_channels_last_contiguous_3d(a: Any, false_if_dde: bool = False) -> bool:
    """Return whether a tensor of rank 5 has its channels innermost."""
    return a.ndim == 5 and has_strides(a, make_channels_last_3d_strides_for(a.shape))


def is_channels_last_contiguous(a: Any) -> bool:
    """Return whether a tensor of rank 4 or 5 has its channels innermost."""
    return is_channels_last_contiguous_2d(a) or is_channels_last_contiguous_3d(a)


def is_contiguous_for_memory_format(a: Any, *, memory_format: Any, false_if_dde: bool = False) -> bool:
    """Return whether a tensor is contiguous in a memory format.

    Raises:
        ValueError: if there is no such format.
    """
    if memory_format is contiguous_format:
        return is_contiguous(a)
    if memory_format is channels_last:
        return is_channels_last_contiguous_2d(a)
    if memory_format is channels_last_3d:
        return is_channels_last_contiguous_3d(a)
    raise ValueError(f"Unexpected memory format: {memory_format}")


def suggest_memory_format(x: Any) -> Any:
    """Return the memory format of a result like `x`."""
    if x.layout.name != "strided":
        return contiguous_format
    if x.ndim in (4, 5) and is_channels_last_contiguous(x) and not is_contiguous(x):
        return channels_last if x.ndim == 4 else channels_last_3d
    return contiguous_format


def reduction_dims(shape: Sequence[int], dims: Any) -> tuple[int, ...]:
    """Return the dimensions of a reduction, counted from the front; all if `dims` is None.

    Raises:
        RuntimeError: if one is there twice.
    """
    if dims is None:
        return tuple(range(len(shape)))
    result = tuple(canonicalize_dim(len(shape), dim) for dim in dims)
    check(len(set(result)) == len(result), lambda: "duplicate value in the list of dims")
    return result


def compute_reduction_output_shape(shape: Sequence[int], dimensions: Sequence[int]) -> tuple[int, ...]:
    """A shape without some of its dimensions, which are counted from the front.

    Raises:
        AssertionError: if there is no such dimension.
    """
    for dimension in dimensions:
        validate_idx(len(shape), dimension)
    return tuple(length for at, length in enumerate(shape) if at not in dimensions)


def set_correction(unbiased: bool | None = None, correction: float | None = None) -> float:
    """Return the correction of a variance from one of two arguments; 1 by default.

    Raises:
        RuntimeError: if both are given.
    """
    check(unbiased is None or correction is None, lambda: "cannot specify both correction and unbiased arguments")
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    return float(correction)


def compute_required_storage_length(shape: Sequence[int], strides: Sequence[int], storage_offset: int) -> int:
    """Return the number of elements that a storage needs for a tensor."""
    if math.prod(shape) == 0:
        return 0
    return 1 + storage_offset + sum((length - 1) * stride for length, stride in zip(shape, strides))

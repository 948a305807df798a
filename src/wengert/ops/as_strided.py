"""Any view of a tensor's memory by shape and strides: as_strided and its derivative."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided as reaching

from .._core.base import OPERATORS
from .._core.card import WIDE, Array, Bad, Sample, composite, op
from .._core.errors import shown
from .._kernels.layout import PLAIN_KINDS


def strided_arguments(input: Any, size: Any, stride: Any, storage_offset: int | None) -> tuple[Any, ...]:
    """Shape, strides and the offset from the first element of `input`, of a view that lies within its memory.

    Raises:
        RuntimeError: it does not.
    """
    lengths, steps = tuple(map(operator.index, size)), tuple(map(operator.index, stride))
    if len(lengths) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in steps):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {shown(steps)}")
    start = input.storage_offset()
    offset = start if storage_offset is None else operator.index(storage_offset)
    low, high = byte_bounds(input._storage_.array)
    step = input._array_.itemsize
    need = (offset + 1 + sum((length - 1) * each for length, each in zip(lengths, steps))) * step
    if all(lengths) and (need > high - low or offset < 0):
        raise RuntimeError(
            f"setStorage: sizes {shown(lengths)}, strides {shown(steps)}, storage offset {offset}, and itemsize "
            f"{step} requiring "
            f"a storage size of {need} are out of bounds for storage of size {high - low}"
        )
    return lengths, steps, offset - start


@composite()
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """The memory of a tensor under any shape and strides.

    Args:
        input: tensor.
        size: the shape.
        stride: for each dimension how many elements lie between neighbours in memory.
        storage_offset: where to start in the storage; as `input` if it is not given.

    Returns:
        A view; several of its elements may lie at one place in memory.

    Raises:
        RuntimeError: it would reach outside of the memory.
    """
    return as_strided_from.call((input, *strided_arguments(input, size, stride, storage_offset)))


@as_strided.samples
def as_strided_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 2), (4, 1), 1)
    yield Sample(make(5), (3, 3), (1, 1))
    yield Bad(make(3), (4,), (1,), raises=RuntimeError, says="out of bounds for storage")


@op(
    dtypes=WIDE,
    view=True,
    linear="self",
    function=False,
    method=False,
    node="AsStridedBackward0",
    name="as_strided_from",
)
def as_strided_from(self: Array, size: Any, stride: Any, offset: int) -> Any:
    """`as_strided` with an offset counted from the tensor's first element."""
    step = self.itemsize
    strides = tuple([each * step for each in stride])
    dense = self if self.flags.c_contiguous else self.T
    if offset >= 0 and dense.flags.c_contiguous and self.dtype.kind in PLAIN_KINDS and all(size):
        try:
            return np.ndarray(size, self.dtype, dense, offset * step, strides)
        except (TypeError, ValueError):  # it reaches outside of the array, into the rest of the memory
            pass
    first = reaching(self, (), ())
    if all(size):
        first = np.ndarray((), self.dtype, buffer=memory_from(self, offset * step))
    return reaching(first, size, strides)


def memory_from(array: Any, distance: int) -> Any:
    """The memory that starts `distance` bytes after the first element of an array."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    low, high = byte_bounds(root)
    start = array.__array_interface__["data"][0] - low + distance
    flat = reaching(root, (high - low,), (1,)) if root.itemsize == 1 else as_bytes(root, high - low)
    return flat[start:]


def as_bytes(root: Any, count: int) -> Any:
    """All bytes of an array that owns its memory."""
    dense = reaching(root, (count // root.itemsize,), (root.itemsize,))
    return dense.view(np.uint8)


@as_strided_from.vjp("self")
def as_strided_vjp(
    grad: Any, self_shape: Any, self_strides: Any, self_dtype: Any, size: Any, stride: Any, offset: int
) -> Any:
    steps = tuple(each // self_dtype.itemsize for each in self_strides)
    return as_strided_backward(grad, self_shape, steps, size, stride, offset)


OPERATORS.reshaped_view = as_strided_from


@as_strided_from.samples
def as_strided_from_samples(make: Any) -> Any:
    yield Sample(make(3, 4), (2, 2), (4, 1), 1)


def element_places(shape: Any, steps: Any, start: int) -> Any:
    """For each element its place in memory, counted in elements."""
    found = np.full((1,) * len(shape), start, np.int64)
    for dim, (length, step) in enumerate(zip(shape, steps)):
        lengths = [1] * len(shape)
        lengths[dim] = length
        found = found + (np.arange(length) * step).reshape(lengths)
    return found


def is_part(shape: Any, steps: Any, size: Any, stride: Any, offset: int) -> bool:
    """Whether a strided view takes different elements of a row-major array, and nothing outside of it."""
    expected = 1
    for length, step in zip(reversed(shape), reversed(steps)):
        if length > 1 and step != expected:
            return False
        expected *= length
    reach = 1
    for step, length in sorted(zip(stride, size)):
        if length > 1 and step < reach:
            return False
        reach += step * (length - 1)
    return offset >= 0 and offset + reach <= expected and min(size, default=1) > 0


@op(dtypes=WIDE, linear="grad", function=False, method=False)
def as_strided_backward(
    grad: Array, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool = True
) -> Any:
    """What arrives at each place of memory through a strided view, read by another (`shape`, `steps`).

    Elements of the input that share a place share equally what arrives there, as in torch. `back=False` is the adjoint.
    """
    if back and is_part(shape, steps, size, stride, offset):
        whole = np.zeros(shape, grad.dtype)
        as_strided_from.body(whole, size, stride, offset)[...] = grad
        return whole
    inner, outer = element_places(shape, steps, 0), element_places(size, stride, offset)
    if not inner.size or not outer.size:
        return np.zeros(shape if back else size, grad.dtype)
    low = min(inner.min(), outer.min())
    inner, outer = inner - low, outer - low
    memory = np.zeros(max(inner.max(), outer.max()) + 1, grad.dtype)
    counts = np.bincount(inner.reshape(-1), minlength=memory.size).astype(grad.real.dtype)
    if back:
        np.add.at(memory, outer, grad)
        return memory[inner] / counts[inner]
    np.add.at(memory, inner, grad / counts[inner])
    return memory[outer]


@as_strided_backward.vjp("grad")
def as_strided_backward_vjp(grad: Any, shape: Any, steps: Any, size: Any, stride: Any, offset: int, back: bool) -> Any:
    return as_strided_backward(grad, shape, steps, size, stride, offset, not back)


@as_strided_backward.samples
def as_strided_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2), (3, 4), (4, 1), (2, 2), (4, 1), 1)

"""Padding and packing of sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...ops.create.create import full, tensor
from ...ops.create.interchange import as_tensor, from_numpy
from ...ops.create.like import empty_like
from ...ops.create.ranges import arange
from ...ops.shapes.join import cat

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


def bind(optional: Any, fn: Callable[[Any], Any]) -> Any:
    """Return `fn(optional)`, or None if `optional` is None."""
    return None if optional is None else fn(optional)


class Packed(NamedTuple):
    """Fields of a packed sequence."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


PackedSequence_ = Packed


class PackedSequence(Packed):
    """Sequences of different lengths, stored step by step: all first elements, then all second ones, longest first.

    Args:
        data: (all elements, *), or the pair (data, batch_sizes).
        batch_sizes: number of sequences that reach each step; int64.
        sorted_indices: original positions of the sequences; None if the order is unchanged.
        unsorted_indices: the inverse permutation; computed if not given.

    Raises:
        AssertionError: if `batch_sizes` is missing and `data` is not a pair.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        """Create the tuple; programs call `pack_padded_sequence` or `pack_sequence`."""
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Convert the data as `Tensor.to` does; return the packed sequence itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Raise as `Tensor.cuda` does."""
        return type(self)(self.data.cuda(*args, **kwargs), *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return `to("cpu")`."""
        return self.to(*args, **{"device": "cpu", **kwargs})

    def pin_memory(self) -> PackedSequence:
        """Pin the memory of the data as `Tensor.pin_memory` does."""
        return type(self)(self.data.pin_memory(), *self[1:])

    def double(self) -> PackedSequence:
        """Convert the data to float64."""
        return self.to(dtype=dtypes.float64)

    def float(self) -> PackedSequence:
        """Convert the data to float32."""
        return self.to(dtype=dtypes.float32)

    def half(self) -> PackedSequence:
        """Convert the data to float16."""
        return self.to(dtype=dtypes.float16)

    def long(self) -> PackedSequence:
        """Convert the data to int64."""
        return self.to(dtype=dtypes.int64)

    def int(self) -> PackedSequence:
        """Convert the data to int32."""
        return self.to(dtype=dtypes.int32)

    def short(self) -> PackedSequence:
        """Convert the data to int16."""
        return self.to(dtype=dtypes.int16)

    def char(self) -> PackedSequence:
        """Convert the data to int8."""
        return self.to(dtype=dtypes.int8)

    def byte(self) -> PackedSequence:
        """Convert the data to uint8."""
        return self.to(dtype=dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """False: the data are never on a CUDA device."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Return whether the data are in pinned memory: False."""
        return self.data.is_pinned()


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation, or None if it is None."""
    if permutation is None:
        return None
    order = arange(0, permutation.numel())
    return empty_like(permutation).scatter_(0, permutation, order)


def rows_of_steps(lengths: Any, sizes: Any, batch_first: bool) -> Any:
    """Return the rows of a padded batch that hold the elements of its sequences, step by step.

    Args:
        lengths: length of each sequence, in decreasing order.
        sizes: lengths of the first two dimensions of the batch, which are flattened to rows.
        batch_first: whether the first of these is that of the sequences.
    """
    steps, sequences = np.nonzero(np.arange(int(lengths.max()))[:, None] < lengths[None, :])
    numbers = sequences * sizes[1] + steps if batch_first else steps * sizes[1] + sequences
    return from_numpy(numbers.astype(np.int64))


def padded(data: Any, rows: Any, sizes: tuple[int, int], value: Any) -> Any:
    """Return a batch of two leading dimensions, filled with a value, and with `data` in the given rows."""
    shape = data.shape[1:]
    batch = full((*sizes, *shape), value, dtype=data.dtype)
    batch.view(sizes[0] * sizes[1], *shape).index_copy_(0, rows, data)
    return batch


def check_lengths(lengths: Any, sizes: tuple[int, int]) -> None:
    """Refuse lengths that do not fit the sequences of a batch, or are not in decreasing order.

    Args:
        lengths: int64 array.
        sizes: number of steps and of sequences of the batch.

    Raises:
        RuntimeError: if `lengths` has another number of elements than the batch, or elements that are not positive, too
            large or not in decreasing order.
    """
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu Long tensor"
        )
    if len(lengths) != sizes[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={sizes[1]})"
        )
    if len(lengths) and lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if lengths[0] > sizes[0]:
        raise RuntimeError(
            f"pack_padded_sequence(): a sequence of length {lengths[0]} cannot be taken out of a batch of {sizes[0]} "
            "steps"
        )


@boundary
def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch.

    Args:
        input: (T, N, *), or (N, T, *) if `batch_first`.
        lengths: length of each sequence: a tensor, or a list of integers.
        batch_first: whether `input` is (N, T, *).
        enforce_sorted: refuse lengths that are not in decreasing order; if False, the sequences are sorted.

    Returns:
        The packed sequences, new memory.

    Raises:
        RuntimeError: if the lengths do not fit or are not sorted, or the batch is empty.

    >>> import wengert as wg
    >>> batch = wg.tensor([[1, 2, 3], [4, 5, 0]])
    >>> wg.nn.utils.rnn.pack_padded_sequence(batch, [3, 2], batch_first=True)[:2]
    (tensor([1, 4, 2, 5, 3]), tensor([2, 2, 1]))
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=dtypes.int64)
    else:
        lengths = as_tensor(lengths, dtype=dtypes.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    batch, steps = (input.size(0), input.size(1)) if batch_first else (input.size(1), input.size(0))
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    counts = np.array(lengths.tolist(), np.int64)
    check_lengths(counts, (steps, batch))
    rows = rows_of_steps(counts, input.shape, batch_first)
    data = input.reshape(steps * batch, *input.shape[2:]).index_select(0, rows)
    batch_sizes = (counts[None, :] > np.arange(counts[0])[:, None]).sum(1, np.int64)
    return PackedSequence(data, from_numpy(batch_sizes), sorted_indices)


@boundary
def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: Any = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Unpack into a padded batch.

    Args:
        sequence: packed sequences.
        batch_first: whether the batch is (N, T, *), or (T, N, *).
        padding_value: value of the padding.
        total_length: T; the length of the longest sequence unless given.

    Returns:
        The batch, new memory, and the lengths, both in the order before packing.

    Raises:
        ValueError: if `total_length` is shorter than the longest sequence.

    >>> import wengert as wg
    >>> from wengert.nn.utils import rnn
    >>> packed = rnn.pack_sequence([wg.tensor([1, 2, 3]), wg.tensor([4, 5])])
    >>> rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 5, 0]]), tensor([3, 2]))
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    steps = longest if total_length is None else total_length
    counts = np.array(sequence.batch_sizes.tolist(), np.int64)
    lengths = (counts[:, None] > np.arange(counts[0])).sum(0, np.int64)
    rows = rows_of_steps(lengths, (steps, len(lengths)), False)
    batch = padded(sequence.data, rows, (steps, len(lengths)), padding_value)
    if batch_first:
        batch = batch.transpose(0, 1)
    order = sequence.unsorted_indices
    if order is None:
        return batch, from_numpy(lengths)
    return batch.index_select(0 if batch_first else 1, order), from_numpy(lengths)[order]


@boundary
def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Tensor:
    """Pad sequences of different lengths into one tensor.

    Args:
        sequences: tensors (length, *), which differ in their lengths only.
        batch_first: whether the result is (N, T, *), or (T, N, *).
        padding_value: value of the padding.
        padding_side: "right" pads at the end, "left" at the start.

    Returns:
        A new tensor of the dtype of the first sequence; T is the length of the longest.

    Raises:
        RuntimeError: if there are no sequences, their shapes differ beyond the length, or `padding_side` is unknown.
        TypeError: if an element is not a tensor.

    >>> import wengert as wg
    >>> wg.nn.utils.rnn.pad_sequence([wg.tensor([1, 2]), wg.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    items = tuple(sequences)
    check_alike(items)
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    lengths = np.array([sequence.shape[0] for sequence in items], np.int64)
    longest = int(lengths.max())
    numbers, places = np.nonzero(np.arange(longest) < lengths[:, None])
    if padding_side == "left":
        places = places + (longest - lengths)[numbers]
    rows = numbers * longest + places if batch_first else places * len(items) + numbers
    sizes = (len(items), longest) if batch_first else (longest, len(items))
    data = cat([sequence.to(items[0].dtype) for sequence in items])
    return padded(data, from_numpy(rows.astype(np.int64, copy=False)), sizes, padding_value)


def check_alike(sequences: tuple[Any, ...]) -> None:
    """Refuse sequences that cannot be padded into one tensor.

    Raises:
        RuntimeError: if there are no sequences, or their shapes differ beyond the length.
        TypeError: if an element is not a tensor.
    """
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for number, sequence in enumerate(sequences):
        if not isinstance(sequence, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type(sequence).__name__}")
        if not sequence.ndim:
            raise RuntimeError(f"pad_sequence: element {number} has no dimension for the steps of a sequence")
        if sequence.shape[1:] != sequences[0].shape[1:]:
            raise RuntimeError(
                "pad_sequence: sequences may differ in their lengths only, but got "
                f"{list(sequences[0].shape)} and {list(sequence.shape)}: the size of tensor a must match the size of "
                "tensor b"
            )


@boundary
def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """Return the sequences of a padded batch, each a new tensor of its length.

    Args:
        padded_sequences: (T, N, *), or (N, T, *) if `batch_first`.
        lengths: length of each sequence: a tensor, or a list of integers.
        batch_first: whether `padded_sequences` is (N, T, *).

    Raises:
        ValueError: if the number of lengths is not the number of sequences.
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    counts = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [row[: max(0, count)].clone() for row, count in zip(rows.unbind(0), counts, strict=True)]


@boundary
def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths.

    Args:
        sequences: tensors (length, *), which differ in their lengths only.
        enforce_sorted: refuse lengths that are not in decreasing order; if False, the sequences are sorted.

    Returns:
        The packed sequences, new memory.

    Raises:
        RuntimeError: if there are no sequences, they are not sorted, or their shapes differ beyond the length.
    """
    items = tuple(sequences)
    lengths = tensor([sequence.shape[0] for sequence in items], dtype=dtypes.int64)
    return pack_padded_sequence(pad_sequence(items), lengths, enforce_sorted=enforce_sorted)


@boundary
def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the packed sequences as a list, in their original order."""
    batch, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(batch, lengths, batch_first=True)

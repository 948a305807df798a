"""Hash of a tensor's elements: hash_tensor."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import REALS, Bad, Index, Out, Sample, op
from ..._core.operators.batch_rules import along
from ..._core.types import dtypes
from ..axes import read_dims

HASH = "Expected result to be of dtype uint64, but got {found}"

# As signed integers, bits of numbers and their exclusive or are the same.
HASHED = REALS | {
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
    dtypes.bool_,
}


def check_lengths(array: Any, axes: tuple[int, ...] | None) -> None:
    """Refuse a hash of no elements.

    Raises:
        RuntimeError: if no dimension is given, and there are no elements.
        IndexError: if a reduced dimension has no elements.
    """
    if array.size:
        return
    if axes is None:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    for axis in axes:
        if array.shape[axis] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {axis} to have non-zero size.")


@op(dtypes=HASHED, batching=along("dim"), why="a number made of bits", out=Out(words=HASH))
def hash_tensor(self: Index, dim: Any = (), *, keepdim: bool = False, mode: int = 0, out: Any = None) -> Any:
    """Exclusive or of the bits of elements, as float64 or 64-bit integers: a hash to distinguish tensors.

    Args:
        self: real tensor.
        dim: the dimension or dimensions to reduce; () for all of them.
        keepdim: leave the reduced dimensions with length 1.
        mode: operation that joins elements; only 0, exclusive or.

    Returns:
        A new uint64 tensor.

    Raises:
        RuntimeError: if there are no elements at all, or `mode` is unknown.
        IndexError: if a reduced dimension has no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.hash_tensor(wg.tensor([[1, 2, 4], [8, 8, 1]]), 1)
        tensor([7, 1], dtype=torch.uint64)
    """
    if operator.index(mode):
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if self.dtype.kind not in "fiub":
        raise NotImplementedError(errors.no_kernel("xor_sum", dtypes.from_numpy(self.dtype)))
    axes = read_dims("hash_tensor", dim, self.ndim)
    check_lengths(self, axes)
    wide = self.astype(np.float64 if self.dtype.kind == "f" else np.int64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axis=axes, keepdims=bool(keepdim), out=out)


@hash_tensor.samples
def hash_tensor_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(3, 4), (0, -1), keepdim=True)
    yield Sample(make())
    yield Sample(make(0, 3), 1)
    yield Bad(make(0, 3), raises=RuntimeError, says="Expected reduction dim to be specified")
    yield Bad(make(0, 3), 0, raises=IndexError, says="Expected reduction dim 0 to have non-zero size")
    yield Bad(make(3), mode=1, raises=RuntimeError, says="Unknown hash_tensor mode: 1")
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")

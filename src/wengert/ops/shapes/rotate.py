"""Rotation by right angles: rot90."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.arguments import integer, integers
from ..._core.cards.card import WIDE, Array, Bad, Sample, op
from ..._core.operators import layouts
from ..._core.types.sizes import normalise
from ..._kernels import direct_function as native


def plane(dims: Any, ndim: int) -> tuple[int, int]:
    """Return the two dimensions of a rotation, counted from the front.

    Raises:
        RuntimeError: if there are not two, or they are equal.
    """
    values = integers("rot90", "dims", dims)
    if len(values) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(values)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (normalise(dim, ndim) for dim in values)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {values[0]} and dim1 = {values[1]}")
    return first, second


@op(layout="own", dtypes=WIDE, linear="self", native=native("rot90"))
def rot90(self: Array, k: int = 1, dims: Any = (0, 1)) -> Any:
    """Rotate the tensor by right angles in a plane.

    Args:
        self: tensor with at least two dimensions.
        k: number of right angles, from the first dimension towards the second.
        dims: the two dimensions of the plane.

    Raises:
        RuntimeError: if `dims` is not a plane.

    Examples:
        >>> import wengert as wg
        >>> wg.rot90(wg.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])
    """
    first, second = plane(dims, self.ndim)
    turns = integer("rot90", "k", k) % 4
    turned = [slice(None)] * self.ndim
    for axis in ((), (second,), (first, second), (first,))[turns]:
        turned[axis] = slice(None, None, -1)
    if not turns:
        return np.array(self, order="C")
    flipped = layouts.empty(self.shape, layouts.preserved(self), self.dtype)
    flipped[...] = self[tuple(turned)]
    return flipped.swapaxes(first, second) if turns % 2 else flipped


@rot90.vjp("self")
def rot90_vjp(grad: Any, k: int, dims: Any) -> Any:
    return grad.rot90(-k, dims)


@rot90.batched
def rot90_batched(self: Any, k: int, dims: Any) -> Any:
    return rot90.call((self, k, tuple([1 + dim for dim in plane(dims, self.ndim - 1)])))


@rot90.samples
def rot90_samples(make: Any) -> Any:
    for k in range(4):
        yield Sample(make(2, 3), k)
    yield Sample(make(2, 3, 4), -1, (-1, 0))
    yield Bad(make(3), raises=RuntimeError, says="expected total dims >= 2, but got total dims = 1")
    yield Bad(make(2, 2), 1, (0, -2), raises=RuntimeError, says="rotation dims to be different, but got dim0 = 0 and")
    yield Bad(make(2, 2), 1, (0,), raises=RuntimeError, says="expected total rotation dims == 2, but got dims = 1")

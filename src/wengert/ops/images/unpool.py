"""Max unpooling: values put back to the indices of maxima, a partial inverse of pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import check_members
from ..._core.cards.card import REALS, Array, Bad, Index, Sample
from ..._core.errors import shown
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import positions
from ..._kernels.index import private
from ..create.factory import refuse_dtype
from .pool import gather_planes, gather_volumes, of_planes, of_volumes

Ints = tuple[int, ...]
WORDS = {2: "two elements (height, width)", 3: "three elements (depth, height, width)"}


def check_unpool(name: str, self: Any, indices: Any, output_size: Any, count: int) -> Ints:
    """Return the sizes of the result's last dimensions.

    Raises:
        RuntimeError: if shapes, dtypes or sizes do not fit together.
    """
    if dtypes.from_numpy(indices.dtype) is not dtypes.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {errors.type_name(indices)} in {name}")
    if not isinstance(output_size, (tuple, list)) or len(output_size) != count:
        have = len(output_size) if isinstance(output_size, (tuple, list)) else repr(output_size)
        raise RuntimeError(f"There should be exactly {WORDS[count]} in output_size, but got {have} elements.")
    check_members(f"max_unpool{count}d", "output_size", output_size)
    sizes = tuple([int(size.__index__()) for size in output_size])
    if self.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Input to max_unpooling{count}d should be a {count + 1}d or {count + 2}d Tensor, but got a tensor with "
            f"{self.ndim} dimensions."
        )
    if self.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({shown(self.shape)}) but got indices "
            f"tensor with shape: {shown(indices.shape)}"
        )
    for dim in range(1, self.ndim):
        if not self.shape[dim]:
            raise RuntimeError(
                f"max_unpooling{count}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                f"dimensions, but got {shown(self.shape)} with dimension {dim} being empty."
            )
    if min(sizes) < 0:
        raise RuntimeError(
            f"max_unpooling{count}d(): output_size must contain non-negative spatial dimensions, but got "
            f"output_size={sizes}"
        )
    check_room(name, (*self.shape[:-count], *sizes))
    return sizes


def placed(self: Any, indices: Any, sizes: Ints) -> Any:
    """Zeros with the elements of `input` at `indices`, item by item; the last of several for one index counts.

    Raises:
        RuntimeError: if an index is out of range.
    """
    lead, area = self.shape[: -len(sizes)], math.prod(sizes)
    items, room = math.prod(lead), math.prod(self.shape[len(lead) :])
    places = private(indices).reshape(items, room)
    wrong = places[(places < 0) | (places >= area)]
    if wrong.size:
        volumes = "x".join(map(str, sizes))
        raise RuntimeError(f"Found an invalid max index: {wrong[0]} (output volumes are of size {volumes})")
    result = np.zeros((items, area), self.dtype)
    result[positions.arange(items)[:, None], places] = self.reshape(items, room)
    return result.reshape(*lead, *sizes)


@of_planes(dtypes=REALS, linear="input", node="MaxUnpool2DBackward0")
def max_unpool2d(input: Array, indices: Index, output_size: Any) -> Any:
    """Planes of `output_size` with the elements of `input` at `indices`, zero elsewhere.

    Args:
        input: (N, C, H, W) or (C, H, W).
        indices: index of each element in its plane, of the same shape, int64.
        output_size: height and width of the result.

    Raises:
        RuntimeError: if shapes, dtypes or indices do not fit together.
    """
    sizes = check_unpool("max_unpool2d", input, indices, output_size, 2)
    refuse_dtype("max_unpool2d", input, REALS)
    return placed(input, indices, sizes)


@max_unpool2d.vjp("input")
def max_unpool2d_vjp(grad: Any, indices: Any) -> Any:
    return gather_planes(grad, indices)


@of_volumes(dtypes=REALS, linear="input", node="MaxUnpool3DBackward0")
def max_unpool3d(input: Array, indices: Index, output_size: Any, stride: Any, padding: Any) -> Any:
    """Volumes of `output_size` with the elements of `input` at `indices`, zero elsewhere.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        indices: index of each element in its volume, of the same shape, int64.
        output_size: depth, height and width of the result.
        stride, padding: those of the pooling; only checked.

    Raises:
        RuntimeError: if shapes, dtypes or indices do not fit together.
    """
    sizes = check_volumes(input, indices, output_size, stride, padding)
    return placed(input, indices, sizes)


def check_volumes(input: Any, indices: Any, output_size: Any, stride: Any, padding: Any) -> Ints:
    """Return the lengths of the volumes that `max_unpool3d` makes.

    Raises:
        RuntimeError: if shapes, dtypes or options do not fit.
        NotImplementedError: if the dtype is not floating-point.
    """
    sizes = check_unpool("max_unpool3d", input, indices, output_size, 3)
    for name, option in (("stride", stride), ("padding", padding)):
        check_members("max_unpool3d", name, option)
        if len(option) != 3:
            raise RuntimeError(
                f"There should be exactly three elements (depth, height, width) in {name}, but got: "
                f"{len(option)} elements."
            )
    if min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {shown(stride)}")
    refuse_dtype("max_unpool3d", input, REALS)
    return sizes


@max_unpool3d.vjp("input")
def max_unpool3d_vjp(grad: Any, indices: Any) -> Any:
    return gather_volumes(grad, indices)


@max_unpool2d.samples
def max_unpool2d_samples(make: Any) -> Any:
    from ..create.create import tensor

    places = tensor([[[0, 5], [8, 10]]])
    yield Sample(make(1, 2, 2), places, (3, 4))
    yield Sample(make(2, 1, 2, 2), places.expand(2, 1, 2, 2), (3, 4))
    yield Bad(make(1, 2, 2), places, (3, 3), raises=RuntimeError, says="Found an invalid max index: 10 (output volumes")
    yield Bad(make(1, 2, 1), places, (3, 3), raises=RuntimeError, says="Expected shape of indices to be same as that")
    yield Bad(make(1, 2, 2), places.int(), (3, 4), raises=RuntimeError, says="should be type int64")
    yield Bad(make(1, 2, 2), places, (3, 4.0), raises=TypeError, says="failed to unpack the object at pos 2 with error")
    yield Bad(make(1, 2, 2), places, (3.0, 4), raises=TypeError, says="but found element of type float at pos 0")
    yield Bad(make(1, 2, 2), places, (3,), raises=RuntimeError, says="exactly two elements (height, width)")
    yield Bad(make(1, 2, 2), places, (2**40, 2**40), raises=RuntimeError, says="Storage size calculation overflowed")
    yield Bad(make(2, 2), places[0], (3, 4), raises=RuntimeError, says="should be a 3d or 4d Tensor")


@max_unpool3d.samples
def max_unpool3d_samples(make: Any) -> Any:
    from ..create.create import tensor

    places = tensor([[[[0, 5], [8, 23]]]])
    yield Sample(make(1, 1, 2, 2), places, (2, 3, 4), (2, 2, 2), (0, 0, 0))
    yield Bad(make(1, 1, 2, 2), places, (2, 3, 3), (2, 2, 2), (0, 0, 0), raises=RuntimeError, says="max index: 23")
    yield Bad(make(1, 1, 2, 2), places, (2, 3, 4), (0, 1, 1), (0, 0, 0), raises=RuntimeError, says="strides should be")
    yield Bad(
        make(1, 1, 2, 2), places, (2, 3, 4), (1, 1), (0, 0, 0), raises=RuntimeError, says="exactly three elements"
    )

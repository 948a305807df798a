"""Combinations of tensors: block_diag, column_stack, meshgrid, cartesian_prod, combinations, row_stack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.arguments import check_elements, tensors_of
from ..._core.cards.card import WIDE, Arrays, Bad, Sample, alias, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown, wrong_type
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import positions
from ..family import describes
from .join import common_dtype, native, stack
from .stacks import STACKED, joined, two_rows, vstack


def as_matrix_shape(shape: Any) -> tuple[int, int]:
    """Return the shape of a block: vectors are rows."""
    return (1,) * (2 - len(shape)) + tuple(shape)


def blocks_shape(arrays: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape of the matrix with blocks on its diagonal, and rows and columns of each block."""
    lead = arrays[0].shape[:-2] if arrays[0].ndim == 3 else ()
    shapes = [array.shape[len(lead) :] if lead else as_matrix_shape(array.shape) for array in arrays]
    rows, columns = (sum(lengths) for lengths in zip(*shapes))
    return (*lead, rows, columns), shapes


@op(
    dtypes=WIDE,
    linear="tensors",
    public="neither",
    node="BlockDiagBackward0",
    name="_block_diag",
    native=native("block_diag"),
)
def blocks_on_diagonal(tensors: Arrays) -> Any:
    """Place matrices on the main diagonal of one, zeros elsewhere; a common first dimension is kept.

    All tensors are matrices, or all of them have one more dimension in front, of the same length.
    """
    shape, shapes = blocks_shape(tensors)
    check_room("block_diag", shape)
    result = np.zeros(shape, common_dtype(tensors))
    row = column = 0
    for block, (height, width) in zip(tensors, shapes):
        result[..., row : row + height, column : column + width] = block
        row, column = row + height, column + width
    return result


@blocks_on_diagonal.vjp("tensors")
def blocks_on_diagonal_vjp(grad: Any, tensors_shape: Any) -> Any:
    parts = []
    row = column = 0
    for shape in tensors_shape:
        height, width = shape[1:] if len(shape) == 3 else as_matrix_shape(shape)
        parts.append(grad.narrow(-2, row, height).narrow(-1, column, width).reshape(shape))
        row, column = row + height, column + width
    return parts


@blocks_on_diagonal.batched
def blocks_on_diagonal_batched(tensors: Any) -> Any:
    size = next(block.shape[0] for block in tensors)
    raised = [block.reshape((block.shape[0], *as_matrix_shape(block.shape[1:]))) for block in tensors]
    if raised[0].ndim == 3 and all(block.ndim == 3 for block in raised):
        return blocks_on_diagonal.call((raised,))
    shapes = [block.shape for block in raised]  # members already have a leading dimension, which takes the batch, too
    flat = [block.reshape((size * shape[1], *shape[2:])) for block, shape in zip(raised, shapes)]
    result = blocks_on_diagonal.call((flat,))
    return result.reshape((size, result.shape[0] // max(size, 1), *result.shape[1:]))


@blocks_on_diagonal.samples
def blocks_on_diagonal_samples(make: Any) -> Any:
    yield Sample([make(2, 3), make(2), make()])
    yield Sample([make(0, 2), make(1, 1)])


@composite(method=False)
def block_diag(*tensors: Tensor) -> Any:
    """Place matrices on the main diagonal of one, zeros elsewhere.

    Args:
        tensors: tensors of at most two dimensions; vectors are rows.

    Returns:
        A new matrix of the promoted dtype.

    Raises:
        RuntimeError: if a tensor has more than two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.block_diag(wg.tensor([[1, 2]]), wg.tensor([3]))
        tensor([[1, 2, 0],
                [0, 0, 3]])
    """
    check_elements(tensors, 0)
    for at, tensor in enumerate(tensors):
        if tensor._array_.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {at} has "
                f"{tensor._array_.ndim} dimensions"
            )
    return blocks_on_diagonal(list(tensors)) if tensors else wrap(np.empty((1, 0), np.float32))


@block_diag.samples
def block_diag_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2), make())
    yield Sample()
    yield Bad(make(1, 1, 1), raises=RuntimeError, says="Input tensors must have 2 or fewer dimensions. Input 0 has 3")


@composite(method=False)
@describes(STACKED)
def column_stack(tensors: Any, *, out: Any = None) -> Any:
    """Concatenate tensors along the second dimension; vectors are columns.

    Examples:
        >>> import wengert as wg
        >>> wg.column_stack([wg.tensor([1, 2]), wg.tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])
    """
    operands = tensors_of("column_stack", tensors)
    columns = [
        operand if operand._array_.ndim > 1 else operand.reshape((operand._array_.size, 1)) for operand in operands
    ]
    return joined(columns, 1, out)


def columns_of_arrays(arrays: Any) -> Any:
    """`column_stack` of vectors, if nothing is recorded."""
    return stack.native(arrays, 1) if {array.ndim for array in arrays} == {1} else NotImplemented


plain_case(column_stack, arrays=columns_of_arrays, needs=(stack.native,))
column_stack.samples(two_rows)


@composite(method=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Grids of coordinates.

    Args:
        tensors: vectors (0-dim ones count as length 1), or one list of them.
        indexing: "ij" (or None, with torch's warning): output dimension `k` belongs to vector `k`; "xy": the first
            two are swapped.

    Returns:
        One view for each vector, all of the same shape.

    Raises:
        RuntimeError: if a tensor has more than one dimension, the dtypes differ, or `indexing` is unknown.

    Examples:
        >>> import wengert as wg
        >>> x, y = wg.meshgrid(wg.tensor([1, 2]), wg.tensor([3, 4, 5]), indexing="ij")
        >>> x
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    operands = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(wrong_type("meshgrid", "indexing", 0, "str", indexing))
    if indexing not in ("ij", "xy", None):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing is None:
        anomaly.warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    check_elements(operands, 0)
    if not operands:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    kind = operands[0]._array_.dtype
    for operand in operands:
        if operand._array_.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape "
                f"{shown(operand._array_.shape)}"
            )
        if operand._array_.dtype is not kind and operand._array_.dtype != kind:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    swapped = indexing == "xy" and len(operands) > 1
    if swapped:
        operands[0], operands[1] = operands[1], operands[0]
    shape = tuple([operand._array_.size for operand in operands])
    grids, lengths = [], [1] * len(operands)
    for at, operand in enumerate(operands):
        lengths[at] = shape[at]
        grids.append(operand.view(tuple(lengths)).expand(shape))
        lengths[at] = 1
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@meshgrid.samples
def meshgrid_samples(make: Any) -> Any:
    yield Sample(make(2), make(3), indexing="ij")
    yield Bad(make(2, 2), raises=RuntimeError, says="Expected 0D or 1D tensor", indexing="ij")
    other = make(2).to(dtypes.int8)
    if other.dtype is not make(2).dtype:
        yield Bad(make(2), other, raises=RuntimeError, says="expects all tensors to have the same dtype", indexing="ij")


def check_vector(tensor: Any) -> None:
    """Refuse anything but a vector.

    Raises:
        RuntimeError: if the number of dimensions is not 1.
    """
    if tensor._array_.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {shown(tensor._array_.shape)}")


@composite(method=False)
def cartesian_prod(*tensors: Any) -> Any:
    """Cartesian product: all choices of one element from each of several vectors.

    Args:
        tensors: vectors of the same dtype, or one list of them.

    Returns:
        A tensor with a row for each choice, the last vector's elements changing fastest; a single vector itself.

    Raises:
        RuntimeError: if there are no tensors, one is not a vector, or the dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.cartesian_prod(wg.tensor([1, 2]), wg.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    operands = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    check_elements(operands, 0)
    for operand in operands:
        check_vector(operand)
    if not operands:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(operand.dtype is not operands[0].dtype for operand in operands):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if len(operands) == 1:
        return operands[0]
    check_room("cartesian_prod", [*[operand._array_.size for operand in operands], len(operands)])
    return stack([operand.reshape((-1,)) for operand in meshgrid(*operands, indexing="ij")], 1)


FEW = 4096
"""Largest number of elements that `choices_of_arrays` returns."""


def choices_of_arrays(*arrays: Any) -> Any:
    """`cartesian_prod` of a few elements of several vectors, if nothing is recorded."""
    columns = arrays[0] if len(arrays) == 1 and type(arrays[0]) is list else arrays
    if len(columns) < 2:
        return NotImplemented
    kind, rows, lengths = columns[0].dtype, 1, [1] * len(columns)
    for column in columns:
        if column.ndim != 1 or column.dtype is not kind:
            return NotImplemented
        rows *= column.size
    if rows * len(columns) > FEW:
        return NotImplemented
    result = np.empty((rows, len(columns)), kind)
    grid = result.reshape([*[column.size for column in columns], len(columns)])
    for at, column in enumerate(columns):
        lengths[at] = column.size
        grid[..., at] = column.reshape(lengths)
        lengths[at] = 1
    return result


plain_case(cartesian_prod, arrays=choices_of_arrays, needs=(native("stack"),))


@cartesian_prod.samples
def cartesian_prod_samples(make: Any) -> Any:
    yield Sample(make(2), make(3))
    yield Sample(make(2), make(1), make(2))
    yield Bad(make(2, 2), raises=RuntimeError, says="Expect a 1D vector, but got shape [2, 2]")
    yield Bad(raises=RuntimeError, says="meshgrid expects a non-empty TensorList")


@composite(method=False)
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Combinations: all choices of `r` elements of a vector, in any order.

    Args:
        input: vector.
        r: number of elements to choose.
        with_replacement: whether an element may be chosen again.

    Returns:
        A new tensor with a row for each choice, in the order of `itertools.combinations`.

    Raises:
        RuntimeError: if `input` is not a vector, or `r` is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.combinations(wg.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return input.new_empty((0,))
    count = input._array_.size
    check_room("combinations", [count] * min(r, 64))
    places = positions.arange(count)
    mask = np.ones((count,) * r, np.bool_)
    for at in range(r - 1):
        earlier = places.reshape([count if axis == at else 1 for axis in range(r)])
        later = places.reshape([count if axis == at + 1 else 1 for axis in range(r)])
        mask &= earlier <= later if with_replacement else earlier < later
    chosen = positions.nonzero(mask)
    indices = [wrap(places.astype(np.int64, copy=False)) for places in chosen]
    return stack([input.index_select(0, constant_beside(input, index)) for index in indices], 1)


@combinations.samples
def combinations_samples(make: Any) -> Any:
    yield Sample(make(4))
    yield Sample(make(3), 2, True)
    yield Sample(make(3), 0)
    yield Bad(make(2, 2), raises=RuntimeError, says="Expect a 1D vector, but got shape [2, 2]")
    yield Bad(make(2), -1, raises=RuntimeError, says="Expect a non-negative number, but got -1")


alias("row_stack", vstack)

"""Distinct elements: unique, unique_consecutive."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import batch_errors
from ..._core.cards.card import COMPLEXES, WIDE, Array, Bad, Sample, composite, nodes, op
from ..._core.types.sizes import normalise
from ..._kernels import direct_function as native, positions
from ..dtype_checks import refuse


def refused(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `unique` and `unique_consecutive`.

    Raises:
        RuntimeError: always; the numbers of elements would differ between members.
    """
    raise RuntimeError(batch_errors.dynamic("unique"))


def differs(rows: Any) -> Any:
    """For each row but the first return whether it differs from the previous one; NaN differs from all."""
    other = rows[1:] != rows[:-1]
    return other.any(tuple(range(1, other.ndim)))


def grouped(rows: Any, order: Any) -> tuple[Any, Any, Any]:
    """Return runs of equal rows: the first row of each, the run of each row of the input, and the lengths of runs.

    Args:
        rows: rows in an order in which equal ones are together.
        order: original position of each; None if they are in their own order.
    """
    begins = np.concatenate([np.ones(min(len(rows), 1), np.bool_), differs(rows)])
    starts = positions.flatnonzero(begins)
    runs = positions.cumsum(begins) - 1
    inverse = np.empty(len(rows), np.int64)
    inverse[slice(None) if order is None else order] = runs
    return rows[starts], inverse, np.diff(starts, append=len(rows))


def check_dim(array: Any, dim: int) -> int:
    """Return the dimension whose slices are compared, counted from the front.

    Raises:
        IndexError: if `dim` is out of range.
        RuntimeError: if another dimension is empty.
    """
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = normalise(dim, array.ndim)
    if 0 in array.shape[:axis] + array.shape[axis + 1 :]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return axis


@op(
    dtypes=WIDE - COMPLEXES,
    why="a choice of elements",
    batching=refused,
    name="_unique",
    public="neither",
    outputs={"output": True, "inverse_indices": False, "counts": False},
    layout="own",
    native=native("distinct"),
    node=nodes(
        "Unique2Backward0",
        "UniqueDimBackward0",
        "UniqueConsecutiveBackward0",
        by=lambda args: form_of(args[1], args[2]),
    ),
    kernel="unique",
)
def distinct(self: Array, dim: Any, consecutive: bool, inverse: bool = True, counts: bool = True) -> Any:
    """Return distinct elements (or slices along `dim`), the index of each element among them, and their counts; the
    last two may be empty if not requested.
    """
    if self.dtype.kind == "c":
        refuse("unique", "_unique", self)
    if dim is None:
        flat = self.reshape(-1)
        order = None if consecutive else positions.argsort(flat)
        result, numbers, many = grouped(flat if order is None else flat[order], order)
        return result, numbers.reshape(self.shape), many
    axis = check_dim(self, dim)
    slices = np.moveaxis(self, axis, 0)
    rows = slices.reshape(len(slices), math.prod(slices.shape[1:]))
    order = None if consecutive else positions.lexsort(rows.T[::-1])
    result, numbers, many = grouped(rows if order is None else rows[order], order)
    return np.moveaxis(result.reshape(len(result), *slices.shape[1:]), 0, axis), numbers, many


def form_of(dim: Any, consecutive: bool) -> int:
    """Return torch's operator for a call: one of `FORMS`."""
    return 2 if consecutive else 0 if dim is None else 1


FORMS = ("_unique2", "unique_dim", "unique_consecutive")


def distinct_vjp(grads: Any, dim: Any, consecutive: bool) -> Any:
    raise NotImplementedError(f"the derivative for '{FORMS[form_of(dim, consecutive)]}' is not implemented.")


distinct.refuses("self", words=distinct_vjp)


@distinct.samples
def distinct_samples(make: Any) -> Any:
    yield Sample(make(3, 4), None, False)
    yield Sample(make(3, 4), 1, True)
    yield Sample(make(), None, False)
    yield Bad(make(), 0, False, raises=IndexError, says="Dimension specified as 0 but tensor has no dimensions")
    yield Bad(make(0, 2), 1, False, raises=RuntimeError, says="There are 0 sized dimensions, and they aren't selected")


def chosen(result: tuple[Any, Any, Any], return_inverse: bool, return_counts: bool) -> Any:
    """Return the requested results."""
    wanted = [result[0], *([result[1]] if return_inverse else ()), *([result[2]] if return_counts else ())]
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


@composite()
def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Sorted distinct elements of a tensor; each NaN counts as different.

    Args:
        input: real tensor.
        sorted: has no effect: the result is sorted.
        return_inverse: also return the index of each element in the result, in the shape of `input`.
        return_counts: also return the number of occurrences of each.
        dim: compare the slices along this dimension, not the elements.

    Returns:
        A new tensor, or a tuple of it and the requested int64 tensors. A backward pass through it is refused.

    Raises:
        IndexError: if `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.unique(wg.tensor([2, 1, 2]), return_counts=True)
        (tensor([1, 2]), tensor([1, 2]))
    """
    return chosen(distinct(input, dim, False), return_inverse, return_counts)


@composite()
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Elements of a tensor without those that equal the previous one.

    Args:
        input, return_inverse, dim: as for `unique`.
        return_counts: also return the number of elements that each stands for.

    Returns:
        A new tensor, or a tuple of it and the requested int64 tensors, as from `unique`.

    Raises:
        IndexError: if `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.unique_consecutive(wg.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])
    """
    result = distinct(input, dim, True, bool(return_inverse), bool(return_counts))
    return chosen(result, return_inverse, return_counts)


@unique.samples
def unique_samples(make: Any) -> Any:
    yield Sample(make(3, 4, requires_grad=False))
    yield Sample(make(3, 4, requires_grad=False), True, True, True)
    yield Sample(make(3, 4, requires_grad=False), dim=0)


@unique_consecutive.samples
def unique_consecutive_samples(make: Any) -> Any:
    yield Sample(make(3, 4, requires_grad=False))
    yield Sample(make(3, 4, requires_grad=False), True, True, 0)

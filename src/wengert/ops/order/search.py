"""Search among sorted elements, and membership: searchsorted, bucketize, isin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.arguments import asking
from ..._core.cards.card import BOOLS, ORDERED, Bad, Index, Sample, composite, op, registered
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown, wrong_type
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import full, singled
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._kernels import direct_function as native, order as kernels
from ..dtype_checks import check_number, check_ordered

NUMBERS = ORDERED - BOOLS
UNORDERED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
FEW = 1024
"""Largest number of pairs for which comparing all of them is faster than sorting."""


def rows_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `searchsorted`: edges that members share stay one row."""
    (edges, values, *rest), in_batch = singled(args, carried)
    if not in_batch[0] and edges._array_.ndim == 1:
        return op.call((edges, *full([values, *rest], in_batch[1:], size)))
    edges, values, *rest = full([edges, values, *rest], in_batch, size)
    if edges._array_.ndim > 2:
        return op.call((edges, values, *rest))
    shape = values._array_.shape
    return op.call((edges, values.reshape((size, math.prod(shape[1:]))), *rest)).reshape(shape)


@op(
    dtypes=NUMBERS,
    why="indices",
    batching=rows_of_batch,
    name="_searchsorted",
    public="neither",
    layout="own",
    native=native("sorted_positions"),
)
def sorted_positions(sorted_sequence: Index, input: Index, right: bool, out_int32: bool) -> Any:
    """Return the insertion indices of values among sorted ones, row by row or all in the same row."""
    for operand in (sorted_sequence, input):
        check_ordered("searchsorted", "searchsorted_out_cpu", operand)
    common = dtypes.result_type((sorted_sequence, input)).numpy  # a number counts as one of the dtype of the sequence
    edges, values = sorted_sequence.astype(common, copy=False), input.astype(common, copy=False)
    check_number("searchsorted", "searchsorted_out_cpu", edges)
    result = kernels.insertion_places(edges, values, right)
    return np.ascontiguousarray(result, np.int32 if out_int32 else np.int64).reshape(values.shape)


@sorted_positions.samples
def sorted_positions_samples(make: Any) -> Any:
    yield Sample(make(1), make(2, 3), True, False)  # sorted, also if tests reverse it
    yield Sample(make(2, 1), make(2, 3), False, True)
    yield Sample(make(0), make(), False, False)


def as_operand(value: Any) -> Any:
    """Return a tensor; 0-dim for a Python number, an integer for a bool."""
    return value if isinstance(value, Tensor) else wrap(np.asarray(+value))


def check_out(name: str, out: Any, out_int32: bool) -> None:
    """Refuse an output of another dtype than the result's."""
    if isinstance(out, Tensor) and out.dtype is not (dtypes.int32 if out_int32 else dtypes.int64):
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
            f"whether out_int32 flag is True, but we got output tensor's dtype {out.dtype.legacy[:-6]} and out_int32 "
            f"flag is {out_int32}"
        )


def check_rows(edges: Any, values: Any) -> None:
    """Refuse sorted rows and values whose shapes do not fit.

    Raises:
        RuntimeError: if they do not fit.
    """
    have, wanted = edges._array_.shape, values._array_.shape
    if not wanted and len(have) != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({len(have)}) and input value's dim(0) numel(1)"
        )
    if not have:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if len(have) != 1 and (len(have) != len(wanted) or have[:-1] != wanted[:-1]):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {shown(have)} and input value "
            f"tensor {shown(wanted)}"
        )


def warn_of_copies(**tensors: Any) -> None:
    """Warn, as torch does, about tensors that are not contiguous."""
    for name, tensor in tensors.items():
        if not tensor._array_.flags.c_contiguous:
            word = {"values": "input value", "edges": "boundary"}.get(name, name)
            anomaly.warn_once(
                f"torch.searchsorted(): {word} tensor is non-contiguous, this will lower the performance due to extra "
                "data copy when converting non-contiguous tensor to contiguous, please use contiguous "
                f"{word} tensor if possible. This message will only appear once per program."
            )


def check_sorter(edges: Any, sorter: Any) -> None:
    """Refuse anything but an order of the edges.

    Raises:
        TypeError: if `sorter` is not a tensor.
        RuntimeError: if `sorter` does not fit the edges.
    """
    if not isinstance(sorter, Tensor):
        raise TypeError(wrong_type("searchsorted", "sorter", 0, "Tensor", sorter))
    if sorter._array_.shape != edges._array_.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{shown(edges._array_.shape)} and got sorter tensor {shown(sorter._array_.shape)}"
        )
    if sorter.dtype is not dtypes.int64:
        raise RuntimeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype " + sorter.dtype.legacy[:-6]
        )


@composite(method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any = None,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Any = None,
    self: Any = None,
) -> Any:
    """Return the indices at which values have to be inserted to keep rows sorted.

    Args:
        sorted_sequence: tensor whose last dimension is sorted; a vector, or with the other dimensions of `input`.
        input: the values, a tensor or (for a vector) a number; NaN is inserted at the end.
        out_int32: return int32, not int64.
        right: insert behind equal elements, not before them.
        side: "right" or "left": another form of `right`.
        sorter: int64 tensor of the shape of `sorted_sequence`, the indices that sort it.
        out: a tensor to write into.
        self: another name of `input` if it is a number.

    Returns:
        A new tensor of the shape of `input`.

    Raises:
        RuntimeError: if shapes do not fit, `side` contradicts `right`, or `sorter` is not an order.

    Examples:
        >>> import wengert as wg
        >>> wg.searchsorted(wg.tensor([1, 3, 5]), wg.tensor([3, 6]))
        tensor([1, 3])
    """
    values = as_operand(input if input is not None else self)
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    check_out("searchsorted", out, out_int32)
    check_rows(sorted_sequence, values)
    edges = sorted_sequence
    warn_of_copies(values=values, edges=edges)
    if sorter is not None:
        check_sorter(edges, sorter)
        warn_of_copies(sorter=sorter)
        try:
            edges = edges.detach().gather(-1, sorter)
        except RuntimeError as error:
            raise RuntimeError(f"torch.searchsorted(): sorter index out of range: {error}") from None
    return put("searchsorted", out, sorted_positions(edges, values, right or side == "right", out_int32))


plain_case(searchsorted, sorted_positions, sorted_positions.native)


@searchsorted.samples
def searchsorted_samples(make: Any) -> Any:
    edges, values = make(1), make(2, 3)  # sorted, also if tests reverse it
    if edges.dtype.is_complex or edges.dtype is dtypes.bool_:
        yield Bad(edges, values, raises=NotImplementedError, says='"searchsorted_out_cpu" not implemented')
        return
    yield Sample(edges, values)
    yield Sample(edges, values, right=True, sorter=edges.detach().argsort(), out_int32=True)
    yield Bad(edges, values, side="foo", raises=RuntimeError, says="side can only be 'left' or 'right' but got foo")
    yield Bad(make(1, 1), values, raises=RuntimeError, says="the first N-1 dimensions of boundaries tensor")
    yield Bad(
        edges, values, sorter=wrap(np.arange(2, dtype=np.int64)), raises=RuntimeError, says="must have the same size"
    )
    yield Bad(
        edges,
        values,
        sorter=wrap(np.arange(1, 2, dtype=np.int64)),
        raises=RuntimeError,
        says="sorter index out of range",
    )


def are_plain(edges: Any, values: Any) -> bool:
    """Return whether values and boundaries are contiguous tensors of one dtype."""
    if not (isinstance(edges, Tensor) and isinstance(values, Tensor)):
        return False
    one, other = edges._array_, values._array_
    return bool(one.ndim == 1 and one.dtype == other.dtype and one.flags.c_contiguous and other.flags.c_contiguous)


@composite(method=False)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Any = None) -> Any:
    """Return the number of boundaries before each value.

    Args:
        input: the values, a tensor or a number.
        boundaries: sorted vector.
        out_int32: return int32, not int64.
        right: whether a value equal to a boundary is behind it, not before it.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of `input`: number of boundaries before each value.

    Raises:
        RuntimeError: if `boundaries` is not a vector.

    Examples:
        >>> import wengert as wg
        >>> wg.bucketize(wg.tensor([3, 6]), wg.tensor([1, 3, 5]))
        tensor([1, 3])
    """
    if out is None and are_plain(boundaries, input):
        return sorted_positions(boundaries, input, right, out_int32)
    if not isinstance(boundaries, Tensor):
        raise TypeError(wrong_type("bucketize", "boundaries", 2, "Tensor", boundaries))
    if boundaries._array_.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array_.ndim})")
    check_out("searchsorted", out, out_int32)
    values = as_operand(input)
    if isinstance(values, Tensor) and values.dtype is not boundaries.dtype:
        values = values.to(dtypes.result_type((values._array_, boundaries._array_)))
    warn_of_copies(values=values, edges=boundaries)
    return put("bucketize", out, sorted_positions(boundaries, values, right, out_int32))


registered("bucketize").public = asking(bucketize, module="wengert")  # type: ignore[misc]  # it takes numbers, too


@bucketize.samples
def bucketize_samples(make: Any) -> Any:
    values, edges = make(2, 3), make(1)
    if edges.dtype.is_complex or edges.dtype is dtypes.bool_:
        yield Bad(values, edges, raises=NotImplementedError, says='"searchsorted_out_cpu" not implemented')
        return
    yield Sample(values, edges)
    yield Bad(values, make(1, 5), raises=RuntimeError, says="boundaries tensor must be 1 dimension, but got dim(2)")


def members_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `isin`: if members have sets of their own, these are sorted and searched."""
    (elements, tests, *rest), (of_elements, other, *_) = singled(args, carried)
    if not other:
        return op.call((elements, tests, *rest))
    elements, tests, *rest = full([elements, tests, *rest], [of_elements, other, *carried[2:]], size)
    shape, count = elements._array_.shape, math.prod(tests._array_.shape[1:])
    if not count:
        return elements.new_full(shape, rest[1], dtype=dtypes.bool_)
    common = dtypes.promote_types(elements.dtype, tests.dtype)
    flat = elements.to(common).reshape((size, math.prod(shape[1:])))
    ordered = tests.to(common).reshape((size, count)).sort(1)[0]
    result = ordered.gather(1, sorted_positions.call((ordered, flat, False, False)).clamp_max(count - 1)) == flat
    return (result.logical_not() if rest[1] else result).reshape(shape)


@op(
    dtypes=NUMBERS, why="truth values", batching=members_of_batch, name="_isin", public="neither", native=native("isin")
)
def membership(elements: Index, test_elements: Index, assume_unique: bool, invert: bool) -> Any:
    """Mask of elements that are among others."""
    for operand in (elements, test_elements):
        if operand.dtype.kind in "bc":
            raise RuntimeError(
                f"Unsupported input type encountered for isin(): {dtypes.from_numpy(operand.dtype).legacy[:-6]}"
            )
        check_ordered("isin", "isin_default_cpu", operand)
    common = dtypes.result_type((elements, test_elements)).numpy
    of, among = (operand.astype(common, copy=False) for operand in (elements, test_elements))
    if of.size * among.size > FEW:
        return np.asarray(np.isin(of, among, invert=invert))
    result = (of[..., None] == among.reshape(-1)).any(-1)
    return ~result if invert else result


@membership.samples
def membership_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(5), False, False)
    yield Sample(make(), make(0), False, True)


@composite(method=False)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Any = None
) -> Any:
    """Return whether elements are among others; NaN never is.

    Args:
        elements: tensor, or a number.
        test_elements: tensor, or a number; one of the two is a tensor.
        assume_unique: has no effect.
        invert: return whether they are not.
        out: a bool tensor to write into.

    Returns:
        A new bool tensor of the shape of `elements`.

    Raises:
        TypeError: if both are numbers, or one is neither a tensor nor a number.
        RuntimeError: if they are bool or complex.

    Examples:
        >>> import wengert as wg
        >>> wg.isin(wg.tensor([1, 2, 3]), wg.tensor([3, 1]))
        tensor([ True, False,  True])
    """
    tensors = isinstance(elements, Tensor) or isinstance(test_elements, Tensor)
    for at, operand in enumerate((elements, test_elements)):
        if not tensors or not isinstance(operand, (Tensor, int, float, np.number)):
            name = ("elements", "test_elements")[at]
            raise TypeError(wrong_type("isin", name, at + 1, "Tensor", operand))
    if isinstance(elements, Tensor) and not isinstance(test_elements, Tensor) and elements.dtype in UNORDERED:
        return put("isin", out, elements.ne(test_elements) if invert else elements.eq(test_elements), words=EXACT)
    result = membership(as_operand(elements), as_operand(test_elements), assume_unique, invert)
    return put("isin", out, result, words=EXACT)


plain_case(isin, membership, membership.native)


@isin.samples
def isin_samples(make: Any) -> Any:
    x = make(3, 4)
    if x.dtype.is_complex or x.dtype is dtypes.bool_:
        yield Bad(x, x, raises=RuntimeError, says="Unsupported input type encountered for isin()")
        return
    yield Sample(x, make(5))
    yield Sample(x, 1, invert=True)
    yield Bad(1, 2, raises=TypeError, says="argument 'elements' (position 1) must be Tensor, not int")

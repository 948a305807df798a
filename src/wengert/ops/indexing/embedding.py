"""Embedding: rows of a table by number, and their renormalisation; one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import batch_errors, errors
from ..._core.cards.arguments import integer
from ..._core.cards.card import ALL, FLOATS, Array, Bad, Index, Sample, composite, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.operators.batch_rules import check_member, singled, with_batch
from ..._core.recording.saved_tensor import read_saved
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.standins import StandIn
from ..._core.tensor.storage import count_write
from ..._core.tensor.tracing import told_reading
from ..._core.types import dtypes
from ..._core.writes.inplace import check_target
from ..._kernels import positions
from ..._kernels.index import private
from ..create.factory import refuse_dtype
from ..sparse.create import packed

_IN_PACKAGE = ("embedding_renorm_",)

native = kernels.direct_function


def refuse_sparse(sparse: bool) -> None:
    """Refuse gradients that are not dense."""
    if sparse:
        raise RuntimeError("embedding: sparse gradients come by nn.functional.embedding; here set sparse=False")


def refuse_table(weight: Any) -> None:
    """Refuse a table without rows."""
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, got {errors.shown(weight.shape)}")


def check_indices(indices: Any, rows: int) -> None:
    """Refuse row numbers of another dtype, or out of range.

    Raises:
        RuntimeError: if the dtype is neither int64 nor int32.
        IndexError: if a number is below 0, or not below `rows`.
    """
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{errors.type_name(indices)} instead (while checking arguments for embedding)"
        )
    if indices.size and not isinstance(indices, StandIn) and (int(indices.min()) < 0 or int(indices.max()) >= rows):
        raise IndexError(
            f"index out of range in self: embedding has {rows} rows, got indices from {indices.min()} to "
            f"{indices.max()}"
        )


def rows_of_batch(indices: Any, rows: int) -> Any:
    """Return row numbers in the concatenated tables of all members.

    Raises:
        IndexError: if a number is not a row of its member's table.
    """
    size = indices.shape[0]
    numbers = embedding_table.call((wrap(positions.arange(rows)[:, None]), indices)).squeeze(-1)
    return numbers + wrap((positions.arange(size) * rows).reshape((size, *(1,) * (indices.ndim - 1))))


def embedding_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `embedding`: more numbers, or the rows of all tables in one."""
    (weight, indices, *options), in_batch = singled(args, carried)
    if not in_batch[0]:
        return op.call((weight, indices, *options))
    if weight.ndim != 3:
        check_member(op, size, args, carried)
    rows, width = weight.shape[1:]
    numbers = rows_of_batch(with_batch(indices, in_batch[1], size), rows)
    return op.call((weight.reshape((size * rows, width)), numbers, *options))


@op(
    dtypes=ALL,
    linear="weight",
    batching=embedding_of_batch,
    name="embedding",
    public="function",
    native=native("embedding"),
)
def embedding_table(
    weight: Array, indices: Index, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """Return rows of a table.

    Args:
        weight: (rows, width).
        indices: row numbers, int64 or int32, of any shape.
        padding_idx: row without a gradient; -1 for none.
        scale_grad_by_freq: divide gradients by the number of uses of their row.
        sparse: must be False: gradients are dense.

    Returns:
        A new tensor of the shape of `indices`, and `width`.

    Raises:
        IndexError: if a number is out of range.
        RuntimeError: if the table does not have two dimensions, the numbers have another dtype, or `sparse` is set.

    Examples:
        >>> import wengert as wg
        >>> wg.embedding(wg.tensor([[0.0, 1.0], [2.0, 3.0]]), wg.tensor([1, 0, 1]))
        tensor([[2., 3.],
                [0., 1.],
                [2., 3.]])
    """
    refuse_table(weight)
    refuse_sparse(sparse)
    refuse_dtype("embedding", weight, ALL)
    check_indices(indices, weight.shape[0])
    return kernels.embedding(weight, indices)


embedding_table.shows(sparse=lambda node: False, weight_sym_argsize_0=lambda node: read_saved(node, "weight_shape")[0])


@embedding_table.vjp("weight", native=native("embedding_rule"))
def embedding_vjp(grad: Any, indices: Any, weight_shape: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    return embedding_dense_backward(grad, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


@embedding_table.samples
def embedding_table_samples(make: Any) -> Any:
    numbers = wrap(np.array([[0, 2], [2, 3]], np.int64))
    yield Sample(make(4, 3), numbers)
    yield Sample(make(4, 3), numbers, 2, True)
    yield Bad(make(3, 3), numbers, raises=IndexError, says="index out of range in self")
    yield Bad(make(3), numbers, raises=RuntimeError, says="'weight' must be 2-D")


def shares(indices: Any, padding_idx: int, scale: bool, element: Any) -> Any:
    """Return the factor of each use's gradient: 0 for the padding row, 1 / number of uses if scaled, 1 otherwise."""
    indices = private(indices)
    factor = (indices != padding_idx).astype(element)
    if scale and indices.size:
        factor /= positions.bincount(indices.reshape(-1))[indices].astype(element)
    return factor


def sparse_rows(grad: Any, indices: Any, shape: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """Gradient of a table as a sparse tensor: a row for each use, except those of the padding.

    Raises:
        RuntimeError: if `scale_grad_by_freq` is set.
    """
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    flat, rows = indices.reshape((-1,)), grad.reshape((-1, shape[1]))
    if padding_idx >= 0:
        used = (flat != padding_idx).nonzero().squeeze(1)
        flat, rows = flat.index_select(0, used), rows.index_select(0, used)
    return packed.call((flat.to(dtypes.int64).unsqueeze(0), rows, shape, False))


@op(
    dtypes=FLOATS,
    linear="weight",
    name="_embedding_sparse",
    node="EmbeddingBackward0",
    public="neither",
    batching=embedding_of_batch,
)
def embedding_sparse(weight: Array, indices: Index, padding_idx: int = -1, scale_grad_by_freq: bool = False) -> Any:
    """Return rows of a table, whose gradient is a sparse tensor."""
    refuse_table(weight)
    check_indices(indices, weight.shape[0])
    return kernels.embedding(weight, indices)


@embedding_sparse.vjp("weight")
def embedding_sparse_vjp(grad: Any, indices: Any, weight_shape: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    return sparse_rows(grad, indices, weight_shape, padding_idx, scale_grad_by_freq)


@embedding_sparse.samples
def embedding_sparse_samples(make: Any) -> Any:
    return iter(())  # its gradient is sparse: see tests/ops/sparse


@op(
    dtypes=FLOATS,
    linear="grad",
    public="neither",
    node="EmbeddingDenseBackwardBackward0",
)
def embedding_dense_backward(
    grad: Array, indices: Index, rows: int, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> Any:
    """Transpose of `embedding`: for each row the sum of the gradients of its uses."""
    refuse_dtype("embedding_dense_backward", grad, FLOATS)
    if scale_grad_by_freq:
        grad = grad * shares(indices, -1, True, grad.dtype)[..., None]
    grad = grad if grad.flags.c_contiguous else np.ascontiguousarray(grad)
    return kernels.embedding_backward(grad, indices, rows, padding_idx)


@embedding_dense_backward.vjp("grad")
def embedding_dense_backward_vjp(cotangent: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    return embedding_dense_gather(cotangent, indices, padding_idx, scale_grad_by_freq)


@embedding_dense_backward.batched
def embedding_dense_backward_batched(
    grad: Any, indices: Any, rows: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    if padding_idx >= 0:
        grad = grad.where((indices != padding_idx).unsqueeze(-1), 0)
    size, width = grad.shape[0], grad.shape[-1]
    numbers = rows_of_batch(indices, rows)
    result = embedding_dense_backward.call((grad, numbers, size * rows, -1, scale_grad_by_freq))
    return result.reshape((size, rows, width))


@embedding_dense_backward.samples
def embedding_dense_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2, 3), wrap(np.array([[0, 2], [2, 3]], np.int64)), 4, 2)


@op(dtypes=FLOATS, linear="weight", public="neither")
def embedding_dense_gather(weight: Array, indices: Index, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """Transpose of `embedding_dense_backward`: rows, except that of the padding."""
    refuse_dtype("embedding_dense_gather", weight, FLOATS)
    result = kernels.embedding(weight, indices)
    if padding_idx < 0 and not scale_grad_by_freq:
        return result
    return result * shares(indices, padding_idx, scale_grad_by_freq, result.dtype)[..., None]


embedding_dense_gather.vjp("weight")(embedding_vjp)


@embedding_dense_gather.batched
def embedding_dense_gather_batched(weight: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    size, rows, width = weight.shape
    numbers = rows_of_batch(indices, rows)
    result = embedding_dense_gather.call((weight.reshape((size * rows, width)), numbers, -1, scale_grad_by_freq))
    return result.where((indices != padding_idx).unsqueeze(-1), 0) if padding_idx >= 0 else result


@embedding_dense_gather.samples
def embedding_dense_gather_samples(make: Any) -> Any:
    yield Sample(make(4, 3), wrap(np.array([[0, 2], [2, 3]], np.int64)), 2, True)


@composite(method=False, function=False, name="embedding_lookup")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return rows of a table, with the arguments of `torch.nn.functional.embedding`.

    Args:
        input: row numbers, int64 or int32, of any shape.
        weight: (rows, width).
        padding_idx: row without a gradient; negative numbers count from the end.
        max_norm: rows in use with a larger norm are first scaled down to it, in place.
        norm_type: order of that norm.
        scale_grad_by_freq: divide gradients by the number of uses of their row.
        sparse: the gradient of the table is a sparse tensor, with a row for each use.

    Returns:
        A new tensor of the shape of `input`, and `width`.

    Raises:
        IndexError: if a number is out of range.
        AssertionError: if `padding_idx` is out of range.
        RuntimeError: if the table does not have two dimensions, or the numbers have another dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.embedding(wg.tensor([1, 0, 1]), wg.tensor([[0.0, 1.0], [2.0, 3.0]]))
        tensor([[2., 3.],
                [0., 1.],
                [2., 3.]])
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("embedding", "indices", 2, "Tensor", input))
    if not isinstance(weight, Tensor):
        raise TypeError(errors.wrong_type("embedding", "weight", 1, "Tensor", weight))
    refuse_table(weight)
    number = -1 if padding_idx is None else integer("embedding", "padding_idx", padding_idx)
    if padding_idx is not None:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise AssertionError(f"Padding_idx must be within num_embeddings: got {padding_idx} of {rows}")
        number = padding_idx % rows
    by_frequency, is_sparse = bool(scale_grad_by_freq), bool(sparse)
    if max_norm is not None:
        shorten(weight, input, float(max_norm), float(norm_type))
    if is_sparse:
        return embedding_sparse.call((weight, input, number, by_frequency))
    return embedding_table(weight, input, number, by_frequency, is_sparse)


def shorten(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows in use down to a norm, in place and unrecorded."""
    check_target(weight, False, current())
    told_reading(None, "max_norm of an embedding")
    check_indices(indices._array_, weight.shape[0])
    used = np.unique(indices._array_)
    rows = weight._array_[used]
    lengths = np.linalg.norm(rows, norm_type, axis=1)
    too_long = lengths > max_norm
    scale = (max_norm / (lengths[too_long] + 1e-7)).astype(rows.dtype)
    weight._array_[used[too_long]] = rows[too_long] * scale[:, None]
    count_write(weight._storage_, "embedding's max_norm")


@embedding.samples
def embedding_samples(make: Any) -> Any:
    numbers = wrap(np.array([[0, 2], [2, 3]], np.int64))
    yield Sample(numbers, make(4, 3), -1)
    yield Bad(numbers, make(4, 3), 5, raises=AssertionError, says="Padding_idx must be within num_embeddings")
    yield Bad([0], make(4, 3), raises=TypeError, says="must be Tensor, not list")


def one_hot_of_batch(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `one_hot`.

    Raises:
        RuntimeError: if `num_classes` is not given.
    """
    if args[1] == -1:
        raise RuntimeError(batch_errors.dynamic("one_hot"))
    return op.call(tuple(args))


def check_classes(tensor: Any, num_classes: int) -> None:
    """Refuse class numbers that are not int64, and an empty tensor without `num_classes`.

    Raises:
        RuntimeError: if the dtype is not int64, or the number of classes is unknown.
    """
    if tensor.dtype != np.int64:
        dtype = dtypes.from_numpy(tensor.dtype)
        raise RuntimeError(f"one_hot is only applicable to index tensor of type LongTensor. Got {dtype}.")
    if tensor.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")


@op(
    dtypes=(dtypes.int64,),
    why="numbers of classes",
    batching=one_hot_of_batch,
    name="_one_hot",
    public="neither",
    native=kernels.direct_function("unit_vectors"),
)
def unit_vectors(tensor: Index, num_classes: int = -1) -> Any:
    """`one_hot`."""
    check_classes(tensor, num_classes)
    if tensor.size == 0:
        return np.zeros((*tensor.shape, num_classes), np.int64)
    if int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    if int(tensor.max()) >= classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor[..., None] == positions.arange(classes)).astype(np.int64, order="C")


@unit_vectors.samples
def unit_vectors_samples(make: Any) -> Any:
    yield Sample(wrap(np.array([[0], [2]], np.int64)), 4)


@composite(method=False, function=False)
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return class numbers as one-hot vectors.

    Args:
        tensor: class numbers from 0, int64, of any shape.
        num_classes: length of the vectors; -1: one more than the largest number.

    Returns:
        A new int64 tensor with one more dimension, the last.

    Raises:
        RuntimeError: if the dtype is not int64, a number is negative or too large, or an empty tensor has no
            `num_classes`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.one_hot(wg.tensor([0, 2]), 3)
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(errors.wrong_type("one_hot", "tensor", 1, "Tensor", tensor))
    return unit_vectors(tensor, num_classes)


@one_hot.samples
def one_hot_samples(make: Any) -> Any:
    yield Sample(wrap(np.array([0, 2], np.int64)))
    yield Sample(wrap(np.array([[0], [2]], np.int64)), 4)
    yield Bad(
        wrap(np.array([0, 2], np.int64)), 2, raises=RuntimeError, says="Class values must be smaller than num_classes."
    )
    yield Bad(wrap(np.array([1.0])), raises=RuntimeError, says="only applicable to index tensor of type LongTensor")


one_hot = plain_case(one_hot, unit_vectors, module=FUNCTIONAL)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale rows in use down to a norm, if theirs is larger; in place and unrecorded.

    Args:
        input: the table (rows, width).
        indices: row numbers, int64 or int32, of any shape.
        max_norm: largest norm.
        norm_type: the order of the norm.

    Returns:
        `input`.

    Raises:
        RuntimeError: if the table does not have two dimensions, or the numbers have another dtype.
        IndexError: if a number is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.embedding_renorm_(wg.tensor([[3.0, 4.0], [0.0, 2.0]]), wg.tensor([0]), 1.0, 2.0)
        tensor([[0.6000, 0.8000],
                [0.0000, 2.0000]])
    """
    for name, value in (("input", input), ("indices", indices)):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type("embedding_renorm_", name, 0, "Tensor", value))
    doing = "(while checking arguments for embedding_renorm_)"
    if input.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.ndim}-dimensional tensor for argument #1 'self' {doing}"
        )
    if indices.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{indices.dtype.legacy} instead {doing}"
        )
    shorten(input, indices, float(max_norm), float(norm_type))
    return input


__all__: list[str] = []

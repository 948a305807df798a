"""Cosine similarity, distances between vectors, and normalisation of vectors."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import FLOATS, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import along
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..axes import read_number
from ..pointwise.rounding import div
from ..reductions.vector_norm import vector_norm, vector_norm_jvp, vector_norm_vjp


def in_common(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Broadcast two tensors and convert integers to the common dtype.

    Raises:
        RuntimeError: if the common dtype is not floating-point, or the shapes do not broadcast.
    """
    common = dtypes.result_type([x1._array_, x2._array_], [])
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.legacy[:-6]}: convert with "
            "x.float() first"
        )
    shape = broadcast(x1.shape, x2.shape)
    return tuple((x if x.dtype.category >= dtypes.FLOAT else x.to(common)).expand(shape) for x in (x1, x2))


def length_of(vectors: Any, dim: int, eps: float) -> Any:
    """Euclidean norms, at least `eps` in value; the derivative is that of the norm."""
    length = vector_norm(vectors, 2, dim, True)
    return length.where(length >= eps, length - length.detach() + eps)


@composite(method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors: their product, each divided by its norm.

    Args:
        x1: real tensor of vectors along `dim`.
        x2: of a shape that broadcasts with it.
        dim: the dimension of the common shape that is summed.
        eps: smallest norm that is divided by.

    Returns:
        A new tensor of the common shape without `dim`.

    Raises:
        RuntimeError: if both are integers, the shapes do not broadcast, or `eps` is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.cosine_similarity(wg.tensor([1.0, 0.0]), wg.tensor([3.0, 4.0]), 0)
        tensor(0.6000)
    """
    if dim is None:
        raise TypeError(errors.wrong_type("cosine_similarity", "dim", 3, "int", dim))
    first, second = in_common(x1, x2)
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps}")
    return (first / length_of(first, dim, eps) * (second / length_of(second, dim, eps))).sum(dim)


NATIVE = kernels.natives("vector_norm", "clamp_min", "divide", "multiply", "sum")


def cosines_of_arrays(x1: Any, x2: Any, dim: Any, eps: Any) -> Any:
    """`cosine_similarity` of one shape and dtype, if nothing is recorded."""
    if type(dim) is not int or type(eps) is not float or x1.shape != x2.shape or x1.dtype is not x2.dtype:
        return NotImplemented
    if not eps >= 0 or x1.dtype.kind != "f":
        return NotImplemented
    norm, at_least, divide, multiply, total = NATIVE
    one, other = (divide(x, at_least(norm(x, 2, dim, True, None), eps)) for x in (x1, x2))
    return total(multiply(one, other), dim, False, None)


plain_case(cosine_similarity, arrays=cosines_of_arrays, needs=NATIVE)


@cosine_similarity.samples
def cosine_similarity_samples(make: Any) -> Any:
    if make.dtype.is_floating_point:
        yield Sample(make(3, 4), make(3, 4))
        yield Sample(make(4), make(3, 4), dim=-1, eps=0.5)
        yield Sample(make(2, 3, 1), make(3, 4))
        yield Sample(make(0, 3), make(0, 3))
    yield Bad(
        make(2, dtype=dtypes.int64), make(2, dtype=dtypes.int64), raises=RuntimeError, says="to be floating point"
    )
    yield Bad(make(2), make(2), dim=0, eps=-1.0, raises=RuntimeError, says="eps must be non-negative, got: -1")
    yield Bad(make(2), make(3), dim=0, raises=RuntimeError, says="must match the size of tensor b")


@op(
    dtypes=FLOATS,
    batching=along("dim"),
    node="NormBackward1",
    public="neither",
    native=kernels.direct_function("vector_norm"),
)
def distance_norm(self: Array, ord: Any, dim: Any, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Norms of differences, with torch's older name of the node."""
    return vector_norm.body(self, ord, dim, keepdim, dtype=dtype)


distance_norm.vjp("self")(vector_norm_vjp)
distance_norm.jvp("self")(vector_norm_jvp)


@distance_norm.samples
def distance_norm_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"), 2, 1)
    yield Sample(make(3, 4, kind="nonzero"), 1.5, -1, True)


@composite(method=False)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of the differences between vectors along the last dimension.

    Args:
        x1: tensor (..., D).
        x2: tensor of a shape that broadcasts with it.
        p: the order of the norm.
        eps: added to each difference, so that equal vectors have a derivative.
        keepdim: leave the last dimension with length 1.

    Returns:
        A new tensor of the common shape without the last dimension.

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> wg.pairwise_distance(wg.tensor([[0.0, 0.0]]), wg.tensor([[3.0, 4.0]]))
        tensor([5.0000])
    """
    p, eps = (read_number("pairwise_distance", *value) for value in (("p", 3, p), ("eps", 4, eps)))
    difference: Any = x1 - x2 + float(eps)
    return distance_norm(difference, p, difference.ndim - 1, keepdim)


@pairwise_distance.samples
def pairwise_distance_samples(make: Any) -> Any:
    if make.dtype.is_floating_point:
        yield Sample(make(3, 4), make(3, 4))
        yield Sample(make(4), make(3, 4), 3, keepdim=True)
        yield Sample(make(0, 3), make(0, 3))
    yield Bad(make(2), make(3), raises=RuntimeError, says="must match the size of tensor b")


@composite(method=False, function=False)
def normalize(input: Tensor, p: float | None = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Any:
    """Divide vectors by their p-norm.

    Args:
        input: tensor of vectors along `dim`, floating or complex.
        p: the order of the norm; 2 if None.
        dim: the dimension or dimensions.
        eps: smallest norm that is divided by.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of `input`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.normalize(wg.tensor([[3.0, 4.0], [0.0, 2.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]])
    """
    values: Any = input
    length = values.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(values)
    if out is None:
        return values / length
    return div(values, length, out=out)


@normalize.samples
def normalize_samples(make: Any) -> Any:
    if make.dtype.is_floating_point or make.dtype.is_complex:
        yield Sample(make(3, 4, kind="nonzero"))
        yield Sample(make(2, 3, 4, kind="nonzero"), 1.0, -1)
        yield Sample(make(3, kind="nonzero"), dim=0, eps=1e-3)

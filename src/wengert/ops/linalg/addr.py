"""Sum of a tensor and the outer product of two vectors."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import ALL, Array, Bad, InPlace, Number, Out, Sample, checked, op
from ..._core.cards.late import bind
from ..._core.operators.declaration import OLDER
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels.results import wide_dtype
from ..dtype_checks import refuse
from .addmm import WITH_FACTORS, as_element, bias_gradient, bias_tangent, check_expands, conjugate, conjugated, scaled
from .batches import plus


def check_factor(kind: str, name: str, value: Any) -> None:
    """Refuse a factor that the dtype of the result cannot represent.

    Raises:
        RuntimeError: if the factor is of a higher category than the operands.
    """
    if isinstance(value, bool) and kind != "b":
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(value, float) and kind in "iub":
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if isinstance(value, complex) and kind != "c":
        raise RuntimeError(f"For non-complex input tensors, argument {name} must not be a complex number.")


def check_addr(self: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> Any:
    """Check the arguments of `addr` and return the dtype of its result.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector.ndim}-D")
    common = promoted(self, vec1, vec2)
    kind = common.kind
    if kind == "u" and common.itemsize > 1:
        refuse("addr", "addr_cpu", self)
    check_factor(kind, "beta", beta)
    check_factor(kind, "alpha", alpha)
    check_expands(self, (*vec1.shape, *vec2.shape))
    return common


@op(
    dtypes=ALL,
    batching="addr.members_added",
    larger=True,
    inplace=InPlace(apart="itself"),
    layout="like",
    out=Out(apart="partly", words=None),
    native=kernels.direct_function("addr"),
)
def addr(self: Array, vec1: Array, vec2: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * the outer product of two vectors.

    Args:
        self: broadcasts to (n, m).
        vec1: (n,).
        vec2: (m,).
        beta: a number; 0 means that `self` is not read.
        alpha: a number.

    Returns:
        A new tensor (n, m) of the promoted dtype.

    Raises:
        RuntimeError: if shapes or factors do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.addr(wg.zeros(2, 2), wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    common = check_addr(self, vec1, vec2, beta, alpha)
    kind = common.kind
    self, vec1, vec2 = (operand.astype(wide_dtype(common), copy=False) for operand in (self, vec1, vec2))
    product = kernels.multiply(vec1[:, None], vec2)
    if alpha != 1:
        product = (
            kernels.logical_and(product, alpha)
            if kind == "b"
            else kernels.multiply(product, as_element(alpha, product))
        )
    if beta != 0 and beta != 1:
        self = kernels.logical_and(self, beta) if kind == "b" else kernels.multiply(self, as_element(beta, product))
    return (product if beta == 0 else kernels.add(product, self)).astype(common, copy=False)


OLDER[addr.name] = WITH_FACTORS


def promoted(first: Any, *others: Any) -> Any:
    """Common dtype of arrays, regardless of their dimensions."""
    common = dtypes.from_numpy(first.dtype)
    for other in others:
        common = dtypes.promote_types(common, dtypes.from_numpy(other.dtype))
    return common.numpy


def addr_in_place(self: Any, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Add an outer product in place. The result of `addr` must fit the dtype of `self`.

    Args:
        self: matrix (n, m), which is changed.
        vec1: vector (n,).
        vec2: vector (m,).
        beta: multiplier of `self`.
        alpha: multiplier of the outer product.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 2).addr_(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    result = dtypes.promote_types(dtypes.promote_types(self.dtype, vec1.dtype), vec2.dtype)
    if not dtypes.can_cast(result, self.dtype):
        raise RuntimeError(errors.uncastable(result, self.dtype))
    return add_in_place(self, vec1, vec2, beta=beta, alpha=alpha)


add_in_place: Any = addr.in_place
addr_in_place.__qualname__ = "addr_"
bind("addr_", checked("addr_", addr_in_place, method=True))


addr.vjp("self")(bias_gradient)


@addr.vjp("vec1")
def addr_vjp_vec1(grad: Any, vec2: Any, alpha: Any) -> Any:
    return scaled(grad.mv(conjugated(vec2).to(dtype=grad.dtype)), conjugate(alpha))


@addr.vjp("vec2")
def addr_vjp_vec2(grad: Any, vec1: Any, alpha: Any) -> Any:
    return scaled(grad.t().mv(conjugated(vec1).to(dtype=grad.dtype)), conjugate(alpha))


addr.jvp("self")(bias_tangent)


@addr.jvp("vec1")
def addr_jvp_vec1(tangent: Any, vec2: Any, alpha: Any) -> Any:
    return scaled(tangent.unsqueeze(1) * vec2, alpha)


@addr.jvp("vec2")
def addr_jvp_vec2(tangent: Any, vec1: Any, alpha: Any) -> Any:
    return scaled(vec1.unsqueeze(1) * tangent, alpha)


def members_added(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule: outer products of the rows of two matrices."""
    bias, first, second, beta, alpha = args
    on_bias, on_first, on_second = carried[:3]
    first = first if on_first else first.unsqueeze(0)
    second = second if on_second else second.unsqueeze(0)
    if first.ndim != 2 or second.ndim != 2 or bias.ndim - on_bias > 2:
        raise RuntimeError("addr: the vectors must be 1-D")
    result = first.unsqueeze(2) * second.unsqueeze(1)
    if result.shape[0] != size:
        result = result.expand((size, *result.shape[1:]))
    return plus(result, bias, on_bias, beta, alpha)


@addr.samples
def addr_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(2), make(3))
    yield Sample(make(3), make(2), make(3))
    yield Sample(make(), make(2), make(0))
    if make.dtype.category:
        yield Sample(make(2, 1), make(2), make(3), beta=2, alpha=3)
        yield Sample(make(2, 3), make(2), make(3), beta=0, alpha=2)
    yield Bad(make(2, 3), make(2, 1), make(3), raises=RuntimeError, says="Expected 1-D argument vec1, but got 2-D")
    yield Bad(make(3), make(2), make(4), raises=RuntimeError, says="must match the existing size (3)")

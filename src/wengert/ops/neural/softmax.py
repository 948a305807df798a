"""Softmax, its logarithm, and softmin, along one dimension."""

from __future__ import annotations

from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core import errors
from ..._core.calls.out import put
from ..._core.cards.card import REALS, Array, Bad, Out, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import along
from ..._core.out_errors import EXACT
from ..._core.types import dtypes
from ..axes import read_dim
from ..create.factory import read_dtype
from ..dtype_checks import check_floating

native = kernels.direct_function


def read_line(name: str, array: Any, dim: Any) -> int:
    """Return the dimension of the operator `name`.

    Raises:
        NotImplementedError: if `array` is of integers or complex numbers.
    """
    axis = read_dim(name, dim, array.ndim)
    if array.dtype.kind not in "fV":
        place = "_lastdim" if axis >= array.ndim - 1 else ""
        raise NotImplementedError(errors.no_kernel(f"{name}{place}_kernel_impl", dtypes.from_numpy(array.dtype)))
    return axis


def implicit_dim(name: str, ndim: int) -> int:
    """Return the dimension that old programs mean when they pass none."""
    anomaly.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax_samples(make: Any) -> Any:
    """Samples of an operator along one dimension."""
    yield Sample(make(3, 4), -1)
    yield Sample(make(2, 3, 4), 1)
    yield Sample(make(), 0)
    yield Sample(make(0, 3), 1)
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")


along_dim = partial(op, dtypes=REALS, batching=along("dim"), public="neither")
"""Softmax, its logarithm, and their gradients."""


@along_dim(name="_softmax", node="SoftmaxBackward0", native=native("softmax"), out=Out(recorded=False))
def softmax_along(self: Array, dim: int) -> Any:
    """exp(x) / sum(exp(x)) along a dimension."""
    return kernels.softmax(self, read_line("softmax", self, dim))


@softmax_along.vjp("self", native=native("softmax_backward"))
def softmax_vjp(grad: Any, out: Any, dim: int) -> Any:
    return softmax_backward(grad, out, dim)


@softmax_along.jvp("self")
def softmax_jvp(tangent: Any, out: Any, dim: int) -> Any:
    return softmax_backward(tangent, out, dim)  # the Jacobian is symmetric


@along_dim(
    linear="grad", name="_softmax_backward_data", node="SoftmaxBackwardDataBackward0", native=native("softmax_backward")
)
def softmax_backward(grad: Array, output: Array, dim: int) -> Any:
    """Gradient of softmax: y * (g - sum(g * y))."""
    check_floating("softmax_backward", "softmax_backward", grad)
    return kernels.softmax_backward(grad, output, read_dim("softmax", dim, grad.ndim))


@softmax_backward.vjp("grad")
def softmax_backward_vjp_grad(grad: Any, output: Any, dim: int) -> Any:
    return softmax_backward(grad, output, dim)


# The arriving gradient has another name here: `grad` is the operator's own input.
@softmax_backward.vjp("output")
def softmax_backward_vjp_output(arriving: Any, grad: Any, output: Any, dim: int) -> Any:
    weighted = arriving * output
    return arriving * grad - arriving * (grad * output).sum(dim, True) - grad * weighted.sum(dim, True)


@softmax_backward.jvp("output")
def softmax_backward_jvp_output(tangent: Any, grad: Any, output: Any, dim: int) -> Any:
    inner = (grad * output).sum(dim, True)
    return tangent * (grad - inner) - output * (grad * tangent).sum(dim, True)


@along_dim(name="_log_softmax", node="LogSoftmaxBackward0", native=native("log_softmax"))
def log_softmax_along(self: Array, dim: int) -> Any:
    """x - log(sum(exp(x))) along a dimension."""
    return kernels.log_softmax(self, read_line("log_softmax", self, dim))


@log_softmax_along.vjp("self", native=native("log_softmax_backward"))
def log_softmax_vjp(grad: Any, out: Any, dim: int) -> Any:
    return log_softmax_backward(grad, out, dim)


@log_softmax_along.jvp("self")
def log_softmax_jvp(tangent: Any, self: Any, dim: int) -> Any:
    weights = softmax_along(self, dim)
    heavy = weights > 0.5  # the difference cancels there; the weights of the other elements determine it
    mended = softmax_backward(tangent, weights, dim) / weights.where(heavy, 1)
    return mended.where(heavy, tangent - (tangent * weights).sum(dim, True))


@along_dim(
    linear="grad",
    name="_log_softmax_backward_data",
    node="LogSoftmaxBackwardDataBackward0",
    native=native("log_softmax_backward"),
)
def log_softmax_backward(grad: Array, output: Array, dim: int) -> Any:
    """Gradient of log_softmax: g - exp(y) * sum(g)."""
    check_floating("log_softmax_backward", "log_softmax_backward", grad)
    return kernels.log_softmax_backward(grad, output, read_dim("log_softmax", dim, grad.ndim))


@log_softmax_backward.vjp("grad")
def log_softmax_backward_vjp_grad(grad: Any, output: Any, dim: int) -> Any:
    return grad - (grad * output.exp()).sum(dim, True)


@log_softmax_backward.vjp("output")
def log_softmax_backward_vjp_output(arriving: Any, grad: Any, output: Any, dim: int) -> Any:
    return -(arriving * output.exp() * grad.sum(dim, True))


@log_softmax_backward.jvp("output")
def log_softmax_backward_jvp_output(tangent: Any, grad: Any, output: Any, dim: int) -> Any:
    return -(tangent * output.exp() * grad.sum(dim, True))


softmax_along.samples(softmax_samples)
log_softmax_along.samples(softmax_samples)


@softmax_backward.samples
@log_softmax_backward.samples
def backward_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), -1)
    yield Sample(make(), make(), 0)


def converted(name: str, tensor: Any, dim: Any, dtype: Any) -> Any:
    """Convert a tensor to the requested dtype, after checking `dim`."""
    if dim is None:
        raise TypeError(errors.wrong_type(name, "dim", 2, "int", dim))
    return tensor if dtype is None else tensor.to(read_dtype(name, dtype, dtypes.float32))


@composite()
def softmax(self: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along a dimension, computed without overflow.

    Args:
        self: floating tensor.
        dim: the dimension along which the result sums to 1.
        dtype: convert to this floating type first.
        out: where to write the result.

    Returns:
        A new tensor of the shape of `self`; NaN where all elements are -inf.

    Raises:
        IndexError: if `dim` is out of range.
        NotImplementedError: if `self` is of integers or complex numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.softmax(wg.tensor([0.0, 1.0, 2.0]), 0)
        tensor([0.0900, 0.2447, 0.6652])
    """
    return put("softmax", out, softmax_along(converted("softmax", self, dim, dtype), dim), words=EXACT, recorded=False)


@composite()
def log_softmax(self: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """x - log(sum(exp(x))) along a dimension, computed without overflow.

    Args:
        self, dim, dtype: as for `softmax`.
        out: where to write the result.

    Returns:
        A new tensor of the shape of `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.log_softmax(wg.tensor([0.0, 1.0, 2.0]), 0)
        tensor([-2.4076, -1.4076, -0.4076])
    """
    return put(
        "log_softmax",
        out,
        log_softmax_along(converted("log_softmax", self, dim, dtype), dim),
        words=EXACT,
        recorded=False,
    )


@composite(function=False, method=False)
def softmin(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Softmax of the negated tensor.

    Args:
        input: floating tensor.
        dim: the dimension along which the result sums to 1; if None it is guessed, with a warning.
        dtype: convert to this floating type first.

    Returns:
        A new tensor of the shape of `input`.
    """
    if dim is None:
        dim = implicit_dim("softmin", input.ndim)
    return softmax(-input, dim, dtype)


softmax.samples(softmax_samples)
log_softmax.samples(softmax_samples)
softmin.samples(softmax_samples)
plain_case(softmax, softmax_along, native("softmax"))
plain_case(log_softmax, log_softmax_along, native("log_softmax"))

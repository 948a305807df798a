"""Cumulative extremes and sums of exponentials: cummax, cummin, logcumsumexp."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core import flags
from ..._core.cards.card import FLOATS, ORDERED, Array, Out, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import along
from ..._core.out_errors import SCALAR
from ..._core.recording.recorded import conjugate
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor, wrap
from ..._kernels import direct_function as native, order as kernels
from .. import return_types
from ..axes import read_dim
from ..dtype_checks import check_inexact, check_ordered
from ..family import describes
from ..reductions.maxima import with_indices
from ..reductions.scan import recurrence, scan_samples, shifted
from .sort import as_line, placed_jvp


def running_vjp(grads: Any, self_shape: Any, indices: Any, dim: int) -> Any:
    return grads[0].new_zeros(self_shape).scatter_add(dim, indices, grads[0])  # one element may be it for many


def running_rules(card: Any) -> None:
    """Add the rules of a cumulative extreme."""
    card.vjp("self")(running_vjp)
    card.jvp("self")(placed_jvp)


running = partial(with_indices, dtypes=ORDERED, rules=running_rules, samples=scan_samples, out=Out(words=SCALAR))
"""Card decorator for a cumulative extreme."""


def running_extreme(name: str, array: Any, dim: Any, largest: bool) -> Any:
    """Cumulative extreme and its index, for checked arguments."""
    axis = read_dim(name, dim, array.ndim)
    if array.ndim:  # a single number is sorted, whatever it is
        check_ordered(name, f"{name}_cpu", array)
    values, places = kernels.running_extreme(as_line(array), axis, largest)
    return values.reshape(array.shape), places.reshape(array.shape)


@running(node="CummaxBackward0", native=native("cummax_along"))
def cummax_along(self: Array, dim: int) -> Any:
    """Cumulative maxima along a dimension, and their indices."""
    return running_extreme("cummax", self, dim, True)


@running(node="CumminBackward0", native=native("cummin_along"))
def cummin_along(self: Array, dim: int) -> Any:
    """Cumulative minima along a dimension, and their indices."""
    return running_extreme("cummin", self, dim, False)


CUMULATIVE = """
    Args:
        input: real tensor.
        dim: the dimension.
        out: a tuple of two tensors to write into.

    Returns:
        A tuple (values, indices) of new tensors, with the last index of equals.

    Examples:
        >>> import wengert as wg
        >>> wg.{call}.values
        tensor({values})
    """


@composite()
@describes(CUMULATIVE, call="cummax(wg.tensor([1., 3., 2.]), 0)", values="[1., 3., 3.]")
def cummax(input: Any, dim: int, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """Cumulative maximum along a dimension; NaN wins."""
    return return_types.named(return_types.cummax, cummax_along(input, dim, out=out), out)


@composite()
@describes(CUMULATIVE, call="cummin(wg.tensor([3., 1., 2.]), 0)", values="[3., 1., 1.]")
def cummin(input: Any, dim: int, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """Cumulative minimum along a dimension; NaN wins."""
    return return_types.named(return_types.cummin, cummin_along(input, dim, out=out), out)


cummax.samples(scan_samples)
cummin.samples(scan_samples)
plain_case(cummax, cummax_along, cummax_along.native, then=(return_types.cummax,))
plain_case(cummin, cummin_along, cummin_along.native, then=(return_types.cummin,))


def through_logs(values: Any, weigh: Any) -> Any:
    """Apply a linear map of `values` that is defined for logarithms of positive numbers: `weigh(log(v))` is its log.

    Sums of numbers of any size are formed without overflow. Complex numbers have their own logarithm.
    """
    if values.dtype.is_complex:
        return weigh(values.log()).exp()
    parts = []
    for hits in (values > 0, values < 0):
        size = values.where(hits, 1).abs().log()
        parts.append(weigh(size.masked_fill(hits.logical_not(), float("-inf"))).exp())
    return parts[0] - parts[1]


@op(dtypes=FLOATS, batching=along("dim"), native=native("logcumsumexp"), out=Out(words=SCALAR))
def logcumsumexp(self: Array, dim: int) -> Any:
    """Logarithm of the cumulative sum of exponentials along a dimension, computed without overflow.

    Args:
        self: floating or complex tensor.

    Returns:
        A new tensor of the shape of `self`.

    Source:
        log(e^a + e^b) = max(a, b) + log(1 + e^-|a - b|). The derivative of element i by element j <= i is
        exp(self[j] - out[i]); its factor is split by sign, and summed as logarithms.

    Examples:
        >>> import wengert as wg
        >>> wg.logcumsumexp(wg.tensor([0., 0., 80.]), 0)
        tensor([ 0.0000,  0.6931, 80.0000])
    """
    axis = read_dim("logcumsumexp", dim, self.ndim)
    check_inexact("logcumsumexp", "logcumsumexp_out_cpu", self)
    return kernels.log_cumulative_sum(self, axis) if self.ndim else self.copy()


def is_followed(tensor: Any) -> bool:
    """Return whether derivatives are taken of a rule's result: the tensor has elements, and is recorded or dual."""
    followed = tensor._flags_ & flags.DUAL or (tensor.requires_grad and current().grad)
    return bool(followed and tensor.numel())


def weights_of(self: Any, out: Any, dim: int) -> tuple[Any, Any]:
    """Return the fractions of each element, and of the sum before it, in the cumulative sum of exponentials."""
    before = shifted(out, dim, 1, float("-inf"))
    empty = out.isneginf()
    distance = (self - before).masked_fill(empty, float("-inf"))
    return distance.sigmoid(), (-distance).masked_fill(empty, float("-inf")).sigmoid()


def sum_from_end(values: Any, self: Any, sums: Any, dim: int) -> Any:
    """Element j: the sum over i >= j of `values[i]` times the conjugate of exp(self[j] - sums[i])."""

    def weigh(logs: Any) -> Any:
        # A position whose sum is still zero (-inf) passes nothing on: its elements' fractions are all zero.
        shares = (logs - conjugate(sums)).masked_fill(sums.real.isneginf(), float("-inf"))
        return shares.flip((dim,)).logcumsumexp(dim).flip((dim,)) + conjugate(self)

    return through_logs(values, weigh)


def sum_from_start(values: Any, self: Any, sums: Any, dim: int) -> Any:
    """Element i: the sum over j <= i of `values[j]` times exp(self[j] - sums[i])."""
    empty = sums.real.isneginf()
    return through_logs(values, lambda logs: ((logs + self).logcumsumexp(dim) - sums).masked_fill(empty, float("-inf")))


# Both are linear in `values`, and each is the adjoint of the other. They are operators with these derivatives, because
# those of the logarithms do not exist if a value is zero.


@op(dtypes=FLOATS, linear="values", public="hidden")
def logcumsumexp_backward(values: Array, self: Array, sums: Array, dim: int) -> Any:
    """Gradient with respect to `self` from that of `sums`, its `logcumsumexp`."""
    return sum_from_end(wrap(values), wrap(self), wrap(sums), dim)._array_


@op(dtypes=FLOATS, linear="values", public="hidden")
def logcumsumexp_forward(values: Array, self: Array, sums: Array, dim: int) -> Any:
    """Tangent of `sums`, the `logcumsumexp` of `self`, from that of `self`."""
    return sum_from_start(wrap(values), wrap(self), wrap(sums), dim)._array_


@logcumsumexp_backward.batched
def logcumsumexp_backward_batched(values: Any, self: Any, sums: Any, dim: int) -> Any:
    return logcumsumexp_backward.call((values, self, sums, dim + 1 if dim >= 0 else dim))


@logcumsumexp_forward.batched
def logcumsumexp_forward_batched(values: Any, self: Any, sums: Any, dim: int) -> Any:
    return logcumsumexp_forward.call((values, self, sums, dim + 1 if dim >= 0 else dim))


@logcumsumexp_backward.vjp("values", "self", "sums")
def logcumsumexp_backward_vjp(grad: Any, values: Any, self: Any, sums: Any, out: Any, dim: int) -> Any:
    on = logcumsumexp_forward.call((grad, self, sums, dim))
    return on, conjugate(grad) * out, -(values * conjugate(on))


@logcumsumexp_backward.jvp("self", "sums")
def logcumsumexp_backward_jvp(
    self_tangent: Any, sums_tangent: Any, values: Any, self: Any, sums: Any, out: Any, dim: int
) -> Any:
    back = logcumsumexp_backward.call((values * conjugate(sums_tangent), self, sums, dim))
    return out * conjugate(self_tangent) - back


@logcumsumexp_forward.vjp("values", "self", "sums")
def logcumsumexp_forward_vjp(grad: Any, values: Any, self: Any, sums: Any, out: Any, dim: int) -> Any:
    back = logcumsumexp_backward.call((grad, self, sums, dim))
    return back, conjugate(values) * back, -(grad * conjugate(out))


@logcumsumexp_forward.jvp("self", "sums")
def logcumsumexp_forward_jvp(
    self_tangent: Any, sums_tangent: Any, values: Any, self: Any, sums: Any, out: Any, dim: int
) -> Any:
    return logcumsumexp_forward.call((values * self_tangent, self, sums, dim)) - out * sums_tangent


@logcumsumexp.vjp("self")
def logcumsumexp_vjp(grad: Any, self: Any, out: Any, dim: int) -> Any:
    if not self.ndim:  # the element itself, even if it is infinite or NaN
        return grad
    if is_followed(self) and not self.dtype.is_complex:  # in fractions of 1, whose derivatives have no cancellation
        place = read_dim("logcumsumexp", dim, len(self.shape))
        share, rest = weights_of(self, out, place)
        return recurrence(shifted(rest, place, -1, 0), grad, place, True) * share
    return logcumsumexp_backward.call((grad, self, out, dim))


@logcumsumexp.jvp("self")
def logcumsumexp_jvp(tangent: Any, self: Any, out: Any, dim: int) -> Any:
    if is_followed(self) and not self.dtype.is_complex and len(self.shape):
        place = read_dim("logcumsumexp", dim, len(self.shape))
        share, rest = weights_of(self, out, place)
        return recurrence(rest, tangent * share, place, False)
    return logcumsumexp_forward.call((tangent, self, out, dim)) if self.ndim else tangent


logcumsumexp.samples(scan_samples)

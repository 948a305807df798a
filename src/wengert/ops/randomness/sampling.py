"""Samples of distributions with tensors as parameters: `normal`, `bernoulli`, `poisson`, `multinomial`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors, out_errors
from ..._core.calls.out import check_cast, check_shared, expected, one_output, put
from ..._core.cards.card import ALL, FLOATS, REALS, Array, Bad, Index, Out, Sample, composite, nodes, op
from ..._core.cards.plain_case import plain_case
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from ..._kernels import positions
from ..._kernels.rejection import poisson_numbers
from ..axes import read_number
from ..create.factory import batched_shape, check_place, deliver, read_tuple, refuse_dtype, result_dtype
from ..pointwise.rounding import flat, unmoved
from .batches import at_once, by_rows, drawn_levels
from .generator import chosen, native_draw
from .random import check_spread, normal_array, numbers_of, uniform_array
from .random_fill import check_probability, draw_bools


@op(
    dtypes=FLOATS,
    numbers=True,
    node=nodes(
        "NormalBackward1",
        "NormalBackward2",
        "NormalBackward3",
        by=lambda args: (
            2 if isinstance(args[0], Tensor) and isinstance(args[1], Tensor) else int(isinstance(args[1], Tensor))
        ),
    ),
    random=True,
    batching=at_once,
    public="neither",
    native=native_draw("normal_about"),
)
def normal_about(mean: Array, std: Array, *, generator: Any = None) -> Any:
    """Draw from normal distributions with the given means and standard deviations, at least one of which is a
    tensor."""
    tensors = [operand for operand in (mean, std) if isinstance(operand, np.ndarray)]
    refuse_dtype("normal_kernel_cpu", tensors[0], FLOATS)
    if isinstance(std, np.ndarray):
        if std.dtype.kind == "c":
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if std.size and not std.min() >= 0:  # NaN is refused, too
            raise RuntimeError("normal expects all elements of std >= 0.0")
    else:
        check_spread(std)
    element = from_numpy(tensors[0].dtype)
    shape = tensors[0].shape if len(tensors) == 1 else broadcast(tensors[0].shape, tensors[1].shape)
    drawn = normal_array(chosen("normal", generator), shape, element)
    if drawn.dtype.itemsize == 2:  # bfloat16 and integers have no common dtype in NumPy
        std, mean = (
            operand.astype(drawn.dtype) if isinstance(operand, np.ndarray) else operand for operand in (std, mean)
        )
    fits = all(np.result_type(drawn, operand) == drawn.dtype for operand in (std, mean))
    result = np.multiply(drawn, std, out=drawn if fits else None)
    return np.add(result, mean, out=result if fits else None).astype(element.numpy, copy=False)


@normal_about.vjp("mean")
def normal_about_vjp_mean(grad: Any, mean_shape: Any) -> Any:
    return grad.new_zeros(mean_shape)


@normal_about.vjp("std")
def normal_about_vjp_std(grad: Any, std_shape: Any) -> Any:
    return grad.new_zeros(std_shape)


@normal_about.jvp("mean", "std")
def normal_about_jvp(mean_tangent: Any, std_tangent: Any, out: Any) -> Any:
    return flat(out)


@normal_about.samples
def normal_about_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 1.0)
    yield Bad(make(2), -1.0, raises=RuntimeError, says="normal expects std >= 0.0, but found std -1")


@composite(method=False)
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Draw from normal distributions.

    Args:
        mean: a tensor, or a number.
        std: a tensor, or a number; neither may be negative.
        size: the lengths, if both are numbers.
        generator: generator of the numbers; the default generator by default.
        out: a tensor to write into.
        dtype: dtype of the result, if both are numbers.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on the result are recorded, if both are numbers.

    Returns:
        A new tensor of the common shape, or `out`. The gradient of `mean` and `std` is zero, as in torch.

    Raises:
        RuntimeError: if a standard deviation is negative.
        TypeError: if there are two numbers and no `size`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.normal(wg.tensor([0.0, 100.0]), 0.1)
        tensor([ 0.1541, 99.9707])
    """
    if size is not None:
        mean, std = read_number("normal", "mean", 1, mean), read_number("normal", "std", 2, std)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if out is None:
            return normal_about(mean, std, generator=generator)
        tensor, operands = one_output("normal", out), [value for value in (mean, std) if isinstance(value, Tensor)]
        if current().grad and any(value.requires_grad for value in (tensor, *operands)):
            raise RuntimeError(out_errors.requires_grad("normal"))
        check_shared(tensor, [(operand, False) for operand in operands])
        for drawn in expected(normal_about, (mean, std, generator)):
            check_cast(tensor, drawn, not_drawn)
        result = normal_about(mean, std, generator=generator)
        return put("normal", out, result, read=tuple(operands), uncastable=not_drawn)
    if size is None:
        raise TypeError(
            f"normal() received an invalid combination of arguments - got ({type(mean).__name__}, "
            f"{type(std).__name__}), but expected a Tensor among them, or size"
        )
    check_place("normal", device, pin_memory, layout, out=out, dtype=dtype)
    check_spread(std)
    element = result_dtype("normal", dtype, out, dtypes.get_default_dtype())
    levels, shape = drawn_levels(), read_tuple("normal", size, 3)
    drawn = normal_array(chosen("normal", generator), batched_shape(levels, shape), element, mean, std)
    return deliver("normal", drawn, requires_grad, out, levels)


@normal.samples
def normal_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(0.0, 1.0, (2, 3))
    yield Bad(2.0, 3.0, raises=TypeError, says="normal() received an invalid combination of arguments")


plain_case(normal, normal_about, normal_about.native)


def not_drawn(wanted: Any, result: Any) -> NotImplementedError:
    """Return the error for an output of `normal` whose dtype cannot hold the numbers."""
    return NotImplementedError(errors.no_kernel("normal_kernel", result))


def of_draws(args: tuple[Any, ...], result: Any) -> None:
    """Accept an output of `bernoulli` of any real dtype: 0 and 1 are numbers of all of them.

    Raises:
        NotImplementedError: if the output is complex.
    """
    if result.is_complex:
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_self_\" not implemented for '{result.legacy[:-6]}'")


@op(
    dtypes=ALL,
    random=True,
    batching=at_once,
    out=Out(apart="partly", words=of_draws, silent=True),
    native=native_draw("bernoulli"),
)
def bernoulli(self: Array, p: float | None = None, *, generator: Any = None) -> Any:
    """Draw ones with the probabilities in `self` (or with probability `p` everywhere), zeros otherwise.

    Args:
        self: probabilities, floating; any tensor if `p` is given.
        p: a number.

    Returns:
        A new tensor of the shape and dtype of `self`.

    Raises:
        RuntimeError: if a probability is below 0 or above 1.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.bernoulli(wg.tensor([0.0, 0.5, 1.0]))
        tensor([0., 0., 1.])
    """
    refuse_dtype("bernoulli", self, ALL)
    source = chosen("bernoulli", generator)
    if p is None:
        return draw_bools(source, self, self.shape).astype(self.dtype)
    check_probability("bernoulli_", p)
    return draw_bools(source, float(p), self.shape).astype(self.dtype)


unmoved(bernoulli)


@bernoulli.samples
def bernoulli_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 0.3)
    yield Sample(make(2), 1.0)
    yield Bad(make(2), 2.0, raises=RuntimeError, says="bernoulli_ expects p to be in [0, 1], but got p=2")


@op(dtypes=REALS, random=True, batching=at_once, public="function")
def poisson(self: Array, generator: Any = None) -> Any:
    """Draw from Poisson distributions with the rates in `self`.

    Args:
        self: rates, floating.

    Returns:
        A new tensor like `self`.

    Raises:
        RuntimeError: if a rate is negative.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.poisson(wg.tensor([1.0, 100.0]))
        tensor([  2., 117.])
    """
    refuse_dtype("poisson_cpu", self, REALS)
    if self.size and not bool((self >= 0).all()):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return numbers_of(poisson_numbers, chosen("poisson", generator), self)


unmoved(poisson)


@poisson.samples
def poisson_samples(make: Any) -> Any:
    yield Sample(make(2, 3, kind="positive"))
    yield Bad(make(3, kind="negative"), raises=RuntimeError, says="expected rate to be non-negative")


@op(
    dtypes=REALS,
    why="integer result",
    random=True,
    batching=by_rows,
    out=Out(words="multinomial expects {wanted} tensor out, got: {found}", silent=True),
)
def multinomial(self: Index, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Any:
    """Draw indices with probabilities proportional to `self`.

    Args:
        self: (n,) or (rows, n), floating, at least 0.
        num_samples: number of indices drawn from each row.
        replacement: whether an index may be drawn again.

    Returns:
        A new int64 tensor (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: if the shape is another one, elements are negative or infinite, a row is zero, or there are too
            many samples.

    Source:
        Without replacement: Efraimidis and Spirakis, Weighted random sampling with a reservoir (2006).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.multinomial(wg.tensor([0.1, 0.0, 0.9]), 4, replacement=True)
        tensor([2, 2, 2, 2])
    """
    check_count(self, num_samples, replacement)
    check_weights(self, num_samples, replacement)
    source = chosen("multinomial", generator)
    if not replacement or num_samples == 1:  # torch draws a single place in the same way with and without replacement
        waits = -np.log1p(-uniform_array(source, self.shape, dtypes.float64)).astype(self.dtype)
        return positions.argsort(-(self / waits))[..., :num_samples]
    weights = self.reshape(-1, self.shape[-1])
    sums = np.cumsum(weights, axis=-1)
    drawn = uniform_array(source, (len(sums), num_samples), dtypes.float64)
    places = np.empty((len(sums), num_samples), np.int64)
    for row, draw, target in zip(sums, drawn, places):
        target[:] = positions.searchsorted(row / row[-1], draw, side="left")
    return places.reshape(*self.shape[:-1], num_samples)


def check_count(weights: Any, num_samples: int, replacement: bool) -> None:
    """Refuse weights that are not real, or of another shape, and more samples than weights.

    Raises:
        RuntimeError: if the arguments are refused.
    """
    if weights.dtype.kind not in "fV":
        name = from_numpy(weights.dtype).legacy[:-6]
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {name}")
    if weights.ndim not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, got {weights.ndim}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, got {num_samples}")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if weights.shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")


def check_weights(weights: Any, num_samples: int, replacement: bool) -> None:
    """Refuse weights that do not form a distribution.

    Raises:
        RuntimeError: if they do not.
    """
    if not bool(np.isfinite(weights).all() and (weights >= 0).all()):
        if not replacement or num_samples == 1:
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        entry = "< 0" if not bool((weights >= 0).all()) else "= infinity or NaN"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {entry})")
    if not bool((weights.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


@multinomial.samples
def multinomial_samples(make: Any) -> Any:
    yield Sample(make(3, kind="positive"), 2)
    yield Sample(make(2, 3, kind="positive"), 4, True)
    yield Bad(make(3), 0, raises=RuntimeError, says="cannot sample n_sample <= 0 samples")
    yield Bad(
        make(3), 4, raises=RuntimeError, says="cannot sample n_sample > prob_dist.size(-1) samples without replacement"
    )
    yield Bad(make(1, 1, 3), 2, raises=RuntimeError, says="prob_dist must be 1 or 2 dim")


__all__ = ["bernoulli", "multinomial", "normal", "poisson"]

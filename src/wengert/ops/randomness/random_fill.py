"""Random numbers in place: `uniform_`, `normal_`, `bernoulli_`, `random_` and so on. Their gradient is
zero."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import MISSING, integer
from ..._core.cards.card import FLOATS, ORDERED, REALS, Array, Bad, Card, Sample, derive_in_place, nodes, op
from ..._core.errors import shown
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType, from_numpy
from ..create.factory import refuse_dtype
from ..dtype_checks import C_NAMES, largest_of
from ..pointwise.rounding import unmoved
from .batches import at_once
from .generator import chosen
from .random import (
    check_fit,
    check_range,
    check_spread,
    in_memory_order,
    integer_array,
    normal_array,
    range_of,
    uniform_array,
)

EXACT = {dtypes.bfloat16: 8, dtypes.float16: 11, dtypes.float32: 24, dtypes.float64: 53}
"""Numbers of bits of the integers that floating-point dtypes represent without gaps."""

LOWEST = -(1 << 63)
"""Value of `from` that, without `to`, requests all numbers of 64 bits."""

NUMBERED = ORDERED - {dtypes.bool_}

filling = partial(
    op, public="neither", rules=unmoved, random="like", batching=at_once, takes_halves=True, shape="like_first"
)
"""Card decorator for numbers written over a tensor: its old elements have no influence on them."""


def write_as(card: Card, name: str) -> None:
    """Derive the in-place operator of a card under the name `name_`: the plain name belongs to another function."""
    previous = card.name
    card.name = name
    derive_in_place(card)
    card.name = previous


def bounds_of(element: DType) -> str:
    """Name of the elements in torch's errors."""
    return element.legacy[:-6]


def continuous(name: str, array: Any) -> DType:
    """Return the dtype of a tensor to be filled with real numbers.

    Raises:
        RuntimeError: if the dtype is not floating-point.
    """
    element = from_numpy(array.dtype)
    if element.category != dtypes.FLOAT:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {element.c_name}"
        )
    return element


@filling(dtypes=FLOATS, inplace=True)
def uniform(self: Array, from_: float = 0.0, to: float = 1.0, *, generator: Any = None) -> Any:
    """Draw numbers evenly from [from, to) in place of the elements of `self`.

    Args:
        from_: the lower limit; `from` in torch.
        to: the upper limit, which is excluded.
    """
    element = from_numpy(self.dtype)
    if element.category < dtypes.FLOAT:
        raise NotImplementedError(errors.no_kernel("check_uniform_bounds", element))
    for word, limit in (("from", from_), ("to", to)):
        if not abs(limit) <= largest_of(element):
            raise RuntimeError(f"{word} is out of bounds for {C_NAMES[element.name]}")
    if from_ > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={from_} > to={to}")
    if not to - from_ <= largest_of(element):
        raise RuntimeError(
            f"uniform_ expects to-from <= {largest_of(element)}, the largest number of {element.name}, but found "
            f"to={to} and from={from_} which result in to-from to exceed the limit"
        )
    source = chosen("uniform_", generator)
    return in_memory_order(self, lambda shape: uniform_array(source, shape, element, from_, to))


uniform.aliases["from"] = 1


@uniform.samples
def uniform_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2), -1, 3)
    yield Bad(
        make(2),
        3,
        2,
        raises=RuntimeError,
        says="uniform_ expects to return a [from, to) range, but found from=3 > to=2",
    )


@filling(dtypes=FLOATS, node="NormalBackward0")
def normal_fill(self: Array, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    """Draw numbers of the normal distribution in place of the elements of `self`.

    Args:
        mean: the mean.
        std: the standard deviation.
    """
    check_spread(std)
    source, element, dense = chosen("normal_", generator), from_numpy(self.dtype), self.flags.c_contiguous
    return in_memory_order(self, lambda shape: normal_array(source, shape, element, mean, std, dense))


write_as(normal_fill, "normal")


@normal_fill.samples
def normal_fill_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2), 1, 3)
    yield Bad(make(2), 0, -1, raises=RuntimeError, says="normal expects std >= 0.0, but found std -1")


def check_probability(name: str, p: Any) -> None:
    """Refuse anything but a probability.

    Raises:
        RuntimeError: if `p` is below 0 or above 1.
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"{name} expects p to be in [0, 1], but got p={p:g}")


def draw_bools(generator: Any, p: Any, shape: Any) -> Any:
    """Draw bools, True with probability `p` (an array or a number).

    Raises:
        RuntimeError: if a probability is below 0 or above 1.
        NotImplementedError: if the array is of integers.
    """
    if isinstance(p, np.ndarray):
        if p.dtype.kind not in "fV":
            raise NotImplementedError(errors.no_kernel("bernoulli_tensor_cpu_p_", from_numpy(p.dtype)))
        if not bool(((p >= 0) & (p <= 1)).all()):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false: probabilities must be between 0 and 1."
            )
    wide = dtypes.float64 if isinstance(p, float) or getattr(p, "dtype", None) == np.float64 else dtypes.float32
    return uniform_array(generator, shape, wide) < p


@filling(
    dtypes=ORDERED,
    numbers=True,
    node=nodes("BernoulliBackward1", "BernoulliBackward2", by=lambda args: 0 if isinstance(args[1], Tensor) else 1),
)
def bernoulli_fill(self: Array, p: Array = 0.5, *, generator: Any = None) -> Any:
    """Draw ones with probability `p`, zeros otherwise, in place of the elements of `self`."""
    refuse_dtype("bernoulli_scalar", self, ORDERED)
    if isinstance(p, np.ndarray):
        try:
            p = np.broadcast_to(p, self.shape)
        except ValueError as error:
            raise RuntimeError(
                f"The expanded size of the tensor {shown(self.shape)} must match the existing size {shown(p.shape)} "
                "of p"
            ) from error
    else:
        check_probability("bernoulli_", p)
        p = float(p)
    source = chosen("bernoulli_", generator)
    if isinstance(p, np.ndarray):
        return draw_bools(source, p, self.shape).astype(self.dtype)
    return in_memory_order(self, lambda shape: draw_bools(source, p, shape)).astype(self.dtype)


@bernoulli_fill.vjp("p")
def bernoulli_fill_vjp_p(grad: Any, p_shape: Any) -> Any:
    return grad.new_zeros(p_shape)


@bernoulli_fill.jvp("p")
def bernoulli_fill_jvp_p(tangent: Any) -> None:
    return None


write_as(bernoulli_fill, "bernoulli")


@bernoulli_fill.samples
def bernoulli_fill_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2), 0.3)
    yield Bad(make(2), 2, raises=RuntimeError, says="bernoulli_ expects p to be in [0, 1], but got p=2")


@filling(
    dtypes=ORDERED,
    inplace=True,
    node=nodes(
        "RandomBackward0",
        "RandomBackward1",
        "RandomBackward2",
        by=lambda args: 0 if args[2] is not MISSING else 2 if args[1] is None else 1,
    ),
    kernel="random_kernel_cpu",
)
def random(self: Array, from_: Any = None, to: Any = MISSING, *, generator: Any = None) -> Any:
    """Draw integers in place of the elements of `self`.

    They are from [0, to) for `random_(to)`, from [from, to) for `random_(from, to)`, all from `from` for
    `random_(from, None)`; without bounds all that the dtype represents, but no negative ones.

    Args:
        from_: the lower limit; `from` in torch.
        to: the upper limit, which is excluded.
    """
    refuse_dtype("random", self, ORDERED)
    element = from_numpy(self.dtype)
    from_, to = (bound if bound in (None, MISSING) else integer("random_", "from", bound) for bound in (from_, to))
    low, high, bounded = drawn_bounds(element, from_, to)
    source = chosen("random_", generator)
    return in_memory_order(self, lambda shape: integer_array(source, low, high, shape, element, bounded))


def drawn_bounds(element: DType, from_: Any, to: Any) -> tuple[int, int, bool]:
    """Return the range that `random_` draws from, and whether a program passed a bound.

    Raises:
        RuntimeError: if the dtype represents no integer between the bounds, or not the bounds.
    """
    exact = EXACT.get(element, 0)
    above = (1 << exact) + 1 if exact else range_of(element)[1] + 1
    if to is MISSING:
        if from_ is None:
            return 0, above, False
        from_, to = 0, from_
    if to is None and from_ == LOWEST:
        check_all_bits(element)
        return LOWEST, -LOWEST, True
    low = 0 if from_ is None else from_
    high = above if to is None else to
    (check_fit if to is None else check_range)(low, high, element)
    if exact:
        if to is not None:
            warn_of_gaps(element, low, high)
        low, high = represented(element, low, high)
    return low, high, True


def check_all_bits(element: DType) -> None:
    """Refuse dtypes that `random_(-2**63, None)` cannot fill with all numbers of 64 bits.

    Raises:
        RuntimeError: if the dtype is a narrower integer type.
        NotImplementedError: if the dtype is bool or float16.
    """
    if element in (dtypes.bool_, dtypes.float16):
        raise NotImplementedError(errors.no_kernel("random_full_64_bits_range_kernel", element))
    if element not in (*EXACT, dtypes.int64):
        raise RuntimeError(
            "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16, but got "
            f"{element.name}"
        )


def warn_of_gaps(element: DType, low: int, high: int) -> None:
    """Warn about bounds beyond the integers that a floating-point dtype represents without gaps."""
    bits = EXACT[element]
    for what, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > 1 << bits:
            warnings.warn(
                f"{what} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations "
                f"{C_NAMES[element.name]} can support discrete uniform distribution only within this range.",
                UserWarning,
                stacklevel=2,
            )


def represented(element: DType, low: int, high: int) -> tuple[int, int]:
    """Return the range without the ends that a floating-point dtype would round to a number outside of it.

    Raises:
        RuntimeError: if no number remains.
    """
    first, last = rounded(element, low + 1), rounded(element, high - 1)
    start = first + spacing(element, low + 1) if first < low else low
    stop = last - spacing(element, high - 1) if last >= high else high
    if start >= stop:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
            f"from={start} >= to={stop}"
        )
    return start, stop


def rounded(element: DType, value: int) -> int:
    """Round an integer to a floating-point dtype."""
    return int(np.float64(value).astype(element.numpy))


def spacing(element: DType, value: int) -> int:
    """Return the distance between neighbours of a floating-point dtype near an integer."""
    return 1 << max(abs(value).bit_length() - EXACT[element], 0)


random.aliases["from"] = 1


@random.samples
def random_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2), 2)
    yield Sample(make(2), 1, 2)
    yield Bad(
        make(2), 3, 3, raises=RuntimeError, says="random_ expects 'from' to be less than 'to', but got from=3 >= to=3"
    )


@filling(dtypes=REALS, inplace=True)
def exponential(self: Array, lambd: float = 1.0, *, generator: Any = None) -> Any:
    """Draw numbers of the exponential distribution of rate `lambd` in place of the elements of `self`."""
    element = continuous("Exponential", self)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    source = chosen("exponential_", generator)
    drawn = in_memory_order(self, lambda shape: uniform_array(source, shape, dtypes.float64))
    return (-1 / lambd * np.log1p(-drawn)).astype(element.numpy)


@exponential.samples
def exponential_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make(2), 3)
    yield Bad(make(2), 0, raises=RuntimeError, says="exponential_ expects lambda > 0.0, but found lambda=0")


@filling(dtypes=NUMBERED, inplace=True)
def geometric(self: Array, p: float, *, generator: Any = None) -> Any:
    """Draw numbers of trials up to the first success, with probability `p` each, in place of the elements of `self`."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    refuse_dtype("geometric", self, NUMBERED)
    source = chosen("geometric_", generator)
    drawn = in_memory_order(self, lambda shape: uniform_array(source, shape, dtypes.float64))
    return np.ceil(np.log(drawn) / math.log(1 - p)).astype(self.dtype)


@geometric.samples
def geometric_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 0.3)
    yield Bad(make(2), 1.0, raises=RuntimeError, says="geometric_ expects p to be in (0, 1), but got p=1")


@filling(dtypes=REALS, inplace=True)
def cauchy(self: Array, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Any:
    """Draw numbers of the Cauchy distribution in place of the elements of `self`.

    Args:
        median: the median.
        sigma: half of the distance between the quartiles.
    """
    element = continuous("Cauchy", self)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    source = chosen("cauchy_", generator)
    drawn = in_memory_order(self, lambda shape: uniform_array(source, shape, dtypes.float64))
    return (median + sigma * np.tan(np.pi * (drawn - 0.5))).astype(element.numpy)


@cauchy.samples
def cauchy_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Bad(make(2), 0, 0, raises=RuntimeError, says="cauchy_ expects sigma > 0.0, but found sigma=0")


@filling(dtypes=REALS, inplace=True)
def log_normal(self: Array, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Any:
    """Draw numbers with normally distributed logarithms in place of the elements of `self`.

    Args:
        mean, std: mean and standard deviation of the logarithms.
    """
    element = from_numpy(self.dtype)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if element.category != dtypes.FLOAT:
        raise NotImplementedError(errors.no_kernel("log_normal", element))
    source = chosen("log_normal_", generator)
    drawn = in_memory_order(self, lambda shape: normal_array(source, shape, dtypes.float64, mean, std, dense=False))
    return np.exp(drawn).astype(element.numpy)


@log_normal.samples
def log_normal_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Bad(make(2), 0, 0, raises=RuntimeError, says="log_normal_ expects std > 0.0, but found std=0")

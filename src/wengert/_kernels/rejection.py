"""Numbers of the gamma, Poisson and binomial distributions, by rejection sampling, one after the other.

The generator's words are used as torch uses them on a CPU: parameters are combined in their own dtype, all else
in double precision. These are the twins of the native functions of the same names, digit by digit but for the C
library's `lgamma`, which decides only whether a number is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .random import Twister, natively, pairs
from .results import Array

Even = Callable[[], float]

NO_INTEGER = -(2**63)
"""Integer for a number beyond 64 bits, as on most processors."""

TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.010411265261972,
    0.00925546218271273,
    0.00833056343336287,
)
"""Errors of Stirling's formula for the logarithm of k!, for k from 0 to 9."""


def gamma_numbers(source: Twister, concentration: Array) -> Array:
    """Numbers of gamma distributions with rate 1, none below the smallest normal one (nor NaN, which becomes that).

    Args:
        concentration: float32 or float64 vector.

    Returns:
        A new vector of that dtype.
    """
    tiny = float(np.finfo(concentration.dtype).tiny)
    return drawn("gamma_numbers", source, lambda even, a: max(tiny, gamma_number(source, even, a)), concentration)


def poisson_numbers(source: Twister, rate: Array) -> Array:
    """Numbers of Poisson distributions.

    Args:
        rate: float32 or float64 vector, at least 0.

    Returns:
        A new vector of that dtype.
    """
    return drawn("poisson_numbers", source, lambda even, x: poisson_number(even, float(x)), rate)


def binomial_numbers(source: Twister, trials: Array, chance: Array) -> Array:
    """Numbers of successes.

    Args:
        trials: float32 or float64 vector.
        chance: a vector of that dtype and length.

    Returns:
        A new vector of that dtype.
    """
    return drawn("binomial_numbers", source, binomial_number, trials, chance)


def drawn(name: str, source: Twister, draw: Callable[..., Any], *parameters: Array) -> Array:
    """A number for each place of the vectors of parameters, by the native function of that name if there is one."""
    result: Any = natively(name, source, *parameters)
    if result is NotImplemented:
        even = evens(source)
        with np.errstate(all="ignore"):
            result = np.array([draw(even, *values) for values in zip(*parameters)], np.float64)
        result = result.astype(parameters[0].dtype)
    return result


def evens(source: Twister) -> Even:
    """Return a function that draws float64 numbers from [0, 1) one by one."""
    raw, mask = source.bits.random_raw, (1 << 53) - 1
    return lambda: ((raw() << 32 | raw()) & mask) * 2.0**-53


def logarithm(x: float) -> float:
    """log(x) as C has it: -inf of 0, NaN of negative numbers."""
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def power(x: float, y: float) -> float:
    """x to the power of y as C has it, for x above 0."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.inf


def gamma_number(source: Twister, even: Even, concentration: Any) -> float:
    """The cube of a number about 1, normally distributed.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables (2000), with their quick test; below 1
    the number of a concentration larger by 1, times a power of a uniform one.
    """
    real, scale = type(concentration), 1.0
    if concentration == 0:
        return 0.0
    if concentration < 1:
        scale = power(1 - even(), float(real(1) / concentration))
        concentration = concentration + real(1)
    depth = float(concentration - real(np.float32(1) / np.float32(3)))
    spread = float(1 / np.sqrt(np.float64(9 * depth)))
    while True:
        x = float(pairs(source, 1)[0])
        base = 1 + spread * x
        if base <= 0:
            continue
        cube, rank, square = base * base * base, 1 - even(), x * x
        if rank < 1 - float(np.float32(0.0331)) * square * square:
            break
        if math.log(rank) < 0.5 * square + depth * (1 - cube + logarithm(cube)):
            break
    return scale * depth * cube


def poisson_number(even: Even, rate: float) -> int:
    """Below a rate of 10 by products of uniform numbers; above by transformed rejection.

    Source: Hormann, The transformed rejection method for generating Poisson random variables (1993), PTRS.
    """
    if rate == 0:
        return 0
    if rate < 10:
        count, end, product = 0, math.exp(-rate), even()
        while product > end:
            count += 1
            product *= even()
        return count
    width = 0.931 + 2.53 * math.sqrt(rate)
    bend = -0.059 + 0.02483 * width
    quick, share = 0.9277 - 3.6224 / (width - 2), math.log(1.1239 + 1.1328 / (width - 3.4))
    while True:
        across, up = even() - 0.5, even()
        edge = 0.5 - abs(across)
        if edge == 0:
            continue  # far below 0, whatever the rate
        number = float(
            np.floor((2 * bend / edge + width) * across + rate + 0.43)
        )  # compared before it is converted to an integer
        if edge >= 0.07 and up <= quick:
            return integer(number)
        if number < 0 or (edge < 0.013 and up > edge):
            continue
        height = logarithm(up) + share - math.log(bend / (edge * edge) + width)
        if height <= -rate + number * math.log(rate) - log_factorial(number):
            return integer(number)


def log_factorial(k: float) -> float:
    """The logarithm of k!, infinite where it overflows, for which Python's function raises an error."""
    return math.lgamma(k + 1) if not k > 1e305 else math.inf


def integer(x: float) -> int:
    """The integer below a number."""
    return math.floor(x) if -(2.0**63) <= x < 2.0**63 else NO_INTEGER


def binomial_number(even: Even, trials: Any, chance: Any) -> Any:
    """Successes, or failures where these are rarer."""
    if trials <= 0 or chance <= 0:
        return 0.0
    if not chance < 1:
        return math.nan if chance != chance else trials
    if chance <= 0.5:
        return fewer(even, trials, chance)
    real = type(trials)
    return trials - real(fewer(even, trials, real(1) - chance))


def fewer(even: Even, trials: Any, chance: Any) -> float:
    """Successes of a chance up to 1/2."""
    return (rejected if trials * chance >= 10 else waited)(even, trials, chance)


def waited(even: Even, trials: Any, chance: Any) -> float:
    """Successes within the trials: the waits between them are geometric numbers."""
    log_failure, count, passed = float(np.log1p(-chance)), 0, 0.0
    while True:
        wait = logarithm(even()) / log_failure
        passed += math.ceil(wait) if math.isfinite(wait) else wait
        if not passed <= trials:
            return count
        count += 1


def rejected(even: Even, trials: Any, chance: Any) -> float:
    """Successes by transformed rejection.

    Source: Hormann, The generation of binomial random variates (1993), BTRS.
    """
    real = type(trials)
    odds, mode = float(chance / (real(1) - chance)), float(np.floor((trials + real(1)) * chance))
    deviation, middle = math.sqrt(trials * chance * (real(1) - chance)), float(trials * chance) + 0.5
    width = 1.15 + 2.53 * deviation
    bend = -0.0873 + 0.0248 * width + 0.01 * float(chance)
    quick, share, total = 0.92 - 4.2 / width, (2.83 + 5.1 / width) * deviation, float(trials)
    while True:
        across, up = even() - 0.5, even()
        edge = 0.5 - abs(across)
        if edge == 0:
            continue  # far below 0, whatever the parameters
        count = float(np.floor((2 * bend / edge + width) * across + middle))
        if count < 0 or count > total:
            continue
        if edge >= 0.07 and up <= quick:
            return count
        height = logarithm(up * share / (bend / (edge * edge) + width))
        if height <= log_ratio(total, odds, mode, count):
            return count


def log_ratio(trials: float, odds: float, mode: float, count: float) -> float:
    """The logarithm of how probable `count` is beside the most probable number."""
    return (
        (mode + 0.5) * logarithm((mode + 1) / (odds * (trials - mode + 1)))
        + (trials + 1) * logarithm((trials - mode + 1) / (trials - count + 1))
        + (count + 0.5) * logarithm(odds * (trials - count + 1) / (count + 1))
        + tail(mode)
        + tail(trials - mode)
        - tail(count)
        - tail(trials - count)
    )


def tail(k: float) -> float:
    """Error of Stirling's formula for the logarithm of k!."""
    if k <= 9:
        return TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)

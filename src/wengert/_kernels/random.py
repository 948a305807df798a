"""Random arrays and dropout, in NumPy: the numbers that torch draws on a CPU for the same seed.

Words of 32 bits come from NumPy's Mersenne Twister, seeded as its authors do it. What torch makes of the words is not
documented; it was determined by comparison, which `tests/parity/programs/random_streams.py` repeats.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from .. import _kernels as chosen  # its functions are the native ones by the time of the first draw
from .._start.loading import load
from . import positions
from .normal import BLOCK, scaled
from .results import Array, as_array

Shape = tuple[int, ...]


@cache
def no_words() -> Any:
    """Seed sequence of zeros, for a generator that is seeded right afterwards: NumPy would mix words of the system."""

    random: Any = load("numpy.random")  # loaded late: it takes longer than the rest of the package

    class Zeros(random.bit_generator.ISeedSequence):
        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Array:
            return np.zeros(n_words, dtype)

    return Zeros()


class Twister:
    """MT19937 from a seed.

    Attributes:
        bits: NumPy's generator of words.
        kept: whether there is a second number of the last pair of normal ones, and that number.
        parts: arguments of native draws: the capsule of the bits, how to acquire and release their lock, `kept`.
    """

    bits: Any
    kept: Array
    parts: tuple[Any, Any, Any, Array]

    __slots__ = ("bits", "kept", "parts")

    def __init__(self, seed: int) -> None:
        random: Any = load("numpy.random")
        self.bits = random.MT19937(no_words())
        random.RandomState(self.bits).seed(seed & 0xFFFFFFFF)
        self.kept = np.zeros(2)
        self.parts = (self.bits.capsule, self.bits.lock.acquire, self.bits.lock.release, self.kept)

    def words(self, count: int) -> Array:
        """Numbers of 32 bits, as uint64."""
        return as_array(self.bits.random_raw(count))

    def long_words(self, count: int) -> Array:
        """Numbers of 64 bits, each of two words, as uint64."""
        words = self.words(2 * count)
        return as_array((words[0::2] << np.uint64(32)) | words[1::2])


def generator(seed: int) -> Twister:
    """A generator of random numbers from a seed of 0 or more."""
    return Twister(seed)


def natively(name: str, source: Twister, *args: Any) -> Any:
    """Draw by the native function of a name with further arguments; NotImplemented if there is none."""
    function = chosen.direct.get(name)
    return NotImplemented if function is None else function(*source.parts, *args)


def singles(source: Twister, count: int) -> Array:
    """float32 numbers from [0, 1): 24 bits of a word."""
    result = natively("even", source, np.dtype(np.float32), count)
    if result is not NotImplemented:
        return as_array(result)
    bits = source.words(count) & np.uint64((1 << 24) - 1)
    return as_array(bits.astype(np.float32) * np.float32(2.0**-24))


def doubles(source: Twister, count: int) -> Array:
    """float64 numbers from [0, 1): 53 bits of two words."""
    result = natively("even", source, np.dtype(np.float64), count)
    if result is not NotImplemented:
        return as_array(result)
    return as_array((source.long_words(count) & np.uint64((1 << 53) - 1)) * 2.0**-53)


def uniform(source: Twister, shape: Shape, dtype: Any = np.float32, low: float = 0.0, high: float = 1.0) -> Array:
    """Numbers from [low, high); half precision is drawn in float32. Numbers rounded to `high` become `low`."""
    count, wide = math.prod(shape), np.dtype(dtype) == np.float64
    if not count:
        return np.empty(shape, dtype)
    drawn = doubles(source, count) if wide else singles(source, count)
    standard = low == 0 and high == 1
    if not standard:
        first = drawn.dtype.type(low)
        drawn = scaled(drawn, drawn.dtype.type(high) - first, first)
    result = drawn.reshape(shape).astype(dtype, copy=False)
    if not standard or result.dtype != drawn.dtype:
        result[result == result.dtype.type(high)] = low
    return result


def normal(
    source: Twister, shape: Shape, dtype: Any = np.float32, mean: float = 0.0, std: float = 1.0, dense: bool = True
) -> Array:
    """Numbers of a normal distribution; complex: half of the variance in each part.

    Args:
        dense: whether the result is contiguous: sixteen or more numbers are then drawn in blocks.
    """
    kind = np.dtype(dtype)
    if kind.kind == "c":
        real = np.float32 if kind == np.complex64 else np.float64
        parts = normal(source, (*shape, 2), real, 0.0, std / math.sqrt(2), dense)
        return as_array(parts.view(kind)[..., 0] + kind.type(mean))
    count, wide = math.prod(shape), np.float64 if kind == np.float64 else np.float32
    if not count:
        return np.empty(shape, kind)
    if dense and count >= BLOCK:
        standard = blocks_of_halves(source, count) if kind.itemsize == 2 else blocks(source, count, wide)
        drawn = scaled(standard, wide(std), wide(mean))
    else:
        drawn = scaled(pairs(source, count), np.float64(std), np.float64(mean)).astype(wide)
    return drawn.reshape(shape).astype(kind, copy=False)


def blocks(source: Twister, count: int, dtype: Any) -> Array:
    """Standard normal numbers, in blocks of sixteen; the last block, drawn anew, overlaps the one before it."""
    native = natively("normal", source, np.dtype(dtype), count)
    if native is not NotImplemented:
        return as_array(native)
    drawn = uniform(source, (count,), dtype)
    in_blocks = count - count % BLOCK
    result = np.empty(count, dtype)
    result[:in_blocks] = chosen.normal_blocks(drawn[:in_blocks])
    if in_blocks < count:
        result[-BLOCK:] = chosen.normal_blocks(uniform(source, (BLOCK,), dtype))
    return result


def blocks_of_halves(source: Twister, count: int) -> Array:
    """`blocks` in float32 as torch draws them for half precision: nothing is drawn for what the last block covers."""
    result = np.empty(count, np.float32)
    in_blocks = count - count % BLOCK
    result[:in_blocks] = blocks(source, in_blocks, np.float32)
    if in_blocks < count:
        result[-BLOCK:] = blocks(source, BLOCK, np.float32)
    return result


def pairs(source: Twister, count: int) -> Array:
    """Standard normal float64 numbers, drawn in pairs; an unused second number is the first of the next call."""
    parts = []
    if count and source.kept[0]:
        source.kept[0] = 0
        parts.append(source.kept[1:].copy())
    missing = count - len(parts)
    fresh = chosen.normal_pairs(doubles(source, missing + missing % 2).reshape(-1, 2)).reshape(-1)
    if missing % 2:
        source.kept[:] = 1, fresh[-1]
    return np.concatenate([*parts, fresh[:missing]])


def integers(
    source: Twister, low: int, high: int, shape: Shape, dtype: Any = np.int64, short: bool | None = None
) -> Array:
    """Integers from [low, high), in any dtype: the rest of a word, or of two where the range is 2^28 or more.

    Args:
        short: whether one word is used for a number; None to decide by the range.
    """
    room, count = high - low, math.prod(shape)
    if not count:
        return np.empty(shape, dtype)
    single_word = room < 1 << 28 if short is None else short
    result = natively("whole", source, count, room, low, single_word)
    if result is not NotImplemented:
        return as_array(result).reshape(shape).astype(dtype, copy=False)
    words = source.words(count) if single_word else source.long_words(count)
    if room < 1 << 64:
        words %= np.uint64(room)
    words += np.uint64(low % (1 << 64))
    return words.view(np.int64).reshape(shape).astype(dtype, copy=False)


def permutation(source: Twister, count: int) -> Array:
    """The int64 numbers 0 ... count - 1 in random order: each place is swapped with one of those from there on."""
    if count < 2:
        return positions.arange(count)
    draw = source.words if count < 0xFFFFFFFF // 20 else source.long_words
    steps = draw(count - 1) % np.arange(count, 1, -1, dtype=np.uint64)
    return chosen.shuffle(positions.arange(count), steps.astype(np.int64))


def dropout_mask(source: Twister, shape: Shape, p: float) -> Array:
    """New bool mask of the elements to keep: True with probability 1 - p."""
    return as_array(doubles(source, math.prod(shape)).reshape(shape) < 1 - p)


def dropout_apply(x: Array, mask: Array, p: float) -> Array:
    """`x` / (1 - p) where `mask` holds, 0 times `x` elsewhere (so NaN and inf there give NaN, as in torch).

    Args:
        x: floating or complex.
        mask: bool, same shape.
        p: probability of dropping, 0 to 1.

    Returns:
        A new array like `x`.
    """
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return as_array(x * (mask * x.dtype.type(scale)))

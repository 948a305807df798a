"""Generators of random numbers, and the default generator.

The numbers equal those that torch draws on a CPU for the same seed (`_kernels/random.py`). `numpy.random` is loaded
with
the first number, not with the package.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import Bad, Sample, composite
from ..._core.forks import forks
from ..._core.tensor.base import OPERATORS, Tensor, wrap
from ..._core.tensor.tracing import told_reading
from ..._core.types.devices import device as Device, refuse_absent
from ..._start.boundary import guarded, shorten

_IN_PACKAGE = ("default_generator",)

DEFAULT_SEED = 67280421310721
WORDS = 624
STATE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("words", "<u8", WORDS),
        ("first", "<f8"),
        ("kept", "<f8"),
        ("unused", "<f8"),
        ("has_kept", "<i4"),
        ("end", "V12"),
    ]
)
"""Content of torch's tensor of a generator's state: 5,056 bytes."""


def read_seed(seed: int) -> int:
    """Return a seed from 0 to 2**64 - 1; negative ones count from the end.

    Raises:
        ValueError: if the seed is beyond 64 bits.
    """
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError(f"Overflow when unpacking long long: a seed must be between -2**63 and 2**64 - 1, got {seed}")
    return seed % (1 << 64)


Source: TypeAlias = tuple[Any, Any, Any, Any, Any]
"""A `Twister`, and the objects that native draws need: the capsule of its bits, functions that acquire and release its
lock, and the number that it keeps."""


def new_source(seed: int) -> Source:
    """Return a new source of the numbers of a seed."""
    result = kernels.generator(seed)
    return (result, *result.parts)


class Stream:
    """Stream of the numbers of a seed.

    NumPy's generators lock themselves for the duration of a draw, in which no Python code runs. So nothing is locked
    here, and a signal handler or finaliser that draws in the middle of a draw finds no lock held, and other numbers.

    Attributes:
        seed: start of the stream.
        start: the stream at whose position this one begins, until the first draw; nobody draws from that one any more.
        sources: sources of numbers by the id of the process. A forked child creates its own, at the position of its
            parent's, because a thread that it does not have may hold the lock of that one.
    """

    __slots__ = ("seed", "sources", "start")

    def __init__(self, seed: int, start: Stream | None = None) -> None:
        self.seed = seed
        self.start = start
        self.sources: dict[int, Source] = {}

    def source(self) -> Any:
        """Return the `Twister`, created on first use."""
        process = forks()
        entry = self.sources.get(process)
        if entry is None:
            fresh = new_source(self.seed)
            before, start = [item for number, item in tuple(self.sources.items()) if number != process], self.start
            place = before[-1][0] if before else start and start.source()
            if before:  # sources of a forked child's parents: from NumPy 2.5 on reading the position takes their lock
                before[-1][0].bits.lock._at_fork_reinit()
            if place:
                fresh[0].bits.state = place.bits.state
                fresh[0].kept[:] = place.kept
            entry = self.sources.setdefault(process, fresh)  # one step: all threads that created one get the same
            self.start = None
        return entry[0]


@guarded
class Generator:
    """A stream of random numbers, `wg.Generator()`; safe to use from several threads.

    Args:
        device: 'cpu'.
    """

    def __init__(self, device: Any = "cpu") -> None:
        refuse_absent(device)
        self._device = Device(device)
        self._stream = Stream(DEFAULT_SEED)

    @property
    def device(self) -> Device:
        """Device of the numbers."""
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """Restart from a seed.

        Args:
            seed: from -2**63 to 2**64 - 1; negative ones count from the end of the unsigned range.

        Returns:
            The generator itself.

        Raises:
            RuntimeError: if the seed is not an integer.
            ValueError: if the seed is beyond 64 bits.
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        told_reading(None, "seeding a generator")
        self._stream = Stream(read_seed(int(seed.__index__())))
        return self

    def seed(self) -> int:
        """Restart from a seed that the system chooses, and return it."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Return the seed that the generator started from."""
        return self._stream.seed

    def draw(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call `function` with the `Twister` and further arguments."""
        told_reading(None, "a factory that draws random numbers")
        return function(self._stream.source(), *args)

    def mark(self) -> Stream:
        """Return the position of the stream, for `resume`; later numbers come from a copy, made by the first draw."""
        stream = self._stream
        start = stream.start
        if start and not stream.sources:
            return start
        self._stream = Stream(stream.seed, stream)
        return stream

    def resume(self, place: Stream) -> None:
        """Return to the position of `mark`."""
        self._stream = Stream(place.seed, place)

    def get_state(self) -> Tensor:
        """Return the position of the stream: a new uint8 tensor in torch's format."""
        told_reading(None, "the state of a generator")
        stream = self._stream
        source = stream.source()
        with source.bits.lock:  # NumPy's own lock: no other thread is in the middle of a draw
            words, pending = source.bits.state["state"], source.kept.copy()
        state = np.zeros((), STATE)
        state["seed"], state["seeded"], state["words"] = stream.seed, 1, words["key"]
        state["left"], state["next"] = WORDS - words["pos"] + 1, words["pos"]
        state["has_kept"], state["kept"] = pending[0], pending[1] if pending[0] else 0
        return wrap(np.frombuffer(state.tobytes(), np.uint8).copy())

    def get_offset(self) -> int:
        """Return the offset of the stream: always refused, because a CPU stream has none.

        Raises:
            RuntimeError: always; the stream has no offset.
        """
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Set the offset of the stream: always refused, because a CPU stream has none.

        Raises:
            RuntimeError: always; the stream has no offset.
        """
        raise RuntimeError("CPU Generator does not use offset")

    def set_state(self, new_state: Tensor) -> Generator:
        """Return to the position of `get_state`.

        Args:
            new_state: result of `get_state`.

        Returns:
            The generator itself.

        Raises:
            TypeError: if `new_state` is not a uint8 tensor.
            RuntimeError: if its length is wrong.
        """
        told_reading(None, "seeding a generator")
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._array_.dtype != np.uint8:
            raise TypeError(f"RNG state must be a torch.ByteTensor, but got {new_state.dtype}")
        if new_state._array_.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be "
                f"{new_state._array_.size}"
            )
        state = np.frombuffer(new_state._array_.tobytes(), STATE)[0]
        stream = Stream(int(state["seed"]))
        source = stream.source()
        place = (
            WORDS if state["left"] == 1 else min(int(state["next"]), WORDS)
        )  # 1: all words are used, or none was generated
        key = state["words"].astype(np.uint32)
        source.bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": place}}
        source.kept[:] = state["has_kept"] != 0, state["kept"]
        self._stream = stream  # complete first: threads that draw meanwhile use the previous one
        return self

    def clone_state(self) -> Generator:
        """Return a new generator at the same position of the same stream."""
        return Generator(self._device).set_state(self.get_state())

    def __reduce__(self) -> tuple[Any, ...]:
        return (restored, (self.get_state()._array_,))


def restored(state: np.ndarray[Any, Any]) -> Generator:
    """Return a generator with a state, for pickle and copy."""
    return Generator().set_state(wrap(state))


default_generator = Generator()
default_generator.seed()


def native_draw(name: str) -> Callable[..., Any] | None:
    """Native function of that name, which draws from the default generator; None without the extension."""
    draw = kernels.direct_function(name)
    return draw and functools.partial(draw, default_generator, forks)


def chosen(name: str, generator: Any) -> Generator:
    """Return the generator of a call: the argument, or the default one.

    Raises:
        TypeError: if `generator` is not a generator.
    """
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{name}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


@composite(method=False)
def manual_seed(seed: Any) -> Generator:
    """Restart the default generator from a seed.

    Args:
        seed: a number that `int()` accepts, from -2**63 to 2**64 - 1.

    Returns:
        The default generator.

    Raises:
        ValueError: if the seed is beyond 64 bits.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.rand(2)
        tensor([0.4963, 0.7682])
    """
    try:
        try:
            number = int(seed)
        except ValueError:
            raise ValueError(f"manual_seed expected an integer, but got {seed!r}") from None
        return default_generator.manual_seed(number)
    except Exception as error:
        shorten(error, "manual_seed", manual_seed)
        raise


@composite(method=False)
def seed() -> int:
    """Restart the default generator from a seed that the system chooses, and return it.

    Returns:
        The seed.

    >>> wg.seed() == wg.initial_seed()
    True
    """
    return default_generator.seed()


@composite(method=False)
def initial_seed() -> int:
    """Return the seed that the default generator started from.

    Returns:
        The seed.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(7)
        >>> wg.initial_seed()
        7
    """
    return default_generator.initial_seed()


@composite(method=False)
def get_rng_state() -> Tensor:
    """Return the state of the default generator: a uint8 tensor.

    Returns:
        A new uint8 tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.get_rng_state().dtype
        torch.uint8
    """
    return default_generator.get_state()


@composite(method=False)
def set_rng_state(new_state: Tensor) -> None:
    """Set the default generator to a state of `get_rng_state`.

    Args:
        new_state: result of `get_rng_state`.

    Returns:
        None.

    Raises:
        TypeError: if `new_state` is not a uint8 tensor.
        RuntimeError: if its length is wrong.

    Examples:
        >>> import wengert as wg
        >>> state = wg.get_rng_state()
        >>> first = wg.rand(3)
        >>> wg.set_rng_state(state)
        >>> wg.equal(first, wg.rand(3))
        True
    """
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **options: Any) -> Iterator[None]:
    """Context after which the default generator is as it was before.

    Args:
        devices: ignored, because there are no others.
        enabled: whether the context has an effect.

    >>> import wengert as wg
    >>> with wg.random.fork_rng():
    ...     first = wg.rand(2)
    >>> bool((wg.rand(2) == first).all())
    True
    """
    place = default_generator.mark() if enabled else None
    try:
        yield
    finally:
        if place is not None:
            default_generator.resume(place)


@manual_seed.samples
def manual_seed_samples(make: Any) -> Any:
    yield Sample(3)
    yield Sample(-1)
    yield Bad(1 << 64, raises=ValueError, says="Overflow when unpacking long long")


@set_rng_state.samples
def set_rng_state_samples(make: Any) -> Any:
    yield Sample(default_generator.get_state())
    yield Bad([1], raises=TypeError, says="expected a torch.ByteTensor, but got list")


def nothing(make: Any) -> Any:
    """The sample of a function without arguments."""
    yield Sample()


for function in (seed, initial_seed, get_rng_state):
    function.samples(nothing)

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def same_draws(generator: Any) -> Callable[[], None]:
    """Return a function that sets a generator, by default the default one, back to its present position."""
    drawing = default_generator if generator is None else generator
    state = drawing.get_state()

    def put_back() -> None:
        drawing.set_state(state)

    return put_back


OPERATORS.same_draws = same_draws

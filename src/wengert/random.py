"""`torch.random`: the generator from which random numbers come unless a call names another one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .ops.randomness.generator import (
    default_generator as default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **options: Any) -> Iterator[None]:
    """Within the block random numbers are drawn as usual; after it the generator is as it was before.

    Args:
        devices: ignored: there are no others.
        enabled: whether the block does anything.

    >>> import wengert as wg
    >>> with wg.random.fork_rng():
    ...     first = wg.rand(2)
    >>> bool((wg.rand(2) == first).all())
    True
    """
    if not enabled:
        yield
        return
    place = default_generator.mark()
    try:
        yield
    finally:
        default_generator.resume(place)

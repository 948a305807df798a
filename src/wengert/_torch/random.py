"""`torch.random`: the generator from which random numbers come unless a call names another one."""

from __future__ import annotations

from wengert.ops.randomness.generator import (
    default_generator as default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

"""`torch.cuda.random`: the generators of devices that are not there."""

from __future__ import annotations

from typing import Any

from . import _cuda

manual_seed, manual_seed_all = _cuda.manual_seed, _cuda.manual_seed_all
seed, seed_all = _cuda.seed, _cuda.seed_all
get_rng_state_all, set_rng_state_all = _cuda.get_rng_state_all, _cuda.set_rng_state_all


def get_rng_state(device: Any = "cuda") -> Any:
    """Raise AssertionError: there is no CUDA.

    Raises:
        AssertionError: always; there is no CUDA.
    """
    return _cuda.refuse()


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Raise AssertionError: there is no CUDA.

    Raises:
        AssertionError: always; there is no CUDA.
    """
    _cuda.refuse()

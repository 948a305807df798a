"""Queries of libraries about tensors under transforms: the transforms that follow each tensor."""

from __future__ import annotations

from enum import Enum
from typing import Any

from wengert._tensor import Tensor
from wengert._tensor.transforms import layers
from wengert.autograd.limits import depth
from wengert.func.debug import debug_unwrap


class TransformType(Enum):
    """Kinds of transforms of functions."""

    Torch = 0
    Vmap = 1
    Grad = 2
    Jvp = 3
    Functionalize = 4


class RandomnessType(Enum):
    """Behaviour of random operators under `vmap`."""

    Error = 0
    Same = 1
    Different = 2


def is_batchedtensor(tensor: Tensor) -> bool:
    """Return whether the innermost transform that follows a tensor is a batch."""
    depths = layers(tensor)
    return bool(depths) and depths[max(depths)]


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Return whether the innermost transform that follows a tensor differentiates with respect to it."""
    depths = layers(tensor)
    return bool(depths) and not depths[max(depths)]


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Return whether a transform follows a tensor."""
    return bool(layers(tensor))


def is_functionaltensor(tensor: Tensor) -> bool:
    """False: nothing takes writes out of functions here."""
    return False


def is_legacy_batchedtensor(tensor: Tensor) -> bool:
    """Return False: there is only one kind of batches."""
    return False


def is_dead_tensor_wrapper(tensor: Tensor) -> bool:
    """Return False: tensors that leave a transform are not wrappers."""
    return False


def unwrap_if_dead(tensor: Tensor) -> Tensor:
    """The tensor itself."""
    return tensor


def get_unwrapped(tensor: Tensor) -> Tensor:
    """The tensor behind the innermost transform that follows it."""
    return debug_unwrap(tensor, recurse=False)


def maybe_get_level(tensor: Tensor) -> int:
    """Return the depth of the innermost transform that follows a tensor, from 1; -1 if there is none."""
    return max(layers(tensor), default=-1)


def maybe_get_bdim(tensor: Tensor) -> int:
    """Return the batch dimension of the result of `get_unwrapped`, which is 0; -1 for a tensor that is not batched."""
    return 0 if is_batchedtensor(tensor) else -1


def maybe_current_level() -> int | None:
    """Return the number of active transforms in this thread; None if there is none."""
    return depth() or None


def current_level() -> int:
    """Return the number of active transforms in this thread.

    Raises:
        RuntimeError: if none is.
    """
    level = maybe_current_level()
    if level is None:
        raise RuntimeError("current_level(): no transform of functions (torch.func, torch.vmap) is under way")
    return level


def __getattr__(name: str) -> Any:
    """Return a placeholder for functions that change transforms from inside, which raises when it is called."""
    from wengert._start import absent

    return absent.stand_in(__name__, name, "transforms are contexts of wengert's own here: use torch.func")


__all__ = [
    "RandomnessType",
    "TransformType",
    "current_level",
    "get_unwrapped",
    "is_batchedtensor",
    "is_dead_tensor_wrapper",
    "is_functionaltensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "is_legacy_batchedtensor",
    "maybe_current_level",
    "maybe_get_bdim",
    "maybe_get_level",
    "unwrap_if_dead",
]

"""Regions in which operators would compute in a shorter dtype."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any


class autocast(contextlib.ContextDecorator):
    """A region in which operators choose their dtype; without its device it is switched off, with a warning.

    Args:
        device_type: "cuda" and its like, which are not there; "cpu".
        dtype: the shorter dtype.
        enabled: whether the region does anything.
        cache_enabled: ignored.

    Raises:
        RuntimeError: "cpu" and `enabled`: bfloat16 does not exist here.
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if enabled and device_type != "cpu":
            warnings.warn(
                f"User provided device_type of {device_type!r}, but {device_type.upper()} is not available. Disabling",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        if enabled:
            raise RuntimeError(
                "autocast('cpu') would compute in bfloat16, which does not exist here; use enabled=False, or cast to "
                "float16 where that is wanted"
            )
        self.device, self.fast_dtype = device_type, dtype

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def is_autocast_available(device_type: str) -> bool:
    """False: no device computes in mixed precision."""
    return False


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Callable[..., Any]:
    """A decorator of a custom Function's `forward`, which changes nothing outside regions."""
    return fwd if fwd is not None else lambda given: given  # type: ignore[no-any-return]


def custom_bwd(bwd: Any = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator of a custom Function's `backward`, which changes nothing outside regions."""
    return bwd if bwd is not None else lambda given: given  # type: ignore[no-any-return]

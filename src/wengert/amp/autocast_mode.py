"""Autocast: regions in which operators compute in a dtype of half precision."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._core.state.modes import Modes
from .._core.state.regions import Region
from .._core.types import dtypes
from .._start.boundary import boundary, guarded
from . import casting

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]


@guarded
class autocast(Region):
    """Region, or decorated function, in which products are computed in half precision and losses in float32.

    The dtypes of operators follow torch's lists for the CPU. Operators cast their operands, and gradients are cast
    back; parameters are cast once for the outermost region. Regions can be nested, and `enabled=False` switches an
    outer region off.

    Args:
        device_type: "cpu"; for other device types such as "cuda" the region is switched off with a warning.
        dtype: bfloat16 (the default) or float16; for another dtype the region is switched off with a warning.
        enabled: whether the region does anything.
        cache_enabled: whether parameters are cast once.

    Raises:
        ValueError: if `device_type` is not a string.
        RuntimeError: if there is no such type of device.

    Examples:
        >>> import wengert as wg
        >>> with wg.autocast("cpu"):
        ...     (wg.ones(2, 3) @ wg.ones(3, 2)).dtype
        torch.bfloat16
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = casting.get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = casting.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = bool(enabled)
        if self._enabled:
            self._refuse()

    def _refuse(self) -> None:
        """Switch the region off, with a warning, if the device or dtype is not supported."""
        if self.device == "cuda":
            text = "CUDA is not available or torch_xla is imported. Disabling autocast."
        elif self.device != "cpu":
            text = (
                f"User provided device_type of {self.device!r}, but {self.device.upper()} is not available. Disabling"
            )
        elif self.fast_dtype not in dtypes.HALVES:
            text = (
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
        else:
            return
        warnings.warn(text, UserWarning, stacklevel=4)
        self._enabled = False

    def _before_(self, modes: Modes) -> Any:
        enabled = casting.is_autocast_enabled(self.device)
        kind = casting.get_autocast_dtype(self.device)
        return casting.state.nesting, casting.is_autocast_cache_enabled(), enabled, kind

    def _begin_(self, modes: Modes, before: Any) -> autocast:
        casting.autocast_increment_nesting()
        casting.set_autocast_cache_enabled(self._cache_enabled)
        casting.set_autocast_dtype(self.device, self.fast_dtype)
        casting.set_autocast_enabled(self.device, self._enabled)
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        nesting, cached, enabled, dtype = before
        casting.state.nesting = nesting
        if nesting == 0:
            casting.clear_autocast_cache()
        casting.set_autocast_enabled(self.device, enabled)
        casting.set_autocast_dtype(self.device, dtype)
        casting.set_autocast_cache_enabled(cached)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs in the region."""
        return autocast_decorator(self, function)


def autocast_decorator(autocast_instance: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs in a region.

    Args:
        autocast_instance: the region, an `autocast`.
        func: the function.

    Returns:
        A function of the same arguments.
    """

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return run


@boundary
def is_autocast_available(device_type: str) -> bool:
    """Return whether a device supports mixed precision: only the CPU does."""
    return casting.device_type_of("is_autocast_available", device_type) == "cpu"


def cast_all(value: Any, device_type: str, dtype: Any) -> Any:
    """Cast the floating-point tensors of a value, or of nested sequences and mappings, to a dtype."""
    if casting.is_eligible(value):
        return value.to(dtype)
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {cast_all(key, device_type, dtype): cast_all(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(cast_all(item, device_type, dtype) for item in value)
    return value


_cast = cast_all
"""Name of `cast_all` in torch."""


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Callable[..., Any]:
    """Decorate `forward` of a custom Function, for autocast.

    Args:
        fwd: the function; None to return the decorator.
        device_type: the device of the regions.
        cast_inputs: within a region, pass `forward` its tensors in this dtype, and switch autocast off inside.

    Raises:
        ValueError: if `device_type` is not a string.
    """
    check_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._dtype = casting.get_autocast_dtype(device_type)
        within = casting.is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = within and cast_inputs is None
        if cast_inputs is None or not within:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            cast = cast_all((args, kwargs), device_type, cast_inputs)
            return fwd(ctx, *cast[0], **cast[1])

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Callable[..., Any]:
    """Decorate `backward` of a custom Function, to run with the autocast state of `forward`.

    Args:
        bwd: the function; None to return the decorator.
        device_type: the device of the regions.

    Raises:
        ValueError: if `device_type` is not a string.
    """
    check_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return backward


def check_type(device_type: Any) -> None:
    """Refuse a device type that is not a string.

    Raises:
        ValueError: if it is not a string.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")

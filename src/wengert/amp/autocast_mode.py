"""Regions in which operators compute in a shorter dtype."""

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


@guarded
class autocast(Region):
    """A region, or a decorated function, in which products are computed in a short dtype and losses in float32.

    Which operators compute in which dtype follows torch's lists for the CPU. Tensors are cast when an operator takes
    them, and a gradient is cast back; parameters are cast once for the outermost region. Regions nest, and
    `enabled=False` switches off what is around.

    Args:
        device_type: "cpu"; "cuda" and its like are not there, and the region is switched off with a warning.
        dtype: bfloat16 (the default) or float16; for another one the region is switched off with a warning.
        enabled: whether the region does anything.
        cache_enabled: whether parameters are cast once.

    Raises:
        ValueError: `device_type` is no string.
        RuntimeError: there is no such type of device.

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
        """Switch the region off, with a warning, where it cannot be what it shall be."""
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
        """A function that runs in the region."""
        return autocast_decorator(self, function)


def autocast_decorator(autocast_instance: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs in a region.

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
    """Whether a device computes in mixed precision: the CPU does."""
    return casting.device_type_of("is_autocast_available", device_type) == "cpu"


def cast_all(value: Any, device_type: str, dtype: Any) -> Any:
    """A value, or a nest of sequences and mappings of them, with floating-point tensors in a dtype."""
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
"""torch's name of it."""


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Callable[..., Any]:
    """A decorator of a custom Function's `forward`.

    Args:
        fwd: the function; None: the decorator is returned.
        device_type: for whose regions.
        cast_inputs: within a region, give `forward` its tensors in this dtype, and compute outside of the region.

    Raises:
        ValueError: `device_type` is no string.
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
    """A decorator of a custom Function's `backward`, which so runs in the region that `forward` ran in.

    Args:
        bwd: the function; None: the decorator is returned.
        device_type: for whose regions.

    Raises:
        ValueError: `device_type` is no string.
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
    """Refuse what is no type of device.

    Raises:
        ValueError: it is no string.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")

"""`torch._vmap_internals`: the older form of `vmap`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from wengert.func.vmap import vmap as _later_vmap


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """`torch.vmap`, whose results may be None here if `allow_none_pass_through`."""
    return _later_vmap(func, in_dims, out_dims, randomness="different")


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`torch.vmap`, with a warning to use that."""
    warnings.warn("Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)

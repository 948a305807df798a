"""Factories of parameters and buffers, on the device of a layer or of `with torch.device(...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.cards.arguments import checked
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.types.devices import context
from . import create, like


def placed(body: Callable[..., Tensor]) -> Callable[..., Any]:
    """Return a factory that makes its tensor on the device of `with torch.device(...)`, unless it is given one."""
    factory = checked(body.__name__, body, module="wengert")  # the name that modes get

    def call(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None:
            if not current().functions:
                return body(*args, **kwargs)
            device = context().chosen()
        return factory(*args, device=device, **kwargs)

    return call


empty_like = checked("empty_like", like.empty_like)
empty, full, ones, tensor, zeros = map(placed, (create.empty, create.full, create.ones, create.tensor, create.zeros))

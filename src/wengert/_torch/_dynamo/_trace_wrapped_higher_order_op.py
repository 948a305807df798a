"""A name of torch's compiler that libraries use within `vmap`."""

from __future__ import annotations

from typing import Any

from wengert.overrides import TorchFunctionMode

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(TorchFunctionMode):
    """torch needs this mode in `vmap` where a 0-dim tensor is an index; here `x[i]` works without."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """The call, as it is."""
        return func(*args, **(kwargs or {}))

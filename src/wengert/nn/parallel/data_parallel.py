"""A module on several devices; here there is one device, on which it runs unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module
from .scatter_gather import NO_DEVICE

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Wrapper that distributes a module over accelerators; without any, calls go to the module.

    Args:
        module: the module; its parameters are `module.<name>` in states, as in torch.
        device_ids, output_device: accepted for torch's users, without effect.
        dim: dimension along which inputs would be divided.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Tensor:
    """Call a module on several accelerators; without any, use `DataParallel`.

    Args:
        module: the module.
        inputs: arguments of the module.
        device_ids, output_device, dim, module_kwargs: as in torch.

    Raises:
        RuntimeError: always; there is no accelerator.
    """
    raise RuntimeError("device type could not be determined: " + NO_DEVICE.format("data_parallel"))

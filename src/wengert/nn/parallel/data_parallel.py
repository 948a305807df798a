"""A module over several devices: there is one here, on which it runs as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module
from .scatter_gather import NO_DEVICE

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """A module that would be spread over accelerators; without one, calls go to the module.

    Args:
        module: its parameters are `module.<name>` in states, as in torch.
        device_ids: for torch's users; no accelerator is there.
        output_device: for torch's users.
        dim: for torch's users; the dimension along which inputs would be spread.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Tensor:
    """A call of a module that is spread over accelerators; `DataParallel` is what runs without one.

    Args:
        module: the module.
        inputs: its arguments.
        device_ids, output_device, dim, module_kwargs: for torch's users.

    Raises:
        RuntimeError: always, as in a torch that finds no accelerator.
    """
    raise RuntimeError("device type could not be determined: " + NO_DEVICE.format("data_parallel"))

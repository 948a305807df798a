"""A module whose gradients are averaged over a group of processes; here a group is one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Wrapper that averages the gradients of a module over all processes of the group, which is one process here.

    Args:
        module: the module.
        device_ids, output_device, dim, broadcast_buffers, init_sync, process_group, options: torch's, without effect.

    Raises:
        ValueError: if no group of processes was made, see `distributed.init_process_group`.
        RuntimeError: if no parameter of the module requires a gradient.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        **options: Any,
    ) -> None:
        super().__init__()
        from ...distributed.groups import group_of

        self.process_group = group_of(process_group)
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        self.module, self.dim, self.broadcast_buffers = module, dim, broadcast_buffers
        self.device_ids, self.output_device, self.require_backward_grad_sync = device_ids, output_device, True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Context in which gradients are not averaged over processes; without effect for one process."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(self, *options: Any, **named: Any) -> Iterator[None]:
        """Context in which processes with fewer batches wait for others; without effect for one process."""
        yield

    def register_comm_hook(self, state: object, hook: Any) -> None:
        """Do nothing: gradients are not communicated."""

"""Modules over several devices: there is one here, on which they run as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor
from .modules.module import Module

__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip


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


class DistributedDataParallel(Module):
    """Refused, as torch refuses it where no group of processes was made: there are none here.

    Args:
        module: a module.
        options: torch's.

    Raises:
        ValueError: always.
    """

    def __init__(self, module: Module, *options: Any, **named: Any) -> None:
        super().__init__()
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """One copy of `inputs` for each device, in which tensors would be parts of those given.

    Args:
        inputs: containers of anything but tensors, which go to an accelerator only.
        target_gpus: the devices.
        dim: the dimension along which tensors would be cut.

    Returns:
        A list with an entry for each device.

    Raises:
        ValueError: a tensor is to be cut for the CPU.
        RuntimeError: a tensor is to be cut for an accelerator.
    """
    if isinstance(inputs, Tensor):
        if any(str(device).startswith("cpu") for device in target_gpus):
            raise ValueError("Expected a non cpu device, but got: cpu")
        raise RuntimeError(NO_DEVICE.format("scatter"))
    if isinstance(inputs, (tuple, list)) and inputs:
        rows = zip(*[scatter(each, target_gpus, dim) for each in inputs])
        if hasattr(inputs, "_fields"):
            return [type(inputs)(*row) for row in rows]
        return [row if isinstance(inputs, tuple) else list(row) for row in rows]
    if isinstance(inputs, dict) and inputs:
        return [type(inputs)(row) for row in zip(*[scatter(item, target_gpus, dim) for item in inputs.items()])]
    return [inputs for _ in target_gpus]


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """What replicas gave, brought together on one device.

    Args:
        outputs: a result of each replica.
        target_device: the device.
        dim: the dimension along which tensors would be joined.

    Returns:
        None if the replicas gave None, otherwise the containers that they gave.

    Raises:
        AssertionError: they gave tensors: these come from accelerators only. (`wengert.cat` joins tensors here.)
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        raise AssertionError("Gather function not implemented for CPU tensors")
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(each) != len(first) for each in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([each[key] for each in outputs], target_device, dim)) for key in first)
    parts = [gather(each, target_device, dim) for each in zip(*outputs)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copies of a module on accelerators, of which there are none here.

    Args:
        network: the module.
        devices: the devices; no devices, no copies.
        detach: for torch's users.

    Raises:
        ValueError: the CPU is named.
        AssertionError: an accelerator is named.
    """
    if any(str(device).startswith("cpu") for device in devices):
        raise ValueError("Expected a non cpu device, but got: cpu")
    if devices:
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    return []


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Sequence[Any] | None = None
) -> list[Any]:
    """Calls of replicas, each on its accelerator, of which there are none here.

    Args:
        modules: the replicas.
        inputs, kwargs_tup, devices: for each replica its arguments and its device.

    Raises:
        AssertionError: their numbers differ, or, whatever they are, no accelerator is there.
    """
    for name, given in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if given is not None and len(given) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(given)}"
            )
    raise AssertionError("No available accelerator found.")


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


NO_DEVICE = "{} spreads tensors over accelerators, and there is none here: use DataParallel, or call the module"

"""Division of tensors among devices, and their concatenation; tensors are refused here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor

__all__ = ["gather", "scatter", "scatter_kwargs"]

NO_DEVICE = "{} spreads tensors over accelerators, and there is none here: use DataParallel, or call the module"


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Divide `inputs` among devices: return a copy of the containers for each device.

    Args:
        inputs: containers of anything but tensors, which only accelerators take.
        target_gpus: the devices.
        dim: dimension along which tensors would be divided.

    Returns:
        A list with an entry for each device.

    Raises:
        ValueError: if there is a tensor, and a device is the CPU.
        RuntimeError: if there is a tensor, and the devices are accelerators.
    """
    if isinstance(inputs, Tensor):
        if any(str(device).startswith("cpu") for device in target_gpus):
            raise ValueError("Expected a non cpu device, but got: cpu")
        raise RuntimeError(NO_DEVICE.format("scatter"))
    if isinstance(inputs, (tuple, list)) and inputs:
        rows = zip(*[scatter(value, target_gpus, dim) for value in inputs])
        if hasattr(inputs, "_fields"):
            return [type(inputs)(*row) for row in rows]
        return [row if isinstance(inputs, tuple) else list(row) for row in rows]
    if isinstance(inputs, dict) and inputs:
        return [type(inputs)(row) for row in zip(*[scatter(item, target_gpus, dim) for item in inputs.items()])]
    return [inputs for _ in target_gpus]


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """Combine the results of replicas on one device.

    Args:
        outputs: a result of each replica.
        target_device: the device.
        dim: dimension along which tensors would be concatenated.

    Returns:
        None if the replicas returned None, else the containers that they returned.

    Raises:
        AssertionError: if the results are tensors: only those of accelerators are gathered; `wengert.cat` joins tensors
            here.
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        raise AssertionError("Gather function not implemented for CPU tensors")
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(output) != len(first) for output in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([values[key] for values in outputs], target_device, dim)) for key in first)
    parts = [gather(items, target_device, dim) for items in zip(*outputs)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)


def scatter_kwargs(
    inputs: Sequence[Any], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Divide the arguments of a call among devices by `scatter`.

    Args:
        inputs: positional arguments.
        kwargs: keyword arguments.
        target_gpus: the devices.
        dim: dimension along which tensors would be divided.

    Returns:
        For each device a tuple of positional arguments, and for each device a dictionary of keyword arguments.
    """
    positional = scatter(tuple(inputs), target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    count = max(len(positional), len(named))
    positional += [()] * (count - len(positional))
    named += [{}] * (count - len(named))
    return tuple(positional), tuple(named)

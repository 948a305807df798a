"""Tensors cut over devices and joined again: there is one here, to which none go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._tensor import Tensor

__all__ = ["gather", "scatter", "scatter_kwargs"]

NO_DEVICE = "{} spreads tensors over accelerators, and there is none here: use DataParallel, or call the module"


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


def scatter_kwargs(
    inputs: Sequence[Any], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Arguments of a call, as `scatter` gives them to each device.

    Args:
        inputs: those by position.
        kwargs: those by name.
        target_gpus: the devices.
        dim: the dimension along which tensors would be cut.

    Returns:
        For each device a tuple of those by position, and for each a dictionary of those by name.
    """
    given = scatter(tuple(inputs), target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    count = max(len(given), len(named))
    given += [()] * (count - len(given))
    named += [{}] * (count - len(named))
    return tuple(given), tuple(named)

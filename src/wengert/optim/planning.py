"""Steps of optimisers as replays take them: calls of one function of arrays for each group, see `_core/capture`."""

from __future__ import annotations

from typing import Any

from .. import _kernels as kernels
from .._core.capture.optimiser_steps import GroupStep, PlannedStep
from ..ops.neural.optimiser_steps import shrink
from .step_hooks import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

WATCHED = ("param_groups", "state", "defaults", "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
"""Attributes of an optimiser that stay the same objects from step to step."""


def planned(optimizer: Any, describe: Any) -> PlannedStep | None:
    """Return the present step of an optimiser, or None if it is more than a call of a function for each group.

    Args:
        optimizer: an optimiser without methods of a subclass.
        describe: a function that returns the `GroupStep` of a group.
    """
    own = optimizer.__dict__
    if any(name not in own for name in WATCHED) or any(is_method(optimizer, name) for name in own):
        return None
    groups = optimizer.param_groups
    if type(groups) is not list or any(type(group) is not dict for group in groups):
        return None
    if optimizer.defaults.get("differentiable") or any(type(group["params"]) is not list for group in groups):
        return None
    if any(group.get("fused") or group.get("capturable") for group in groups):
        return None
    if not all(type(own) is dict for own in optimizer.state.values()):
        return None
    own_hooks = optimizer._optimizer_step_pre_hooks, optimizer._optimizer_step_post_hooks
    empty = (*own_hooks, _global_optimizer_pre_hooks, _global_optimizer_post_hooks)
    steps = [describe(group) for group in groups]
    if not all(step.fill(optimizer.state) for step in steps):
        return None
    return PlannedStep(optimizer, WATCHED, empty, steps)


def is_method(optimizer: Any, name: str) -> bool:
    """Return whether an attribute of an optimiser hides a method; a schedule's `step`, which calls the method, may."""
    return name != "step" and hasattr(type(optimizer), name)


def sgd_group(group: dict[str, Any]) -> GroupStep:
    """Return the step of a group of `SGD`."""
    momentum = bool(group["momentum"])
    result = GroupStep(
        kernels.sgd_step,
        group,
        (("lr", -1), ("momentum", -1), ("dampening", -1), ("weight_decay", -1)),
        ("momentum_buffer" if momentum else "",),
        (group["nesterov"], group["maximize"]),
    )
    result.signs = ((1, momentum),)
    return result


def adam_group(group: dict[str, Any]) -> GroupStep:
    """Return the step of a group of `Adam`."""
    result = GroupStep(
        kernels.adam_step,
        group,
        (("lr", -1), ("betas", 0), ("betas", 1), ("eps", -1), ("weight_decay", -1)),
        ("exp_avg", "exp_avg_sq", "max_exp_avg_sq" if group["amsgrad"] else ""),
        (group["amsgrad"], group["maximize"]),
    )
    result.count = "step"
    result.shrink = shrink if group["decoupled_weight_decay"] else None
    return result

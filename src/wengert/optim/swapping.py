"""`swap_in_optimizer_params_and_state`: run an optimiser on other tensors temporarily."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer

NAME = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Context in which an optimiser has other parameters, state and options; its own are restored afterwards.

    Args:
        optimizer: an optimiser that has made a step, so that it has a state.
        swapin_parameters: the tensors, in the order of its parameters.
        swapin_optim_state: a result of `state_dict`. Its tensors are updated in place by a step; other changes by a
            step are discarded.

    Raises:
        RuntimeError: if the parameters, groups or options do not correspond to those of the optimiser.

    >>> import wengert as wg
    >>> weight = wg.nn.Parameter(wg.ones(1))
    >>> optimiser = wg.optim.SGD([weight], lr=0.5, momentum=0.5)
    >>> weight.grad = wg.ones(1)
    >>> optimiser.step()
    >>> other = wg.ones(1)
    >>> other.grad = wg.ones(1)
    >>> with wg.optim.swap_in_optimizer_params_and_state(optimiser, {"weight": other}, optimiser.state_dict()):
    ...     optimiser.step()
    >>> weight.detach(), other
    (tensor([0.5000]), tensor([0.2500]))
    """
    if not optimizer.state:
        raise RuntimeError(f"{NAME} requires initialized optimizer state.")
    state, options = checked_state(swapin_optim_state, len(optimizer.param_groups))
    groups = list(paired(optimizer, list(swapin_parameters.values()), options))
    known = {number for _, _, option in groups for number in option["params"]}
    if extra := sorted(state.keys() - known):
        raise RuntimeError(
            f"{NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra}."
        )
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        optimizer.state = defaultdict(dict)
        for group, tensors, option in groups:
            group.update({**option, "params": tensors})
            for tensor, number in zip(tensors, option["params"]):
                optimizer.state[tensor] = dict(state.get(number, {}))
        yield
    finally:
        for group, old in zip(optimizer.param_groups, own_groups):
            group.clear()
            group.update(old)
        optimizer.state = own_state


def checked_state(saved: dict[str, Any], count: int) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """Return the state and the groups of a `state_dict`.

    Raises:
        RuntimeError: if it has other parts, or the number of groups is not `count`.
    """
    state, options = saved.get("state"), saved.get("param_groups")
    for name, part, kind, meaning in (
        ("state", state, dict, "dict mapping packed parameter ids to per-param state dicts"),
        ("param_groups", options, list, "list of param-group dicts"),
    ):
        if not isinstance(part, kind):
            raise RuntimeError(
                f"{NAME} requires swapin_optim_state['{name}'] to be a {meaning}, got {type(part).__name__}."
            )
    if len(options) != count:  # type: ignore[arg-type]
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    return state, options  # type: ignore[return-value]


def paired(
    optimizer: Optimizer, tensors: list[Tensor], options: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], list[Tensor], dict[str, Any]]]:
    """Return the groups with their tensors and options.

    Raises:
        RuntimeError: if they do not correspond.
    """
    start = 0
    for at, (group, option) in enumerate(zip(optimizer.param_groups, options)):
        count = len(group["params"])
        if not isinstance(option.get("params"), list):
            raise RuntimeError(
                f"{NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed "
                "parameter ids."
            )
        if len(option["params"]) != count:
            raise RuntimeError(
                f"swapin_optim_state param group {at} has a different number of params than the live optimizer param "
                "group."
            )
        if option.keys() != group.keys():
            raise RuntimeError(
                f"{NAME} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer "
                f"group keys for group {at}. Keys only in swap-in: {sorted(option.keys() - group.keys())}. Keys only "
                f"in live: {sorted(group.keys() - option.keys())}."
            )
        if len(tensors) < start + count:
            raise RuntimeError(
                f"{NAME} requires the explicit parameter state to match optimizer.param_groups ordering."
            )
        yield group, tensors[start : start + count], option
        start += count


__all__ = ["swap_in_optimizer_params_and_state"]

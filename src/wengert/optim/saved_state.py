"""Saved state of optimisers, with numbers in place of parameters."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from .._tensor import Tensor

Group = dict[str, Any]


def numbers_of(group: Group, numbers: Mapping[int, int]) -> list[int]:
    """Return the numbers of a group's parameters."""
    return [numbers[id(parameter)] for parameter in group["params"]]


def by_number(groups: Sequence[Group], saved: Sequence[Group]) -> dict[int, Tensor]:
    """Return the optimiser's parameters by their numbers in saved groups.

    Raises:
        ValueError: if number or sizes of the groups are not those of the optimiser.
    """
    if len(groups) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(group["params"]) != len(other["params"]) for group, other in zip(groups, saved)):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
        )
    return {
        number: parameter
        for group, other in zip(groups, saved)
        for number, parameter in zip(other["params"], group["params"])
    }


def taken_states(saved: Mapping[Any, Any], parameters: Mapping[int, Tensor]) -> defaultdict[Any, dict[str, Any]]:
    """Return copies of saved states, by the optimiser's own parameters."""
    state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for key, value in saved.items():
        if key in parameters:
            state[parameters[key]] = taken(value, parameters[key], "")
        else:
            state[key] = copy.deepcopy(value)
    return state


def taken_groups(groups: Sequence[Group], saved: Sequence[Group]) -> list[Group]:
    """Return saved groups with the optimiser's own parameters."""
    taken_list = []
    for group, other in zip(groups, saved):
        loaded = {key: copy.deepcopy(value) for key, value in other.items() if key != "params"}
        if "param_names" in group and "param_names" not in loaded:
            loaded["param_names"] = group["param_names"]
        loaded["params"] = group["params"]
        taken_list.append(loaded)
    return taken_list


def taken(value: Any, parameter: Tensor, key: str) -> Any:
    """Return a copy of saved state in the dtype of its parameter; counts of steps keep their dtype."""
    if isinstance(value, Tensor):
        if key != "step" and parameter.dtype.is_floating_point:
            return value.detach().to(parameter.dtype).clone()
        return value.detach().clone()
    if isinstance(value, Mapping):
        return {name: taken(item, parameter, str(name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(taken(item, parameter, key) for item in value)
    return copy.deepcopy(value)

"""The class Optimizer: parameters in groups with options, and state per parameter."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..autograd import enable_grad, no_grad
from ..tensor import HookDict, RemovableHandle, Tensor

Group = dict[str, Any]
Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class _Required:
    """Stands in `defaults` for an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Base of all optimisers.

    A subclass defines `step`, which runs without recording, and finds its options in `param_groups`.

    Args:
        params: parameters, pairs of name and parameter, or dictionaries with `params` and options of their own.
        defaults: options of groups that give none.

    Attributes:
        param_groups: list of dictionaries: the options, and under "params" the list of parameters.
        state: for each parameter a dictionary of what the optimiser remembers.

    Raises:
        TypeError: not an iterable of tensors or dictionaries.
        ValueError: no parameters, one of them twice, or one that is no leaf.
    """

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {params.type()}"  # type: ignore[attr-defined]
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._prepare_hooks()
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _prepare_hooks(self) -> None:
        self._optimizer_step_pre_hooks = HookDict()
        self._optimizer_step_post_hooks = HookDict()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare_hooks()

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for at, group in enumerate(self.param_groups):
            text += f"\nParameter Group {at}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    # ---- groups ------------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with options of their own; options that are not given are the defaults.

        Raises:
            TypeError: not a dictionary, or its "params" are no tensors.
            ValueError: a parameter is no leaf or is there already, or a required option is missing.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, Tensor):
            given = [given]
        elif isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        own = list(given)
        if own and all(isinstance(each, tuple) for each in own):
            param_group["param_names"] = [name for name, _ in own]
            own = [parameter for _, parameter in own]
        param_group["params"] = own
        for parameter in own:
            if not isinstance(parameter, Tensor):
                kind = type(parameter).__name__
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}")
            if not (parameter.is_leaf or parameter.retains_grad):  # type: ignore[attr-defined]
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        known = {id(parameter) for group in self.param_groups for parameter in group["params"]}
        if any(id(parameter) in known for parameter in own):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # ---- steps -------------------------------------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters: to None, or to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    if parameter.grad.grad_fn is not None:
                        parameter.grad.detach_()
                    else:
                        parameter.grad.requires_grad_(False)
                    parameter.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients.

        Args:
            closure: computes the loss and its gradients again, and returns the loss.

        Returns:
            What the closure returned, or None.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define step()")

    def _trained(self, group: Group) -> tuple[list[Tensor], list[Tensor]]:
        """The parameters of a group that have a gradient, and the gradients."""
        params, grads = [], []
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is not None:
                params.append(parameter)
                grads.append(grad)
        return params, grads

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return other `(args, kwargs)`."""
        return self._optimizer_step_pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._optimizer_step_post_hooks.add(hook)

    # ---- state -------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """State and options, parameters named by numbers.

        Returns:
            {"state": {number: state of the parameter}, "param_groups": [{options, "params": numbers}]}; tensors are
            those of the optimiser.
        """
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        groups = [
            {**{key: value for key, value in group.items() if key != "params"}, "params": numbers_of(group, numbers)}
            for group in self.param_groups
        ]
        state = {(numbers[id(key)] if isinstance(key, Tensor) else key): value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    @no_grad()
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take what `state_dict` gave; state of floating-point parameters is converted to their dtype.

        Raises:
            ValueError: the groups are not as many, or as large, as the optimiser's.
        """
        groups, saved = self.param_groups, list(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(group["params"]) != len(other["params"]) for group, other in zip(groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        by_number = {
            number: parameter
            for group, other in zip(groups, saved)
            for number, parameter in zip(other["params"], group["params"])
        }
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = taken(value, by_number[key], "")
            else:
                state[key] = copy.deepcopy(value)
        taken_groups = [taken_group(group, other) for group, other in zip(groups, saved)]
        self.state, self.param_groups = state, taken_groups
        self._complete()

    def _complete(self) -> None:
        """Give loaded groups the options that earlier versions did not have."""
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` that runs the hooks of its optimiser."""

    @functools.wraps(step)
    def stepped(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if not self._optimizer_step_pre_hooks and not self._optimizer_step_post_hooks:
            return step(self, *args, **kwargs)
        for hook in tuple(self._optimizer_step_pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        result = step(self, *args, **kwargs)
        for hook in tuple(self._optimizer_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return stepped


def evaluate(closure: Callable[[], Any] | None) -> Any:
    """Run the closure of a step, recording."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def refuse(name: str, **options: Any) -> None:
    """Refuse options of torch that have no meaning here, where they are asked for.

    Raises:
        NotImplementedError: one is true.
    """
    for option, value in options.items():
        if value:
            raise NotImplementedError(f"{name}: {option}=True is not there; leave it out")


def numbers_of(group: Group, numbers: Mapping[int, int]) -> list[int]:
    """The numbers of a group's parameters."""
    return [numbers[id(parameter)] for parameter in group["params"]]


def taken_group(group: Group, saved: Group) -> Group:
    """A saved group with the optimiser's own parameters."""
    made = {key: copy.deepcopy(value) for key, value in saved.items() if key != "params"}
    if "param_names" in group:
        made["param_names"] = group["param_names"]
    made["params"] = group["params"]
    return made


def taken(value: Any, parameter: Tensor, key: str) -> Any:
    """A copy of saved state for a parameter; counts of steps keep their dtype."""
    if isinstance(value, Tensor):
        if key != "step" and parameter.dtype.is_floating_point:
            return value.detach().to(parameter.dtype).clone()  # type: ignore[attr-defined]
        return value.detach().clone()  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {name: taken(each, parameter, str(name)) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(taken(each, parameter, key) for each in value)
    return copy.deepcopy(value)


def parameters_of(groups: Iterable[Group]) -> Iterator[Tensor]:
    """The parameters of all groups."""
    for group in groups:
        yield from group["params"]


def check_at_least_zero(text: str, value: Any) -> None:
    """Refuse a negative option (or NaN).

    Raises:
        ValueError: it is negative; `text` says which one.
    """
    if not value >= 0:
        raise ValueError(f"Invalid {text}: {value}")

"""`Optimizer`: parameters in groups with options, and state for each parameter."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias

from .._start.boundary import Guarded, boundary
from .._tensor import Tensor
from .._tensor.attributes import HookDict, RemovableHandle, dtypes, flags
from ..autograd import enable_grad, no_grad
from ..autograd.profiler.ranges import is_open
from ..ops.neural.optimiser_steps import with_gradients
from . import of_libraries
from .of_libraries import *  # noqa: F403  libraries import their helpers from here
from .saved_state import by_number, numbers_of, taken_groups, taken_states
from .step_hooks import (
    _global_optimizer_post_hooks as _global_optimizer_post_hooks,
    _global_optimizer_pre_hooks as _global_optimizer_pre_hooks,
    prepended,
    profiled,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    with_hooks,
)

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

Group = dict[str, Any]
NOT_PLAIN: int = flags.SPARSE | flags.OBSERVED
Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class _Required:
    """Default of an option that each group must set."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()
_RequiredParameter = _Required


class Optimizer(Guarded):
    """Base of all optimisers.

    A subclass defines `step`, which runs without recording, and reads its options from `param_groups`.

    Args:
        params: parameters, pairs of name and parameter, or dictionaries with `params` and options of their own.
        defaults: default options of groups.

    Attributes:
        param_groups: list of dictionaries with the options, and the list of parameters as "params".
        state: for each parameter a dictionary with its state.

    Raises:
        TypeError: if `params` is not an iterable of tensors or dictionaries.
        ValueError: if there are no parameters, a parameter occurs twice, or is not a leaf.
    """

    LATER: ClassVar[Mapping[str, Any]] = {}
    """Options that torch added later, with the previous behaviour: saved groups without them get these values."""

    OptimizerPreHook: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
    OptimizerPostHook: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]

    _group_tensors_by_device_and_dtype = staticmethod(of_libraries._group_tensors_by_device_and_dtype)
    _process_value_according_to_param_policy = staticmethod(of_libraries._process_value_according_to_param_policy)
    profile_hook_step = staticmethod(with_hooks)

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {params.type()}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._prepare_hooks()
        if not hasattr(params, "__iter__"):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {type(params).__name__}"
            )
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
        self._optimizer_state_dict_pre_hooks = HookDict()
        self._optimizer_state_dict_post_hooks = HookDict()
        self._optimizer_load_state_dict_pre_hooks = HookDict()
        self._optimizer_load_state_dict_post_hooks = HookDict()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.step)  # type: ignore[method-assign]

    def _patch_step_function(self) -> None:
        """Wrap a `step` that was assigned to the class later, so that hooks run around it."""
        if not getattr(type(self).step, "hooked", False):
            type(self).step = with_hooks(type(self).step)  # type: ignore[method-assign]

    def _cuda_graph_capture_health_check(self) -> None:
        """Do nothing: there is no accelerator that captures graphs."""

    _accelerator_graph_capture_health_check = _cuda_graph_capture_health_check

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._prepare_hooks()
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name, before in self.LATER.items():
                group.setdefault(name, before)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for at, group in enumerate(self.param_groups):
            text += f"\nParameter Group {at}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    # ---- groups ------------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Add a group of parameters; missing options get the defaults.

        Raises:
            TypeError: if `param_group` is not a dictionary, or its "params" are not tensors.
            ValueError: if a parameter is not a leaf or exists already, or a required option is missing.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        elif not hasattr(params, "__iter__"):
            raise TypeError(
                "'params' of a parameter group should be a Tensor or an iterable of Tensors, "
                f"but got {type(params).__name__}"
            )
        members = self._named(param_group, list(params))
        param_group["params"] = members
        for parameter in members:
            self._check_parameter(parameter)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        once = {id(parameter) for parameter in members}
        if len(once) != len(members):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        if not once.isdisjoint(map(id, parameters_of(self.param_groups))):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            kind = "with" if "param_names" in param_group else "without"
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {kind} names to the optimizer"
            )
        self.param_groups.append(param_group)

    @staticmethod
    def _named(group: Group, params: list[Any]) -> list[Any]:
        """Return the parameters of a list of parameters or of named ones, whose names are stored in the group."""
        pairs = [isinstance(param, tuple) for param in params]
        if not any(pairs):
            return params
        if not all(pairs):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        group["param_names"] = [name for name, _ in params]
        return [parameter for _, parameter in params]

    def _check_parameter(self, parameter: Any) -> None:
        if not isinstance(parameter, Tensor):
            kind = type(parameter).__name__
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}")
        if not (self.defaults.get("differentiable") or parameter.is_leaf or parameter.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    # ---- steps -------------------------------------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters to None, or to zero."""
        if not is_open():
            self._reset(set_to_none)
            return
        with profiled(self, "zero_grad"):
            self._reset(set_to_none)

    def _reset(self, set_to_none: bool) -> None:
        """Do the work of `zero_grad`."""
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
        """Update the parameters by their gradients.

        Args:
            closure: function that computes the loss and its gradients again, and returns the loss.

        Returns:
            The result of the closure, or None.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define step()")

    def _trained(self, group: Group) -> tuple[list[Tensor], list[Tensor]]:
        """Return the parameters of a group that have a gradient, and the gradients."""
        pair = None if group.get("fused") else with_gradients(group["params"], NOT_PLAIN)
        return self._checked(group) if pair is None else pair

    def _checked(self, group: Group) -> tuple[list[Tensor], list[Tensor]]:
        """Run `_trained` where a parameter or a gradient is special, or a fused step was asked for."""
        params, grads = [], []
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is not None:
                word = grad._flags_ | parameter._flags_
                if word & NOT_PLAIN:
                    if word & flags.OBSERVED and not group.get("differentiable"):
                        self._step_of_class(parameter, grad, group)
                        continue
                    if grad._flags_ & flags.SPARSE:
                        self._check_sparse(group)
                params.append(parameter)
                grads.append(grad)
        if group.get("fused"):
            for parameter in params:
                of_libraries._device_dtype_check_for_fused(parameter)
        return params, grads

    def _step_of_class(self, parameter: Tensor, grad: Tensor, group: Group) -> None:
        """Take the step of a parameter whose class has a `__torch_dispatch__`, by operators, which the class handles.

        Raises:
            NotImplementedError: if the optimiser has no such step.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: the parameter is a {type(parameter).__name__}, whose class has a "
            "__torch_dispatch__; this optimiser works on values in memory"
        )

    def _check_sparse(self, group: Group) -> None:
        """Refuse sparse gradients; overridden by optimisers that accept them."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return other `(args, kwargs)`.

        The first of `args` is the optimiser itself.
        """
        return self._optimizer_step_pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._optimizer_step_post_hooks.add(hook)

    # ---- state -------------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict`; before all other such hooks if `prepend`."""
        return prepended(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after `state_dict`; it may return another one."""
        return prepended(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before `load_state_dict`; it may return another one to load."""
        return prepended(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after `load_state_dict`."""
        return prepended(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """Return state and options, with numbers in place of parameters.

        Returns:
            {"state": {number: state of the parameter}, "param_groups": [{options, "params": numbers}]}; tensors are
            not copied.
        """
        for hook in tuple(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        for parameter in parameters_of(self.param_groups):
            numbers.setdefault(id(parameter), len(numbers))
        groups = [
            {**{key: value for key, value in group.items() if key != "params"}, "params": numbers_of(group, numbers)}
            for group in self.param_groups
        ]
        state = {(numbers[id(key)] if isinstance(key, Tensor) else key): value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in tuple(self._optimizer_state_dict_post_hooks.values()):
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    @boundary
    @no_grad()
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the result of `state_dict`; state of floating-point parameters is converted to their dtype.

        It calls `__setstate__`, where a subclass may complete the state saved by earlier versions.

        Raises:
            ValueError: if number or sizes of the groups are not those of the optimiser.
        """
        for hook in tuple(self._optimizer_load_state_dict_pre_hooks.values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, saved = self.param_groups, list(state_dict["param_groups"])
        numbers = by_number(groups, saved)
        state = taken_states(state_dict["state"], numbers)
        loaded = taken_groups(groups, saved)
        self.__setstate__({"state": state, "param_groups": loaded})
        for hook in tuple(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)


def evaluate(closure: Callable[[], Any] | None) -> Any:
    """Run the closure of a step with recording on."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def parameters_of(groups: Iterable[Group]) -> Iterator[Tensor]:
    """Return the parameters of all groups."""
    for group in groups:
        yield from group["params"]


def check_at_least_zero(text: str, value: Any) -> None:
    """Refuse a negative option (or NaN).

    Raises:
        ValueError: if `value` is negative; `text` names the option.
        TypeError: if it is not a number.
    """
    try:
        fits = value >= 0
    except TypeError:
        raise TypeError(f"Invalid {text}: expected a number, but got {type(value).__name__}") from None
    if not fits:
        raise ValueError(f"Invalid {text}: {value}")


def count_dtype() -> dtypes.dtype:
    """Return the dtype of counts of steps."""
    return dtypes.float64 if dtypes.get_default_dtype() is dtypes.float64 else dtypes.float32


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Refuse options of a step that exclude each other.

    Raises:
        RuntimeError: if `fused` is combined with `differentiable` or `foreach`.
    """
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

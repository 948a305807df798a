"""Base of all schedules of learning rates."""

from __future__ import annotations

import functools
import numbers
import types
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._start.boundary import Guarded
from .._tensor import Tensor
from ..autograd import no_grad
from .optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available."
)


class LRScheduler(Guarded):
    """Base of schedules of learning rates; a subclass defines `get_lr` for the epoch `last_epoch`.

    It may also define `_get_closed_form_lr`, which computes the rates of `last_epoch` from the initial ones alone.

    Args:
        optimizer: the optimiser whose learning rates are set.
        last_epoch: epoch to resume from; -1 for the start.

    Raises:
        TypeError: if `optimizer` is not an optimiser.
        KeyError: if `last_epoch` is set, and the groups have no `initial_lr`.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        for at, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{at}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state_dict first"
                )
        self.base_lrs: list[Any] = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        with raised(self, "_is_initial"):
            self.step()

    def get_lr(self) -> list[Any]:
        """Return the rates of the epoch `last_epoch`, one for each group."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def get_last_lr(self) -> list[Any]:
        """Return the rates that were set last."""
        return self._last_lr

    def step(self, epoch: Any = None) -> None:
        """Advance by one epoch and set the rates.

        Args:
            epoch: the epoch to go to instead, by the closed form if there is one; deprecated.
        """
        if self._step_count == 1:
            warn_of_order(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: Any = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        with raised(self, "_get_lr_called_within_step"):
            rates = self.get_lr() if closed is None else closed()
        self._set(rates)

    def _current(self) -> list[Any]:
        """Return the current rates of the groups."""
        return values_of(self.optimizer, "lr")

    def _rates(self) -> list[Any]:
        """Return the current rates of the groups, for `get_lr`; warn if the program called that directly."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )
        return self._current()

    def _set(self, rates: list[Any]) -> None:
        """Set the rates of the groups."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", rate)
        self._last_lr = self._current()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of `state_dict`."""
        self.__dict__.update(state_dict)


@contextmanager
def raised(schedule: LRScheduler, flag: str) -> Iterator[None]:
    """Set a flag of a schedule inside a context."""
    setattr(schedule, flag, True)
    try:
        yield
    finally:
        setattr(schedule, flag, False)


# ---- groups ----------------------------------------------------------------------------------------------------------


def checked(optimizer: Any) -> Optimizer:
    """Return the optimiser.

    Raises:
        TypeError: if it is not an optimiser.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def multiplier(name: str, value: Any) -> Any:
    """Return a factor of rates.

    Raises:
        TypeError: if `value` is not a number: a list times an integer would repeat the list.
    """
    if not isinstance(value, (numbers.Number, Tensor)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return value


def copied(value: Any) -> Any:
    """Return a number, or a copy of a tensor: rates that are tensors are updated in place."""
    return value.clone() if isinstance(value, Tensor) else value


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """Return an option of all groups."""
    return [copied(group[key]) for group in optimizer.param_groups]


@no_grad()
def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group; a tensor is updated in place."""
    if isinstance(group[key], Tensor):
        group[key].fill_(value)
    else:
        group[key] = value


def spread(value: Any, optimizer: Optimizer, name: str) -> list[Any]:
    """Return one value for each group.

    Raises:
        ValueError: if the number of values is not that of groups.
    """
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [copied(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {count}."
        )
    return [copied(entry) for entry in value]


def set_momentum(group: dict[str, Any], momentum: Any, use_beta1: bool) -> None:
    """Set the momentum of a group, or Adam's first beta."""
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def start_momenta(optimizer: Optimizer, base: list[Any], most: list[Any], use_beta1: bool) -> None:
    """Set the momenta of all groups to their highest value."""
    for group, lowest, highest in zip(optimizer.param_groups, base, most, strict=True):
        set_momentum(group, highest, use_beta1)
        group["max_momentum"] = highest
        group["base_momentum"] = lowest


def has_beta1(optimizer: Optimizer) -> bool:
    """Return whether an optimiser's momentum is its first beta.

    Raises:
        ValueError: if it has neither momentum nor betas.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


# ---- functions in a state --------------------------------------------------------------------------------------------


def state_of_function(function: Any) -> dict[str, Any] | None:
    """Return the state of a function: the attributes of a callable object, None for a plain function."""
    if function is None or isinstance(function, types.FunctionType):
        return None
    return dict(getattr(function, "__dict__", {}))


def restore_function(function: Any, state: dict[str, Any] | None) -> None:
    """Restore the result of `state_of_function`."""
    if state is not None:
        function.__dict__.update(state)


# ---- the order of steps ----------------------------------------------------------------------------------------------


def watch_steps(optimizer: Optimizer) -> None:
    """Let an optimiser note, from now on, that it has made a step."""
    step = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    function = getattr(step, "__func__", None) or (lambda _, *args, **kwargs: step(*args, **kwargs))
    owner = weakref.ref(optimizer)  # it refers to the function below, which must not refer to it

    @functools.wraps(function)
    def stepped(*args: Any, **kwargs: Any) -> Any:
        owning = owner()
        owning._opt_called = True  # type: ignore[union-attr]
        return function(owning, *args, **kwargs)

    stepped._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = stepped  # type: ignore[method-assign]


def warn_of_order(optimizer: Optimizer) -> None:
    """Warn if the second step of a schedule comes before the first of its optimiser."""
    where = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
    if not hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        text = (
            "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, "
            f"make sure to call `optimizer.step()` before `lr_scheduler.step()`. {where}"
        )
    elif not getattr(optimizer, "_opt_called", False):
        text = (
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`: call them in the opposite order, "
            f"`optimizer.step()` before `lr_scheduler.step()`, or the first value of the learning rate schedule is "
            f"skipped. {where}"
        )
    else:
        return
    warnings.warn(text, UserWarning, stacklevel=3)

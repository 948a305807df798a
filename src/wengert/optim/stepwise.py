"""Optimisers whose step is a formula of operators, from value, gradient and state to the new value and state.

So a step can itself be differentiated, with `differentiable=True`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._tensor import Tensor
from .._tensor.attributes import flags
from ..autograd import enable_grad, no_grad
from ..ops.create.create import tensor
from ..ops.neural.optimiser_steps import counted, formula_step, have_flag, have_halves, written, zeros_as
from ..ops.pointwise.complex import view_as_complex, view_as_real
from .optimizer import Group, Optimizer, check_at_least_zero, count_dtype, evaluate

State = dict[str, Tensor]

ACCELERATORS = ("cuda", "xpu", "hpu", "privateuseone", "xla")
USUAL: dict[str, Any] = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
"""Options that most optimisers have, and that groups saved by early versions lack."""


class Stepwise(Optimizer):
    """Base of optimisers that update one parameter at a time, by operators.

    A subclass defines `_advanced`, and `_started` if the state is more than a count and the entries `KEPT`. If it names
    a `FORMULA`, steps that are not differentiated use that for all parameters at once; it may also override `step` and
    `_step_of_group` by a faster method.
    """

    OPTIONS: ClassVar[str]
    """Names of the options of a group, in the order of torch's groups; the constructor has arguments of these names."""

    FORMULA: ClassVar[str] = ""
    """Name in `_kernels.formulas.FORMULAS`; `KEPT` are the entries of the state that it updates."""
    KEPT: ClassVar[tuple[str, ...]] = ()

    COUNTS: ClassVar[tuple[str, ...]] = ("step",)
    """Entries of the state that are 0-dim tensors; earlier versions saved numbers."""

    CAPTURED: ClassVar[str] = "params and state_steps"
    CAPTURES: ClassVar[tuple[str, ...]] = ACCELERATORS

    def _started(self, parameter: Tensor, group: Group) -> State:
        """Return the state of a parameter before its first step."""
        return {"step": counter(), **{key: zeros_as(parameter) for key in self.KEPT}}

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        """Return the parameter after a step, and the changed entries of its state, without writing to the arguments.

        Args:
            value: the value of the parameter; for a complex one the real view, as for gradient and state.
            grad: the gradient; negated with `maximize`.
            state: the state; its entry "step" includes this step.
            group: the options.
        """
        raise NotImplementedError

    def _kept(self, state: State, group: Group) -> list[Tensor | None]:
        """Return the entries of a parameter's state that the formula updates."""
        return [state.get(key) for key in self.KEPT]

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        """Return the numbers of the formula for a parameter at step `count`; other counts are updated in place."""
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for entries in self.state.values():
            for name in self.COUNTS:
                if name in entries and not isinstance(entries[name], Tensor):
                    entries[name] = counter(float(entries[name]))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; return the result of the closure, or None.

        Raises:
            AssertionError: if `capturable`, which is for graphs of accelerators, is set.
        """
        if not self.FORMULA or self.defaults.get("differentiable"):
            return self._step_by_operators(closure)
        return self._step_at_once(closure)

    def _step_at_once(self, closure: Callable[[], Any] | None) -> Any:
        loss = None if closure is None else evaluate(closure)
        for group in self.param_groups:
            params, grads = self._trained(group)
            if params:
                self._step_of_group(params, grads, group)
        return loss

    @no_grad()
    def _step_of_group(self, params: list[Tensor], grads: list[Tensor], group: Group) -> None:
        """Take an unrecorded step of all parameters of a group that have a gradient.

        It is called with the program's modes: one that runs operators switches recording off itself.
        """
        self._check_capture(group)
        if not by_formula(params, grads):
            for parameter, grad in zip(params, grads):
                self._go_on(parameter, grad, group, differentiable=False)
            return
        states = [self._state_of(parameter, group) for parameter in params]
        steps = [state["step"] for state in states]
        numbers = [self._numbers(*pair, group) for pair in zip(states, counted(steps))]
        written(steps)
        decoupled = bool(group.get("decoupled_weight_decay"))
        decay = group.get("weight_decay", 0)
        formula_step(
            self.FORMULA,
            params,
            grads,
            [self._kept(state, group) for state in states],
            numbers,
            1 - float(group["lr"]) * decay if decoupled else 1.0,
            0.0 if decoupled else decay,
            group["maximize"],
        )

    def _step_by_operators(self, closure: Callable[[], Any] | None) -> Any:
        return self._recorded(closure) if self.defaults.get("differentiable") else self._unrecorded(closure)

    @enable_grad()
    def _recorded(self, closure: Callable[[], Any] | None) -> Any:
        return self._all(closure, differentiable=True)

    @no_grad()
    def _unrecorded(self, closure: Callable[[], Any] | None) -> Any:
        return self._all(closure, differentiable=False)

    def _all(self, closure: Callable[[], Any] | None, differentiable: bool) -> Any:
        loss = evaluate(closure)
        for group in self.param_groups:
            params, grads = self._trained(group)
            if params:
                self._check_capture(group)
            for parameter, grad in zip(params, grads):
                self._go_on(parameter, grad, group, differentiable)
        return loss

    def _state_of(self, parameter: Tensor, group: Group) -> State:
        state: State = self.state[parameter]
        if not state:
            state = self._started(parameter, group)
            self.state[parameter] = state  # the complete state: an interrupted step leaves all of it or nothing
        return state

    @no_grad()
    def _states_of(self, params: list[Tensor], group: Group) -> list[State]:
        """Return the states of parameters, begun where there is none."""
        return [self._state_of(parameter, group) for parameter in params]

    def _go_on(self, parameter: Tensor, grad: Tensor, group: Group, differentiable: bool) -> None:
        self._check_gradient(parameter, grad)
        self._move(parameter, grad, self._state_of(parameter, group), group, differentiable)

    @no_grad()
    def _step_of_class(self, parameter: Tensor, grad: Tensor, group: Group) -> None:
        self._check_capture(group)
        self._go_on(parameter, grad, group, differentiable=False)

    def _move(self, parameter: Tensor, grad: Tensor, stored: State, group: Group, differentiable: bool) -> None:
        state: State = {key: as_real(entry) for key, entry in stored.items()}
        changed: State = {}
        if "step" in stored:
            changed["step"] = state["step"] = stored["step"] + 1
        real_grad = as_real(-grad if group.get("maximize") else grad)
        value, others = self._advanced(as_real(parameter), real_grad, state, group)
        changed.update(others)
        for key, entry in changed.items():
            store(stored, key, entry, differentiable)
        parameter.copy_(as_kind(value, parameter))

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        """Refuse parameters and gradients that the optimiser does not support."""

    def _check_capture(self, group: Group) -> None:
        if group.get("capturable"):
            raise AssertionError(
                f"If capturable=True, {self.CAPTURED} must be on supported devices: {list(self.CAPTURES)}."
            )


def options_of(arguments: dict[str, Any], names: str) -> dict[str, Any]:
    """Return the default options of groups out of all arguments of a constructor."""
    return {name: arguments[name] for name in names.split()}


def by_formula(params: list[Tensor], grads: list[Tensor]) -> bool:
    """Return whether a formula takes the step; not for half precision, nor for sparse gradients."""
    return not (have_halves(params) or have_flag(grads, flags.SPARSE))


def as_real(tensor: Tensor) -> Tensor:
    """Return the tensor; a complex one as real and imaginary parts along a new last dimension."""
    return view_as_real(tensor) if tensor.dtype.is_complex else tensor


def as_kind(tensor: Tensor, other: Tensor) -> Tensor:
    """Return a result of `as_real` with the kind of `other`, complex if that is; counts stay real."""
    return view_as_complex(tensor) if other.dtype.is_complex and tensor.ndim else tensor


def store(state: State, key: str, value: Tensor, differentiable: bool) -> None:
    """Update an entry in place; if the step is recorded, replace the tensor, because saved tensors must not change."""
    if key in state:
        value = as_kind(value, state[key])
    if differentiable or key not in state:
        state[key] = value
    else:
        state[key].copy_(value)


def counter(value: float = 0.0) -> Tensor:
    """Return a 0-dim tensor for a count in the state."""
    return tensor(value, dtype=count_dtype())


def rate(group: Group) -> Any:
    """Return the step size: a number, or a 0-dim tensor if the step is differentiated with respect to it."""
    lr = group["lr"]
    if isinstance(lr, Tensor) and lr.requires_grad and group.get("differentiable"):
        return lr.reshape(())
    return float(lr)


def decayed(value: Tensor, grad: Tensor, group: Group) -> Tensor:
    """Return the gradient with the group's weight decay added."""
    weight_decay = group["weight_decay"]
    return grad if weight_decay == 0 else grad.add(value, alpha=weight_decay)


def with_decay(value: Tensor, grad: Tensor, lr: Any, group: Group) -> tuple[Tensor, Tensor]:
    """Return a parameter and its gradient after weight decay, which changes only the parameter if it is decoupled."""
    if group["decoupled_weight_decay"]:
        return value * (1 - lr * group["weight_decay"]), grad
    return value, decayed(value, grad, group)


def lerped(mean: Tensor, value: Tensor, weight: float) -> Tensor:
    """Return a running mean after one more value."""
    return mean.lerp(value, weight)


def mean_square(mean: Tensor, value: Tensor, decay: float) -> Tensor:
    """Return a running mean of squares after one more value."""
    return mean.mul(decay).addcmul(value, value, value=1 - decay)


def check_betas(betas: tuple[Any, Any]) -> None:
    """Refuse factors outside [0, 1).

    Raises:
        ValueError: if a factor is; the text names the first.
    """
    for at in (0, 1):
        if not 0 <= betas[at] < 1:
            raise ValueError(f"Invalid beta parameter at index {at}: {betas[at]}")


def check_usual(lr: Any, eps: Any, weight_decay: Any, *betas: tuple[Any, Any]) -> None:
    """Refuse a negative step size, divisor or decay, and pairs of factors outside [0, 1).

    Raises:
        ValueError: if one is, or the step size has several elements.
    """
    check_rate(lr)
    check_at_least_zero("learning rate", lr)
    check_at_least_zero("epsilon value", eps)
    check_at_least_zero("weight_decay value", weight_decay)
    for pair in betas:
        check_betas(pair)


def check_rate(lr: Any) -> None:
    """Refuse a step size of several elements.

    Raises:
        ValueError: if it is a tensor that does not have exactly one element.
    """
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")

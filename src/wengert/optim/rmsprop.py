"""RMSprop."""

from __future__ import annotations

from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from ..ops.neural.optimiser_steps import zeros_as
from .optimizer import Group, Params, check_at_least_zero
from .stepwise import USUAL, State, Stepwise, check_usual, counter, decayed, lerped, mean_square, options_of, rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import rmsprop


class RMSprop(Stepwise):
    """RMSprop: steps scaled by the root of the running mean of the squared gradient.

    Args:
        alpha: decay rate of the running mean.
        momentum: factor of the previous step that is added to the step.
        centered: divide by the running standard deviation instead.
        params, lr, eps, weight_decay, capturable, foreach, maximize, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Hinton, Neural Networks for Machine Learning, lecture 6e, 2012.
    """

    OPTIONS = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
    LATER: ClassVar[dict[str, Any]] = {**USUAL, "momentum": 0, "centered": False}

    FORMULA = "rmsprop"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_usual(lr, eps, weight_decay)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("alpha value", alpha)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _started(self, parameter: Tensor, group: Group) -> State:
        state = {"step": counter(), "square_avg": zeros_as(parameter)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_as(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros_as(parameter)
        return state

    def _kept(self, state: State, group: Group) -> list[Tensor | None]:
        mean = state.get("grad_avg") if group["centered"] else None
        return [state["square_avg"], mean, state.get("momentum_buffer") if group["momentum"] > 0 else None]

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        alpha = group["alpha"]
        return float(group["lr"]), alpha, 1 - alpha, group["eps"], group["momentum"]

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        grad = decayed(value, grad, group)
        squares: Any = mean_square(state["square_avg"], grad, group["alpha"])
        changed: State = {"square_avg": squares}
        if group["centered"]:
            mean = changed["grad_avg"] = lerped(state["grad_avg"], grad, 1 - group["alpha"])
            squares = squares - mean * mean
        move = grad / (squares.sqrt() + group["eps"])
        if group["momentum"] > 0:
            move = changed["momentum_buffer"] = state["momentum_buffer"] * group["momentum"] + move
        return value - move * rate(group), changed


__all__ = ["RMSprop", "rmsprop"]

__getattr__, __dir__ = on_demand(globals())

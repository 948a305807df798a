"""RMSprop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..ops.create.create import tensor
from ..ops.neural.optimiser_steps import rmsprop_step, zeros_as
from ..tensor import Tensor, dtypes
from .optimizer import Optimizer, Params, check_at_least_zero, evaluate, refuse


class RMSprop(Optimizer):
    """Steps scaled by the running mean of the squared gradient.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        alpha: how much of the mean is kept from step to step.
        eps: added to the divisor.
        weight_decay: multiple of the parameter added to its gradient.
        momentum: how much of the earlier steps goes on.
        centered: divide by the running standard deviation instead.
        capturable: refused.
        foreach: for torch's users; there is one way.
        maximize: go up instead of down.
        differentiable: refused.

    Raises:
        ValueError: an option is out of range.
        NotImplementedError: `differentiable` or `capturable`.

    Source: Hinton, Neural Networks for Machine Learning, lecture 6e, 2012.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
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
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("epsilon value", eps)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        check_at_least_zero("alpha value", alpha)
        refuse("RMSprop", differentiable=differentiable, capturable=capturable)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _state_of(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            state = {"step": tensor(0.0, dtype=dtypes.float32), "square_avg": zeros_as(parameter)}
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros_as(parameter)
            if group["centered"]:
                state["grad_avg"] = zeros_as(parameter)
            self.state[parameter] = state  # complete: an interrupted step leaves all of it or nothing
        return state

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; the closure's result if there is one."""
        loss = evaluate(closure)
        for group in self.param_groups:
            for parameter, grad in zip(*self._trained(group)):
                state = self._state_of(parameter, group)
                state["step"].add_(1)
                rmsprop_step(
                    parameter, grad, state["square_avg"], state.get("grad_avg") if group["centered"] else None,
                    state.get("momentum_buffer") if group["momentum"] > 0 else None, float(group["lr"]), group["alpha"],
                    group["eps"], group["weight_decay"], group["momentum"], group["maximize"],
                )  # fmt: skip
        return loss

"""Adagrad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..ops.create.create import tensor
from ..ops.neural.optimiser_steps import adagrad_step, zeros_as
from ..tensor import Tensor, dtypes
from .optimizer import Optimizer, Params, check_at_least_zero, evaluate, parameters_of, refuse


class Adagrad(Optimizer):
    """Steps scaled by the root of the sum of all squared gradients.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        lr_decay: the step size is divided by `1 + steps * lr_decay`.
        weight_decay: multiple of the parameter added to its gradient.
        initial_accumulator_value: what the sum starts from.
        eps: added to the divisor.
        foreach: for torch's users; there is one way.
        maximize: go up instead of down.
        differentiable: refused.
        fused: for torch's users; there is one way.

    Raises:
        ValueError: an option is out of range.
        NotImplementedError: `differentiable`.

    Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("lr_decay value", lr_decay)
        check_at_least_zero("weight_decay value", weight_decay)
        check_at_least_zero("initial_accumulator_value value", initial_accumulator_value)
        check_at_least_zero("epsilon value", eps)
        refuse("Adagrad", differentiable=differentiable)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for parameter in parameters_of(self.param_groups):
            self._state_of(parameter)

    def _state_of(self, parameter: Tensor) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            start = self.defaults["initial_accumulator_value"]
            total = zeros_as(parameter).fill_(complex(start, start) if parameter.dtype.is_complex else start)  # type: ignore[attr-defined]
            state = {"step": tensor(0.0, dtype=dtypes.float32), "sum": total}
            self.state[parameter] = state  # complete: an interrupted step leaves all of it or nothing
        return state

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; the closure's result if there is one."""
        loss = evaluate(closure)
        for group in self.param_groups:
            for parameter, grad in zip(*self._trained(group)):
                state = self._state_of(parameter)
                lr = float(group["lr"]) / (1 + state["step"].item() * group["lr_decay"])
                state["step"].add_(1)
                adagrad_step(parameter, grad, state["sum"], lr, group["eps"], group["weight_decay"], group["maximize"])
        return loss

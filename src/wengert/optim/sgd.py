"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..ops.neural.optimiser_steps import sgd_step
from .optimizer import Optimizer, Params, check_at_least_zero, evaluate, refuse


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        momentum: how much of the earlier steps goes on.
        dampening: 1 minus how much of the gradient enters the momentum.
        weight_decay: multiple of the parameter added to its gradient.
        nesterov: look ahead along the momentum.
        maximize: go up instead of down.
        foreach: for torch's users; there is one way.
        differentiable: refused.
        fused: for torch's users; steps are fused.

    Raises:
        ValueError: an option is out of range.
        NotImplementedError: `differentiable`.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning, 2013, in torch's form.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        refuse("SGD", differentiable=differentiable)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; the closure's result if there is one."""
        loss = evaluate(closure)
        for group in self.param_groups:
            params, grads = self._trained(group)
            if not params:
                continue
            momentum = float(group["momentum"])
            known = [self.state[each].get("momentum_buffer") for each in params] if momentum else [None] * len(params)
            buffers = sgd_step(
                params, grads, known, float(group["lr"]), momentum, float(group["dampening"]),
                float(group["weight_decay"]), group["nesterov"], group["maximize"],
            )  # fmt: skip
            if momentum:
                for each, buffer in zip(params, buffers):
                    self.state[each]["momentum_buffer"] = buffer
        return loss

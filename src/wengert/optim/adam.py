"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..ops.create.create import tensor
from ..ops.neural.optimiser_steps import adam_step, zeros_as
from ..tensor import Tensor, dtypes
from .optimizer import Optimizer, Params, check_at_least_zero, evaluate, refuse


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        betas: how much of the mean and of the mean square is kept from step to step.
        eps: added to the divisor.
        weight_decay: multiple of the parameter added to its gradient (or AdamW's decay, see there).
        amsgrad: divide by the largest mean square so far.
        foreach: for torch's users; there is one way.
        maximize: go up instead of down.
        capturable: refused.
        differentiable: refused.
        fused: for torch's users; steps are fused.
        decoupled_weight_decay: AdamW's decay.

    Raises:
        ValueError: an option is out of range.
        NotImplementedError: `differentiable` or `capturable`.

    Source: Kingma and Ba, Adam, 2015; Reddi et al., On the convergence of Adam and beyond, 2018, for `amsgrad`.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("epsilon value", eps)
        for at in (0, 1):
            if not 0 <= betas[at] < 1:
                raise ValueError(f"Invalid beta parameter at index {at}: {betas[at]}")
        check_at_least_zero("weight_decay value", weight_decay)
        refuse(type(self).__name__, differentiable=differentiable, capturable=capturable)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _state_of(self, parameter: Tensor, amsgrad: bool) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            state = {
                "step": tensor(0.0, dtype=dtypes.float32),
                "exp_avg": zeros_as(parameter),
                "exp_avg_sq": zeros_as(parameter),
            }
            if amsgrad:
                state["max_exp_avg_sq"] = zeros_as(parameter)
            self.state[parameter] = state  # complete: an interrupted step leaves all of it or nothing
        return state

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; the closure's result if there is one."""
        loss = evaluate(closure)
        for group in self.param_groups:
            params, grads = self._trained(group)
            if not params:
                continue
            amsgrad = group["amsgrad"]
            states = [self._state_of(each, amsgrad) for each in params]
            adam_step(
                params,
                grads,
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [state["max_exp_avg_sq"] for state in states] if amsgrad else [],
                [state["step"] for state in states],
                lr=float(group["lr"]),
                betas=group["betas"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                decoupled=group["decoupled_weight_decay"],
                amsgrad=amsgrad,
                maximize=group["maximize"],
            )
        return loss


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves instead of entering the gradient.

    Args: as of `Adam`, but `weight_decay` is 0.01 if not given.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

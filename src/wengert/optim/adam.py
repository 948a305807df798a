"""Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..ops.neural.optimiser_steps import adam_step, zeros_as
from ..tensor import Tensor
from .optimizer import Group, Params, check_fused, evaluate
from .stepwise import State, Stepwise, check_betas, check_usual, counter, decayed, lerped, mean_square, rate


class Adam(Stepwise):
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
        capturable: for graphs of accelerators; a step refuses it.
        differentiable: record the steps, so that gradients go through them.
        fused: for torch's users; steps are fused.
        decoupled_weight_decay: AdamW's decay.

    Raises:
        ValueError: an option is out of range.
        RuntimeError: `fused` together with `foreach` or `differentiable`.

    Source: Kingma and Ba, Adam, 2015; Reddi et al., On the convergence of Adam and beyond, 2018, for `amsgrad`.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
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
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_usual(lr, eps, weight_decay)
        check_betas(betas)
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _started(self, parameter: Tensor, group: Group) -> State:
        state = {"step": counter(), "exp_avg": zeros_as(parameter), "exp_avg_sq": zeros_as(parameter)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_as(parameter)
        return state

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        (first, second), lr, step = map(float, group["betas"]), rate(group), state["step"]
        if group["decoupled_weight_decay"]:
            value = value * (1 - lr * group["weight_decay"])
        else:
            grad = decayed(value, grad, group)
        mean = lerped(state["exp_avg"], grad, 1 - first)
        squares: Any = mean_square(state["exp_avg_sq"], grad, second)
        changed: State = {"exp_avg": mean, "exp_avg_sq": squares}
        if group["amsgrad"]:
            squares = changed["max_exp_avg_sq"] = state["max_exp_avg_sq"].maximum(squares)  # type: ignore[attr-defined]
        down = -lr / (1 - first**step)  # 0-dim and in the precision of the counts, which is torch's order too
        divisor = squares.sqrt() / ((1 - second**step).sqrt() * down) + group["eps"] / down
        return value + mean / divisor, changed

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; the closure's result if there is one."""
        if self.defaults["differentiable"]:
            return self._step_by_operators(closure)
        return self._step_fused(closure)

    @no_grad()
    def _step_fused(self, closure: Callable[[], Any] | None) -> Any:
        loss = evaluate(closure)
        for group in self.param_groups:
            params, grads = self._trained(group)
            if not params:
                continue
            self._check_capture(group)
            amsgrad = group["amsgrad"]
            states = [self._state_of(each, group) for each in params]
            adam_step(
                params,
                grads,
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [state["max_exp_avg_sq"] for state in states] if amsgrad else [],
                [state["step"] for state in states],
                lr=float(group["lr"]),
                betas=(float(group["betas"][0]), float(group["betas"][1])),
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                decoupled=group["decoupled_weight_decay"],
                amsgrad=amsgrad,
                maximize=group["maximize"],
            )
        return loss

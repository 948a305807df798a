"""AdamW."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .adam import Adam
from .optimizer import Params
from .stepwise import advance, as_function


class AdamW(Adam):
    """AdamW: Adam with a weight decay that shrinks the parameters directly instead of entering the gradient.

    The arguments are those of `Adam`; `weight_decay` is 0.01 by default.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
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
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # groups saved by `Adam` have a decay that enters the gradient
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


@as_function(AdamW, optional=True)
def adamw(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Any = None,
    found_inf: Any = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take a step of `AdamW` as a function; parameters and state are updated in place."""
    advance(
        AdamW,
        {**locals(), "decoupled_weight_decay": True},
        exp_avg=exp_avgs,
        exp_avg_sq=exp_avg_sqs,
        max_exp_avg_sq=max_exp_avg_sqs,
        step=state_steps,
    )

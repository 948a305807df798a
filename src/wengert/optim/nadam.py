"""NAdam."""

from __future__ import annotations

from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from ..ops.neural.optimiser_steps import zeros_as
from .optimizer import Group, Params, check_at_least_zero
from .stepwise import USUAL, State, Stepwise, check_usual, counter, lerped, mean_square, options_of, rate, with_decay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import nadam


class NAdam(Stepwise):
    """NAdam: Adam with Nesterov momentum that grows from step to step.

    Args:
        momentum_decay: rate at which the momentum approaches `betas[0]`.
        decoupled_weight_decay: use the decay of `AdamW`.
        params, lr, betas, eps, weight_decay, foreach, maximize, capturable, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.
    """

    OPTIONS = (
        "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable differentiable"
    )
    LATER: ClassVar[dict[str, Any]] = {**USUAL, "decoupled_weight_decay": False}
    COUNTS = ("step", "mu_product")

    CAPTURED = "params, mu_products and state_steps"

    FORMULA = "nadam"
    KEPT = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_usual(lr, eps, weight_decay, betas)
        check_at_least_zero("momentum_decay value", momentum_decay)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _started(self, parameter: Tensor, group: Group) -> State:
        return {
            "step": counter(),
            "mu_product": counter(1.0),
            "exp_avg": zeros_as(parameter),
            "exp_avg_sq": zeros_as(parameter),
        }

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        (first, second), lr = map(float, group["betas"]), float(group["lr"])
        now, ahead = momenta(first, count, group)
        state["mu_product"].mul_(now)
        known = state["mu_product"].item()
        shares = lr * (1 - now) / (1 - known), lr * ahead / (1 - known * ahead)
        return 1 - first, second, 1 - second, group["eps"], 1 - second**count, *shares

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        (first, second), lr, step = group["betas"], rate(group), state["step"].item()
        now, ahead = momenta(first, step, group)
        product = state["mu_product"] * now
        value, grad = with_decay(value, grad, lr, group)
        mean = lerped(state["exp_avg"], grad, 1 - first)
        squares = mean_square(state["exp_avg_sq"], grad, second)
        divisor = (squares / (1 - second**step)).sqrt() + group["eps"]
        known = product if group["differentiable"] else product.item()
        value = value - grad / divisor * (lr * (1 - now) / (1 - known))
        value = value - mean / divisor * (lr * ahead / (1 - known * ahead))
        return value, {"mu_product": product, "exp_avg": mean, "exp_avg_sq": squares}


def momenta(first: float, step: float, group: Group) -> tuple[float, float]:
    """Return the momentum of a step and of the next step; it grows towards `first`."""
    now, ahead = (first * (1 - 0.5 * 0.96 ** (at * group["momentum_decay"])) for at in (step, step + 1))
    return now, ahead


__all__ = ["NAdam", "nadam"]

__getattr__, __dir__ = on_demand(globals())

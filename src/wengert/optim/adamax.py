"""Adamax."""

from __future__ import annotations

from .._start.loading import on_demand
from .._tensor import Tensor
from .optimizer import Group, Params
from .stepwise import USUAL, State, Stepwise, check_usual, decayed, lerped, options_of, rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import adamax


class Adamax(Stepwise):
    """Adamax: steps along the running mean of the gradient, scaled by its decaying maximum.

    Args:
        betas: decay rates of the running mean and of the maximum.
        eps: term added to gradients before they are compared.
        params, lr, weight_decay, foreach, maximize, differentiable, capturable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Kingma and Ba, Adam, 2015, section 7.1.
    """

    OPTIONS = "lr betas eps weight_decay foreach maximize differentiable capturable"
    LATER = USUAL
    FORMULA = "adamax"
    KEPT = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_usual(lr, eps, weight_decay, betas)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        first, second = group["betas"]
        return float(group["lr"]) / (1 - first**count), 1 - first, second, group["eps"]

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        first, second = group["betas"]
        grad = decayed(value, grad, group)
        mean = lerped(state["exp_avg"], grad, 1 - first)
        largest = (state["exp_inf"] * second).maximum(grad.abs() + group["eps"])
        lr = rate(group) / (1 - first ** state["step"].item())
        return value - mean / largest * lr, {"exp_avg": mean, "exp_inf": largest}


__all__ = ["Adamax", "adamax"]

__getattr__, __dir__ = on_demand(globals())

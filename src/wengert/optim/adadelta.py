"""Adadelta."""

from __future__ import annotations

from .._start.loading import on_demand
from .._tensor import Tensor
from .optimizer import Group, Params
from .stepwise import ACCELERATORS, USUAL, State, Stepwise, check_usual, decayed, mean_square, options_of, rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import adadelta


class Adadelta(Stepwise):
    """Adadelta: steps scaled by the ratio of earlier steps to the gradient, without a step size to tune.

    Args:
        lr: factor of the step.
        rho: decay rate of the running mean squares.
        eps: term added under the roots.
        params, weight_decay, foreach, capturable, maximize, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Zeiler, ADADELTA: an adaptive learning rate method, 2012.
    """

    OPTIONS = "lr rho eps weight_decay maximize capturable foreach differentiable"
    LATER = USUAL
    CAPTURES = ACCELERATORS[:-1]

    FORMULA = "adadelta"
    KEPT = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_usual(lr, eps, weight_decay)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        rho = group["rho"]
        return float(group["lr"]), rho, 1 - rho, group["eps"]

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        rho, eps = group["rho"], group["eps"]
        grad = decayed(value, grad, group)
        squares = mean_square(state["square_avg"], grad, rho)
        change = (state["acc_delta"] + eps).sqrt() / (squares + eps).sqrt() * grad
        return value - change * rate(group), {
            "square_avg": squares,
            "acc_delta": mean_square(state["acc_delta"], change, rho),
        }


__all__ = ["Adadelta", "adadelta"]

__getattr__, __dir__ = on_demand(globals())

"""RAdam."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from .optimizer import Group, Params
from .stepwise import USUAL, State, Stepwise, check_usual, lerped, mean_square, options_of, rate, with_decay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import radam


class RAdam(Stepwise):
    """RAdam: Adam that divides by the mean square only when enough gradients bound its variance.

    Args:
        decoupled_weight_decay: use the decay of `AdamW`.
        params, lr, betas, eps, weight_decay, foreach, maximize, capturable, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2020.
    """

    OPTIONS = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
    LATER: ClassVar[dict[str, Any]] = {**USUAL, "decoupled_weight_decay": False}

    FORMULA = "radam"
    KEPT = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_usual(lr, eps, weight_decay, betas)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        first, second = map(float, group["betas"])
        scale = rectified(second, count)
        rectification = 0.0 if scale is None else math.sqrt(1 - second**count) * scale
        return 1 - first, second, 1 - second, group["eps"], float(group["lr"]) / (1 - first**count), rectification

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        (first, second), lr, step = group["betas"], rate(group), state["step"].item()
        value, grad = with_decay(value, grad, lr, group)
        mean = lerped(state["exp_avg"], grad, 1 - first)
        squares = mean_square(state["exp_avg_sq"], grad, second)
        move = mean / (1 - first**step) * lr
        scale = rectified(second, step)
        if scale is not None:
            move = move * (math.sqrt(1 - second**step) * scale) / (squares.sqrt() + group["eps"])
        return value - move, {"exp_avg": mean, "exp_avg_sq": squares}


def rectified(second: float, step: float) -> float | None:
    """Return the rectification factor of the scaled step; None if too few gradients are known to scale it."""
    most = 2 / (1 - second) - 1
    known = most - 2 * step * second**step / (1 - second**step)
    if known <= 5:
        return None
    return math.sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known))


__all__ = ["RAdam", "radam"]

__getattr__, __dir__ = on_demand(globals())

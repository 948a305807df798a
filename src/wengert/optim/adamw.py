"""AdamW."""

from __future__ import annotations

from typing import Any

from .._start.loading import on_demand
from .._tensor import Tensor
from .adam import Adam
from .optimizer import Params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import adamw


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

    def _planned_step(self) -> Any:
        """Return the present step for replays, or None."""
        from .planning import adam_group, planned

        return planned(self, adam_group) if type(self) is AdamW else None

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # groups saved by `Adam` have a decay that enters the gradient
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


__all__ = ["AdamW", "adamw"]

__getattr__, __dir__ = on_demand(globals())

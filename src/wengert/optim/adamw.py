"""AdamW."""

from __future__ import annotations

from ..tensor import Tensor
from .adam import Adam
from .optimizer import Params


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves instead of entering the gradient.

    Args: as of `Adam`, but `weight_decay` is 0.01 if not given.

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
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

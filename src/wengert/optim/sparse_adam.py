"""SparseAdam, which works on sparse gradients only."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .optimizer import Params, parameters_of
from .stepwise import Stepwise, check_betas, check_rate


class SparseAdam(Stepwise):
    """Adam for sparse gradients. No gradient is sparse here, so every step refuses, in torch's words for dense ones.

    Args:
        params: parameters or groups of parameters, real ones.
        lr: step size.
        betas: how much of the mean and of the mean square is kept from step to step.
        eps: added to the divisor.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of range, or a parameter is complex.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        for text, value in (("learning rate", lr), ("epsilon value", eps)):
            if not value > 0:
                raise ValueError(f"Invalid {text}: {value}")
        check_betas(betas)
        defaults: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, defaults)
        complex_ones = [
            [at, inside]
            for at, group in enumerate(self.param_groups)
            for inside, each in enumerate(parameters_of([group]))
            if each.dtype.is_complex
        ]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

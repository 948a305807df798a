"""Muon."""

from __future__ import annotations

import math

from .._tensor import Tensor
from ..ops.neural.optimiser_steps import orthogonalised, zeros_as
from ._adafactor import check_at_least
from .optimizer import Group, Params, parameters_of
from .stepwise import State, Stepwise, check_rate, lerped, options_of

COEFFICIENTS = (3.4445, -4.775, 2.0315)


class Muon(Stepwise):
    """Muon: momentum with orthogonalised steps, for the matrices of hidden layers.

    Args:
        params: parameters or groups of parameters, real matrices.
        lr: step size.
        weight_decay: factor by which parameters shrink, times `lr`.
        momentum: factor of the previous step that is added to the step.
        nesterov: look ahead along the momentum.
        ns_coefficients: coefficients of the Newton-Schulz iterations that orthogonalise a step, in bfloat16's
            precision.
        eps: smallest norm of a step.
        ns_steps: number of iterations, below 100.
        adjust_lr_fn: dependence of the step size on the shape: "original" (or None) for the root of rows over columns,
            or "match_rms_adamw" for steps of the size of AdamW's.

    Raises:
        ValueError: if an option is out of range, or a parameter is not a matrix.

    Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024; Liu et al., Muon is Scalable
        for LLM Training, 2025, for "match_rms_adamw".
    """

    OPTIONS = "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn"

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        check_at_least(0, "Learning rate", lr)
        check_at_least(0, "momentum", momentum)
        check_at_least(0, "weight decay", weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, options_of(locals(), self.OPTIONS))
        for parameter in parameters_of(self.param_groups):
            if parameter.ndim != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {parameter.shape}"
                )

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        if parameter.dtype.is_complex:
            raise RuntimeError("Muon does not support complex parameters")
        if grad.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")

    def _started(self, parameter: Tensor, group: Group) -> State:
        return {"momentum_buffer": zeros_as(parameter.grad)}  # type: ignore[arg-type]

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        if group["ns_steps"] >= 100:
            raise ValueError("Number of steps must be less than 100 for computational efficiency")
        if len(group["ns_coefficients"]) != 3:
            raise ValueError("Coefficients must be a tuple of exactly 3 values")
        momentum, lr = group["momentum"], float(group["lr"])
        mean = lerped(state["momentum_buffer"], grad, 1 - momentum)
        update = lerped(grad, mean, momentum) if group["nesterov"] else mean
        straight = orthogonalised(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        size = lr * shape_factor(group["adjust_lr_fn"], *value.shape)
        value = value * (1 - lr * group["weight_decay"]) - straight.to(value.dtype) * size
        return value, {"momentum_buffer": mean}


def shape_factor(kind: str | None, rows: int, columns: int) -> float:
    """Return the factor of the step size for a matrix of this shape."""
    if kind == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))

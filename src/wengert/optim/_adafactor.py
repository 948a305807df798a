"""Adafactor."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..ops.create.like import zeros_like
from .optimizer import Group, Params
from .stepwise import State, Stepwise, check_rate, counter, lerped, options_of


class Adafactor(Stepwise):
    """Adafactor: steps scaled by running mean squares of the gradient, which matrices store by rows and columns only.

    Args:
        params: real parameters, or groups of them.
        lr: largest step relative to the size of the parameter.
        beta2_decay: exponent of the step count in the weight of a new gradient.
        eps: smallest divisor (by default the eps of the dtype), and smallest size of a parameter.
        d: largest root mean square of a step before it is multiplied with `lr`.
        weight_decay: factor by which parameters shrink, times `lr`.
        foreach: accepted for compatibility with torch; no effect.
        maximize: maximise the objective instead of minimising it.

    Raises:
        ValueError: if an option is out of range.

    Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.
    """

    OPTIONS = "lr beta2_decay eps d weight_decay foreach maximize"
    LATER: ClassVar[dict[str, Any]] = {"foreach": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        check_at_least(0, "Learning rate", lr)
        if not beta2_decay <= 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            check_at_least(0, "epsilon1", eps[0])
        check_at_least(0, "epsilon2", eps[1])
        check_at_least(1, "Clipping threshold d", d)
        check_at_least(0, "weight_decay", weight_decay)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        if parameter.dtype.is_complex:
            raise RuntimeError("Adafactor does not support complex parameters")

    def _started(self, parameter: Tensor, group: Group) -> State:
        grad: Any = parameter.grad
        if grad.ndim > 1:
            return {
                "step": counter(),
                "row_var": grad.new_zeros(*grad.shape[:-1], 1),
                "col_var": grad.new_zeros(*grad.shape[:-2], 1, grad.shape[-1]),
            }
        return {"step": counter(), "variance": zeros_like(grad)}

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        step, lr = state["step"].item(), float(group["lr"])
        floor = dtypes.finfo(value.dtype).eps if group["eps"][0] is None else group["eps"][0]
        newer = step ** group["beta2_decay"]
        size = max(group["eps"][1], root_mean_square(value)) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            value = value * (1 - lr * group["weight_decay"])
        spread, estimates = variance_estimate(grad, state, newer, floor)
        update: Any = spread.clamp(min=floor * floor).rsqrt() * grad
        shortened = max(1.0, root_mean_square(update) / group["d"])
        return value - update * (size / shortened), estimates


def variance_estimate(grad: Any, state: State, newer: float, floor: float) -> tuple[Tensor, State]:
    """Return the estimated mean square of each element, and the updated state."""
    if "variance" in state:
        variance = lerped(state["variance"], grad.square(), newer)
        return variance, {"variance": variance}
    rows: Any = lerped(state["row_var"], grad.square().mean(-1, keepdim=True), newer)
    columns = lerped(state["col_var"], grad.square().mean(-2, keepdim=True), newer)
    return (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=floor), {"row_var": rows, "col_var": columns}


def root_mean_square(tensor: Any) -> float:
    """Return the root mean square of all elements."""
    return float(tensor.norm(2).item() / math.sqrt(tensor.numel()))


def check_at_least(bound: float, text: str, value: Any) -> None:
    """Refuse an option below its bound (or NaN).

    Raises:
        ValueError: if `value` is below `bound`; `text` names the option.
    """
    if not value >= bound:
        raise ValueError(f"{text} should be >= {bound} but is: {value}")

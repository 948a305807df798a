"""Adafactor."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..ops.create.like import zeros_like
from .optimizer import Group, Params
from .stepwise import State, Stepwise, check_rate, counter, lerped


class Adafactor(Stepwise):
    """Steps scaled by mean squares of the gradient, of which matrices keep those of rows and of columns only.

    Args:
        params: parameters or groups of parameters, real ones.
        lr: largest step relative to the parameter's size.
        beta2_decay: power of the number of steps by which newer gradients count less.
        eps: least divisor (the dtype's eps where None), and least size of a parameter.
        d: largest root mean square of a step before `lr` comes in.
        weight_decay: by how much parameters shrink, times `lr`.
        foreach: for torch's users; there is one way.
        maximize: go up instead of down.

    Raises:
        ValueError: an option is out of range.

    Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.
    """

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
        least(0, "Learning rate", lr)
        if not beta2_decay <= 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            least(0, "epsilon1", eps[0])
        least(0, "epsilon2", eps[1])
        least(1, "Clipping threshold d", d)
        least(0, "weight_decay", weight_decay)
        defaults: dict[str, Any] = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        if parameter.dtype.is_complex:
            raise RuntimeError("Adafactor does not support complex parameters")

    def _started(self, parameter: Tensor, group: Group) -> State:
        grad: Any = parameter.grad
        if grad.ndim > 1:
            return {
                "step": counter(), "row_var": grad.new_zeros(*grad.shape[:-1], 1),
                "col_var": grad.new_zeros(*grad.shape[:-2], 1, grad.shape[-1]),
            }  # fmt: skip
        return {"step": counter(), "variance": zeros_like(grad)}

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        step, lr = state["step"].item(), float(group["lr"])
        floor = dtypes.finfo(value.dtype).eps if group["eps"][0] is None else group["eps"][0]
        newer = step ** group["beta2_decay"]
        size = max(group["eps"][1], root_mean_square(value)) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            value = value * (1 - lr * group["weight_decay"])
        spread, kept = variance_estimate(grad, state, newer, floor)
        update: Any = spread.clamp(min=floor * floor).rsqrt() * grad  # type: ignore[attr-defined]
        shortened = max(1.0, root_mean_square(update) / group["d"])
        return value - update * (size / shortened), kept


def variance_estimate(grad: Any, state: State, newer: float, floor: float) -> tuple[Tensor, State]:
    """The mean square of each element as it is taken to be, and the state that says so."""
    if "variance" in state:
        variance = lerped(state["variance"], grad.square(), newer)
        return variance, {"variance": variance}
    rows: Any = lerped(state["row_var"], grad.square().mean(-1, keepdim=True), newer)
    columns = lerped(state["col_var"], grad.square().mean(-2, keepdim=True), newer)
    return (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=floor), {"row_var": rows, "col_var": columns}


def root_mean_square(tensor: Any) -> float:
    """The root of the mean square of all elements."""
    return float(tensor.norm(2).item() / math.sqrt(tensor.numel()))


def least(bound: float, text: str, value: Any) -> None:
    """Refuse an option below its bound (or NaN).

    Raises:
        ValueError: it is; `text` says which one.
    """
    if not value >= bound:
        raise ValueError(f"{text} should be >= {bound} but is: {value}")

"""Resilient propagation."""

from __future__ import annotations

from typing import cast

from .._start.loading import on_demand
from .._tensor import Tensor
from ..ops.create.like import full_like
from ..ops.neural.optimiser_steps import zeros_as
from .optimizer import Group, Params, check_at_least_zero
from .stepwise import USUAL, State, Stepwise, check_rate, counter, options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import rprop


class Rprop(Stepwise):
    """Resilient propagation: steps by the sign of the gradient, which grow while it stays and shrink when it changes.

    Args:
        lr: initial step size.
        etas: factors of the step size when the sign changes, and while it stays.
        step_sizes: smallest and largest step size.
        params, capturable, foreach, maximize, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning, 1993.
    """

    OPTIONS = "lr etas step_sizes foreach maximize differentiable capturable"
    LATER = USUAL
    FORMULA = "rprop"
    KEPT = ("prev", "step_size")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check_at_least_zero("learning rate", lr)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _started(self, parameter: Tensor, group: Group) -> State:
        lr, grad = float(group["lr"]), cast(Tensor, parameter.grad)
        first = full_like(grad, complex(lr, lr) if parameter.dtype.is_complex else lr)
        return {"step": counter(), "prev": zeros_as(parameter), "step_size": first}

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        return *map(float, group["etas"]), *map(float, group["step_sizes"])

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        (shorter, longer), (least, most) = group["etas"], group["step_sizes"]
        agreed = grad * state["prev"]
        factor = full_like(grad, 1.0).masked_fill(agreed > 0, longer).masked_fill(agreed < 0, shorter)
        size = (state["step_size"] * factor).clamp(least, most)
        followed = grad.masked_fill(agreed < 0, 0)
        return value - followed.sign() * size, {"prev": followed, "step_size": size}


__all__ = ["Rprop", "rprop"]

__getattr__, __dir__ = on_demand(globals())

"""Averaged stochastic gradient descent."""

from __future__ import annotations

from .._start.loading import on_demand
from .._tensor import Tensor
from ..ops.neural.optimiser_steps import zeros_as
from .optimizer import Group, Params, check_at_least_zero
from .stepwise import USUAL, State, Stepwise, check_rate, counter, decayed, options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import asgd


class ASGD(Stepwise):
    """Averaged stochastic gradient descent: shrinking steps, and a running average of the parameters.

    The average is the entry "ax" of a parameter's state; it is the parameter itself for the first `t0` steps.

    Args:
        lr: initial step size.
        lambd: decay of the parameters, also in the divisor of the step size.
        alpha: exponent of the divisor of the step size.
        t0: step at which averaging starts.
        params, weight_decay, foreach, maximize, differentiable, capturable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging, 1992.
    """

    OPTIONS = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
    LATER = USUAL
    COUNTS = ("step", "eta", "mu")

    CAPTURED = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_rate(lr)
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("weight_decay value", weight_decay)
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _started(self, parameter: Tensor, group: Group) -> State:
        return {"step": counter(), "eta": counter(float(group["lr"])), "mu": counter(1.0), "ax": zeros_as(parameter)}

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        step, eta, mu = (state[key].item() for key in ("step", "eta", "mu"))
        lr, lambd = float(group["lr"]), group["lambd"]
        value = value.mul(1 - lambd * eta).add(decayed(value, grad, group), alpha=-eta)
        mean = value if mu == 1 else state["ax"] + (value - state["ax"]) * mu
        return value, {
            "ax": mean,
            "eta": counter(lr / (1 + lambd * lr * step) ** group["alpha"]),
            "mu": counter(1 / max(1, step - group["t0"])),
        }


__all__ = ["ASGD", "asgd"]

__getattr__, __dir__ = on_demand(globals())

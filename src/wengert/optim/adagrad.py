"""Adagrad."""

from __future__ import annotations

from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from .._tensor.attributes import flags
from ..ops.neural.optimiser_steps import zeros_as
from ..ops.sparse.create import sparse_coo_tensor
from .optimizer import Group, Params, check_at_least_zero, check_fused, parameters_of
from .stepwise import State, Stepwise, check_usual, counter, decayed, options_of, rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import adagrad


class Adagrad(Stepwise):
    """Adagrad: steps scaled by the root of the sum of all squared gradients.

    Args:
        lr_decay: the step size is divided by `1 + steps * lr_decay`.
        initial_accumulator_value: initial value of the sum.
        fused: accepted for compatibility with torch; no effect.
        params, lr, weight_decay, eps, foreach, maximize, differentiable: as for `Adam`.

    Raises:
        ValueError: if an option is out of range.
        RuntimeError: if `fused` is combined with `foreach` or `differentiable`.

    Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011.
    """

    OPTIONS = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
    LATER: ClassVar[dict[str, Any]] = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    FORMULA = "adagrad"
    KEPT = ("sum",)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_usual(lr, eps, weight_decay)
        check_at_least_zero("lr_decay value", lr_decay)
        check_at_least_zero("initial_accumulator_value value", initial_accumulator_value)
        super().__init__(params, options_of(locals(), self.OPTIONS))
        check_fused(fused, foreach, differentiable)
        for parameter in parameters_of(self.param_groups):
            self._state_of(parameter, {})

    def _check_sparse(self, group: Group) -> None:
        """Refuse sparse gradients with weight decay, or if a fused step was asked for."""
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def _started(self, parameter: Tensor, group: Group) -> State:
        start = self.defaults["initial_accumulator_value"]
        total = zeros_as(parameter).fill_(complex(start, start) if parameter.dtype.is_complex else start)
        return {"step": counter(), "sum": total}

    def share_memory(self) -> None:
        """Move the state to memory that is shared between processes."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def _numbers(self, state: State, count: int, group: Group) -> tuple[float, ...]:
        return float(group["lr"]) / (1 + (count - 1) * group["lr_decay"]), group["eps"]

    def _move(self, parameter: Any, grad: Any, state: State, group: Group, differentiable: bool) -> None:
        if not grad._flags_ & flags.SPARSE:
            super()._move(parameter, grad, state, group, differentiable)
            return
        grad = (-grad if group["maximize"] else grad).coalesce()  # only elements with a gradient are updated
        places, values, total = grad._indices(), grad._values(), state["sum"]
        state["step"] += 1
        total.add_(sparse_coo_tensor(places, values.pow(2), grad.shape))
        deviation = total.sparse_mask(grad)._values().sqrt_().add_(group["eps"])
        lr = float(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        parameter.add_(sparse_coo_tensor(places, values / deviation, grad.shape), alpha=-lr)

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        grad = decayed(value, grad, group)
        lr = rate(group) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        total: Any = state["sum"].addcmul(grad, grad)
        return value - grad / (total.sqrt() + group["eps"]) * lr, {"sum": total}


__all__ = ["Adagrad", "adagrad"]

__getattr__, __dir__ = on_demand(globals())

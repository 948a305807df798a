"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from .._tensor.attributes import flags
from ..autograd import no_grad
from ..ops.neural.optimiser_steps import entries, have_flag, sgd_step
from .optimizer import Group, Params, check_at_least_zero, check_fused
from .stepwise import State, Stepwise, check_rate, decayed, options_of, rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import sgd

STATE = ("momentum_buffer",)


class SGD(Stepwise):
    """Stochastic gradient descent with optional momentum.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        momentum: factor of the previous step that is added to the step.
        dampening: 1 minus the factor of the gradient in the momentum.
        weight_decay: factor of the parameter that is added to its gradient.
        nesterov: look ahead along the momentum.
        maximize: maximise the objective instead of minimising it.
        foreach: accepted for compatibility with torch; no effect.
        differentiable: record the steps, so that gradients go through them.
        fused: accepted for compatibility with torch; steps are always fused if they can be.

    Raises:
        ValueError: if an option is out of range.
        RuntimeError: if `fused` is combined with `foreach` or `differentiable`.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning, 2013, in torch's form.
    """

    OPTIONS = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
    LATER: ClassVar[dict[str, Any]] = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, options_of(locals(), self.OPTIONS))
        check_fused(fused, foreach, differentiable)

    def _check_sparse(self, group: Group) -> None:
        """Refuse sparse gradients with weight decay, or if a fused step was asked for."""
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        if group["weight_decay"] != 0:
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead. SGD: sparse gradients need "
                "weight_decay=0"
            )

    def _started(self, parameter: Tensor, group: Group) -> State:
        return {}

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        grad, momentum, changed = decayed(value, grad, group), group["momentum"], {}
        if momentum != 0:
            if "momentum_buffer" in state:
                buffer = state["momentum_buffer"] * momentum + grad * (1 - group["dampening"])
            else:
                buffer = grad.detach().clone()
            changed["momentum_buffer"] = buffer
            grad = grad + buffer * momentum if group["nesterov"] else buffer
        return value - grad * rate(group), changed

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; return the result of the closure, or None."""
        if self.defaults["differentiable"]:
            return self._step_by_operators(closure)
        return self._step_at_once(closure)

    def _step_of_group(self, params: list[Tensor], grads: list[Tensor], group: Group) -> None:
        if have_flag(grads, flags.SPARSE):
            self._step_sparse(params, grads, group)
            return
        momentum = float(group["momentum"])
        known: list[Any] = [None] * len(params)
        begun = False
        if momentum:
            columns = entries(self.state, params, STATE)
            begun = columns is not None
            known = columns[0] if begun else [self.state[parameter].get(*STATE) for parameter in params]
        buffers = sgd_step(
            params,
            grads,
            known,
            float(group["lr"]),
            momentum,
            float(group["dampening"]),
            float(group["weight_decay"]),
            group["nesterov"],
            group["maximize"],
        )
        if momentum and not begun:
            for parameter, buffer in zip(params, buffers):
                self.state[parameter]["momentum_buffer"] = buffer

    def _planned_step(self) -> Any:
        """Return the present step for replays, or None."""
        from .planning import planned, sgd_group

        return planned(self, sgd_group) if type(self) is SGD else None

    @no_grad()
    def _step_sparse(self, params: list[Tensor], grads: list[Any], group: Group) -> None:
        """Take the step of a group with sparse gradients: only momentum changes rows without a gradient."""
        momentum = float(group["momentum"])
        for parameter, grad in zip(params, grads):
            grad = -grad if group["maximize"] else grad
            if momentum != 0:
                state = self.state[parameter]
                known = state.get("momentum_buffer")
                if known is None:
                    known = grad.clone()
                else:
                    known.mul_(momentum).add_(grad, alpha=1 - float(group["dampening"]))
                state["momentum_buffer"] = known
                grad = grad.add(known, alpha=momentum) if group["nesterov"] else known
            parameter.add_(grad, alpha=-float(group["lr"]))


__all__ = ["SGD", "sgd"]

__getattr__, __dir__ = on_demand(globals())

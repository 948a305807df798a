"""Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._start.loading import on_demand
from .._tensor import Tensor
from ..ops.neural.optimiser_steps import adam_step, entries, zeros_as
from .optimizer import Group, Params, check_fused
from .stepwise import USUAL, State, Stepwise, check_usual, counter, lerped, mean_square, options_of, rate, with_decay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._functional import adam

STATE = ("step", "exp_avg", "exp_avg_sq")
ALL_STATE = (*STATE, "max_exp_avg_sq")


class Adam(Stepwise):
    """Adam: steps from running means of the gradient and of its square.

    Args:
        params: parameters or groups of parameters.
        lr: step size.
        betas: decay rates of the running means of the gradient and of its square.
        eps: term added to the divisor.
        weight_decay: factor of the parameter that is added to its gradient (or the decay of `AdamW`).
        amsgrad: divide by the largest mean square so far.
        foreach: accepted for compatibility with torch; no effect.
        maximize: maximise the objective instead of minimising it.
        capturable: for graphs of accelerators; a step raises an error.
        differentiable: record the steps, so that gradients go through them.
        fused: accepted for compatibility with torch; steps are always fused if they can be.
        decoupled_weight_decay: use the decay of `AdamW`.

    Raises:
        ValueError: if an option is out of range.
        RuntimeError: if `fused` is combined with `foreach` or `differentiable`.

    Source: Kingma and Ba, Adam, 2015; Reddi et al., On the convergence of Adam and beyond, 2018, for `amsgrad`.
    """

    OPTIONS = (
        "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay"
    )
    LATER: ClassVar[dict[str, Any]] = {**USUAL, "amsgrad": False, "decoupled_weight_decay": False, "fused": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_usual(lr, eps, weight_decay, betas)
        if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        check_fused(fused, foreach, differentiable)
        betas = (scalar(betas, 0, foreach and not capturable), scalar(betas, 1, foreach and not capturable))
        super().__init__(params, options_of(locals(), self.OPTIONS))

    def _check_sparse(self, group: Group) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _started(self, parameter: Tensor, group: Group) -> State:
        state = {"step": counter(), "exp_avg": zeros_as(parameter), "exp_avg_sq": zeros_as(parameter)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_as(parameter)
        return state

    def _advanced(self, value: Tensor, grad: Tensor, state: State, group: Group) -> tuple[Tensor, State]:
        (first, second), lr, step = map(float, group["betas"]), rate(group), state["step"]
        value, grad = with_decay(value, grad, lr, group)
        mean = lerped(state["exp_avg"], grad, 1 - first)
        squares: Any = mean_square(state["exp_avg_sq"], grad, second)
        changed: State = {"exp_avg": mean, "exp_avg_sq": squares}
        if group["amsgrad"]:
            squares = changed["max_exp_avg_sq"] = state["max_exp_avg_sq"].maximum(squares)
        down = -lr / (1 - first**step)  # 0-dim and in the precision of the counts, in torch's order of operations
        divisor = squares.sqrt() / ((1 - second**step).sqrt() * down) + group["eps"] / down
        return value + mean / divisor, changed

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; return the result of the closure, or None."""
        if self.defaults["differentiable"]:
            return self._step_by_operators(closure)
        return self._step_at_once(closure)

    def _step_of_group(self, params: list[Tensor], grads: list[Tensor], group: Group) -> None:
        self._check_capture(group)
        amsgrad = group["amsgrad"]
        names = ALL_STATE if amsgrad else STATE
        columns = entries(self.state, params, names)
        if columns is None:
            states = self._states_of(params, group)
            columns = [[state[name] for state in states] for name in names]
        steps, means, squares, *maxima = columns
        first, second = group["betas"]
        adam_step(
            params,
            grads,
            means,
            squares,
            maxima[0] if amsgrad else [],
            steps,
            lr=float(group["lr"]),
            betas=(float(first), float(second)),
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            decoupled=group["decoupled_weight_decay"],
            amsgrad=amsgrad,
            maximize=group["maximize"],
        )

    def _planned_step(self) -> Any:
        """Return the present step for replays, or None."""
        from .planning import adam_group, planned

        return planned(self, adam_group) if type(self) is Adam else None


def scalar(betas: tuple[Any, Any], at: int, listed: bool | None) -> Any:
    """Return one of `betas`; a tensor of one element as a 0-dim tensor.

    Raises:
        ValueError: if it is a tensor of several elements, or a tensor with `foreach`.
    """
    beta = betas[at]
    if not isinstance(beta, Tensor):
        return beta
    if listed:
        raise ValueError(f"betas[{at}] as a Tensor is not supported for capturable=False and foreach=True")
    if beta.numel() != 1:
        raise ValueError(f"Tensor betas[{at}] must be 1-element")
    return beta.squeeze() if beta.ndim else beta


__all__ = ["Adam", "adam"]

__getattr__, __dir__ = on_demand(globals())

"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd import enable_grad, no_grad
from ..ops.shapes.join import cat
from .line_search import Point, StrongWolfe
from .optimizer import Optimizer, Params, check_at_least_zero
from .stepwise import as_real, check_rate

__all__ = ["LBFGS"]

Closure = Callable[[], Any]


def as_loss(loss: Any) -> float:
    """Return the result of a closure, a tensor or a number, as a number."""
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


class LBFGS(Optimizer):
    """L-BFGS: a quasi-Newton method with a limited history of steps and changes of the gradient.

    The state belongs to all parameters together, and is stored for the first one.

    Args:
        params: parameters; groups with options of their own are refused.
        lr: step size.
        max_iter: largest number of iterations in a step.
        max_eval: largest number of evaluations of the closure in a step; by default 5/4 of `max_iter`.
        tolerance_grad: a step ends if no element of the gradient is larger than this.
        tolerance_change: a step ends if the change of parameters or loss is smaller than this.
        history_size: number of steps in the history.
        line_search_fn: "strong_wolfe", or None for steps of size `lr`.

    Raises:
        ValueError: if an option is out of range, or there are several groups of parameters.

    Source: Liu and Nocedal, On the limited memory BFGS method for large scale optimization, 1989.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        check_at_least_zero("learning rate", lr)
        defaults: dict[str, Any] = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Any] = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure: Closure) -> Any:
        """Iterate until one of the options ends the step; return the first result of the closure.

        Args:
            closure: function that computes the loss and its gradients, and returns the loss.

        Raises:
            AssertionError: if a group was added.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        evaluate = enable_grad()(closure)
        first = evaluate()
        state["func_evals"] += 1
        run = Run(group, dict(state), self._flat_grad(), as_loss(first))
        if run.grad.abs().max() <= group["tolerance_grad"]:
            return first
        evaluations, iterations = 1, 0
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            run.aim(state["n_iter"])
            derivative = run.grad.dot(run.direction)
            if derivative > -group["tolerance_change"]:
                break
            left = group["max_eval"] - evaluations
            count = self._search(run, evaluate, derivative, left, last=iterations == group["max_iter"])
            evaluations += count
            state["func_evals"] += count
            if evaluations >= group["max_eval"] or run.has_converged():
                break
        state.update(run.state())
        return first

    def _search(self, run: Run, evaluate: Closure, derivative: Any, left: int, *, last: bool) -> int:
        """Take the step of an iteration; return the number of evaluations, at most about `left`."""
        kind = run.group["line_search_fn"]
        if kind is not None and kind != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        if kind is None:
            self._move(run.t, run.direction)
            if last:
                return 0
            run.loss, run.grad = as_loss(evaluate()), self._flat_grad()
            return 1
        before = [parameter.clone() for parameter in self._params]

        def at(t: Any) -> tuple[float, Tensor]:
            self._move(t, run.direction)
            loss, grad = as_loss(evaluate()), self._flat_grad()
            for parameter, saved in zip(self._params, before):
                parameter.copy_(saved)
            return loss, grad

        start = Point(0, run.loss, run.grad, derivative)
        point, count = StrongWolfe(at, run.direction, start, 1e-9, left).search(run.t)
        run.t, run.loss, run.grad = point[:3]
        self._move(run.t, run.direction)
        return count

    def _flat_grad(self) -> Any:
        """Return all gradients concatenated; complex ones as real and imaginary parts."""
        parts = [
            parameter.new_zeros(parameter.shape) if parameter.grad is None else parameter.grad.to_dense()
            for parameter in self._params
        ]
        return cat([as_real(part).reshape(-1) for part in parts], 0)

    def _move(self, t: Any, direction: Any) -> None:
        """Add `t * direction` to the parameters."""
        at = 0
        for parameter in self._params:
            values: Any = as_real(parameter)
            values.add_(direction[at : at + values.numel()].view_as(values), alpha=float(t))
            at += values.numel()


class Run:
    """State of a step, passed from iteration to iteration and from step to step."""

    def __init__(self, group: dict[str, Any], state: dict[str, Any], grad: Any, loss: float) -> None:
        self.group = group
        self.grad, self.loss = grad, loss
        self.direction: Any = state.get("d")
        self.t: Any = state.get("t")
        self.changes: list[Any] = list(state.get("old_dirs") or ())
        self.steps: list[Any] = list(state.get("old_stps") or ())
        self.inverses: list[Any] = list(state.get("ro") or ())
        self.scale: Any = state.get("H_diag")
        self.grad_before: Any = state.get("prev_flat_grad")
        self.loss_before: Any = state.get("prev_loss")
        self.weights: list[Any] | None = state.get("al")

    def aim(self, iteration: int) -> None:
        """Choose the direction and the initial step size."""
        lr = self.group["lr"]
        if iteration == 1:
            self.direction, self.scale = -self.grad, 1
            self.changes, self.steps, self.inverses = [], [], []
            self.t = min(1.0, 1.0 / self.grad.abs().sum()) * lr
        else:
            self._remember()
            self._set_direction()
            self.t = lr
        self.grad_before, self.loss_before = self.grad.clone(), self.loss

    def _remember(self) -> None:
        change, step = self.grad - self.grad_before, self.direction * self.t
        product = change.dot(step)
        if product <= 1e-10:
            return
        if len(self.changes) == self.group["history_size"]:
            for history in (self.changes, self.steps, self.inverses):
                history.pop(0)
        self.changes.append(change)
        self.steps.append(step)
        self.inverses.append(1.0 / product)
        self.scale = product / change.dot(change)

    def _set_direction(self) -> None:
        """Set the direction by the two-loop recursion over the history (Nocedal and Wright, algorithm 7.4)."""
        weights: list[Any] = self.weights or [None] * self.group["history_size"]
        direction = -self.grad
        for at in range(len(self.changes) - 1, -1, -1):
            weights[at] = self.steps[at].dot(direction) * self.inverses[at]
            direction = direction - weights[at] * self.changes[at]
        direction = direction * self.scale
        for at, step in enumerate(self.steps):
            back = self.changes[at].dot(direction) * self.inverses[at]
            direction = direction + step * (weights[at] - back)
        self.direction, self.weights = direction, weights

    def has_converged(self) -> bool:
        """Return whether the gradient is small, or the last iteration changed little."""
        change = self.group["tolerance_change"]
        return bool(
            self.grad.abs().max() <= self.group["tolerance_grad"]
            or (self.direction * self.t).abs().max() <= change
            or abs(self.loss - self.loss_before) < change
        )

    def state(self) -> dict[str, Any]:
        """Return the state for the next step."""
        entries = {
            "d": self.direction,
            "t": self.t,
            "old_dirs": self.changes,
            "old_stps": self.steps,
            "ro": self.inverses,
            "H_diag": self.scale,
            "prev_flat_grad": self.grad_before,
            "prev_loss": self.loss_before,
        }
        return entries if self.weights is None else {"al": self.weights, **entries}

"""Functions of all kinds in all uses: each function, followed and replayed, in each way to ask for its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert.nn import functional
from wengert.utils.checkpoint import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore")  # of functions that are called eagerly

CALLS = 12


class Cube(wg.autograd.Function):
    """A function of a program."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


def written(x: Any, w: Any) -> Any:
    y = x * w
    y.add_(1)
    return (y.relu_() * w).sum()


def partly_written(x: Any, w: Any) -> Any:
    y = x * w
    y[0] = y[1] * 2
    return (y * w).sum()


def hooked(x: Any, w: Any) -> Any:
    y = x * w
    y.register_hook(lambda grad: grad * 2)
    return (y * w).sum()


def decided(x: Any, w: Any) -> Any:
    total = (x * w).sum()
    return total * 2 if total.item() > 0 else total * w.sum()


def repeated(x: Any, w: Any) -> Any:
    h = x
    while float(h.detach().abs().sum()) > 1:
        h = h * 0.5 * w.sigmoid()
    return (h * w).sum()


def centred(x: Any, w: Any) -> Any:
    with wg.no_grad():
        mean = (x * w).mean()
    return (x * w - mean).pow(2).sum()


def divided(x: Any, w: Any) -> Any:
    first, second = (x * w).split(1, 0)[:2]
    return (first * second).sum() + wg.max(x * w, 1)[0].sum()


def unbound(x: Any, w: Any) -> Any:
    first, second, third = (x * w).unbind(1)
    return (first * second + third).sum()


def mixed_dtypes(x: Any, w: Any) -> Any:
    return (x.double() * w).sum().float() + (x * w).half().sum().float()


def of_arrays(x: Any, w: Any) -> Any:
    return (x * w * wg.from_numpy(np.arange(3, dtype=np.float32))).sum() * float(np.float32(2))


FUNCTIONS: dict[str, Any] = {
    "several": lambda x, w: (x * w).sum() * (x * w).mean(),
    "views": lambda x, w: ((x * w)[0].sin() * 2).sum() + ((x * w).t() @ (x * w)).sum(),
    "custom": lambda x, w: (Cube.apply(x * w) + w).sum(),
    "checkpoint": lambda x, w: checkpoint(lambda a: (a * w).tanh().sum(), x * 2, use_reentrant=False),
    "vmap": lambda x, w: wg.func.vmap(lambda a: (a * w[0]).tanh())(x).sum(),
    "grad": lambda x, w: (wg.func.grad(lambda a: (a * a * w).sum())(x) * x).sum(),
    "jvp": lambda x, w: wg.func.jvp(lambda a: (a * w).tanh(), (x,), (wg.ones_like(x),))[1].sum(),
    "joined": lambda x, w: wg.cat([x * w, w, x]).cumsum(0).sum() + wg.stack([x, w]).prod(0).sum(),
    "sorted": lambda x, w: ((x * w).sort(1)[0] * w).sum(),
    "chosen": lambda x, w: wg.where(x * w > 0, x * w, w).sum(),
    "masked": lambda x, w: (x * w)[x > 0].sum(),
    "indexed": lambda x, w: (x * w)[:, [0, 2]].sum() + (w[[1, 0]] * x[:2]).sum(),
    "einsum": lambda x, w: wg.einsum("ij,kj->ik", x * w, w).pow(2).mean(),
    "norms": lambda x, w: functional.layer_norm(x * w, (3,)).softmax(1).log().sum() + (x * w).norm(),
    "large": lambda x, w: (w.repeat(150, 300) * 2).tanh().sum(),
    "complex": lambda x, w: (wg.complex(x * w, w) * wg.complex(w, x)).abs().sum(),
    "detached": lambda x, w: ((x * w).detach() * w).sum(),
    "random": lambda x, w: (x * w * wg.rand(3)).sum() + functional.dropout(x * w, 0.5).sum(),
    "matrices": lambda x, w: (x * w).prod() + (x @ w.t()).diagonal().sum() + wg.linalg.det(x @ w.t()),
    "broadcast": lambda x, w: (x[:, None] * w[None]).sum((0, 1)).pow(2).sum(),
    "bounded": lambda x, w: (x * w).clamp(-0.5, 0.5).sum() + functional.gelu(x * w).sum() + functional.silu(w).sum(),
    "saturated": lambda x, w: (x * w * 30).tanh().sum() + (x * w * 100).sigmoid().sum(),
    "constants": lambda x, w: (x * w + 1 - 2 / 3).pow(2).sum() * wg.tensor(2.0),
    "empty": lambda x, w: (x[:0] * w[:0]).sum() + (x * w).sum(),
    **{
        function.__name__: function
        for function in (
            *(written, partly_written, hooked, decided, repeated, centred, divided, unbound, mixed_dtypes, of_arrays),
        )
    },
}


class Use:
    """A way to use a function of two leaves, called again and again.

    Args:
        function: the function.
    """

    def __init__(self, function: Any) -> None:
        random = np.random.default_rng(0)
        self.function = function
        self.x, self.w = (wg.tensor(random.standard_normal((3, 3)).astype(np.float32)) for _ in range(2))
        self.x.requires_grad_()
        self.w.requires_grad_()
        self.kept: list[Any] = []

    def value(self) -> Any:
        return self.function(self.x, self.w)

    def of_both(self, number: int) -> Any:
        return wg.autograd.grad(self.value(), (self.x, self.w), allow_unused=True)

    def of_one(self, number: int) -> Any:
        return wg.autograd.grad(self.value(), self.w, allow_unused=True)

    def by_backward(self, number: int) -> Any:
        value = self.value()
        value.backward()
        grads = [None if leaf.grad is None else leaf.grad.clone() for leaf in (self.x, self.w)]
        if number % 3 == 2:
            self.x.grad = self.w.grad = None
        return value.detach(), grads

    def by_descent(self, number: int) -> Any:
        value = self.value()
        value.backward()
        with wg.no_grad():
            self.w -= 0.01 * self.w.grad
            self.w.grad.zero_()
        return value

    def of_second_order(self, number: int) -> Any:
        (grad,) = wg.autograd.grad(self.value(), self.w, create_graph=True, allow_unused=True)
        if grad is None or not grad.requires_grad:
            return grad
        return grad.detach(), wg.autograd.grad(grad.sum(), (self.x, self.w), allow_unused=True)

    def of_a_kept_graph(self, number: int) -> Any:
        value = self.value()
        first = wg.autograd.grad(value, self.w, retain_graph=True, allow_unused=True)
        return first, wg.autograd.grad(value, (self.w, self.x), allow_unused=True)

    def forward_only(self, number: int) -> Any:
        return self.value()

    def with_values_kept(self, number: int) -> Any:
        value = self.value()
        self.kept = [*self.kept[-3:], value]
        grads = wg.autograd.grad(value, self.w, allow_unused=True)
        return grads, [kept.grad_fn is None for kept in self.kept]

    def of_two_values(self, number: int) -> Any:
        first, second = self.value(), self.function(self.w, self.x)
        grads = wg.autograd.grad(first, self.w, allow_unused=True)
        return grads, wg.autograd.grad(second, (self.w, self.x), allow_unused=True)

    def of_a_sum_of_two(self, number: int) -> Any:
        total = self.value() + self.function(self.w, self.x)
        return wg.autograd.grad(total, (self.x, self.w), allow_unused=True)

    def with_a_write_between(self, number: int) -> Any:
        value = self.value()
        if number % 4 == 3:
            with wg.no_grad():
                self.w.mul_(1.1)
        return wg.autograd.grad(value, (self.x, self.w), allow_unused=True)

    def in_other_modes(self, number: int) -> Any:
        if number % 4 == 1:
            with wg.no_grad():
                return self.value()
        if number % 4 == 2:
            with wg.inference_mode():
                return self.function(self.x.detach(), self.w.detach()).clone()
        if number % 4 == 3:
            with wg.autograd.detect_anomaly(check_nan=False):
                return self.of_one(number)
        return self.of_one(number)


USES = [name for name, value in vars(Use).items() if callable(value) and name not in ("__init__", "value")]


def history(function: Any, use: str, mode: dict[str, Any] | None) -> Any:
    """Return what all calls of a use return, or the errors; `mode` has the options of `compile`, or is None."""
    wg.manual_seed(1)
    program = Use(function)
    step: Any = getattr(program, use)
    step = step if mode is None else wg.compile(step, **mode)
    seen = []
    for number in range(CALLS):
        try:
            seen.append(facts(step(number)))
        except Exception as error:
            seen.append((type(error), str(error)))
        seen.append(facts([program.x.grad, program.w.grad]))
    return seen, facts([program.x, program.w])


def facts(value: Any) -> Any:
    """Return the elements of tensors, and whether they have a history."""
    if isinstance(value, wg.Tensor):
        return value.detach()._array_.tobytes(), value.requires_grad, value.grad_fn is None
    if isinstance(value, (tuple, list)):
        return [facts(element) for element in value]
    return value


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_compiled_use_of_a_function_is_that_of_eager_calls(function: str, use: str) -> None:
    wanted = history(FUNCTIONS[function], use, None)
    assert history(FUNCTIONS[function], use, {}) == wanted
    assert history(FUNCTIONS[function], use, {"replay": True}) == wanted


@pytest.mark.parametrize("replay", [False, True], ids=["followed", "replayed"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_compiled_function_has_the_gradients_of_eager_calls(function: str, replay: bool) -> None:
    eager, program = Use(FUNCTIONS[function]), Use(FUNCTIONS[function])
    compiled = wg.compile(FUNCTIONS[function], replay=replay)
    for number in range(CALLS):
        results = []
        for used, body in ((eager, FUNCTIONS[function]), (program, compiled)):
            wg.manual_seed(number)
            value = body(used.x * (1 + number / 10), used.w)
            results.append(facts([value, wg.autograd.grad(value * 2, (used.x, used.w), allow_unused=True)]))
        assert results[1] == results[0], number

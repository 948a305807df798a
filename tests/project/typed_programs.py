"""Programs as users write them, for mypy (`tools/check_stub.py`) and to be run (`test_stub.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
import wengert.multiprocessing
import wengert.types
from wengert.accelerator import is_available

import wengert as wg
import wengert.nn.functional as F
from wengert import Tensor, func, scipy


def factories() -> None:
    assert_type(wg.ones(3), Tensor)
    assert_type(wg.zeros(2, 3, dtype=wg.float64, requires_grad=True), Tensor)
    assert_type(wg.zeros((2, 3)), Tensor)
    assert_type(wg.full([2], 1.5), Tensor)
    assert_type(wg.tensor([[1, 2], [3, 4]]), Tensor)
    assert_type(wg.randn(2, 3, generator=wg.Generator()), Tensor)
    assert_type(wg.arange(0, 10, 2), Tensor)
    assert_type(wg.from_numpy(np.ones(3)), Tensor)
    assert_type(wg.zeros(wg.ones(2, 3).shape), Tensor)


def reductions() -> None:
    x = wg.ones(3, 4)
    assert_type(wg.ones(3).sum(0, keepdim=True), Tensor)
    assert_type(x.sum(), Tensor)
    assert_type(x.mean((0, 1), dtype=wg.float64), Tensor)
    assert_type(wg.sum(x, dim=-1), Tensor)
    assert_type(x.max(), Tensor)
    assert_type(x.max(1).values, Tensor)
    assert_type(x.max(1).indices, Tensor)
    values, places = x.min(dim=0, keepdim=True)
    assert_type(values, Tensor)
    assert_type(places, Tensor)
    assert_type(wg.max(x, x), Tensor)
    assert_type(x.argmax(1), Tensor)
    assert_type(x.aminmax().min, Tensor)
    spread, centre = wg.var_mean(x, 0)
    assert_type(spread - centre, Tensor)


def shapes() -> None:
    x = wg.ones(3, 4)
    assert_type(x.shape, wg.Size)
    assert_type(x.size(), wg.Size)
    assert_type(x.size(0), int)
    assert_type(x.stride(), tuple[int, ...])
    assert_type(x.ndim, int)
    assert_type(x.numel(), int)
    assert_type(x.view(12), Tensor)
    assert_type(x.view(-1, 6), Tensor)
    assert_type(x.view((2, 6)), Tensor)
    assert_type(x.view(wg.int32), Tensor)
    assert_type(x.reshape(2, 6).permute(1, 0).transpose(0, 1), Tensor)
    assert_type(x.expand(2, -1, -1), Tensor)
    assert_type(x.T, Tensor)
    assert_type(x[0, 1:], Tensor)
    assert_type([row.sum() for row in x], list[Tensor])
    assert_type(x.split(2), tuple[Tensor, ...])
    assert_type(wg.cat([x, x]), Tensor)
    assert_type(wg.stack((x, x), dim=1), Tensor)
    assert_type(wg.atleast_1d(x), Tensor)
    assert_type(wg.atleast_2d(x, x), tuple[Tensor, ...])
    assert_type(wg.meshgrid(*[x[0], x[1]], indexing="xy"), tuple[Tensor, ...])
    assert_type(wg.zeros(*x.shape), Tensor)
    x[0] = 1
    assert_type(len(x), int)


def arithmetic() -> None:
    x, y = wg.ones(3), wg.ones(3)
    assert_type(x + y * 2 - 1.5 / y, Tensor)
    assert_type(2**x, Tensor)
    assert_type(-x @ y, Tensor)
    assert_type(x == y, Tensor)
    assert_type((x > 0) & (y <= 1), Tensor)
    assert_type(x.add(y, alpha=2), Tensor)
    assert_type(wg.add(x, 1, out=y), Tensor)
    assert_type(wg.where(x > 0, x, 0.0), Tensor)
    assert_type(x.clamp(min=0), Tensor)
    assert_type(x * np.float64(2), Tensor)
    assert_type(bool((x == x).all()), bool)
    assert_type(float(x.sum()), float)
    y += x
    assert_type(y, Tensor)


def in_place() -> None:
    x = wg.ones(3)
    assert_type(x.add_(1), Tensor)
    assert_type(x.mul_(x).zero_().fill_(2).clamp_(0, 1), Tensor)
    assert_type(x.copy_(wg.zeros(3)), Tensor)
    assert_type(x.uniform_(-1, 1), Tensor)
    assert_type(x.requires_grad_(), Tensor)


def conversions() -> None:
    x = wg.ones(1)
    assert_type(x.item(), Any)
    assert_type(x.tolist(), Any)
    assert_type(x.numpy(), np.ndarray[Any, Any])
    assert_type(x.to(wg.float64), Tensor)
    assert_type(x.to("cpu", wg.float64, copy=True), Tensor)
    assert_type(x.double().bool().int(), Tensor)
    assert_type(x.dtype, wg.dtype)
    assert_type(x.dtype.is_floating_point, bool)
    assert_type(x.device, wg.device)
    assert_type(x.type(), str)


def gradients() -> None:
    weight = wg.nn.Parameter(wg.ones(3))
    assert_type(weight.mul_ is not None, bool)
    x = wg.ones(3, requires_grad=True)
    loss = (weight * x).sum()
    loss.backward()
    assert_type(x.grad, Tensor | None)
    if x.grad is not None:
        assert_type(x.grad.norm(), Tensor)
    with wg.no_grad():
        x -= 0.1 * wg.ones(3)
        assert_type(x.detach().requires_grad, bool)
    assert_type(x.is_leaf, bool)
    x.register_hook(lambda grad: grad * 2).remove()


def network() -> None:
    model = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.ReLU(), wg.nn.Linear(4, 2))
    optimizer = wg.optim.SGD(model.parameters(), lr=0.1)
    output = model(wg.randn(5, 3))
    loss = F.mse_loss(F.gelu(output), wg.zeros(5, 2))
    assert_type(loss, Tensor)
    assert_type(F.softmax(output, dim=-1), Tensor)
    pooled, places = F.max_pool2d(wg.ones(1, 4, 4), 2, return_indices=True)
    assert_type(F.relu(pooled, inplace=True) + places, Tensor)
    loss.backward()
    optimizer.step()


class Scaled(wg.autograd.Function):
    """A function of one's own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * 2


def norm_of(values: list[Tensor], p: float = 2.0) -> Tensor:
    return wg.cat([each.reshape(-1) for each in values]).norm(p)


def functions() -> None:
    x = wg.ones(3, requires_grad=True)
    assert_type(norm_of([x, x]), Tensor)
    Scaled.apply(x).sum().backward()
    double = wg.ones(3, dtype=wg.float64, requires_grad=True)
    assert_type(wg.autograd.gradcheck(Scaled.apply, double), bool)
    assert_type(wg.autograd.gradgradcheck(lambda a, b: (a * b, a), (double, double), fast_mode=True), bool)
    assert_type(wg.autograd.check_rule(Scaled, [double]).left_out, dict[str, str])


def modules_of_torch() -> None:
    factor: wengert.types.Number = 2.0
    wengert.multiprocessing.set_sharing_strategy("file_system")
    assert_type(wg.ones(2) * factor, Tensor)
    assert not is_available()


PROGRAMS = (
    factories,
    reductions,
    shapes,
    arithmetic,
    in_place,
    conversions,
    gradients,
    network,
    functions,
    modules_of_torch,
)


def energy(x: Tensor) -> Tensor:
    return (x**2).sum()


def transforms() -> None:
    x = wg.ones(2)
    assert_type(wg.vmap(energy), Callable[..., Tensor])
    assert_type(wg.vmap(energy)(wg.ones(3, 2)), Tensor)
    assert_type(func.jvp(energy, (x,), (x,)), tuple[Tensor, Tensor])
    value, pull_back = func.vjp(energy, x)
    assert_type(value, Tensor)
    (gradient,) = pull_back(wg.tensor(1.0))
    value, push_forward = func.linearize(energy, x)
    assert_type(push_forward(x), Tensor)
    gradient, value = func.grad_and_value(energy)(x)
    assert_type(value, Tensor)
    matrix: Tensor = func.hessian(energy)(x)
    gradient = func.grad(energy, argnums="x")(x=x)
    gradient = func.grad(lambda t: t**2)(2.0)
    gradients: dict[str, Tensor] = func.grad(lambda p: energy(p["a"]))({"a": x})
    assert matrix.shape == (2, 2) and gradient.item() == 4 and gradients["a"].tolist() == [2, 2]


def solvers() -> None:
    solution = scipy.minimize(energy, [1.0, 2.0], method="Newton-CG")
    assert_type(solution.success, bool)
    assert_type(solution.nfev, int)
    assert_type(solution.message, str)
    assert abs(solution.x).max() < 1e-6
    fit = scipy.least_squares(lambda x: x - 1, wg.zeros(2))
    assert_type(fit.nfev, int)

"""Calls with their factors before the tensors, as programs of torch's first years hold them."""

from __future__ import annotations

import warnings

from tests.parity.programs.common import caught, node_name, values


def quietly(action):
    """`caught` without the warning, which torch gives once for a process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return caught(action)


def sums(torch):
    x, y = values(torch, 3), values(torch, 3, shift=2)
    made = quietly(lambda: x.add(2, y))
    made.sum().backward()
    forms = [
        lambda: torch.sub(x, 2, y),
        lambda: x.detach().clone().add_(-0.1, y.detach()),
        lambda: x.detach().clone().sub_(torch.tensor(2.0), y.detach()),
        lambda: x.addcmul(0.5, y, y),
        lambda: torch.addcdiv(x, 2, y, y),
        lambda: x.detach().clone().addcdiv_(-2, y.detach(), y.detach()),
    ]
    return [made, node_name(made), x.grad, y.grad, [quietly(each) for each in forms]]


def products(torch):
    m, v, b = values(torch, 2, 2), values(torch, 2), values(torch, 2, 2, 2)
    forms = [
        lambda: m.addmm(2, m, m),
        lambda: m.addmm(2, 3, m, m),
        lambda: torch.addmm(2, m, m, m),
        lambda: torch.addmm(2, m, 3, m, m),
        lambda: torch.addmm(2, m, 3, m, m, out=torch.ones(2, 2)),
        lambda: torch.addmv(2, v, 3, m, v),
        lambda: v.detach().clone().addmv_(2, m.detach(), v.detach()),
        lambda: m.addr(2, 3, v, v),
        lambda: torch.addr(2, m, v, v),
        lambda: b.baddbmm(2, 3, b, b),
        lambda: torch.addbmm(2, m, 3, b, b),
    ]
    return [quietly(each) for each in forms]


def an_optimiser_of_those_years(torch):
    weight = values(torch, 4)
    average, square = torch.zeros(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)

    def train():
        for _ in range(5):
            weight.grad = None
            (weight * weight).sum().backward()
            grad = weight.grad.data
            average.mul_(0.9).add_(1 - 0.9, grad)
            square.mul_(0.99).addcmul_(1 - 0.99, grad, grad)
            weight.data.addcdiv_(-0.1, average, square.sqrt().add_(1e-8))
        return weight

    return quietly(train)


def mistakes(torch):
    x = values(torch, 2)
    calls = [
        lambda: x.add(2, 3, x),
        lambda: x.detach().add_(2.0, 3),
        lambda: x.addcmul(x, 2, x),
        lambda: x.add(2, x, alpha=1),
        lambda: x.mul(2, x),
    ]
    return [type(quietly(each)).__name__ for each in calls]

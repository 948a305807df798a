"""torch.optim: steps, state, options, errors."""

from __future__ import annotations

from tests.parity.programs.common import caught


def train(torch, make, steps=4):
    """Parameters after some steps on a small problem."""
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    optimiser = make([w, b])
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = ((w * torch.tensor([1.0, 2.0], dtype=torch.float64)).sum() + b - 3).square() + (w**4).sum() / 10
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses, w, b, sorted(optimiser.state_dict()["state"].get(0, {}))


def sgd_plain(torch):
    return train(torch, lambda p: torch.optim.SGD(p, lr=0.01))


def sgd_momentum(torch):
    return train(torch, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9))


def sgd_nesterov(torch):
    return train(torch, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, nesterov=True))


def sgd_dampening_and_decay(torch):
    return train(torch, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, dampening=0.5, weight_decay=0.1))


def sgd_maximize(torch):
    return train(torch, lambda p: torch.optim.SGD(p, lr=0.001, maximize=True))


def adam_plain(torch):
    return train(torch, lambda p: torch.optim.Adam(p, lr=0.1))


def adam_options(torch):
    return train(torch, lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1))


def adam_amsgrad(torch):
    return train(torch, lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True))


def groups_have_options_of_their_own(torch):
    return train(torch, lambda p: torch.optim.SGD([{"params": p[:1], "lr": 0.02}, {"params": p[1:]}], lr=0.01))


def wrong_options(torch):
    p = [torch.ones(1, requires_grad=True)]
    return (
        caught(lambda: torch.optim.SGD(p, lr=-1)),
        caught(lambda: torch.optim.SGD(p, lr=1, momentum=-1)),
        caught(lambda: torch.optim.SGD(p, lr=1, nesterov=True)),
        caught(lambda: torch.optim.Adam(p, betas=(1.0, 0.9))),
        caught(lambda: torch.optim.Adam(p, eps=-1)),
    )


def wrong_parameters(torch):
    return (
        caught(lambda: torch.optim.SGD([], lr=1)),
        caught(lambda: torch.optim.SGD(torch.ones(1), lr=1)),
        caught(lambda: torch.optim.SGD([torch.ones(1, requires_grad=True) * 2], lr=1)),
        caught(lambda: torch.optim.SGD([1], lr=1)),
    )


def parameters_without_gradient_are_left(torch):
    p, q = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p, q], lr=0.5)
    (p * 2).sum().backward()
    optimiser.step()
    return p, q


def step_with_closure(torch):
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p], lr=0.1)

    def closure():
        optimiser.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    return optimiser.step(closure), p


def zero_grad_to_zeros(torch):
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p], lr=0.1)
    p.sum().backward()
    optimiser.zero_grad(set_to_none=False)
    kept = p.grad.clone()
    optimiser.zero_grad()
    return kept, p.grad


def state_dict_round_trip(torch):
    def make(p):
        return torch.optim.SGD(p, lr=0.1, momentum=0.9)

    p = torch.ones(1, requires_grad=True)
    first = make([p])
    p.sum().backward()
    first.step()
    second = make([p])
    second.load_state_dict(first.state_dict())
    second.step()
    return p, first.state_dict()["state"], sorted(first.state_dict()["param_groups"][0]["params"])


def load_state_dict_of_other_groups(torch):
    p = torch.ones(1, requires_grad=True)
    one = torch.optim.SGD([p], lr=0.1)
    two = torch.optim.SGD([{"params": [p]}, {"params": [torch.ones(1, requires_grad=True)]}], lr=0.1)
    return caught(lambda: one.load_state_dict(two.state_dict()))


def add_param_group(torch):
    p, q = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p], lr=0.1)
    optimiser.add_param_group({"params": q, "lr": 0.5})
    return [group["lr"] for group in optimiser.param_groups], caught(lambda: optimiser.add_param_group({"params": p}))


def parameters_stay_leaves(torch):
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.Adam([p], lr=0.1)
    p.sum().backward()
    optimiser.step()
    return p.is_leaf, p.requires_grad, p.grad_fn


def learning_rate_changes_between_steps(torch):
    p = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([p], lr=0.1)
    found = []
    for lr in (0.1, 0.2):
        optimiser.param_groups[0]["lr"] = lr
        optimiser.zero_grad()
        (p * 1).sum().backward()
        optimiser.step()
        found.append(p.item())
    return found

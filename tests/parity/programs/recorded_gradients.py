"""What gradients tell of themselves where the backward pass was recorded: the names of their nodes, again and again."""

from __future__ import annotations


def names_and_values(torch, function, x, times=3):
    """Values and names of nodes of a result and of its derivatives, until one has no history."""
    found, made = [], function(x)
    for _ in range(times):
        found.append((made.detach(), type(made.grad_fn).__name__))
        if made.grad_fn is None:
            break
        (made,) = torch.autograd.grad(made.sum(), x, create_graph=True)
    return found


def powers_of_a_number(torch):
    x = torch.tensor(3.0, requires_grad=True, dtype=torch.float64)
    functions = [torch.square, lambda x: x**2, lambda x: x.pow(2.0), lambda x: x**3, lambda x: x**-1, lambda x: x**1]
    return [names_and_values(torch, function, x, 5) for function in functions]


def powers_of_a_vector(torch):
    x = torch.tensor([1.0, -2.0], requires_grad=True, dtype=torch.float64)
    functions = [lambda x: (x**2).sum(), lambda x: x.square().mean(), lambda x: (x**3).sum(), lambda x: x[0] ** 2]
    return [names_and_values(torch, function, x) for function in functions]


def a_number_that_was_broadcast(torch):
    w = torch.tensor(2.0, requires_grad=True, dtype=torch.float64)
    x = torch.arange(4.0, dtype=torch.float64)
    functions = [
        lambda w: ((w * x - 1) ** 2).mean(),
        lambda w: (w * x.view(2, 2)).exp().sum(),
        lambda w: w.expand(2, 3).pow(2).sum(),
        lambda w: (w * torch.ones(3, dtype=torch.complex128)).abs().sum(),
        lambda w: (w + torch.ones(1, 1, dtype=torch.complex128)).abs().sum(),
        lambda w: (w * torch.ones(0, dtype=torch.float64)).sum(),
    ]
    return [names_and_values(torch, function, w, 2) for function in functions]


def elements_that_were_moved(torch):
    x = torch.tensor([3.0, 1.0], requires_grad=True, dtype=torch.float64)
    first = torch.tensor([0])
    functions = [
        lambda x: x.cumsum(0).pow(2).sum(),
        lambda x: x.index_select(0, first)[0] ** 2,
        lambda x: x.gather(0, first)[0] ** 2,
        lambda x: x.sort()[0][0] ** 2,
        lambda x: x.max(0)[0] ** 2,
        lambda x: x.median(0)[0] ** 2,
        lambda x: x.topk(1)[0].sum() ** 2,
        lambda x: x.as_strided((2,), (1,)).pow(2).sum(),
    ]
    return [names_and_values(torch, function, x, 2) for function in functions]


def a_gate(torch):
    x = torch.tensor([3.0, -1.0], requires_grad=True, dtype=torch.float64)
    return names_and_values(torch, lambda x: torch.nn.functional.silu(x).sum(), x)

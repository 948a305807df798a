"""What the error about a saved value that was written to since says: which operation the value comes from now."""

from __future__ import annotations

from tests.parity.programs.common import caught


def told(torch, change, use=None):
    """The error of a backward pass through what was computed of `y` before `change(y)`."""
    y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1
    made = (y * y if use is None else use(y)).sum()
    change(y)
    return caught(made.backward)


def writes(torch):
    return [
        told(torch, lambda y: y.add_(1)),
        told(torch, lambda y: y.add_(1).mul_(2)),
        told(torch, lambda y: y.detach().add_(1)),
        told(torch, lambda y: y.__setitem__(0, 3)),
        told(torch, lambda y: y.view(3, 1)[0].zero_()),
        told(torch, lambda y: y.copy_(y.detach())),
        told(torch, lambda y: y.mul_(2), lambda y: y.sin()),
        told(torch, lambda y: y.mul_(2), lambda y: y.std()),
    ]


def writes_under_views(torch):
    return [
        told(torch, lambda y: y.add_(1), lambda y: y[:2] * y[:2]),
        told(torch, lambda y: y.add_(1), lambda y: torch.nn.functional.linear(y, y.view(1, 3))),
        told(torch, lambda y: y.add_(1), lambda y: y.split([1, 2])[1] ** 3),
    ]


def a_view_that_lives(torch):
    y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1
    view = y[:2]
    made = (view * view).sum()
    y.mul_(2)
    first = caught(made.backward)
    made = (view * view).sum()
    view.mul_(2)
    return first, caught(made.backward)


def one_of_several_views_that_lives(torch):
    y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1
    _, view = y.split([1, 2])
    made = (view * view).sum()
    y.mul_(2)
    return caught(made.backward)


def a_constant_that_became_a_result(torch):
    x, factor = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
    made = (x * factor).sum()
    factor.add_(x)
    second = (x * torch.ones(2).add_(1)).sum()
    return caught(made.backward), caught(second.backward)


def a_step_of_an_optimiser_between_two_passes(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    loss = model(torch.ones(1, 2)).sum()
    loss.backward(retain_graph=True)
    torch.optim.SGD(model.parameters(), 0.1).step()
    return caught(loss.backward)


def a_function_of_the_program(torch):
    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    return told(torch, lambda y: y.mul_(2), Kept.apply)

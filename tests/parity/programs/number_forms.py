"""What a node shows of an operation with a number: torch has forms of their own for many, which no edge stands for."""

from __future__ import annotations

from tests.parity.programs.common import caught, name_of


def leaf(torch):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def edges(node):
    return name_of(node), [(name_of(each), nr) for each, nr in node.next_functions]


def forms(torch, x):
    """Operations by name, with a number and with tensors in its place."""
    yield "pow", x**2
    yield "pow of tensors", x**x
    yield "power of a number", 2**x
    yield "rsub", 1 - x
    yield "clamp", x.clamp(0, 1)
    yield "clamp from below", x.clamp(min=0)
    yield "clamp by a tensor", x.clamp(max=torch.tensor(1.0))
    yield "copysign", x.copysign(-1)
    yield "xlogy", torch.xlogy(x, 2)
    yield "xlogy of a number", torch.xlogy(2, x)
    yield "remainder", x % 2
    yield "remainder of tensors", x % x
    yield "fmod", x.fmod(2)
    yield "floor_divide", x // 2
    yield "floor_divide of a number", 2 // x
    yield "lerp", x.lerp(x, 0.5)
    yield "masked_fill", x.masked_fill(x > 1, 0)
    yield "masked_fill by a tensor", x.masked_fill(x > 1, torch.tensor(0.0))
    yield "index_fill", x.index_fill(0, torch.tensor([0]), 1)
    yield "scatter", x.scatter(0, torch.tensor([0]), 1)
    yield "where", torch.where(x > 1, x, 0.0)
    yield "trapezoid", torch.trapezoid(x)
    for name in ("add", "sub", "mul", "div"):
        yield name, getattr(x, name)(2)


def next_functions(torch):
    return [[name, *edges(made.grad_fn)] for name, made in forms(torch, leaf(torch))]


def next_functions_after_writes(torch):
    writes = [
        lambda y: y.pow_(2),
        lambda y: y.clamp_(0, 1),
        lambda y: y.fill_(1),
        lambda y: y.remainder_(2),
        lambda y: y.masked_fill_(y > 1, 0),
        lambda y: y.lerp_(y.detach(), 0.5),
        lambda y: y.copysign_(-1),
        lambda y: y[:2].fill_(1),
        lambda y: y[:2].pow_(2),
        lambda y: y[:2].masked_fill_(y[:2] > 1, 0),
        lambda y: y.__setitem__(0, 1),
        lambda y: y.__setitem__(0, torch.tensor(1.0)),
        lambda y: y[:2].mul_(2),
    ]
    found = []
    for write in writes:
        y = leaf(torch) * 1
        write(y)
        found.append(edges(y.grad_fn))
    return found


def hooks_see_as_many_gradients(torch):
    seen = []
    x = leaf(torch)
    for _, made in list(forms(torch, x))[:11]:
        made.grad_fn.register_hook(lambda given, arrived: seen.append(given))
        made.sum().backward(retain_graph=True)
    return seen, x.grad


def hooks_may_return_as_many_gradients(torch):
    def hook(given, arrived):
        return tuple(None if each is None else each * 0 for each in given)

    found = []
    for _, made in list(forms(torch, leaf(torch)))[:11]:
        made.grad_fn.register_hook(hook)
        found.append(caught(lambda made=made: made.sum().backward(retain_graph=True)))
        made.grad_fn.register_hook(lambda given, arrived: (*given, None))
        found.append(caught(lambda made=made: made.sum().backward()))
    return found


def a_call_of_the_node(torch):
    x = leaf(torch)
    return [made.grad_fn(torch.ones(3)) for made in (x**2, 1 - x, x.clamp(0, 1), x * 2, x.lerp(x, 0.5))]

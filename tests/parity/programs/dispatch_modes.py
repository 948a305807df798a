"""Modes that are told of operators: what they see, what becomes of what they return, and of derivatives."""

from __future__ import annotations

from importlib import import_module

from tests.parity.programs.common import caught, node_name


def tools(torch, module="utils._python_dispatch"):
    return import_module(f"{torch.__name__}.{module}")


def logging(torch, notes, name=""):
    """A mode that notes the operators."""

    class Log(tools(torch).TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func not in (torch.ops.aten.detach.default, torch.ops.aten.lift_fresh.default):
                notes.append(name + str(func))
            return func(*args, **(kwargs or {}))

    return Log()


def answering(torch, answer):
    """A mode whose answers a function of the operator, its arguments and its result gives."""

    class Answering(tools(torch).TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return answer(func, args, func(*args, **(kwargs or {})))

    return Answering()


def leaf(torch, *values):
    return torch.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


def forms_of_operators_are_told_by_their_arguments(torch):
    notes, x = [], leaf(torch)
    with logging(torch, notes), torch.no_grad():
        y = x + 1, x * x, 1 - x, x - 1, x / 2, x**2, 2**x, x**x, x % 2, x // 2, x > 0, x == x, x < 1
        y += x.sum(), x.sum(0), x.mean(), x.mean(0), x.var(0), x.std(), x.prod(0), x.all(), x.any(0), x.max(), x.max(0)
        y += x.clamp(0), x.clamp(x), x.masked_fill(x > 0, 0.0), x.lerp(x, 0.5), x.lerp(x, x), x.squeeze(0), x.squeeze()
        y += (
            x[0],
            x[:2],
            x[None],
            x[x > 0],
            x.view(3, 1),
            x.t(),
            x.expand(2, 3),
            x.split(2)[0],
            x.unbind()[0],
            x.median(0)[0],
        )
        y += torch.where(x > 0, x, x), torch.cat([x, x]), x.sort()[0], x.topk(2)[0], x.cummax(0)[0], x.round(decimals=1)
        y += x.double(), x.clone(), torch.fmod(x, 2), torch.bitwise_and(x.int(), 1), x.index_select(0, x.long() - 1)
    return notes, len(y)


def what_writes_is_told(torch):
    notes, x = [], leaf(torch)
    y = x.clone()
    with logging(torch, notes):
        y.mul_(2)
        y[0] = y[1]
        part = y[1:]
        part.add_(1)
        y.relu_()
        y.neg_().fill_(1.0)
    return notes, y, node_name(part)


def layers_and_losses_forward(torch):
    notes, functional = [], torch.nn.functional
    torch.manual_seed(0)
    x, weight = torch.randn(3, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    images, kernel = torch.randn(1, 2, 6, 6), torch.randn(3, 2, 3, 3, requires_grad=True)
    with logging(torch, notes):
        y = functional.linear(x, weight, weight[:, 0])
        functional.cross_entropy(y, torch.zeros(3, dtype=torch.int64))
        functional.max_pool2d(functional.relu(functional.conv2d(images, kernel)), 2)
        functional.layer_norm(x, (4,))
        functional.gelu(x.softmax(-1) @ weight.t())
        functional.embedding(torch.zeros(2, dtype=torch.int64), weight)
    return notes


def products_backward_are_told(torch):
    notes, x = [], leaf(torch)[None]
    weight = torch.ones(2, 3, requires_grad=True)
    with logging(torch, notes):
        torch.nn.functional.linear(x, weight).exp().sum().backward()
    return [each for each in notes if "mm" in each or "mul" in each or "exp." in each]


def factories_are_told(torch):
    notes, x = [], leaf(torch)
    with logging(torch, notes):
        made = (
            torch.ones(3),
            torch.zeros(2, 2),
            torch.full((2,), 1.5),
            torch.arange(4),
            torch.arange(1, 4),
            torch.eye(2),
        )
        made += (
            torch.ones(2, requires_grad=True),
            torch.zeros_like(x),
            x.new_ones(2),
            torch.linspace(0, 1, 3),
            torch.eye(2, 3),
        )
        (
            torch.empty(2),
            torch.rand(2),
            torch.randn(2, 3),
            torch.randint(3, (2,)),
            torch.randint(1, 3, (2,)),
            torch.randperm(3),
        )
    return notes, made


def nested_modes_hear_one_after_the_other(torch):
    notes, x, utils = [], leaf(torch), tools(torch)
    outer, inner = logging(torch, notes, "outer "), logging(torch, notes, "inner ")
    with outer:
        y = x + 1
        with inner:
            y = y * x
            found = utils._get_current_dispatch_mode() is inner, len(utils._get_current_dispatch_mode_stack())
            torch.ones(2)
        with inner, inner:
            y = y.exp()
        y = y - 1
    return notes, found, utils._get_current_dispatch_mode(), y


def what_a_mode_does_is_not_recorded(torch):
    x = leaf(torch)
    with answering(torch, lambda func, args, made: made * 2 if func is torch.ops.aten.exp.default else made):
        y = x.exp()
    (grad,) = torch.autograd.grad(y.sum(), x)
    return y, node_name(y), grad


def other_results_take_the_place_of_the_operators(torch):
    x = leaf(torch)
    with answering(torch, lambda func, args, made: torch.zeros(3)):
        y = x * x
        z = x.sum()
    (grad,) = torch.autograd.grad(y.sum(), x)
    return y, grad, z


def other_arguments_do_not_change_the_derivative(torch):
    aten, x = torch.ops.aten, leaf(torch)

    class Tenfold(tools(torch).TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func is aten.mul.Tensor:
                return func(args[0].detach() * 10, args[1])
            return func(*args, **(kwargs or {}))

    with Tenfold():
        y = x * x
    (grad,) = torch.autograd.grad(y.sum(), x)
    return y, grad


def what_a_mode_is_given(torch):
    x, found = leaf(torch), []

    def answer(func, args, made):
        plain = [each for each in args if not isinstance(each, torch.Tensor)]
        again = (made * 2).requires_grad
        found.append(
            (str(func), args[0] is x, plain, made.requires_grad, again, func.overloadpacket is torch.ops.aten.mul)
        )
        return made

    with answering(torch, answer):
        y = (x * 2).sum(0, keepdim=True)
    return found, y, y.requires_grad


def errors_leave_the_mode(torch):
    utils, x = tools(torch), leaf(torch)

    class Refusing(utils.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError("no")

    def refused():
        with Refusing():
            return x + 1

    return caught(refused), utils._get_current_dispatch_mode(), x + 1, torch.is_grad_enabled()


def modes_are_switched_off(torch):
    notes, x, utils = [], leaf(torch), tools(torch)
    mode = logging(torch, notes)
    with mode:
        with utils._disable_current_modes():
            x + 1
        with utils._pop_mode_temporarily() as off:
            x * 2
        x - 1
    return notes, off is mode


def second_derivatives_and_transforms_under_a_mode(torch):
    notes, x = [], leaf(torch)
    with logging(torch, notes):
        (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
        found = (
            torch.func.vmap(lambda each: each.sin().sum())(torch.ones(2, 3)),
            torch.func.grad(lambda each: each.exp().sum())(x),
        )
    return first, second, found


def forms_are_objects(torch):
    aten = torch.ops.aten
    form = aten.add.Tensor
    found = [str(form), repr(form), form.__name__, form.name(), form._opname, form._overloadname, form.namespace]
    found += [str(aten.add), form.overloadpacket is aten.add, aten.add.Tensor is form, form == aten.add.Scalar]
    found += [aten.mm.default.name(), aten.mm.default.__name__, form._schema.name, form._schema.overload_name]
    operators = tools(torch, "_ops")
    found += [isinstance(form, operators.OpOverload), isinstance(aten.add, operators.OpOverloadPacket)]
    x = torch.ones(2)
    return found, aten.add.Tensor(x, x, alpha=2), aten.sum.dim_IntList(x, [0], True), aten.view.default(x, [2, 1])


def what_is_no_result_is_refused(torch):
    class Giving(tools(torch).TorchDispatchMode):
        def __init__(self, made):
            super().__init__()
            self.made = made

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return self.made

        def __repr__(self):
            return "the mode"

    notes, x = [], torch.ones(2)
    for made in (NotImplemented, 5, "text", [1], None):
        with Giving(made):
            notes.append([caught(lambda: torch.add(x, 1)), caught(lambda: torch.ones(2)), caught(lambda: x.view(2, 1))])
            if not isinstance(made, (str, list)):
                notes.append(caught(lambda: torch.topk(x, 1)))
    return notes


def modes_of_functions_come_before_those_of_operators(torch):
    notes = []

    class Functions(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            notes.append((func.__name__, sorted(kwargs or {})))
            return func(*args, **(kwargs or {}))

    with Functions(), logging(torch, notes):
        torch.ones(2, requires_grad=True)
    with logging(torch, notes), Functions():
        torch.ones(2, requires_grad=True)
    return notes

"""Hooks of modules: around their calls, on their backward pass, on what they register; of one module and of all."""

from __future__ import annotations

from collections import namedtuple

from tests.parity.programs.common import caught, name_of

Pair = namedtuple("Pair", "a b")


def calling(torch, function):
    """A module that calls a function."""

    class Call(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return function(*args, **kwargs)

    return Call()


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def seen_by_full_hook(torch, function, *args, **kwargs):
    """What a full hook sees of `function(*args)`, whose (first) output is summed."""
    seen = []
    net = calling(torch, function)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append((grad_input, grad_output)))
    output = net(*args, **kwargs)
    (output[0] if isinstance(output, tuple | list) else output).sum().backward()
    return seen


def order_around_a_call(torch):
    modules, seen = torch.nn.modules.module, []
    net = calling(torch, lambda x: x * 2)

    def note(word):
        return lambda *given: seen.append(word)

    net.register_forward_pre_hook(note("pre"))
    net.register_forward_pre_hook(note("pre first"), prepend=True)
    net.register_forward_hook(note("after"))
    net.register_forward_hook(note("after first"), prepend=True)
    net.register_full_backward_pre_hook(note("backward pre"))
    net.register_full_backward_pre_hook(note("backward pre first"), prepend=True)
    net.register_full_backward_hook(note("backward"))
    net.register_full_backward_hook(note("backward first"), prepend=True)
    with (
        modules.register_module_forward_pre_hook(note("global pre")),
        modules.register_module_forward_hook(note("global after")),
        modules.register_module_full_backward_pre_hook(note("global backward pre")),
    ):
        net(leaf(torch)).sum().backward()
    return seen


def replaced_arguments_and_output(torch):
    net = calling(torch, lambda x, scale=1: x * scale)
    net.register_forward_pre_hook(lambda module, args, kwargs: (args, {"scale": 3}), with_kwargs=True)
    net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    net.register_forward_hook(lambda module, args, kwargs, out: (out, args, kwargs), with_kwargs=True)
    return net(leaf(torch), scale=2)


def pre_hook_with_wrong_return(torch):
    net = calling(torch, lambda x: x)
    net.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
    return caught(lambda: net(1))


def always_called_after_an_error(torch):
    seen = []

    def fail(*given):
        raise ValueError("no")

    net = calling(torch, lambda x: x + 1)
    net.register_forward_hook(lambda module, args, out: out * 2)
    net.register_forward_hook(fail)
    net.register_forward_hook(lambda module, args, out: seen.append(("never", out)))
    net.register_forward_hook(lambda module, args, out: seen.append(("always", out)) or 5, always_call=True)
    net.register_forward_hook(lambda module, args, out: seen.append(("then", out)), always_call=True)
    return caught(lambda: net(1)), seen


def always_called_that_fails_too(torch):
    def fail(word):
        def hook(*given):
            raise ValueError(word)

        return hook

    net = calling(torch, lambda x: x)
    net.register_forward_hook(fail("first"))
    net.register_forward_hook(fail("second"), always_call=True)
    return caught(lambda: net(1))


def full_hook(torch):
    return seen_by_full_hook(torch, lambda x: x * 2, leaf(torch))


def full_hook_with_other_arguments(torch):
    whole = torch.arange(2)
    return seen_by_full_hook(torch, lambda x, n, y, z: x * y + z, leaf(torch), 5, leaf(torch), whole)


def full_hook_with_an_input_that_needs_no_gradient(torch):
    return seen_by_full_hook(torch, lambda x, y: x * y, leaf(torch), torch.ones(2))


def full_hook_with_keywords(torch):
    return seen_by_full_hook(torch, lambda x, y: x * y, leaf(torch), y=leaf(torch))


def full_hook_without_an_input_that_needs_a_gradient(torch):
    w = leaf(torch)
    return seen_by_full_hook(torch, lambda x: x * w, torch.ones(2))


def full_hook_with_several_outputs(torch):
    return seen_by_full_hook(torch, lambda x: (x * 2, "text", x * 3, x.detach(), torch.arange(2)), leaf(torch))


def full_hook_with_a_named_tuple(torch):
    seen = []
    net = calling(torch, lambda x: Pair(x * 2, x * 3))
    net.register_full_backward_hook(lambda module, *grads: seen.append(grads))
    output = net(leaf(torch))
    output.b.sum().backward()
    return type(output).__name__, seen


def full_hook_with_a_list(torch):
    return seen_by_full_hook(torch, lambda x: [x * 2], leaf(torch))


def full_hook_with_views_and_returned_inputs(torch):
    return seen_by_full_hook(torch, lambda x: (x[0], x), leaf(torch))


def full_hook_on_the_same_input_twice(torch):
    x = leaf(torch)
    return seen_by_full_hook(torch, lambda a, b: a * b, x, x), x.grad


def full_hooks_that_replace(torch):
    x, seen = leaf(torch), []
    net = calling(torch, lambda x: x * 2)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
    net.register_full_backward_hook(lambda module, *grads: seen.append(grads))
    net.register_full_backward_pre_hook(lambda module, grad_output: [grad_output[0] * 3])
    net(x).sum().backward()
    return seen, x.grad


def returned_by_full_hook(torch, returned, register="register_full_backward_hook"):
    x = leaf(torch)
    net = calling(torch, lambda x: x * 2)
    getattr(net, register)(lambda module, *grads: returned)
    return caught(lambda: net(x).sum().backward()), x.grad


def full_hook_that_returns_two(torch):
    return returned_by_full_hook(torch, (torch.ones(2), torch.ones(2)))


def full_hook_that_returns_none_inside(torch):
    return returned_by_full_hook(torch, (None,))


def full_hook_that_returns_a_number(torch):
    return returned_by_full_hook(torch, 3)


def full_hook_that_returns_another_shape(torch):
    return returned_by_full_hook(torch, (torch.ones(3),))


def full_hook_that_returns_another_dtype(torch):
    return returned_by_full_hook(torch, (torch.ones(2, dtype=torch.float64),))


def full_pre_hook_that_returns_two(torch):
    return returned_by_full_hook(torch, (torch.ones(2), torch.ones(2)), "register_full_backward_pre_hook")


def full_hook_that_returns_something_for_no_gradient(torch):
    w = leaf(torch)
    net = calling(torch, lambda x: x * w)
    net.register_full_backward_hook(lambda module, *grads: (torch.ones(2),))
    return caught(lambda: net(torch.ones(2)).sum().backward())


def full_hooks_and_only_parameters_asked_for(torch):
    seen, net = [], torch.nn.Linear(2, 1)
    net.register_full_backward_hook(lambda *given: seen.append("hook"))
    net.register_full_backward_pre_hook(lambda *given: seen.append("pre"))
    return torch.autograd.grad(net(leaf(torch)).sum(), net.weight), seen


def full_hooks_twice_through_one_graph(torch):
    x, seen = leaf(torch), []
    net = calling(torch, lambda x: x * 2)
    net.register_full_backward_hook(lambda module, *grads: seen.append(grads))
    output = net(net(x)).sum()
    output.backward(retain_graph=True)
    output.backward()
    return seen, x.grad


def full_hook_of_second_order(torch):
    x, seen = leaf(torch), []
    net = calling(torch, lambda x: x * 2)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_input[0].detach()))
    (grad,) = torch.autograd.grad((net(x) ** 3).sum(), x, create_graph=True)
    grad.sum().backward()
    return seen, x.grad


def full_hook_removed_and_added_after_the_call(torch):
    seen = []
    net = calling(torch, lambda x: x * 2)
    handle = net.register_full_backward_hook(lambda *given: seen.append("early"))
    output = net(leaf(torch)).sum()
    handle.remove()
    net.register_full_backward_hook(lambda *given: seen.append("late"))
    output.backward()
    return seen


def full_hook_and_a_pass_around_the_output(torch):
    seen, kept = [], []
    net = calling(torch, lambda x: kept.append(x) or x * 2)
    net.register_full_backward_hook(lambda *given: seen.append("hook"))
    net(leaf(torch))
    kept[0].sum().backward()
    return seen


def writes_to_wrapped_tensors(torch):
    x = leaf(torch)
    net = calling(torch, lambda x: x * 2)
    net.register_full_backward_hook(lambda *given: None)
    inplace = torch.nn.ReLU(inplace=True)
    inplace.register_full_backward_hook(lambda *given: None)
    return caught(lambda: net(x).add_(1)), caught(lambda: inplace(x * 1))


def graph_of_a_module_with_full_hooks(torch):
    net = calling(torch, lambda x: x * 2)
    net.register_full_backward_pre_hook(lambda *given: None)
    node = net(leaf(torch)).grad_fn
    return name_of(node), [name_of(each) for each, _ in node.next_functions]


def error_in_a_full_hook(torch):
    def fail(*given):
        raise ValueError("no")

    x = leaf(torch)
    net = calling(torch, lambda x: x * 2)
    handle = net.register_full_backward_hook(fail)
    error = caught(lambda: net(x).sum().backward())
    handle.remove()
    net(x).sum().backward()
    return error, x.grad


def hook_of_the_older_kind(torch):
    x, seen = leaf(torch), []
    net = calling(torch, lambda x: (x * 2).exp())
    net.register_backward_hook(lambda module, *grads: seen.append(grads))
    net(x).sum().backward()
    return seen, x.grad


def hook_of_the_older_kind_on_one_operation(torch):
    x = leaf(torch)
    net = torch.nn.ReLU()
    net.register_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
    net(x * 1).sum().backward()
    return x.grad


def hooks_of_the_older_kind_with_containers(torch):
    x = leaf(torch)
    found = []
    for function, given in (
        (lambda x: [x * 2], x),
        (lambda x: {"n": 1, "a": x * 2}, x),
        (lambda x: x[0] * 2, [x]),
        (lambda x: (x * 2, x * 3), x),
        (lambda x: 3, x),
    ):
        net = calling(torch, function)
        net.register_backward_hook(lambda *grads: None)
        found.append(caught(lambda net=net, given=given: net(given)))
    return found


def hook_of_the_older_kind_of_a_dead_module(torch):
    def output():
        net = torch.nn.ReLU()
        net.register_backward_hook(lambda *given: None)
        return net(leaf(torch) * 1)

    return caught(lambda: output().sum().backward())


def both_kinds_on_one_module(torch):
    one, other = torch.nn.ReLU(), torch.nn.ReLU()
    one.register_backward_hook(lambda *given: None).remove()
    other.register_full_backward_hook(lambda *given: None).remove()
    return (
        caught(lambda: one.register_full_backward_hook(lambda *given: None)),
        caught(lambda: other.register_backward_hook(lambda *given: None)),
    )


def global_hooks(torch):
    modules, seen = torch.nn.modules.module, []
    net = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    with (
        modules.register_module_forward_pre_hook(lambda module, args: (args[0] + 1,)),
        modules.register_module_forward_hook(
            lambda module, args, kwargs, out: seen.append((type(module).__name__, kwargs)), with_kwargs=True
        ),
    ):
        output = net(leaf(torch))
    return output, seen


def registration_hooks(torch):
    nn, seen = torch.nn, []
    modules = nn.modules.module

    def hook(kind):
        return lambda module, name, value: seen.append((kind, name, value is None))

    with (
        modules.register_module_parameter_registration_hook(hook("parameter")),
        modules.register_module_buffer_registration_hook(hook("buffer")),
        modules.register_module_module_registration_hook(hook("module")),
    ):
        net = nn.Sequential(nn.Linear(1, 1))
        net[0].bias = None
        net.register_buffer("a", torch.ones(1))
        net.a = torch.zeros(1)
        net.a = None
        net.b = nn.Buffer(torch.ones(1))
        net.c = nn.ReLU()
        net.c = None
        net.add_module("d", None)
        net.register_parameter("e", None)
        net.double()
    return seen


def registration_hooks_that_replace(torch):
    nn = torch.nn
    modules = nn.modules.module
    with (
        modules.register_module_parameter_registration_hook(lambda m, name, value: nn.Parameter(torch.full((1,), 7.0))),
        modules.register_module_buffer_registration_hook(lambda m, name, value: torch.full((1,), 9.0)),
        modules.register_module_module_registration_hook(lambda m, name, value: nn.Tanh()),
    ):
        net = nn.Module()
        net.w, net.b, net.m = nn.Parameter(torch.ones(1)), nn.Buffer(torch.ones(1)), nn.ReLU()
    return net.w, net.b, type(net.m).__name__


def hooks_on_states(torch):
    seen = []
    net = torch.nn.Linear(1, 1, bias=False)
    net._register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)))
    net._register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)), with_module=True)
    net.register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)))
    net.load_state_dict(net.state_dict())
    net.register_state_dict_post_hook(lambda module, state, prefix, meta: {"a": 1})
    error = caught(net.state_dict)
    other = torch.nn.Linear(1, 1)
    other._register_state_dict_hook(lambda module, state, prefix, meta: {"a": 1})
    return seen, error, other.state_dict()

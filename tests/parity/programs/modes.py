"""Modes: grad, inference, their guards and decorators; Variable."""

from __future__ import annotations

import asyncio

from tests.parity.programs.common import caught, node_name


def leaf(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def made_in_inference(torch):
    with torch.inference_mode():
        return torch.ones(2)


def inference_flags(torch):
    x = leaf(torch)
    with torch.inference_mode():
        y = x * 2
        inside = (torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.is_inference(), x.is_inference())
    return inside, torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.is_inference(), y.requires_grad


def inference_functions_of_the_package(torch):
    y = made_in_inference(torch)
    return torch.is_inference(y), torch.is_inference(torch.ones(1)), y.is_leaf, y.grad_fn, y.requires_grad


def inference_tensor_saved(torch):
    x, y = leaf(torch), made_in_inference(torch)
    return caught(lambda: x * y), caught(lambda: y * x), caught(lambda: (x + y).requires_grad)


def inference_tensor_in_functions_without_saving(torch):
    x, y = leaf(torch), made_in_inference(torch)
    z = x + y
    z.sum().backward()
    return z.is_inference(), x.grad


def inference_tensor_in_place_outside(torch):
    y = made_in_inference(torch)
    return [
        caught(lambda: y.add_(1)),
        caught(lambda: y.zero_()),
        caught(lambda: y.__setitem__(0, 1.0)),
        caught(lambda: y.copy_(torch.ones(2))),
        y,
    ]


def inference_tensor_in_place_with_input_that_requires_grad(torch):
    x, y = leaf(torch), made_in_inference(torch)
    return caught(lambda: y.mul_(x))


def inference_tensor_in_place_inside(torch):
    y = made_in_inference(torch)
    with torch.inference_mode():
        y.add_(1)
        y[0] = 7.0
    return y


def inference_tensor_in_no_grad(torch):
    y = made_in_inference(torch)
    with torch.no_grad():
        return caught(lambda: y.add_(1)), y


def inference_tensor_version(torch):
    y = made_in_inference(torch)
    return caught(lambda: y._version)


def inference_tensor_requires_grad(torch):
    y = made_in_inference(torch)

    def assign():
        y.requires_grad = True

    return caught(lambda: y.requires_grad_()), caught(assign), caught(lambda: y.requires_grad_(False).requires_grad)


def requires_grad_inside_inference(torch):
    with torch.inference_mode():
        x = torch.ones(2)
        x.requires_grad_()
        y = x * 2
    return x.requires_grad, x.is_inference(), y.requires_grad, caught(lambda: (x * 2).sum().backward())


def factories_with_requires_grad_inside_inference(torch):
    with torch.inference_mode():
        x = torch.ones(2, requires_grad=True)
    return x.requires_grad, x.is_inference()


def inference_view_outside(torch):
    y = made_in_inference(torch)
    v = y[:1]
    return v.is_inference(), v.requires_grad, caught(lambda: v.add_(1))


def inference_copy_outside(torch):
    y = made_in_inference(torch)
    return y.clone().is_inference(), (y + 1).is_inference(), y.detach().is_inference(), y.contiguous().is_inference()


def view_of_normal_tensor_inside(torch):
    x = torch.ones(3)
    y = leaf(torch) * 1
    with torch.inference_mode():
        v, w = x[:2], y[:1]
        v.add_(1)
    return v.is_inference(), x, x._version, w.is_inference(), w.requires_grad, caught(lambda: w.mul_(2))


def leaf_written_inside_inference(torch):
    x = leaf(torch)
    with torch.inference_mode():
        x.add_(1)
    return x, x._version, x.is_leaf


def saved_value_written_inside_inference(torch):
    y = leaf(torch) * 1
    z = y * y
    with torch.inference_mode():
        y.add_(1)
    return caught(lambda: z.sum().backward())


def backward_inside_inference(torch):
    x = leaf(torch)
    y = (x * 2).sum()
    with torch.inference_mode():
        error = caught(lambda: y.backward())
    return error, x.grad


def inference_gradients_of_hooks(torch):
    x = leaf(torch)
    y = (x * x).sum()
    with torch.inference_mode():
        (found,) = torch.autograd.grad(y, x)
    return found, found.is_inference()


def inference_off_inside(torch):
    x = leaf(torch)
    with torch.inference_mode():
        with torch.inference_mode(False):
            y = x * 2
            inside = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
        after = torch.is_inference_mode_enabled()
    return inside, after, y.requires_grad, y.is_inference()


def inference_mode_false(torch):
    x = leaf(torch)
    with torch.no_grad(), torch.inference_mode(mode=False):
        return torch.is_grad_enabled(), (x * 2).requires_grad


def enable_grad_inside_inference(torch):
    x = leaf(torch)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
        return torch.is_grad_enabled(), y.requires_grad, y.is_inference()


def inference_mode_decorates(torch):
    @torch.inference_mode()
    def double(x):
        return x * 2

    @torch.inference_mode
    def triple(x):
        return x * 3

    x = leaf(torch)
    return double(x).is_inference(), triple(x).is_inference(), double.__name__, torch.is_inference_mode_enabled()


def inference_tensor_printed(torch):
    return repr(made_in_inference(torch))


def inference_tensor_data_and_grad(torch):
    y = made_in_inference(torch)
    return y.grad, y.data.is_inference(), caught(lambda: y.retain_grad()), caught(lambda: y.register_hook(print))


def inference_backward(torch):
    y = made_in_inference(torch).sum()
    return caught(lambda: y.backward())


def inference_in_modules(torch):
    layer = torch.nn.Linear(2, 2)
    with torch.inference_mode():
        x = torch.ones(1, 2)
    return caught(lambda: layer(x).requires_grad), layer(x.clone()).requires_grad


def inference_parameter(torch):
    y = made_in_inference(torch)
    return type(caught(lambda: torch.nn.Parameter(y))).__name__


def guards_as_functions(torch):
    results = []
    torch.set_grad_enabled(False)
    results.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    results.append(torch.is_grad_enabled())
    return results


def set_grad_enabled_decorates(torch):
    @torch.set_grad_enabled(False)
    def double(x):
        return (x * 2).requires_grad

    return double(leaf(torch)), torch.is_grad_enabled()


def set_grad_enabled_of_text(torch):
    return caught(lambda: torch.set_grad_enabled("no"))


def guards_of_a_generator_with_send_and_throw(torch):
    @torch.no_grad()
    def steps():
        got = yield torch.is_grad_enabled()
        try:
            yield got, torch.is_grad_enabled()
        except ValueError:
            yield "caught", torch.is_grad_enabled()

    running = steps()
    found = [next(running), torch.is_grad_enabled(), running.send("sent"), running.throw(ValueError())]
    running.close()
    return found, torch.is_grad_enabled()


def guards_of_a_coroutine(torch):
    @torch.no_grad()
    async def inside():
        return torch.is_grad_enabled()

    return type(caught(lambda: asyncio.run(inside()))).__name__


def guards_of_a_class(torch):
    class Made:
        @torch.no_grad()
        def method(self):
            return torch.is_grad_enabled()

    return Made().method()


def nested_guards(torch):
    found = []
    with torch.no_grad():
        with torch.enable_grad():
            with torch.set_grad_enabled(False):
                found.append(torch.is_grad_enabled())
            found.append(torch.is_grad_enabled())
        found.append(torch.is_grad_enabled())
    return found, torch.is_grad_enabled()


def exception_restores(torch):
    def fail():
        with torch.no_grad(), torch.inference_mode():
            raise KeyError("x")

    return type(caught(fail)).__name__, torch.is_grad_enabled(), torch.is_inference_mode_enabled()


def multithreading_guard(torch):
    x = leaf(torch)
    with torch.autograd.set_multithreading_enabled(False):
        x.sum().backward()
    torch.autograd.set_multithreading_enabled(True)
    return x.grad


def names_in_autograd(torch):
    names = (
        "Function",
        "NestedIOFunction",
        "Variable",
        "backward",
        "detect_anomaly",
        "enable_grad",
        "grad",
        "grad_mode",
        "inference_mode",
        "no_grad",
        "set_detect_anomaly",
        "set_grad_enabled",
        "set_multithreading_enabled",
        "graph",
        "function",
        "anomaly_mode",
        "variable",
    )
    return [name for name in names if hasattr(torch.autograd, name)]


def names_in_grad_mode(torch):
    names = ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled")
    return [name for name in names if hasattr(torch.autograd.grad_mode, name)]


def names_in_graph(torch):
    names = (
        "Node",
        "GradientEdge",
        "get_gradient_edge",
        "saved_tensors_hooks",
        "save_on_cpu",
        "increment_version",
        "disable_saved_tensors_hooks",
        "register_multi_grad_hook",
        "allow_mutation_on_saved_tensors",
    )
    return [name for name in names if hasattr(torch.autograd.graph, name)]


def variable_of_a_tensor(torch):
    data = torch.ones(2)
    made = torch.autograd.Variable(data, requires_grad=True)
    return type(made).__name__, made, made is data, made.data_ptr() == data.data_ptr(), data.requires_grad, made.is_leaf


def variable_without_arguments(torch):
    return torch.autograd.Variable().shape


def variable_shares_versions(torch):
    data = torch.ones(2)
    made = torch.autograd.Variable(data)
    data.add_(1)
    return made, made._version, data._version


def variable_of_a_result(torch):
    y = leaf(torch) * 2
    made = torch.autograd.Variable(y)
    return made.requires_grad, made.grad_fn, node_name(y)


def variable_is_an_instance(torch):
    return isinstance(torch.ones(1), torch.autograd.Variable), isinstance(1.0, torch.autograd.Variable)


def variable_of_a_number(torch):
    return type(caught(lambda: torch.autograd.Variable(3.0))).__name__
